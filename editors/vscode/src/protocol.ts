// Lacuna's extensions of the protocol for editors' own views. Any editor may use them.

/** The version of the types below; a server raises it when their meaning changes. */
export const viewsVersion = 1;

/** Status is the reply to the command lacuna.status, and the parameter of the notification lacuna/status. */
export interface Status {
  version: number;
  folders: FolderStatus[];
  /** The number of questions being answered. */
  answering: number;
}

/** FolderStatus describes one folder. */
export interface FolderStatus {
  uri: string;
  name: string;
  state: 'ready' | 'indexing' | 'searching only' | 'trouble' | 'off';
  /** Whether the sources can answer anything, and if not, why. */
  sources?: 'ready' | 'reading' | 'none' | 'missing' | 'empty' | 'unreadable';
  message?: string;
  /** The progress of indexing, in percent. */
  percent?: number;
  passages: number;
  files: number;
  skipped: number;
  failed: number;
  gaps: number;
  /** The model that answers; empty without one. */
  model?: string;
  /** The policy of the gate; empty without a model. */
  gate?: string;
  /** The gate's last decision, in words. */
  decision?: string;
}

/** Place is a range of the protocol: zero-based lines and UTF-16 columns. */
export interface Place {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

/** Gap is one thing that the sources do not know. */
export interface Gap {
  uri: string;
  /** The range of its question; only while the note is open. */
  range?: Place;
  question: string;
  questionId: string;
  /** The line of the question in the note, from 1. */
  line?: number;
  /** What the question is about. */
  subject?: string;
  /** Whether it is almost certainly missing, or probably. */
  level?: 'warning' | 'information';
  /** The value of the argument gap in commands. */
  gap: string;
  text: string;
  code: string;
  status: string;
  probability?: number;
  since?: string;
}

/** Gaps is the reply to lacuna.listGaps. */
export interface Gaps {
  version: number;
  gaps: Gap[];
}

/** StaleMark is a place of a note that is no longer true. */
export interface StaleMark {
  uri: string;
  range: Place;
  code: string;
  severity: string;
  text: string;
}

/** Stale is the reply to lacuna.listStale. */
export interface Stale {
  version: number;
  notes: number;
  marks: StaleMark[];
  /** Why there are none. */
  message?: string;
}

/** SourceFile reports on one file of a source: indexed, skipped or failed. */
export interface SourceFile {
  uri: string;
  path: string;
  state: 'indexed' | 'skipped' | 'failed';
  /** Indexed, but without a good part of its text; the reason says why. */
  partly?: boolean;
  reason?: string;
  advice?: string;
  passages: number;
  /** The share of the words that are searched, the blocks, and what was left out on purpose, in words. */
  kept?: string;
  blocks?: string;
  leftOut?: string;
}

/** Source describes one folder or file that the user named. */
export interface Source {
  name: string;
  root: string;
  indexed: number;
  partly?: number;
  skipped: number;
  failed: number;
  passages: number;
  kept?: string;
  leftOut?: string;
  /** A line for each group of skipped files that are not listed, such as pictures. */
  others?: string[];
  files: SourceFile[];
  /** The number of files that are not listed. */
  left?: number;
}

/** Sources is the reply to lacuna.listSources. */
export interface Sources {
  version: number;
  folders: { uri: string; name: string; sources: Source[] }[];
}

/** Coverage says how far the sources know what a question asks for. */
export type Coverage = 'answered' | 'nearest' | 'missing' | 'unknown';

/** Asked is a question of a note. */
export interface Asked {
  uri: string;
  /** Its line, from 1. */
  line: number;
  question: string;
  coverage: Coverage;
}

/** Topics is the reply to lacuna.listTopics: what the notes ask, by subject. */
export interface Topics {
  version: number;
  topics: { subject: string; questions: Asked[] }[];
}

/** Change is a quote whose source says it in other words now. */
export interface Change {
  /** The range of the citation in the note. */
  range: Place;
  was: string;
  now: string;
  uri: string;
  /** The line of the sentence in the source, from 1; 0 where it has none. */
  line: number;
}

/** Changes is the reply to lacuna.listChanges. */
export interface Changes {
  version: number;
  changes: Change[];
}

/** isReply reports whether a value is a reply of the version that this extension can read. */
export function isReply<T extends { version: number }>(reply: unknown): reply is T {
  return typeof reply === 'object' && reply !== null && (reply as { version?: unknown }).version === viewsVersion;
}

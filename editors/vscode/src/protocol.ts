// What Lacuna adds to the protocol for editors' own views. Every editor can ask for all of it.

/** The version of the objects below; a server raises it when their meaning changes. */
export const viewsVersion = 1;

/** Status is the reply to the command lacuna.status, and what the notification lacuna/status carries. */
export interface Status {
  version: number;
  folders: FolderStatus[];
  /** How many questions are being answered. */
  answering: number;
}

/** FolderStatus is how one folder stands. */
export interface FolderStatus {
  uri: string;
  name: string;
  state: 'ready' | 'indexing' | 'searching only' | 'trouble' | 'off';
  /** Whether there is anything to answer from, and if not, why. */
  sources?: 'ready' | 'reading' | 'none' | 'missing' | 'empty' | 'unreadable';
  message?: string;
  /** How far indexing is, from 0 to 100. */
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
  /** What the gate decided last, in words. */
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
  /** Where its question stands; only while the note is open. */
  range?: Place;
  question: string;
  questionId: string;
  /** What commands about it call gap. */
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

/** SourceFile is what became of one file of a source. */
export interface SourceFile {
  uri: string;
  path: string;
  state: 'indexed' | 'skipped' | 'failed';
  reason?: string;
  passages: number;
}

/** Source is one folder or file that questions are answered from. */
export interface Source {
  name: string;
  root: string;
  indexed: number;
  skipped: number;
  failed: number;
  passages: number;
  files: SourceFile[];
  /** How many files more there are than are listed. */
  left?: number;
}

/** Sources is the reply to lacuna.listSources. */
export interface Sources {
  version: number;
  folders: { uri: string; name: string; sources: Source[] }[];
}

/** isReply reports whether a value is a reply of the version that this extension can read. */
export function isReply<T extends { version: number }>(reply: unknown): reply is T {
  return typeof reply === 'object' && reply !== null && (reply as { version?: unknown }).version === viewsVersion;
}

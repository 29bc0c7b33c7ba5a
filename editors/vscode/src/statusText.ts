// The text of the status bar item. It does not import VS Code, so that it can be tested.
import type { FolderStatus, Status } from './protocol';

/** Look describes the item: a codicon, a few words, and whether the user should act. */
export interface Look {
  icon: string;
  text: string;
  alarm?: boolean;
}

/** lookOf describes Lacuna's status for the folder of a note; uri is the note's. */
export function lookOf(phase: string, status: Status | undefined, uri: string | undefined): Look {
  switch (phase) {
    case 'missing': return { icon: 'error', text: 'Lacuna: program not found', alarm: true };
    case 'ended': return { icon: 'error', text: 'Lacuna: has ended', alarm: true };
    case 'starting': return { icon: 'sync~spin', text: 'Lacuna: starting' };
    case 'stopped': return { icon: 'circle-slash', text: 'Lacuna: stopped' };
  }
  const folder = folderOf(status, uri);
  if (status && status.answering > 0) return { icon: 'sync~spin', text: status.answering === 1 ? 'Lacuna: answering' : `Lacuna: answering ${status.answering}` };
  if (folder === undefined) return { icon: 'check', text: 'Lacuna' };
  switch (folder.state) {
    case 'indexing': return { icon: 'sync~spin', text: folder.percent === undefined ? 'Lacuna: reading' : `Lacuna: reading, ${folder.percent} %` };
    case 'trouble': return { icon: 'warning', text: 'Lacuna: trouble', alarm: true };
    case 'off': return { icon: 'circle-slash', text: `Lacuna: ${nothing[folder.sources ?? 'none'] ?? 'no sources'}` };
  }
  return folder.gaps > 0 ? { icon: 'question', text: `Lacuna: ${count(folder.gaps, 'gap')}` } : { icon: 'check', text: 'Lacuna' };
}

/** nothing describes sources that cannot answer anything. */
const nothing: Partial<Record<string, string>> = { none: 'no sources', missing: 'sources not found', empty: 'sources are empty', unreadable: 'sources cannot be read' };

/** sourcesOf returns the state of all folders' sources: ready if one folder's are. */
export function sourcesOf(status: Status): string {
  const states = status.folders.map(folder => folder.sources ?? 'ready');
  return states.includes('ready') ? 'ready' : states[0] ?? 'none';
}

/** folderOf returns the innermost folder that holds a note, else the first. */
export function folderOf(status: Status | undefined, uri: string | undefined): FolderStatus | undefined {
  const folders = status?.folders ?? [];
  const above = folders
    .filter(({ uri: folder }) => uri !== undefined && (uri === folder || uri.startsWith(folder.endsWith('/') ? folder : `${folder}/`)))
    .sort((a, b) => b.uri.length - a.uri.length);
  return above[0] ?? folders[0];
}

/** linesOf returns the lines of a folder's tooltip, as plain text. */
export function linesOf(folder: FolderStatus): string[] {
  const files = [count(folder.files, 'file')];
  if (folder.skipped > 0) files.push(`${folder.skipped} skipped`);
  if (folder.failed > 0) files.push(`${folder.failed} failed`);
  const lines = [`${count(folder.passages, 'passage')} from ${files.join(', ')}`];
  if (folder.message) lines.unshift(folder.message);
  if (folder.sources === undefined || folder.sources === 'ready') lines.push(folder.gaps > 0 ? count(folder.gaps, 'open gap') : 'No open gaps');
  lines.push(folder.model ? `Model: ${folder.model}` : 'No model: answers quote your sources');
  if (folder.gate) lines.push(`Gate: ${folder.gate}${folder.decision ? `; last: ${folder.decision}` : ''}`);
  return lines;
}

/** count returns a number with its noun. */
export function count(n: number, noun: string): string {
  return `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;
}

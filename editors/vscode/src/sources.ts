// The order and the text of the view of sources. It does not import VS Code, so that it can be tested.
import type { Source, SourceFile } from './protocol';
import { count } from './statusText';

/** Branch is a folder inside a source, with what is below it. */
export interface Branch {
  name: string;
  path: string;
  branches: Branch[];
  files: SourceFile[];
}

/** needsAttention reports whether a file was not read, or only in part. */
export function needsAttention(file: SourceFile): boolean {
  return file.state !== 'indexed' || file.partly === true;
}

/** unread returns the files that need attention: failed ones first, then partly read and skipped ones, each by path. */
export function unread(files: readonly SourceFile[]): SourceFile[] {
  const rank = (file: SourceFile): number => (file.state === 'failed' ? 0 : file.partly ? 1 : 2);
  return files.filter(needsAttention).sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
}

/** treeOf puts files into the folders of their paths. A folder with nothing but one folder is one row with it. */
export function treeOf(files: readonly SourceFile[]): Branch {
  const root: Branch = { name: '', path: '', branches: [], files: [] };
  for (const file of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    let at = root;
    for (const name of file.path.split('/').slice(0, -1)) {
      let next = at.branches.find(branch => branch.name === name);
      if (next === undefined) at.branches.push(next = { name, path: at.path === '' ? name : `${at.path}/${name}`, branches: [], files: [] });
      at = next;
    }
    at.files.push(file);
  }
  return joined(root);
}

function joined(branch: Branch): Branch {
  const branches = branch.branches.map(joined), [only] = branches;
  if (branch.name !== '' && branches.length === 1 && branch.files.length === 0 && only) return { ...only, name: `${branch.name}/${only.name}` };
  return { ...branch, branches };
}

/** countOf says how many files are in a folder, and how many passages they gave. */
export function countOf(branch: Branch): { files: number; passages: number } {
  return [...branch.branches.map(countOf), ...branch.files.map(file => ({ files: 1, passages: file.passages }))]
    .reduce((sum, part) => ({ files: sum.files + part.files, passages: sum.passages + part.passages }), { files: 0, passages: 0 });
}

/** summary describes a source in one line. */
export function summary(source: Source): string {
  const parts = [count(source.indexed, 'file'), count(source.passages, 'passage')];
  if (source.partly) parts.push(`${source.partly} partly read`);
  if (source.skipped > 0) parts.push(`${source.skipped} skipped`);
  if (source.failed > 0) parts.push(`${source.failed} failed`);
  return parts.join(', ');
}

/** outcome says whether a file was indexed, and if not, why. */
export function outcome(file: SourceFile): string {
  if (file.partly) return `partly read: ${file.reason ?? 'no reason given'}`;
  return file.state === 'indexed' ? count(file.passages, 'passage') : `${file.state}: ${file.reason ?? 'no reason given'}`;
}

/** details describes a file in some lines: its outcome, what helps, how much is searched, and what was left out. */
export function details(file: SourceFile): string {
  const lines = [file.path, outcome(file)];
  if (file.advice) lines.push(file.advice);
  if (file.kept && !file.partly) lines.push(`searched: ${file.kept}`);
  if (file.blocks) lines.push(file.blocks);
  if (file.leftOut) lines.push(`left out: ${file.leftOut}`);
  return lines.join('\n');
}

// The order and the text of the view of sources. It does not import VS Code, so that it can be tested.
import type { Source, SourceFile } from './protocol';
import { count } from './statusText';

/** byUrgency sorts failed files first, then partly read and skipped ones, then the rest, each by path. */
export function byUrgency(files: readonly SourceFile[]): SourceFile[] {
  const rank = (file: SourceFile): number => (file.state === 'failed' ? 0 : file.partly ? 1 : file.state === 'skipped' ? 2 : 3);
  return [...files].sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
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

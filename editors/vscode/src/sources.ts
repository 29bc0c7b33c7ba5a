// The order and the text of the view of sources. It does not import VS Code, so that it can be tested.
import type { Source, SourceFile } from './protocol';
import { count } from './statusText';

/** byUrgency sorts failed files first, then skipped ones, then the rest, each by path. */
export function byUrgency(files: readonly SourceFile[]): SourceFile[] {
  const rank = { failed: 0, skipped: 1, indexed: 2 };
  return [...files].sort((a, b) => rank[a.state] - rank[b.state] || (a.path < b.path ? -1 : 1));
}

/** summary describes a source in one line. */
export function summary(source: Source): string {
  const parts = [count(source.indexed, 'file'), count(source.passages, 'passage')];
  if (source.skipped > 0) parts.push(`${source.skipped} skipped`);
  if (source.failed > 0) parts.push(`${source.failed} failed`);
  return parts.join(', ');
}

/** outcome says whether a file was indexed, and if not, why. */
export function outcome(file: SourceFile): string {
  return file.state === 'indexed' ? count(file.passages, 'passage') : `${file.state}: ${file.reason ?? 'no reason given'}`;
}

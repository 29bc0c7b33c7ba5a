// Which quote has changed, and how its source read when it was quoted. It does not import VS Code, so that it can be tested.
import type { Change } from './protocol';

/** changeAt returns the change whose citation is at a position, else the one nearest to its line. */
export function changeAt(changes: readonly Change[], at: { line: number; character: number }): Change | undefined {
  const far = ({ range: { start, end } }: Change): number => at.line < start.line ? start.line - at.line : at.line > end.line ? at.line - end.line : 0;
  const beside = ({ range: { start, end } }: Change): number => far({ range: { start, end } } as Change) > 0 ? 0
    : at.character < start.character && at.line === start.line ? start.character - at.character : at.character > end.character && at.line === end.line ? at.character - end.character : 0;
  return [...changes].sort((a, b) => far(a) - far(b) || beside(a) - beside(b))[0];
}

/** asQuoted returns a file's text with the quote in the place of the sentence that it has now; undefined if it has that nowhere. */
export function asQuoted(text: string, { now, was, line }: Change): string | undefined {
  const lines = text.split('\n'), before = lines.slice(0, Math.max(line - 1, 0)).join('\n').length;
  const words = now.trim().split(/\s+/).map(word => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const sentence = words[0] ? new RegExp(words.join('\\s+'), 'g') : undefined;
  const found = sentence ? [...text.matchAll(sentence)] : [];
  const [nearest] = found.sort((a, b) => Math.abs(a.index - before) - Math.abs(b.index - before));
  if (nearest === undefined) return undefined;
  const [start, end] = widened(text, was, nearest.index, nearest.index + nearest[0].length);
  return text.slice(0, start) + was + text.slice(end);
}

/** widened takes in as many sentences of the paragraph around a sentence as the quote has, if that is nearer to the quote. */
function widened(text: string, was: string, start: number, end: number): [number, number] {
  const from = text.lastIndexOf('\n\n', start) + 1, to = text.indexOf('\n\n', end), paragraph = text.slice(from, to < 0 ? undefined : to);
  const inText = sentences(paragraph).map(({ at, text: one }) => ({ start: from + at, end: from + at + one.length }));
  const here = inText.findIndex(one => one.start <= start && start < one.end), quoted = sentences(was).map(one => one.text);
  const like = quoted.map(one => likeness(one, text.slice(start, end))), at = like.indexOf(Math.max(...like));
  const first = inText[Math.max(here - at, 0)], last = inText[Math.min(here - at + quoted.length, inText.length) - 1];
  if (here < 0 || first === undefined || last === undefined) return [start, end];
  const wide: [number, number] = [Math.min(first.start, start), Math.max(last.end, end)];
  return likeness(was, text.slice(...wide)) > likeness(was, text.slice(start, end)) ? wide : [start, end];
}

function sentences(text: string): { at: number; text: string }[] {
  return [...text.matchAll(/\S[^]*?(?:[.!?](?=\s|$)|[。！？]|$)/g)].map(found => ({ at: found.index, text: found[0] }));
}

/** likeness is the share of their words that two texts have in common. */
function likeness(a: string, b: string): number {
  const words = (text: string): Set<string> => new Set(text.toLowerCase().split(/\s+/)), of = words(a), other = words(b);
  return [...of].filter(word => other.has(word)).length / Math.max(of.size, other.size);
}

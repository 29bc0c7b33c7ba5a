// Positions and edits of the protocol on texts. It does not import Obsidian, so that it can be tested.
import { type ChangeSpec, Text } from '@codemirror/state';
import type { Position, Range, TextEdit } from 'vscode-languageserver-protocol';

/** offsetAt returns the offset of a position, at most the end of its line or of the text. Both count UTF-16 units. */
export function offsetAt(doc: Text, at: Position): number {
  if (at.line >= doc.lines) return doc.length;
  const line = doc.line(at.line + 1);
  return Math.min(line.from + at.character, line.to);
}

/** positionAt returns the position of an offset. */
export function positionAt(doc: Text, offset: number): Position {
  const line = doc.lineAt(offset);
  return { line: line.number - 1, character: offset - line.from };
}

/** changesOf returns edits as changes of an editor: all speak of the text before any of them. */
export function changesOf(doc: Text, edits: readonly TextEdit[]): ChangeSpec[] {
  return edits.map(e => ({ from: offsetAt(doc, e.range.start), to: offsetAt(doc, e.range.end), insert: e.newText }));
}

/** edited returns a text with edits made. It keeps the text's line ends: those of an edit become the same. */
export function edited(text: string, edits: readonly TextEdit[]): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const doc = Text.of(text.split(/\r\n|\n/));
  const inOrder = edits.map((e, i) => ({ from: offsetAt(doc, e.range.start), to: offsetAt(doc, e.range.end), insert: e.newText, i })).sort((a, b) => a.from - b.from || a.i - b.i);
  let out = '', at = 0;
  for (const e of inOrder) {
    out += doc.sliceString(at, e.from) + e.insert;
    at = e.to;
  }
  return (out + doc.sliceString(at)).replace(/\r?\n/g, end);
}

/** difference returns the one change between two texts, as the server is told it; undefined if they are the same. */
export function difference(before: Text, after: Text): { range: Range; text: string } | undefined {
  if (before.eq(after)) return undefined;
  const a = before.toString(), b = after.toString();
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  if (start > 0 && /[\uD800-\uDBFF]/.test(a[start - 1]!)) start--; // not within a character of two units
  let same = 0;
  while (same < a.length - start && same < b.length - start && a[a.length - 1 - same] === b[b.length - 1 - same]) same++;
  if (same > 0 && /[\uDC00-\uDFFF]/.test(a[a.length - same]!)) same--;
  return { range: { start: positionAt(before, start), end: positionAt(before, a.length - same) }, text: b.slice(start, b.length - same) };
}

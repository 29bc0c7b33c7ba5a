// The order and the text of the view of gaps. It does not import VS Code, so that it can be tested.
import type { Gap } from './protocol';

/** Note holds a note's gaps. */
export interface Note {
  uri: string;
  gaps: Gap[];
}

/** byNote groups gaps by note, ordered by the notes' URIs and then by the questions' places. */
export function byNote(gaps: readonly Gap[]): Note[] {
  const notes = new Map<string, Gap[]>();
  for (const gap of gaps) {
    if (gap.status === 'dismissed' || gap.status === 'answered') continue;
    const others = notes.get(gap.uri);
    if (others) others.push(gap); else notes.set(gap.uri, [gap]);
  }
  const line = (gap: Gap): number => gap.range?.start.line ?? Number.MAX_SAFE_INTEGER;
  return [...notes]
    .map(([uri, found]) => ({ uri, gaps: found.sort((a, b) => line(a) - line(b)) }))
    .sort((a, b) => (a.uri < b.uri ? -1 : 1));
}

/** describe returns a gap's tooltip. */
export function describe(gap: Gap): string {
  const lines = [gap.text, `Asked: ${gap.question}`, gap.code];
  if (gap.probability !== undefined && gap.probability > 0) lines.push(`Missing with a probability of ${Math.round(gap.probability * 100)} %`);
  if (gap.since) lines.push(`Since ${gap.since.slice(0, 10)}`);
  return lines.join('\n');
}

/** lineOf finds the line of a gap's question in the text of a note; -1 if it is not there. */
export function lineOf(text: string, question: string): number {
  const at = text.indexOf(question);
  return at < 0 ? -1 : text.slice(0, at).split('\n').length - 1;
}

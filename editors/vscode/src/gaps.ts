// The order and the text of the view of gaps. It does not import VS Code, so that it can be tested.
import type { Gap } from './protocol';

/** Question holds the gaps of one question, the most certain first. */
export interface Question {
  uri: string;
  question: string;
  questionId: string;
  subject: string;
  gaps: Gap[];
}

/** Group holds questions of one note or on one subject. Its name is empty if there is only one group. */
export interface Group {
  name: string;
  /** The note, if the group is a note. */
  uri?: string;
  questions: Question[];
}

/** Arrangement says what the view shows, and in which order. */
export interface Arrangement {
  group: 'note' | 'subject' | 'none';
  sort: 'place' | 'certainty' | 'newest';
  /** Only what is almost certainly missing. */
  certain: boolean;
  /** Words that the question, its subject, what is missing or the note must all have. */
  words: string;
}

export const usual: Arrangement = { group: 'note', sort: 'place', certain: false, words: '' };

/** arrange groups, filters and sorts gaps by question. */
export function arrange(gaps: readonly Gap[], how: Arrangement): Group[] {
  const questions = new Map<string, Question>();
  for (const gap of gaps.filter(gap => fits(gap, how))) {
    const { uri, question, questionId } = gap, key = `${uri} ${questionId}`;
    const known = questions.get(key);
    if (known) known.gaps.push(gap); else questions.set(key, { uri, question, questionId, subject: gap.subject ?? '', gaps: [gap] });
  }
  for (const { gaps: found } of questions.values()) found.sort((a, b) => certainty(b) - certainty(a));
  const sorted = [...questions.values()].sort(byPlace).sort(orders[how.sort]);
  const groups = new Map<string, Group>();
  for (const question of sorted) {
    const name = how.group === 'subject' ? question.subject || 'Other questions' : how.group === 'note' ? question.uri : '';
    const group = groups.get(name.toLowerCase());
    if (group) group.questions.push(question);
    else groups.set(name.toLowerCase(), { name, questions: [question], ...(how.group === 'note' && { uri: question.uri }) });
  }
  const all = [...groups.values()];
  if (how.group === 'subject') all.sort((a, b) => b.questions.length - a.questions.length || (a.name < b.name ? -1 : 1));
  else if (how.sort === 'place') all.sort((a, b) => (a.name < b.name ? -1 : 1));
  return all;
}

function fits(gap: Gap, { certain, words }: Arrangement): boolean {
  if (gap.status === 'dismissed' || gap.status === 'answered' || certain && gap.level !== 'warning') return false;
  const text = `${gap.question} ${gap.subject ?? ''} ${gap.text} ${decode(gap.uri)}`.toLowerCase();
  return words.toLowerCase().split(/\s+/).every(word => text.includes(word));
}

function decode(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

const certainty = (gap: Gap): number => gap.probability ?? 0;
const lineIn = ({ gaps: [gap] }: Question): number => gap?.range?.start.line ?? (gap?.line ?? Number.MAX_SAFE_INTEGER) - 1;
const since = ({ gaps }: Question): string => gaps.map(gap => gap.since ?? '').sort().at(-1) ?? '';
const most = ({ gaps: [gap] }: Question): number => gap ? certainty(gap) : 0;
const byPlace = (a: Question, b: Question): number => a.uri === b.uri ? lineIn(a) - lineIn(b) : a.uri < b.uri ? -1 : 1;
const orders: Record<Arrangement['sort'], (a: Question, b: Question) => number> = {
  place: byPlace,
  certainty: (a, b) => most(b) - most(a),
  newest: (a, b) => (since(a) === since(b) ? 0 : since(a) < since(b) ? 1 : -1),
};

/** arrangementText says in a few words how the view differs from its usual self; it is empty if it does not. */
export function arrangementText({ group, sort, certain, words }: Arrangement): string {
  return [
    group === 'note' ? '' : group === 'subject' ? 'by subject' : 'as one list',
    sort === 'place' ? '' : sort === 'certainty' ? 'most certain first' : 'newest first',
    certain ? 'almost certain ones' : '',
    words === '' ? '' : `“${words}”`,
  ].filter(part => part !== '').join(' · ');
}

/** describe returns a gap's tooltip. */
export function describe(gap: Gap): string {
  const lines = [gap.question, gap.text];
  if (gap.subject) lines.push(`Subject: ${gap.subject}`);
  if (gap.probability !== undefined && gap.probability > 0) lines.push(`Missing with a probability of ${Math.round(gap.probability * 100)} %`);
  if (gap.since) lines.push(`Since ${gap.since.slice(0, 10)}`);
  lines.push(gap.code);
  return lines.join('\n');
}

/** levelText names how sure Lacuna is of a gap. */
export function levelText(gap: Gap): string {
  return gap.level === 'warning' ? 'almost certainly missing' : 'probably missing';
}

/** lineOf finds the line of a gap's question in the text of a note; -1 if it is not there. */
export function lineOf(text: string, question: string): number {
  const at = text.indexOf(question);
  return at < 0 ? -1 : text.slice(0, at).split('\n').length - 1;
}

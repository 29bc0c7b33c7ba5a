// The picture of what the sources know and lack: a bar for each subject of the notes. It does not import VS Code, so that
// it can be tested. All words of notes in it are escaped, and its only links are to questions.
import { escapeHtml } from './pageText';
import type { Asked, Coverage, Topics } from './protocol';
import { count } from './statusText';

const kinds: { coverage: Coverage; name: string }[] = [
  { coverage: 'answered', name: 'answered' },
  { coverage: 'nearest', name: 'with near places only' },
  { coverage: 'missing', name: 'missing' },
  { coverage: 'unknown', name: 'not looked up' },
];

/** most bounds the subjects that are drawn. */
const most = 200;

/** topicsHtml draws the topics; link returns the address of a question. */
export function topicsHtml({ topics }: Topics, link: (asked: Asked) => string): string {
  const all = topics.flatMap(topic => topic.questions), widest = Math.max(...topics.map(topic => topic.questions.length), 1);
  if (all.length === 0) return '<h1>What your sources know</h1><p>Your notes have no questions yet. Write one into a note; it appears here by its subject.</p>';
  const left = topics.length - most;
  return `<style>${style}</style>
<h1>What your sources know</h1>
<p>${count(all.length, 'question')} of your notes on ${count(topics.length, 'subject')}: ${kinds.map(kind => ({ ...kind, n: number(all, kind.coverage) })).filter(({ n }) => n > 0).map(({ coverage, name, n }) => `<span class="key"><svg width="12" height="12" aria-hidden="true">${bar(0, 12, 12, coverage)}</svg> ${n} ${name}</span>`).join(' ')}</p>
${topics.slice(0, most).map(topic => row(topic, widest, link)).join('\n')}
${left > 0 ? `<p>and ${count(left, 'subject')} more</p>` : ''}
${pattern}`;
}

function row({ subject, questions }: Topics['topics'][number], widest: number, link: (asked: Asked) => string): string {
  const words = kinds.map(({ coverage, name }) => ({ name, n: number(questions, coverage) })).filter(({ n }) => n > 0).map(({ name, n }) => `${n} ${name}`).join(', ');
  const unit = 300 / widest;
  let at = 0;
  const bars = kinds.map(({ coverage }) => {
    const width = unit * number(questions, coverage), drawn = width > 0 ? bar(at, width, 14, coverage) : '';
    at += width;
    return drawn;
  }).join('');
  const items = questions.map(asked => `<li class="${asked.coverage}"><a href="${escapeHtml(link(asked))}">${escapeHtml(asked.question)}</a> <span class="small">${escapeHtml(place(asked))}</span></li>`).join('');
  return `<details><summary><span class="subject">${escapeHtml(subject || 'Other questions')}</span><svg class="bar" viewBox="0 0 300 14" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(words)}">${bars}</svg><span class="small">${escapeHtml(words)}</span></summary><ul>${items}</ul></details>`;
}

function number(questions: readonly Asked[], coverage: Coverage): number {
  return questions.filter(asked => asked.coverage === coverage).length;
}

function place({ uri, line }: Asked): string {
  const name = uri.split('/').pop() ?? '';
  try {
    return `${decodeURIComponent(name)}:${line}`;
  } catch {
    return `${name}:${line}`;
  }
}

function bar(x: number, width: number, height: number, coverage: Coverage): string {
  return `<rect class="${coverage}" x="${x.toFixed(1)}" y="0" width="${Math.max(width - 1, 1).toFixed(1)}" height="${height}"/>`;
}

/** pattern hatches what is missing, so that colour is not all that tells it. */
const pattern = '<svg width="0" height="0" aria-hidden="true"><defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="ground" width="5" height="5"/><rect class="stroke" width="2" height="5"/></pattern></defs></svg>';

const style = `
summary { display: grid; grid-template-columns: 12em minmax(6em, 16em) 1fr; gap: 1em; align-items: center; margin: .15em 0; padding: .15em .3em; list-style: none; }
summary:hover { background: var(--vscode-list-hoverBackground); }
.subject { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 600; }
.bar { width: 100%; height: 14px; }
.small { color: var(--vscode-descriptionForeground); font-size: .88em; }
.key { white-space: nowrap; margin-right: 1em; }
rect.answered { fill: var(--vscode-charts-green); }
rect.nearest { fill: var(--vscode-charts-blue); opacity: .8; }
rect.missing { fill: url(#hatch); stroke: var(--vscode-list-warningForeground, var(--vscode-editorWarning-foreground, var(--vscode-foreground))); }
rect.unknown { fill: none; stroke: var(--vscode-descriptionForeground); }
.ground { fill: var(--vscode-editor-background); }
.stroke { fill: var(--vscode-list-warningForeground, var(--vscode-editorWarning-foreground, var(--vscode-foreground))); }
li.missing a { text-decoration: underline dotted; }
`;

// Makes random edits of a text with the document library of VS Code's own language servers:
//   node edits.mjs COUNT SEED > events
// Each line is an event as an editor sends it: { encoding, open?, changes, text }. open is the text of a newly opened
// document, text the expected text afterwards. The last line is { edits: COUNT }. Equal seeds give equal lines.
//
// The reference counts only in UTF-16. Positions are made in one of the three encodings and converted for it. Where it
// and the protocol differ, or the protocol leaves something open, these rules apply:
//   - A position inside a character (between two surrogates, inside a UTF-8 sequence) means the character's beginning. The
//     protocol does not say; the reference would cut the pair in two, and half a character cannot be written in UTF-8.
//   - A position inside a line end, or beyond it, means before the line end: the protocol says so, and the reference agrees.
//   - A line beyond the last means the end of the text, and a range whose end precedes its start is swapped, as in the reference.
//   - The current text decides where lines end. The reference updates its table of lines from edit to edit, and gets it
//     wrong if an edit joins a CR and an LF, separates them, or lies beyond the last line; then the table is built again.
import { createRequire } from 'node:module';

const { TextDocument } = createRequire(import.meta.url)('vscode-languageserver-textdocument');

const [count, seed] = process.argv.slice(2).map(Number);
if (!(count > 0) || !Number.isInteger(seed)) throw new Error('usage: edits.mjs COUNT SEED');

let state = seed >>> 0;
function random(below) { // mulberry32
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), state | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return Math.floor(((t ^ (t >>> 14)) >>> 0) / 4294967296 * below);
}
const pick = from => from[random(from.length)];

const words = [
  'a', 'What is it?', ' ', '\t', '- x', '# H', '.', '0', 'é', 'e\u0301', 'Ж', 'ß', 'ا', 'שלום', 'हिन्दी', '漢字', '痛风吗？', 'ひ', '한', 'ก็',
  '😀', '𝄞', '👩‍👩‍👧‍👦', '🇩🇪', '👍🏽', '\u200d', '\ufeff', '\u2028', '\u0085', '\u0000', '\u0300\u0301\u0302', '𠮷', '\u{10ffff}', '\ufffd', '\ufffe',
];
const ends = ['\n', '\r\n', '\r', '\n\r', '\r\r\n'];
function someText(most) {
  let text = '';
  for (let n = random(most + 1); n > 0; n--) text += random(4) ? pick(words) : pick(ends);
  return text;
}

const widths = { 'utf-8': c => Buffer.byteLength(c), 'utf-16': c => c.length, 'utf-32': () => 1 };
const encodings = Object.keys(widths);
const far = 2 ** 31 - 1; // the largest number of the protocol

let doc, encoding, width;
const lineText = line => doc.getText({ start: { line, character: 0 }, end: { line, character: far } });

// wire returns a position of the text as a client sends it, sometimes an odd one.
function wire(offset) {
  const { line, character } = doc.positionAt(offset);
  let column = 0;
  for (const c of lineText(line).slice(0, character)) column += width(c);
  switch (random(24)) {
    case 0: return { line, character: column + 1 }; // perhaps inside a character, a line end, or beyond it
    case 1: return { line, character: column + 1 + random(3) };
    case 2: return { line, character: pick([far, column + 100]) };
    case 3: return { line: doc.lineCount + random(3), character: random(5) };
    case 4: return random(4) ? { line, character: column } : { line: far, character: far };
  }
  return { line, character: column };
}

// known returns the same position in UTF-16, never inside a character, for the reference.
function known({ line, character }) {
  if (line >= doc.lineCount) return { line, character };
  const text = lineText(line);
  let at = 0, units = 0;
  for (const c of text) {
    if (units + width(c) > character) return { line, character: at };
    units += width(c);
    at += c.length;
  }
  return { line, character: at + character - units };
}

const isEnd = c => c === '\r' || c === '\n';

// edit makes a change, applies it with the reference, and returns it as a client sends it.
function edit() {
  if (random(400) === 0) {
    const text = someText(60);
    doc = TextDocument.update(doc, [{ text }], doc.version + 1);
    return { text };
  }
  const length = doc.getText().length;
  const start = random(length + 1);
  const end = Math.min(length, start + pick([0, 0, 0, 1, 1, 2, 5, length > 600 ? 200 : 10]));
  const range = random(16) ? { start: wire(start), end: wire(end) } : { start: wire(end), end: wire(start) };
  const text = random(3) ? someText(3) : '';
  const there = { start: known(range.start), end: known(range.end) };
  const from = doc.offsetAt(there.start), to = doc.offsetAt(there.end), old = doc.getText();
  const astray = [range.start, range.end].some(p => p.line >= doc.lineCount) ||
    isEnd(old[Math.min(from, to) - 1]) || isEnd(old[Math.max(from, to)]);
  doc = TextDocument.update(doc, [{ range: there, text }], doc.version + 1);
  if (astray) doc = TextDocument.create(doc.uri, doc.languageId, doc.version, doc.getText());
  return { range, text };
}

let waiting = [], size = 0;
async function write(event) {
  const line = JSON.stringify(event) + '\n';
  waiting.push(line);
  size += line.length;
  if (size > 1 << 20) await flush();
}
async function flush() {
  const chunk = waiting.join('');
  waiting = []; size = 0;
  if (!process.stdout.write(chunk)) await new Promise(r => process.stdout.once('drain', r));
}

for (let done = 0, event = 0; done < count; event++) {
  const line = {};
  if (event % 200 === 0) { // another document, the next encoding
    encoding = encodings[event / 200 % encodings.length];
    width = widths[encoding];
    const open = someText(event % 20000 === 0 ? 8000 : 80);
    doc = TextDocument.create('file:///note.md', 'markdown', 1, open);
    line.open = open;
  }
  line.encoding = encoding;
  line.changes = [];
  for (let n = Math.min(count - done, random(3) ? 1 + random(3) : 1 + random(9)); n > 0; n--, done++) line.changes.push(edit());
  line.text = doc.getText();
  await write(line);
}
await write({ edits: count });
await flush();

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asQuoted, changeAt } from '../src/changeText';
import { headed, rowOf } from '../src/choiceText';
import { machineryIn } from '../src/machinery';
import { arrange, arrangementText, describe, lineOf, usual } from '../src/gaps';
import { isReply, type Change, type FolderStatus, type Gap, type SourceFile, type Status } from '../src/protocol';
import { stateOf } from '../src/stateText';
import { countOf, outcome, summary, treeOf, unread } from '../src/sources';
import { folderOf, linesOf, lookOf, sourcesOf } from '../src/statusText';

const folder = (over: Partial<FolderStatus>): FolderStatus => ({
  uri: 'file:///n', name: 'n', state: 'ready', passages: 1, files: 1, skipped: 0, failed: 0, gaps: 0, ...over,
});
const status = (answering: number, ...folders: FolderStatus[]): Status => ({ version: 1, folders, answering });

test('the status bar says how Lacuna stands', () => {
  const text = (s: Status | undefined, phase = 'running'): string => lookOf(phase, s, undefined).text;
  assert.equal(text(undefined, 'missing'), 'Lacuna: program not found');
  assert.equal(text(undefined, 'starting'), 'Lacuna: starting');
  assert.equal(text(undefined), 'Lacuna');
  assert.equal(text(status(0, folder({}))), 'Lacuna');
  assert.equal(text(status(0, folder({ gaps: 1 }))), 'Lacuna: 1 gap');
  assert.equal(text(status(0, folder({ gaps: 12 }))), 'Lacuna: 12 gaps');
  assert.equal(text(status(0, folder({ state: 'indexing', percent: 42 }))), 'Lacuna: reading, 42 %');
  assert.equal(text(status(0, folder({ state: 'off', sources: 'none' }))), 'Lacuna: no sources');
  assert.equal(text(status(0, folder({ state: 'off', sources: 'empty' }))), 'Lacuna: sources are empty');
  assert.equal(text(status(0, folder({ state: 'off' }))), 'Lacuna: no sources');
  assert.equal(text(status(2, folder({ gaps: 3 }))), 'Lacuna: answering 2');
  assert.equal(lookOf('running', status(0, folder({ state: 'trouble' })), undefined).alarm, true);
});

test('a note belongs to the innermost folder above it', () => {
  const outer = folder({}), inner = folder({ uri: 'file:///n/inner' }), other = folder({ uri: 'file:///other' });
  const all = status(0, other, outer, inner);
  assert.equal(folderOf(all, 'file:///n/inner/a.md'), inner);
  assert.equal(folderOf(all, 'file:///n/innermost.md'), outer);
  assert.equal(folderOf(all, 'file:///else/a.md'), other);
  assert.equal(folderOf(undefined, 'file:///n'), undefined);
});

test('the tooltip has the coverage, the model and the gate', () => {
  assert.deepEqual(linesOf(folder({ passages: 1200, files: 40, skipped: 2, gaps: 3, model: 'm', gate: 'default', decision: 'searched the sources' })), [
    '1,200 passages from 40 files, 2 skipped', '3 open gaps', 'Model: m', 'Gate: default; last: searched the sources',
  ]);
  assert.deepEqual(linesOf(folder({ message: 'reading' })), ['reading', '1 passage from 1 file', 'No open gaps', 'No model: answers quote your sources']);
});

test('sources that cannot be searched have no text about gaps', () => {
  assert.deepEqual(linesOf(folder({ state: 'off', sources: 'none', passages: 0, files: 0, message: 'No sources are set up.' })),
    ['No sources are set up.', '0 passages from 0 files', 'No model: answers quote your sources']);
  assert.equal(sourcesOf(status(0)), 'none');
  assert.equal(sourcesOf(status(0, folder({ sources: 'none' }))), 'none');
  assert.equal(sourcesOf(status(0, folder({ sources: 'none' }), folder({ sources: 'ready' }))), 'ready');
  assert.equal(sourcesOf(status(0, folder({}))), 'ready'); // of an older program
});

const gap = (over: Partial<Gap>): Gap => ({
  uri: 'file:///a.md', question: 'Why?', questionId: 'q', gap: 'g', text: 'Nothing on x', code: 'missing-topic', status: 'open', ...over,
});

test('gaps stand note by note and question by question', () => {
  const place = (line: number) => ({ range: { start: { line, character: 0 }, end: { line, character: 4 } } });
  const questions = (over: object, ...gaps: Gap[]) => arrange(gaps, { ...usual, ...over }).map(group => [group.name, ...group.questions.map(q => `${q.question} ${q.gaps.map(g => g.text)}`)]);
  const all = [
    gap({ uri: 'file:///b.md', question: 'Other?', subject: 'Gout', line: 3, since: '2026-05-01' }), gap({ ...place(9), question: 'Later?', questionId: 'l', text: 'later', subject: 'gout', probability: 0.7 }),
    gap({ ...place(2), text: 'less', probability: 0.6 }), gap({ ...place(2), text: 'more', level: 'warning', probability: 0.95 }), gap({ status: 'dismissed' }), gap({ question: 'End?', questionId: 'e', line: 99, text: 'not open' }),
  ];
  assert.deepEqual(questions({}, ...all), [['file:///a.md', 'Why? more,less', 'Later? later', 'End? not open'], ['file:///b.md', 'Other? Nothing on x']]);
  assert.deepEqual(questions({ group: 'subject' }, ...all), [['Other questions', 'Why? more,less', 'End? not open'], ['gout', 'Later? later', 'Other? Nothing on x']]);
  assert.deepEqual(questions({ group: 'none', sort: 'certainty' }, ...all), [['', 'Why? more,less', 'Later? later', 'End? not open', 'Other? Nothing on x']]);
  assert.deepEqual(questions({ group: 'none', sort: 'newest', words: 'gout' }, ...all), [['', 'Other? Nothing on x', 'Later? later']]);
  assert.deepEqual(questions({ certain: true }, ...all), [['file:///a.md', 'Why? more']]);
  assert.deepEqual(questions({ words: 'b.md nothing' }, ...all), [['file:///b.md', 'Other? Nothing on x']]);
  assert.equal(arrangementText(usual), '');
  assert.equal(arrangementText({ group: 'subject', sort: 'newest', certain: true, words: 'x' }), 'by subject · newest first · almost certain ones · “x”');
});

test('a gap is described, and its question found again', () => {
  assert.equal(describe(gap({ probability: 0.931, since: '2026-03-01T10:00:00Z', subject: 'x' })),
    'Why?\nNothing on x\nSubject: x\nMissing with a probability of 93 %\nSince 2026-03-01\nmissing-topic');
  assert.equal(lineOf('a\r\nb\n- Why?\n', 'Why?'), 2);
  assert.equal(lineOf('a', 'Why?'), -1);
});

test('files stand in their folders, and those that need attention before them', () => {
  const file = (path: string, state: SourceFile['state'], reason?: string): SourceFile =>
    ({ uri: `file:///${path}`, path, state, passages: 2, ...(reason !== undefined && { reason }) });
  const files = [file('b.md', 'indexed'), file('x/y/a.md', 'indexed'), file('x/y/z.pdf', 'skipped', 'no reader'), file('y.csv', 'failed')];
  assert.deepEqual(unread(files).map(f => f.path), ['y.csv', 'x/y/z.pdf']);
  assert.deepEqual(unread(files).map(outcome), ['failed: no reason given', 'skipped: no reader']);
  const tree = treeOf(files);
  assert.deepEqual(tree.branches.map(({ name, path, files }) => [name, path, files.map(f => f.path)]), [['x/y', 'x/y', ['x/y/a.md', 'x/y/z.pdf']]]);
  assert.deepEqual(tree.files.map(f => f.path), ['b.md', 'y.csv']);
  assert.deepEqual(countOf(tree), { files: 4, passages: 8 });
  assert.equal(summary({ name: 'kb', root: '', indexed: 1, skipped: 1, failed: 0, passages: 2, files }), '1 file, 2 passages, 1 skipped');
});

test('only replies of our version are read', () => {
  assert.equal(isReply({ version: 1 }), true);
  for (const other of [{ version: 2 }, {}, null, undefined, 'text', []]) assert.equal(isReply(other), false);
});

test('a choice is a row with its name first', () => {
  assert.deepEqual(rowOf('misknow/merged · Misknow-RAG, up to 3 calls'), { label: 'misknow/merged', description: 'Misknow-RAG, up to 3 calls' });
  assert.deepEqual(rowOf('offline'), { label: 'offline' });
});

test('what is for Lacuna alone is dimmed, and nothing else', () => {
  const dimmed = (text: string): string[] => machineryIn(text).map(({ start, end }) => text.slice(start, end).trim());
  assert.deepEqual(dimmed('- Why?\n\n  <!-- lacuna 0e163eec -->\n  - "x" [Gout, line 3](a.md#L3)\n'), ['<!-- lacuna 0e163eec -->']);
  assert.deepEqual(dimmed('<!-- lacuna:answer 0a-2 -->\n**Answered**\n1. [a](b) <!-- lacuna:cite 00000000000000000000000000000000 -->\n<!-- lacuna:end -->'), [
    '<!-- lacuna:answer 0a-2 -->', '<!-- lacuna:cite 00000000000000000000000000000000 -->', '<!-- lacuna:end -->',
  ]);
  for (const line of ['# lacuna 0e163eec', '% lacuna 0e163eec taken', '.. lacuna 0e163eec-2', '// lacuna:answer 0e163eec', '(lacuna 0e163eec)', '(lacuna 0e163eec c562 01ab taken)', '# lacuna 0e163eec c562', '> <!-- lacuna 0e163eec-2 c562 taken -->', '--- end of lacuna answer ---']) {
    assert.deepEqual(dimmed(`a\r\n${line}\r\nb`), [line]);
  }
  assert.deepEqual(dimmed('A lacuna 0e163eec in the text.\n<!-- lacuna: off -->\n# Lacuna'), []);
});

test('a question to the user has a heading', () => {
  assert.deepEqual(headed('Send it?\n\nQuestion: x\n\nA yes is kept.'), { heading: 'Send it?', detail: 'Question: x\n\nA yes is kept.' });
  assert.deepEqual(headed('Send it?'), { heading: 'Send it?', detail: '' });
});

test('what is known of a question stands behind it', () => {
  assert.equal(stateOf('Answer'), undefined);
  assert.deepEqual(stateOf('Answer · 1 source'), { text: '1 source', icon: 'answer' });
  assert.deepEqual(stateOf('Answer · 3 nearest places, 1 gap'), { text: '3 nearest places, 1 gap', icon: 'gap' });
  assert.deepEqual(stateOf('Answer · 3 nearest places'), { text: '3 nearest places', icon: 'places' });
  assert.deepEqual(stateOf('Answer again · 2 sources'), { text: '2 sources' });
  assert.equal(stateOf('Answer again'), undefined);
  assert.deepEqual(stateOf('Being answered…'), { text: 'Being answered…' });
});

test('a source reads as it did when it was quoted', () => {
  const change = (over: Partial<Change>): Change => ({ range: { start: { line: 3, character: 5 }, end: { line: 3, character: 8 } }, was: 'Take 5 mg.', now: 'Take 2.5 mg.', uri: 'file:///a.md', line: 3, ...over });
  assert.equal(asQuoted('# A\n\nTake 2.5 mg. More.\n', change({})), '# A\n\nTake 5 mg. More.\n');
  assert.equal(asQuoted('Take 2.5 mg.\n\nTake\n  2.5 mg. More.\n', change({})), 'Take 2.5 mg.\n\nTake 5 mg. More.\n');
  assert.equal(asQuoted('One. The dose is 2.5 mg a day. The old take less of it. More.', change({ line: 1, was: 'The dose is 5 mg a day. The old take less of it.', now: 'The old take less of it.' })), 'One. The dose is 5 mg a day. The old take less of it. More.');
  assert.equal(asQuoted('Nothing of it.', change({})), undefined);
  assert.equal(asQuoted('', change({ now: '' })), undefined);
  const other = change({ uri: 'file:///b.md', range: { start: { line: 3, character: 20 }, end: { line: 3, character: 23 } } }), far = change({ uri: 'file:///c.md', range: { start: { line: 9, character: 0 }, end: { line: 9, character: 1 } } });
  const at = (line: number, character: number) => changeAt([far, change({}), other], { line, character })?.uri;
  assert.deepEqual([at(3, 6), at(3, 21), at(0, 0), at(30, 0)], ['file:///a.md', 'file:///b.md', 'file:///a.md', 'file:///c.md']);
  assert.equal(changeAt([], { line: 0, character: 0 }), undefined);
});

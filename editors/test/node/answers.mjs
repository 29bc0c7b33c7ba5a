// Tests answers from the sources: how they are written into a note, lead to their sources, and are removed.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { lsp, ok, rpc } from './editor.mjs';

export const question = 'What is the usual dose of apixaban in atrial fibrillation?';
export const sentence = 'The usual dose of apixaban in atrial fibrillation is 5 mg twice a day.';
export const unknown = 'What is the starting dose of tirzepatide';

/** answer has the question answered from the sources and returns the note as it was. */
export async function answer(note) {
  const before = note.text;
  await note.run('an answer is to be written', (await note.action(question, /^Answer this question$/)).command);
  assert.ok(note.text.indexOf(sentence) > note.text.indexOf(question), 'the sentence stands below its question');
  return before;
}

/** firstMark is inside the link of the first answer. */
export function firstMark(note) {
  const at = note.positionOf(', line ');
  return { ...at, character: at.character + 1 };
}

// The edit is not answered for a while, so that the command is certainly still running.
export async function answering(editor, note) {
  const before = note.text;
  const menu = await note.actions(note.positionOf(question));
  assert.deepEqual(menu.filter(a => a.isPreferred).map(a => a.title), ['Answer this question']); ok('one action is preferred');
  const running = editor.execute((await note.action(question, /^Answer this question$/)).command);
  const written = await editor.edit('the command asks for its edit');
  const asked = performance.now();
  assert.match((await note.hover(note.positionOf(unknown))).contents.value, /tirzepatide/); ok('hover while the command runs', `${(performance.now() - asked).toFixed(1)} ms`);
  const [{ label, needsConfirmation }] = Object.values(written.params.edit.changeAnnotations);
  assert.equal(label, 'From your sources'); assert.ok(!needsConfirmation); ok('the edit says whose words it brings');
  await note.accept(written); await running;
  assert.ok(note.text.indexOf(sentence) > note.text.indexOf(question), 'the sentence stands below its question'); ok('the answer is in the note');

  // Cancelled while its edit waits: it is answered immediately, and nothing has changed.
  const cancel = new rpc.CancellationTokenSource();
  const again = await note.action(question, /^Answer this question again$/);
  const cancelled = editor.execute(again.command, cancel.token).then(() => null, e => e);
  const dropped = await editor.edit('the second command asks for its edit');
  const cancelling = performance.now();
  cancel.cancel();
  assert.equal((await cancelled)?.code, lsp.LSPErrorCodes.RequestCancelled); ok('cancelled', `${(performance.now() - cancelling).toFixed(1)} ms`);
  dropped.answer({ applied: false, failureReason: 'cancelled' });

  // The edit that removes an answer can be resolved.
  const removal = await note.action(question, /^Remove the answer$/);
  assert.equal(removal.edit, undefined);
  const resolved = await editor.conn.sendRequest(lsp.CodeActionResolveRequest.type, removal);
  assert.equal(resolved.edit.documentChanges[0].textDocument.version, note.version);
  const [taken] = resolved.edit.documentChanges[0].edits;
  assert.ok(note.text.slice(note.offset(taken.range.start), note.offset(taken.range.end)).includes(sentence) && taken.newText === ''); ok('the edit of an action is resolved');
  await note.change(taken.range, '');
  assert.equal(note.text, before); ok('and takes the answer out');

  // All questions together, in one edit, which one undo reverts.
  await note.run('all questions are to be answered', (await note.action('Medication review', /^Answer .* questions/)).command);
  assert.ok(note.text.split('<!-- lacuna ').length > 10); ok('every open question of the note is answered', `${note.text.split('<!-- lacuna ').length - 1} answers`);
  await note.write(before);
}

// An editor's lists and jumps show an answer.
export async function navigating(editor, note) {
  const before = await answer(note), at = firstMark(note);
  assert.match((await note.hover(at)).contents.value, /is 5 mg twice a day[^]*For a new blood clot/); ok('hover on the citation shows the passage');
  const [place] = [await note.request(lsp.DefinitionRequest, { position: at })].flat();
  const file = fileURLToPath(place.targetUri), { start } = place.targetSelectionRange;
  assert.ok(fs.readFileSync(file, 'utf8').split('\n')[start.line].slice(start.character).startsWith(sentence)); ok('definition leads to the sentence', path.relative(editor.root, file));

  const references = (position, more) => note.request(lsp.ReferencesRequest, { position, context: { includeDeclaration: false }, ...more });
  const cited = await references(at);
  assert.ok(cited.some(l => l.uri === note.uri && l.range.start.line === at.line), JSON.stringify(cited)); ok('references lead to what cites the passage');
  const [listed] = await references(note.positionOf(question));
  assert.match(note.text.split('\n')[listed.range.start.line], /\]\(kb\/guidelines\/medicines\/apixaban\.md#L/); ok('and from a question to the sources of its answer');
  editor.parts = [];
  assert.deepEqual(await references(at, { partialResultToken: 'references' }), []);
  assert.ok(editor.parts.some(l => l.uri === note.uri)); ok('references come in parts');

  const link = (await note.request(lsp.DocumentLinkRequest)).find(l => note.text.slice(note.offset(l.range.start), note.offset(l.range.end)).includes('apixaban.md'));
  assert.ok(link?.tooltip, JSON.stringify(link));
  assert.match(link.target, /kb\/guidelines\/medicines\/apixaban\.md/); ok('the source of an answer is a link', link.target.replace(/.*\/kb/, 'kb'));
  const top = note.positionOf('<!-- lacuna ').line;
  const folds = await note.request(lsp.FoldingRangeRequest);
  assert.ok(folds.every(f => f.startLine > top + 1), JSON.stringify(folds)); ok('an answer of one line has nothing to fold');

  const names = symbols => symbols.flatMap(s => [s.name, ...names(s.children ?? [])]);
  const outline = names(await note.request(lsp.DocumentSymbolRequest));
  for (const name of [question, 'How often kidney function should be checked']) assert.ok(outline.some(n => n.includes(name)), JSON.stringify(outline));
  ok('symbols of the note', `${outline.length} symbols`);
  editor.parts = [];
  assert.deepEqual(await editor.conn.sendRequest(lsp.WorkspaceSymbolRequest.type, { query: 'dose', partialResultToken: 'parts' }), []);
  assert.ok(editor.parts.some(s => /apixaban/.test(s.name))); ok('symbols of the workspace come in parts', `${editor.parts.length} symbols`);

  const lenses = await note.request(lsp.CodeLensRequest);
  assert.ok(lenses.length >= 10 && lenses.every(l => l.command?.title), JSON.stringify(lenses[0])); ok('code lenses', String(lenses.length));
  assert.equal(await note.hover({ line: 2, character: 4 }), null); ok('silence where there is nothing');
  assert.equal(await note.hover({ line: 99999, character: 99999 }), null); ok('a position outside the note does no harm');
  await colours(editor, note);
  await hints(editor, note);
  await note.write(before);
}

/** coloured are the tokens of a note, each [words, type, modifiers]. */
function coloured(editor, note, data) {
  const { tokenTypes, tokenModifiers } = editor.init.capabilities.semanticTokensProvider.legend;
  const all = [];
  let line = 0, character = 0;
  for (let i = 0; i < data.length; i += 5) {
    line += data[i]; character = data[i] ? data[i + 1] : character + data[i + 1];
    const from = note.offset({ line, character });
    all.push([note.text.slice(from, from + data[i + 2]), tokenTypes[data[i + 3]], tokenModifiers.filter((_, bit) => data[i + 4] >> bit & 1)]);
  }
  return all;
}

// The sentences of an answer have their colours, and a change is sent as a difference.
async function colours(editor, note) {
  const tokens = await note.request(lsp.SemanticTokensRequest);
  assert.ok(coloured(editor, note, tokens.data).some(([words, type, [modifier]]) => words.includes(sentence) && type === 'lacunaCited' && modifier === 'verbatim'), JSON.stringify(coloured(editor, note, tokens.data)));
  await note.insert(0, '\n');
  const { edits: [moved] } = await note.request(lsp.SemanticTokensDeltaRequest, { previousResultId: tokens.resultId });
  const newer = [...tokens.data.slice(0, moved.start), ...moved.data, ...tokens.data.slice(moved.start + moved.deleteCount)];
  assert.ok(coloured(editor, note, newer).some(([words]) => words.includes(', line '))); ok('cited sentences have their colours');
  await note.change({ start: { line: 0, character: 0 }, end: { line: 1, character: 0 } }, '');

  const cited = note.text, quote = cited.lastIndexOf('\n', cited.indexOf(sentence)) + 1;
  const indent = /^ */.exec(cited.slice(quote))[0];
  await note.insert(quote, `${indent}- It is sold in two strengths. (not in the passages found)\n${indent}- It thins the blood. (background from the model, not from your sources)\n`);
  const { data } = await note.request(lsp.SemanticTokensRequest);
  const uncited = coloured(editor, note, data).filter(([, type]) => type === 'lacunaUncited').map(([words, , modifiers]) => [words.split('.')[0], ...modifiers]);
  assert.deepEqual(uncited, [['It is sold in two strengths', 'unsupported'], ['It thins the blood', 'background']]); ok('and so have sentences that nothing supports, and background');
  await editor.until('what nothing supports is marked', () => note.marked('unsupported-claim') && note.marked('generated-background'));
  await note.write(cited);
}

// Hints are off until the settings turn them on, without a restart.
async function hints(editor, note) {
  const shown = async () => (await note.request(lsp.InlayHintRequest, { range: note.everything })).map(h => h.label);
  const configure = async (settings, name, wanted) => {
    let before = editor.hintsAgain;
    editor.settings = settings;
    await editor.conn.sendNotification(lsp.DidChangeConfigurationNotification.type, { settings: null });
    for (let labels; !wanted(labels = await shown()); before = editor.hintsAgain) {
      await editor.until(`hints are to be asked for again, where they were ${JSON.stringify(labels)}`, () => editor.hintsAgain > before);
    }
    ok(name);
  };
  assert.deepEqual(await shown(), []);
  await configure({ hints: { enabled: true } }, 'inlay hints, after a change of the settings',
    labels => labels.some(l => /^covered \d+ % · 1 gap$/.test(l)) && labels.some(l => /1 of 1 sentence cited/.test(l)));
  await configure(null, 'and none after another', labels => labels.length === 0);
}

// Numbers, paths of sources and directives are completed.
export async function writing(editor, note) {
  const before = await answer(note);
  const complete = async (at, typed) => {
    await note.insert(at, typed);
    const list = await note.request(lsp.CompletionRequest, { position: note.positionAt(at + typed.length) });
    await note.change({ start: note.positionAt(at), end: note.positionAt(at + typed.length) }, '');
    return list.items.map(i => i.textEdit.newText);
  };
  const end = note.text.length, inAnswer = note.text.indexOf(sentence) + sentence.length;
  assert.match((await complete(end, '[warfarin'))[0], /^\[warfarin.*\]\(kb\/guidelines\/.*#L\d+\)$/i); ok('a place of a source is completed');
  assert.ok((await complete(inAnswer, ' ['))[0].includes('[1')); ok('and in an answer the numbers of its sources');
  assert.deepEqual(await complete(end, '<!-- lacuna: o'), ['<!-- lacuna: off -->', '<!-- lacuna: on -->']);
  assert.deepEqual(await complete(end, '- ['), []); ok('directives are completed, and a bracket alone is left alone');
  await note.write(before);

  const asked = '\nWhich medicines make lisinopril raise potassium?';
  await note.insert(before.length, asked);
  const grey = await note.request('textDocument/inlineCompletion', { position: note.positionAt(before.length + asked.length), context: { triggerKind: 2 } });
  assert.match(grey.items[0]?.insertText ?? '', /^\n[^]*"[^"]+"[^]*kb\/guidelines\//); ok('the answer to a finished question stands in grey');
  await note.write(before);

  const typed = 'What is the usual dose of semaglutide?';
  await note.insert(before.length, typed + '\n');
  await editor.until('the typed question has its gap', () => note.gapsOn(typed).length > 0);
  await note.write(before);

  const untitled = await editor.open('untitled:Untitled-1', 'plaintext', typed + '\n');
  await editor.until('a note without a file has its gap', () => untitled.diagnostics.length === 1);
  await untitled.close();
}

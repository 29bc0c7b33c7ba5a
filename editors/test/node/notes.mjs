// Tests notes, their gaps and their folders: what is marked, in which languages, from which sources.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { answer, firstMark, question, sentence, unknown } from './answers.mjs';
import { lsp, ok } from './editor.mjs';

// Gaps appear by themselves, with their actions.
export async function gaps(editor, note) {
  const [gap] = await editor.until('the gap of an unknown medicine is shown', () => note.gapsOn(unknown).length && note.gapsOn(unknown));
  assert.equal(gap.source, 'lacuna');
  assert.match(gap.message, /tirzepatide/);
  assert.equal(gap.severity, lsp.DiagnosticSeverity.Information); ok('a gap is no error and no warning');
  assert.ok(!gap.relatedInformation?.length, JSON.stringify(gap.relatedInformation)); ok('of an unknown medicine nothing is near');
  const [named] = await editor.until('the gap of a medicine that has a page is shown', () => note.gapsOn('Is metformin safe').length && note.gapsOn('Is metformin safe'));
  const near = named.relatedInformation ?? [];
  assert.ok(near.length === 1 && /metformin/i.test(near[0].message) && fs.existsSync(fileURLToPath(near[0].location.uri)), JSON.stringify(near)); ok('the gap of a page leads to that page', near[0].message);
  assert.ok(gap.codeDescription, JSON.stringify(gap));
  const explanation = fs.readFileSync(fileURLToPath(gap.codeDescription.href), 'utf8');
  assert.ok(explanation.startsWith(`# ${gap.code}\n`), explanation); ok('the code of the gap leads to its explanation', path.basename(gap.codeDescription.href));
  const why = await note.hover(note.positionOf('tirzepatide', note.text.indexOf(unknown)));
  assert.match(why.contents.value, /tirzepatide[^]*Nearest places:/); ok('hover on the question names the gap');

  const context = { diagnostics: [gap], only: ['quickfix'] };
  const fixes = await note.actions(gap.range.start, context);
  assert.ok(fixes.length >= 1 && fixes.every(f => f.kind?.startsWith('quickfix')), JSON.stringify(fixes.map(f => [f.title, f.kind])));
  ok('quick fixes of the gap', JSON.stringify(fixes.map(f => f.title)));
  const before = note.text;
  await editor.until('the sources are ready', () => editor.status?.folders[0].state === 'ready');
  const said = editor.progress.map(p => p.value.message ?? '');
  for (const wanted of [/^read [\d,]+ of \d+ files, [\d,]+ passages?/, /^training the encoder, \d+ %/]) assert.ok(said.some(m => wanted.test(m)), JSON.stringify(said));
  ok('indexing counts files and passages', said.find(m => /^training/.test(m)));
  await note.run('it is searched for again', (await note.action(unknown, /^Search again with “tirzepatide/, context)).command);
  assert.match(note.text.slice(note.text.indexOf(unknown)), /Nothing on “tirzepatide”/); ok('what is not found is said in the note');
  await note.write(before);
  await note.run('it is answered', (await note.action(unknown, /^Answer this question/)).command);
  assert.match(note.text.slice(note.text.indexOf(unknown)), /Nearest places:[^]*\n *- .*"/); ok('the nearest places are in the note');
  const taken = /^Take as the answer: /;
  await note.run('a place is taken', (await note.action(unknown, taken)).command);
  assert.match(note.text.slice(note.text.indexOf(unknown)), /<!-- lacuna [0-9a-f -]+ taken -->/); ok('and is the answer');
  await editor.until('nothing is missing there any more', () => note.gapsOn(unknown).length === 0);
  await note.write(before);
  await note.save(); // it was accepted, and is taken back
  await editor.until('until it is taken out', () => note.gapsOn(unknown).length > 0);

  const stub = editor.execute((await note.action(unknown, /^Start a page/, context)).command);
  const { params, answer: reply } = await editor.edit('a page is started');
  const created = params.edit.documentChanges.find(c => c.kind === 'create');
  assert.ok(fileURLToPath(created.uri).startsWith(path.join(editor.root, 'kb', 'guidelines')), created.uri);
  reply({ applied: false, failureReason: 'the test wants no page' });
  await stub.catch(() => null);

  await editor.execute((await note.action(unknown, /^Dismiss gap/, context)).command);
  await editor.until('a dismissed gap goes away', () => note.gapsOn(unknown).length === 0);
  await editor.execute((await note.action(unknown, /^Restore dismissed/)).command);
  await editor.until('and comes back', () => note.gapsOn(unknown).length > 0);
}

// Renamed sources, and changed sources.
export async function sources(editor, note) {
  const before = await answer(note), at = firstMark(note);
  const [place] = [await note.request(lsp.DefinitionRequest, { position: at })].flat();
  assert.ok(editor.init.capabilities.workspace.fileOperations.willRename.filters.length);
  const file = fileURLToPath(place.targetUri), renamed = path.join(path.dirname(file), 'renamed.md');
  const move = async (from, to) => {
    const files = [{ oldUri: pathToFileURL(from).href, newUri: pathToFileURL(to).href }];
    const { documentChanges: [ofNote] } = await editor.conn.sendRequest(lsp.WillRenameFilesRequest.type, { files });
    assert.equal(ofNote.textDocument.uri, note.uri); assert.equal(ofNote.textDocument.version, note.version);
    for (const e of [...ofNote.edits].reverse()) await note.change(e.range, e.newText);
    fs.renameSync(from, to);
    await editor.conn.sendNotification(lsp.DidRenameFilesNotification.type, { files });
  };
  const leadsTo = async () => [await note.request(lsp.DefinitionRequest, { position: at })].flat()[0].targetUri;
  await move(file, renamed);
  assert.match(note.text, /\(kb\/guidelines\/medicines\/renamed\.md#L\d+\)/); ok('a renamed source is cited by its new name');
  assert.equal(await leadsTo(), pathToFileURL(renamed).href); ok('and the citation leads to it');
  await move(renamed, file);
  assert.equal(await leadsTo(), place.targetUri);

  // A changed source is read again automatically, and a citation of text that is gone is marked.
  const page = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, page.replace(sentence, 'The usual dose of apixaban in atrial fibrillation is on another page.'));
  await editor.changedOnDisk(file);
  await editor.until('the citation of a sentence that changed is marked', () => note.marked('stale-citation'));
  const { marks, notes } = await editor.view('lacuna.listStale');
  const listed = marks.find(m => m.uri === note.uri && m.code === 'stale-citation');
  assert.ok(notes > 0 && listed, JSON.stringify(marks));
  assert.deepEqual(listed.range, note.diagnostics.find(d => d.code === 'stale-citation').range); ok('and in the list of what is no longer true', `${marks.length} of ${notes} notes`);
  const lost = note.diagnostics.filter(d => d.code === 'stale-citation');
  const { changes } = await editor.execute({ command: 'lacuna.listChanges', arguments: [{ version: 1, uri: note.uri }] });
  assert.ok(changes.length > 0 && changes.every(c => c.was.includes('5 mg twice a day') && c.now !== '' && c.line > 0 && c.uri.endsWith('apixaban.md')), JSON.stringify(changes)); ok('what it was and what it is now');
  await note.run('the citation is renewed', (await note.action(question, /^Answer again from the current sources$/, { diagnostics: lost, only: ['quickfix'] })).command);
  assert.ok(!note.text.includes(sentence)); ok('by what the source says now');
  await editor.until('and nothing is marked any more', () => !note.marked('stale-citation'));
  fs.writeFileSync(file, page);
  await editor.changedOnDisk(file);
  await editor.until('the source changes back', () => note.marked('stale-citation'));
  await note.write(before);
}

// What a note says about itself.
export async function directives(editor) {
  const asked = async text => {
    const note = await editor.open('untitled:Directives', 'markdown', text);
    const lenses = await note.request(lsp.CodeLensRequest);
    await note.close();
    return lenses.filter(l => /answer/i.test(l.command.command)).map(l => text.split('\n')[l.range.start.line]);
  };
  const first = 'How is gout treated?', second = 'How is pain treated?';
  assert.deepEqual(await asked(`${first}\n\n${second}\n`), [first, second]); ok('two questions of a note');
  assert.deepEqual(await asked(`<!-- lacuna: skip -->\n${first}\n\n${second}\n`), [second]); ok('one that is skipped');
  assert.deepEqual(await asked(`<!-- lacuna: off -->\n${first}\n\n<!-- lacuna: on -->\n${second}\n`), [second]); ok('one between off and on');
  assert.deepEqual(await asked(`<!-- lacuna: off -->\n${first}\n\n${second}\n`), []); ok('none in a note that is off');
  assert.deepEqual(await asked('<!-- lacuna: ask -->\nThe dose of apixaban.\n'), ['The dose of apixaban.']); ok('a paragraph that is asked by a directive');

  const note = await editor.open('untitled:Private', 'markdown', `---\nlacuna: private\n---\n\n${unknown}?\n`);
  assert.match((await note.hover(note.positionOf(unknown))).contents.value, /private: nothing is looked up/); ok('nothing of a private note is looked up');
  const titles = (await note.actions(note.positionOf(unknown))).map(a => a.title);
  assert.ok(titles.includes('Answer this question') && !titles.some(t => /thoroughly|another system/.test(t)), JSON.stringify(titles)); ok('and no model is offered');
  await note.change({ start: { line: 0, character: 0 }, end: { line: 4, character: 0 } }, '');
  await editor.until('the same note has its gap when it is private no longer', () => note.gapsOn(unknown).length > 0);
  await note.close();
}

// Notes in other languages: how a heading is written, and the comment that begins an answer.
const languages = [
  { file: 'visit.org', id: 'org', heading: q => `* ${q}`, begins: '# lacuna ' },
  { file: 'visit.rst', id: 'restructuredtext', heading: q => `${q}\n${'-'.repeat(q.length)}`, begins: '.. lacuna ' },
  { file: 'visit.tex', id: 'latex', heading: q => `\\documentclass{article}\n\\begin{document}\n\\section{${q}}\n\n\\end{document}`, begins: '% lacuna ' },
  { file: 'visit.typ', id: 'typst', heading: q => `= ${q}`, begins: '// lacuna ' },
  { file: 'visit.adoc', id: 'asciidoc', heading: q => `== ${q}`, begins: '// lacuna ' },
  { file: 'visit.txt', id: 'plaintext', heading: q => q, begins: '(lacuna ' },
];

export async function formats(editor) {
  for (const { file, id, heading, begins } of languages) {
    fs.writeFileSync(path.join(editor.root, file), heading(question) + '\n');
    const note = await editor.open(file, id), before = note.text;
    await note.run(`an answer is to be written into ${file}`, (await note.action(question, /^Answer this question$/)).command);
    assert.ok(note.text.split('\n').some(l => l.startsWith(begins)) && note.text.includes(sentence), note.text);
    const [place] = [await note.request(lsp.DefinitionRequest, { position: firstMark(note) })].flat();
    assert.match(place?.targetUri ?? '', /apixaban\.md$/, note.text);
    await note.run(`its citation leads to the source, and the answer is taken out of ${file}`, (await note.action(question, /^Remove the answer$/)).command);
    assert.equal(note.text, before);
    await note.close();
    fs.unlinkSync(path.join(editor.root, file));
  }
}

// A second folder with its own sources is added, and removed.
export async function notebooks(editor) {
  const cells = await editor.openNotebook('rounds/monday.ipynb', [
    ['raw', '---\ntitle: Ward round\n---'], ['markdown', `# Ward round\n\n${question}`], ['python', `# ${question}`], ['markdown', `- ${unknown} for weight loss?`],
  ]);
  const [first, last] = cells;
  await editor.until('a gap is marked in a cell', () => last.gapsOn(unknown).length > 0);
  assert.equal(first.gapsOn(question).length, 0);
  assert.match((await first.hover(first.positionOf(question))).contents.value, /“/); ok('hover in a cell');
  await first.run('the answer goes into the cell', (await first.action(question, /^Answer this question/)).command);
  assert.match(first.text, /\]\(\.\.\/kb\/guidelines\//); ok('its links begin at the notebook');
  const at = first.positionAt(first.text.indexOf('../kb/'));
  assert.ok((await first.request(lsp.DocumentHighlightRequest, { position: at })).length >= 1); ok('citations are marked');
  const [around] = await first.request(lsp.SelectionRangeRequest, { positions: [at] });
  assert.ok(around.parent?.parent?.parent, JSON.stringify(around)); ok('selections grow');
  const offer = await first.request(lsp.PrepareRenameRequest, { position: at });
  assert.match(offer.placeholder, /\.md$/);
  const { documentChanges } = await first.request(lsp.RenameRequest, { position: at, newName: 'renamed' });
  assert.equal(documentChanges.at(-1).kind, 'rename');
  assert.ok(documentChanges.some(c => c.textDocument?.uri === first.uri && c.textDocument.version === first.version)); ok('a source is renamed from a citation in a cell', offer.placeholder);
  await assert.rejects(last.request(lsp.PrepareRenameRequest, { position: last.positionOf(unknown) }), /put the cursor on a citation/); ok('elsewhere it says what can be renamed');
  await editor.closeNotebook(cells);
  assert.equal(await first.hover(at), null); ok('a closed notebook has no notes');
}

export async function folders(editor) {
  const garden = path.join(path.dirname(editor.root), 'garden');
  const folder = { uri: pathToFileURL(garden).href, name: 'garden' };
  const change = event => editor.conn.sendNotification(lsp.DidChangeWorkspaceFoldersNotification.type, { event: { added: [], removed: [], ...event } });
  await change({ added: [folder] });
  const ready = name => editor.status?.folders.some(f => f.name === name && f.state === 'ready');
  await editor.until('a second folder is ready', () => editor.status?.folders.length === 2 && ready('clinic') && ready('garden'));
  const plan = await editor.open(path.join(garden, 'plan.md'), 'markdown');
  const asked = 'How deep should runner beans be sown?', before = plan.text;
  await plan.write(`${asked}\n`);
  await plan.run('its question is to be answered', (await plan.action(asked, /^Answer this question$/)).command);
  assert.match(plan.text, /\(kb\/runner-beans\.md#L\d+\)/); ok('from its own sources');
  await plan.write(before);
  const listed = (await editor.view('lacuna.listSources')).folders;
  assert.deepEqual(listed.map(f => f.name).sort(), ['clinic', 'garden']); ok('the sources of both are listed');
  await plan.close();
  await change({ removed: [folder] });
  await editor.until('the folder is gone', () => editor.status.folders.length === 1 && ready('clinic'));
}

// What the views of an editor show.
export async function views(editor, note) {
  await editor.until('the gap is shown', () => note.gapsOn(unknown).length > 0);
  const listed = (await editor.view('lacuna.listGaps')).gaps;
  const gap = listed.find(g => g.question.startsWith(unknown));
  assert.deepEqual(gap?.range.start, note.positionOf(unknown), JSON.stringify(listed)); ok('the list of gaps', `${listed.length} gaps`);
  const sources = (await editor.view('lacuna.listSources')).folders[0].sources.filter(s => ['guidelines', 'history'].includes(s.name));
  assert.ok(sources.length === 2 && sources.every(s => s.indexed > 0 && s.files.every(f => f.state === 'indexed')), JSON.stringify(sources));
  ok('the list of sources', sources.map(s => `${s.name}: ${s.indexed}`).join(', '));
  const { folders: [clinic] } = await editor.view('lacuna.status');
  assert.equal(clinic.name, 'clinic'); assert.equal(clinic.gaps, listed.length); ok('the state of the folder', `${clinic.passages} passages in ${clinic.files} files`);
  const { topics } = await editor.view('lacuna.listTopics');
  assert.ok(topics.some(t => t.questions.some(q => q.coverage === 'missing' && /tirzepatide/.test(q.question))) && topics.some(t => t.questions.some(q => q.coverage === 'answered')), JSON.stringify(topics)); ok('what is asked, by subject', topics.map(t => t.subject).join(', '));
  const shown = editor.documents.length;
  await editor.execute({ command: 'lacuna.showGaps', arguments: [] });
  await editor.until('the page of all gaps is shown', () => editor.documents.length > shown);
  assert.equal(decodeURI(editor.documents.at(-1)), 'lacuna:/What your sources do not know.md');
  const report = await editor.page();
  assert.match(report, /^# What your sources do not know[^]*tirzepatide[^]*visit\.md#L\d+>/);
  await editor.execute({ command: 'lacuna.showGaps', arguments: [] });
  await editor.until('a page that is asked for again is the same document', () => editor.refreshed.includes(editor.documents.at(-1)));
  assert.equal(await editor.page(), report);
}

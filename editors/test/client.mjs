// The protocol library of VS Code's client against the real program, on a copy of the clinic example:
//   node client.mjs LACUNA WORKSPACE
// It is the fastest real client, so most end-to-end checks are here. No step waits for a fixed time: until() looks
// again whenever a message arrives.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { waiting } from './waiting.mjs';
const require = createRequire(new URL('../vscode/package.json', import.meta.url));
const rpc = require('vscode-jsonrpc/node');
const lsp = require('vscode-languageserver-protocol/node');

const [bin, workspace] = process.argv.slice(2);
const root = fs.realpathSync(workspace);
const uri = pathToFileURL(path.join(root, 'visit.md')).href;
const start = performance.now();
const ok = (name, extra = '') => console.log(`ok   ${name} (${Math.round(performance.now() - start)} ms) ${extra}`);

const child = spawn(bin, ['serve', '--stdio'], { stdio: ['pipe', 'pipe', 'pipe'] });
let complaints = ''; // what editors would show as errors
child.stderr.on('data', text => { complaints += text; });
const exited = new Promise(r => child.once('exit', r));
const conn = rpc.createMessageConnection(new rpc.StreamMessageReader(child.stdout), new rpc.StreamMessageWriter(child.stdin));

// What the server told us, and who wants to look again when it says more.
const diagnostics = new Map(); // URI to the latest that were pulled: { version, diagnostics, resultId }
const open = new Map(); // URI to the version
let pushed = 0, unchanged = 0;
const progress = [];
const edits = []; // workspace/applyEdit requests not yet answered, each { params, answer }
let status; // the latest lacuna/status
const { heard, until } = waiting(ok, 30);
conn.onNotification(lsp.PublishDiagnosticsNotification.type, () => { pushed++; });
// Diagnostics are pulled as VS Code does it: after a change, and when the server says so.
async function pull(uri) {
  const version = open.get(uri), previous = diagnostics.get(uri);
  const report = await conn.sendRequest(lsp.DocumentDiagnosticRequest.type, { textDocument: { uri }, previousResultId: previous?.resultId });
  if ((diagnostics.get(uri)?.version ?? 0) > version) return;
  if (report.kind === 'unchanged') unchanged++;
  diagnostics.set(uri, report.kind === 'full' ? { version, diagnostics: report.items, resultId: report.resultId } : { ...previous, version });
  heard();
}
async function opened(document) {
  open.set(document.uri, document.version);
  await conn.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: document });
  await pull(document.uri);
}
conn.onRequest(lsp.DiagnosticRefreshRequest.type, () => { for (const uri of open.keys()) pull(uri); return null; });
conn.onNotification('lacuna/status', p => { status = p; heard(); });
const parts = []; // of results that come by and by
conn.onNotification('$/progress', p => { if (Array.isArray(p.value)) parts.push(...p.value); else progress.push(p.value); heard(); });
conn.onRequest(lsp.ApplyWorkspaceEditRequest.type, params => new Promise(answer => { edits.push({ params, answer }); heard(); }));
conn.onRequest(lsp.WorkDoneProgressCreateRequest.type, () => null);
conn.onRequest(lsp.RegistrationRequest.type, () => null);
conn.onRequest(lsp.ConfigurationRequest.type, p => p.items.map(() => settings));
conn.onRequest(lsp.CodeLensRefreshRequest.type, () => null);
let hintsAgain = 0;
conn.onRequest(lsp.InlayHintRefreshRequest.type, () => { hintsAgain++; heard(); return null; });
let settings = null; // what the client's settings say
conn.listen();

// The document as an editor keeps it. LSP columns are UTF-16 code units here, which is what JavaScript counts.
let text = fs.readFileSync(fileURLToPath(uri), 'utf8'), version = 1;
const lineStart = n => { let at = 0; while (n-- > 0) at = text.indexOf('\n', at) + 1; return at; };
const offset = p => lineStart(p.line) + p.character;
const positionOf = (needle, from = 0) => {
  const at = text.indexOf(needle, from);
  assert.notEqual(at, -1, `the note has no ${JSON.stringify(needle)}`);
  const before = text.slice(0, at);
  return { line: before.split('\n').length - 1, character: at - before.lastIndexOf('\n') - 1 };
};
async function change(range, newText) {
  const at = { start: offset(range.start), end: offset(range.end) };
  text = text.slice(0, at.start) + newText + text.slice(at.end);
  version++;
  await conn.sendNotification(lsp.DidChangeTextDocumentNotification.type, { textDocument: { uri, version }, contentChanges: [{ range, text: newText }] });
  open.set(uri, version);
  await pull(uri);
}
async function accept({ params, answer }) {
  const [change1] = params.edit.documentChanges;
  assert.equal(change1.textDocument.uri, uri);
  assert.equal(change1.textDocument.version, version, 'the edit names the version it was made for');
  answer({ applied: true });
  for (const e of [...change1.edits].reverse()) await change(e.range, e.newText);
}
const document = { uri };
const hover = position => conn.sendRequest(lsp.HoverRequest.type, { textDocument: document, position });
const actions = (position, context = {}) => conn.sendRequest(lsp.CodeActionRequest.type,
  { textDocument: document, range: { start: position, end: position }, context: { diagnostics: [], ...context } });
const execute = (command, token) => conn.sendRequest(lsp.ExecuteCommandRequest.type, command, token);
const gapsOn = needle => {
  const { line } = positionOf(needle);
  return (diagnostics.get(uri)?.diagnostics ?? []).filter(d => d.range.start.line === line && /^missing-/.test(d.code));
};

const init = await conn.sendRequest(lsp.InitializeRequest.type, {
  processId: process.pid, rootUri: pathToFileURL(root).href, workspaceFolders: [{ uri: pathToFileURL(root).href, name: 'clinic' }],
  capabilities: {
    general: { positionEncodings: ['utf-16'] },
    experimental: { lacuna: { status: true } },
    window: { workDoneProgress: true, showDocument: { support: true } },
    workspace: { fileOperations: { willRename: true, didRename: true, didDelete: true }, applyEdit: true, configuration: true, workspaceFolders: true, workspaceEdit: { documentChanges: true, resourceOperations: ['create'], changeAnnotationSupport: {} }, codeLens: { refreshSupport: true }, diagnostics: { refreshSupport: true }, inlayHint: { refreshSupport: true } },
    textDocument: {
      diagnostic: { dynamicRegistration: false, relatedDocumentSupport: true },
      completion: {}, inlayHint: {},
      semanticTokens: { requests: { full: { delta: true }, range: true }, tokenTypes: [], tokenModifiers: [], formats: ['relative'] },
      hover: { contentFormat: ['markdown', 'plaintext'] }, definition: { linkSupport: true },
      publishDiagnostics: { relatedInformation: true, versionSupport: true, codeDescriptionSupport: true, dataSupport: true },
      codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['', 'quickfix', 'refactor', 'source'] } }, isPreferredSupport: true, disabledSupport: true, dataSupport: true, resolveSupport: { properties: ['edit'] } },
    },
  },
});
ok('initialized', JSON.stringify(init.serverInfo));
await conn.sendNotification(lsp.InitializedNotification.type, {});
assert.ok(init.capabilities.diagnosticProvider); ok('diagnostics are to be pulled');
await opened({ uri, languageId: 'markdown', version, text });

// Gaps appear by themselves.
const unknown = 'What is the starting dose of tirzepatide';
const [gap] = await until('the gap of an unknown medicine is shown', () => gapsOn(unknown).length && gapsOn(unknown));
assert.equal(gap.source, 'lacuna');
assert.match(gap.message, /tirzepatide/);
const explanation = fs.readFileSync(fileURLToPath(gap.codeDescription.href), 'utf8');
assert.ok(explanation.startsWith(`# ${gap.code}\n`), explanation); ok('the code of the gap leads to its explanation', path.basename(gap.codeDescription.href));
const why = await hover(positionOf('tirzepatide', text.indexOf(unknown)));
assert.match(why.contents.value, /Nothing found[^]*tirzepatide/); ok('hover on the question names the gap');
const fixes = await actions(gap.range.start, { diagnostics: [gap], only: ['quickfix'] });
assert.ok(fixes.length >= 1 && fixes.every(f => f.kind?.startsWith('quickfix')), JSON.stringify(fixes.map(f => [f.title, f.kind])));
ok('quick fixes of the gap', JSON.stringify(fixes.map(f => f.title)));

// One question is answered. The edit stays unanswered for a while, so that the command is certainly still running.
const question = 'What is the usual dose of apixaban in atrial fibrillation?';
const sentence = 'The usual dose of apixaban in atrial fibrillation is 5 mg twice a day.';
await until('the index is ready', () => progress.some(p => p.kind === 'end'), 60);
const menu = await actions(positionOf(question));
const answer = menu.find(a => a.title === 'Answer this question');
assert.ok(answer, JSON.stringify(menu.map(a => a.title))); ok('code actions', JSON.stringify(menu.map(a => a.title)));
const before = text;
const running = execute(answer.command);
await until('the command asks for its edit', () => edits.length === 1);
const asked = performance.now();
const meanwhile = await hover(positionOf(unknown));
assert.match(meanwhile.contents.value, /tirzepatide/); ok('hover while the command runs', `${(performance.now() - asked).toFixed(1)} ms`);
const [{ label: whose, needsConfirmation }] = Object.values(edits[0].params.edit.changeAnnotations);
assert.equal(whose, 'From your sources'); assert.ok(!needsConfirmation); ok('the edit says whose words it brings');
await accept(edits.pop()); await running;
assert.ok(text.indexOf(sentence) > text.indexOf(question), 'the sentence stands below its question'); ok('the answer is in the note');

// A model answers another question. What it finds missing is shown, and one undo takes its answer out.
const cautious = 'When should metformin be avoided in kidney disease?';
const plain = text;
const modelAnswer = (await actions(positionOf(cautious))).find(a => a.command?.command === 'lacuna.answerQuestion' && a.command.arguments[0].system === 'thorough');
assert.ok(modelAnswer, 'the menu offers to answer thoroughly');
const misknow = structuredClone(modelAnswer.command);
misknow.arguments[0].system = 'misknow/merged';
const reports = progress.length;
const thinking = execute(misknow);
await until('the model has answered', () => edits.length === 1, 60);
await accept(edits.pop()); await thinking;
assert.match(text.slice(text.indexOf(cautious)), /answered by scripted[^]*\[1\][^]*lacuna:cite/i); ok('the answer of the model is in the note');
const lacking = await until('what the model misses is shown', () => gapsOn(cautious).find(d => d.code === 'missing-knowledge'));
assert.match(lacking.message, /limits and exceptions/);
assert.ok(progress.slice(reports).some(p => p.kind === 'report'), 'progress was reported'); ok('progress of the model', JSON.stringify([...new Set(progress.slice(reports).map(p => p.message).filter(Boolean))]));
assert.match((await hover(positionOf(cautious))).contents.value, /misknow\/merged with scripted/); ok('hover names the model');
await change({ start: { line: 0, character: 0 }, end: positionOf('', text.length) }, plain);

// A citation leads to its source.
const mark = /\[1\]/.exec(text.slice(text.indexOf(sentence))).index + text.indexOf(sentence);
const at = positionOf('[1]', mark); at.character++;
const cited = await hover(at);
assert.match(cited.contents.value, /is 5 mg twice a day[^]*For a new blood clot/); ok('hover on the citation shows the passage');
const [place] = [await conn.sendRequest(lsp.DefinitionRequest.type, { textDocument: document, position: at })].flat();
const source = fs.readFileSync(fileURLToPath(place.targetUri ?? place.uri), 'utf8').split('\n');
const span = place.targetSelectionRange ?? place.range;
assert.ok(source[span.start.line].slice(span.start.character).startsWith(sentence), `${source[span.start.line].slice(span.start.character)}`); ok('definition leads to the sentence', path.relative(root, fileURLToPath(place.targetUri ?? place.uri)));

// A source that is renamed is cited by its new name.
assert.ok(init.capabilities.workspace.fileOperations.willRename.filters.length);
const renamedTo = path.join(path.dirname(fileURLToPath(place.targetUri ?? place.uri)), 'renamed.md');
const renaming = await conn.sendRequest(lsp.WillRenameFilesRequest.type, { files: [{ oldUri: place.targetUri ?? place.uri, newUri: pathToFileURL(renamedTo).href }] });
const [ofNote] = renaming.documentChanges;
assert.equal(ofNote.textDocument.uri, uri); assert.equal(ofNote.textDocument.version, version);
assert.match(ofNote.edits[0].newText, /\(kb\/guidelines\/medicines\/renamed\.md#L\d+\)/); ok('a renamed source is cited by its new name', ofNote.edits[0].newText);

// A source that changes is read again by itself, and the citation of what it no longer says is marked.
const citedFile = fileURLToPath(place.targetUri ?? place.uri), page = fs.readFileSync(citedFile, 'utf8');
const marked = code => diagnostics.get(uri)?.diagnostics.some(d => d.code === code);
fs.writeFileSync(citedFile, page.replace(sentence, 'The dose of apixaban is on another page.'));
await conn.sendNotification(lsp.DidChangeWatchedFilesNotification.type, { changes: [{ uri: pathToFileURL(citedFile).href, type: lsp.FileChangeType.Changed }] });
await until('the citation is stale', () => marked('stale-citation'), 60);
fs.writeFileSync(citedFile, page);
await conn.sendNotification(lsp.DidChangeWatchedFilesNotification.type, { changes: [{ uri: pathToFileURL(citedFile).href, type: lsp.FileChangeType.Changed }] });
await until('and good again', () => !marked('stale-citation'), 60);

// The sentences of the answer have their colours, and a change comes as a difference.
const legend = init.capabilities.semanticTokensProvider.legend;
const coloured = data => { // [line, text, type]
  const all = []; let line = 0, character = 0;
  for (let i = 0; i < data.length; i += 5) {
    line += data[i]; character = data[i] ? data[i + 1] : character + data[i + 1];
    const from = offset({ line, character });
    all.push([line, text.slice(from, from + data[i + 2]), legend.tokenTypes[data[i + 3]]]);
  }
  return all;
};
const tokens = await conn.sendRequest(lsp.SemanticTokensRequest.type, { textDocument: document });
assert.ok(coloured(tokens.data).some(([, words, type]) => words.includes(sentence) && type === 'lacunaCited'), JSON.stringify(coloured(tokens.data)));
await change({ start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, '\n');
const { edits: [moved] } = await conn.sendRequest(lsp.SemanticTokensDeltaRequest.type, { textDocument: document, previousResultId: tokens.resultId });
const newer = [...tokens.data.slice(0, moved.start), ...moved.data, ...tokens.data.slice(moved.start + moved.deleteCount)];
assert.ok(coloured(newer).some(([, words]) => words === '[1]')); ok('cited sentences have their colours');
await change({ start: { line: 0, character: 0 }, end: { line: 1, character: 0 } }, '');

// Hints are off until the settings want them, and then come without a restart.
const everything = { start: { line: 0, character: 0 }, end: { line: text.split('\n').length, character: 0 } };
const hints = () => conn.sendRequest(lsp.InlayHintRequest.type, { textDocument: document, range: everything });
assert.deepEqual(await hints(), []);
settings = { hints: { enabled: true } };
const hinted = hintsAgain;
await conn.sendNotification(lsp.DidChangeConfigurationNotification.type, { settings: null });
await until('hints are to be asked for again', () => hintsAgain > hinted);
const shownHints = await hints();
assert.ok(shownHints.some(h => /^covered \d+ % · 1 gap$/.test(h.label)) && shownHints.some(h => /1 of 1 sentence cited/.test(h.label)), JSON.stringify(shownHints.map(h => h.label)));
ok('inlay hints, after a change of the settings', `${shownHints.length} hints`);

// Cancelled while its edit waits: answered at once, and nothing was changed.
const cancel = new rpc.CancellationTokenSource();
const again = (await actions(positionOf(question))).find(a => /answer/i.test(a.title));
const cancelled = execute(again.command, cancel.token).then(() => null, e => e);
await until('the second command asks for its edit', () => edits.length === 1);
const asking = performance.now();
cancel.cancel();
const error = await cancelled;
assert.equal(error?.code, lsp.LSPErrorCodes.RequestCancelled); ok('cancelled', `${(performance.now() - asking).toFixed(1)} ms`);
edits.pop().answer({ applied: false, failureReason: 'cancelled' });

// The edit that takes an answer out can be asked for.
const removal = (await actions(positionOf(question))).find(a => a.title === 'Remove the answer');
assert.equal(removal.edit, undefined);
const resolved = await conn.sendRequest(lsp.CodeActionResolveRequest.type, removal);
assert.equal(resolved.edit.documentChanges[0].textDocument.version, version);
const [taken] = resolved.edit.documentChanges[0].edits;
assert.ok(text.slice(offset(taken.range.start), offset(taken.range.end)).includes(sentence) && taken.newText === ''); ok('the edit of an action is resolved');
assert.deepEqual(await conn.sendRequest(lsp.WorkspaceSymbolRequest.type, { query: 'dose', partialResultToken: 'parts' }), []);
assert.ok(parts.some(s => /apixaban/.test(s.name))); ok('symbols come in parts', `${parts.length} symbols`);

// One undo, as an editor sends it: the inverse of the one edit.
await change({ start: { line: 0, character: 0 }, end: positionOf('', text.length) }, before);
const typed = 'What is the usual dose of semaglutide?';
const end = { line: text.split('\n').length - 1, character: 0 };
await change({ start: end, end }, typed + '\n');
await until('diagnostics follow the typing', () => diagnostics.get(uri)?.version === version);
await until('the typed question has its gap', () => gapsOn(typed).length > 0);

// The other two things to do about a gap.
const fixesOf = async needle => { const [g] = gapsOn(needle); return actions(g.range.start, { diagnostics: [g], only: ['quickfix'] }); };
const stub = execute((await fixesOf(unknown)).find(f => /^Start a page/.test(f.title)).command);
await until('a page is started', () => edits.length === 1);
const created = edits[0].params.edit.documentChanges.find(c => c.kind === 'create');
assert.ok(fileURLToPath(created.uri).startsWith(path.join(root, 'kb', 'guidelines')), created.uri);
edits.pop().answer({ applied: false, failureReason: 'the test wants no page' });
await stub.catch(() => null);
await execute((await fixesOf(unknown)).find(f => /not needed/.test(f.title)).command);
await until('a gap marked as not needed goes away', () => gapsOn(unknown).length === 0);

// Places of sources and directives are completed.
const complete = async typed => {
  const at = { line: text.split('\n').length - 1, character: 0 };
  await change({ start: at, end: at }, typed);
  const list = await conn.sendRequest(lsp.CompletionRequest.type, { textDocument: document, position: { line: at.line, character: typed.length } });
  await change({ start: at, end: { line: at.line, character: typed.length } }, '');
  return list.items.map(i => i.textEdit.newText);
};
assert.match((await complete('[warfarin'))[0], /^\[warfarin.*\]\(kb\/guidelines\/.*#L\d+\)$/i); ok('a place of a source is completed');
assert.deepEqual(await complete('<!-- lacuna: o'), ['<!-- lacuna: off -->', '<!-- lacuna: on -->']);
assert.deepEqual(await complete('- ['), []); ok('directives are completed, and a bracket alone is left alone');

// What the views of an editor show.
await until('the status is told', () => status?.folders[0].state === 'ready' && status);
const view = command => conn.sendRequest(lsp.ExecuteCommandRequest.type, { command, arguments: [{ version: 1 }] });
const listed = (await view('lacuna.listGaps')).gaps;
const typedGap = listed.find(g => g.question === typed);
assert.deepEqual(typedGap?.range.start, positionOf(typed), JSON.stringify(listed)); ok('the list of gaps', `${listed.length} gaps`);
const sources = (await view('lacuna.listSources')).folders[0].sources;
assert.ok(sources.length >= 2 && sources.every(s => s.indexed > 0 && s.files.every(f => f.state === 'indexed')), JSON.stringify(sources));
ok('the list of sources', sources.map(s => `${s.name}: ${s.indexed}`).join(', '));
const { folders: [clinic] } = await view('lacuna.status');
assert.equal(clinic.name, 'clinic'); assert.match(clinic.decision, /answered from the sources/);

// A document without a file is a note too.
const untitled = 'untitled:Untitled-1';
await opened({ uri: untitled, languageId: 'plaintext', version: 1, text: typed + '\n' });
await until('an untitled note has its gap', () => diagnostics.get(untitled)?.diagnostics.length === 1);

const lenses = await conn.sendRequest(lsp.CodeLensRequest.type, { textDocument: document });
assert.ok(lenses.length >= 10, `${lenses.length} lenses`); ok('code lenses', String(lenses.length));
assert.equal(await hover({ line: 2, character: 4 }), null); ok('silence where there is nothing');
assert.equal(await hover({ line: 99999, character: 99999 }), null); ok('a position outside the note does no harm');

await pull(uri);
assert.ok(unchanged > 0); assert.equal(pushed, 0); ok('what is pulled is not pushed as well', `${unchanged} answers that nothing has changed`);
await conn.sendRequest(lsp.ShutdownRequest.type);
await conn.sendNotification(lsp.ExitNotification.type);
assert.equal(await exited, 0); ok('exit code 0');
assert.equal(complaints, ''); ok('nothing on standard error');
console.log('PASS');
process.exit(0);

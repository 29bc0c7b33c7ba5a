// Tests the real program with a client that supports only what every client must: no edits from the server, no progress,
// whole documents, UTF-16 columns, plain hovers, plain commands. The main journey works all the same.
//   node minimal-client.mjs LACUNA WORKSPACE
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { poller } from './poll.mjs';
const require = createRequire(new URL('../vscode/package.json', import.meta.url));
const rpc = require('vscode-jsonrpc/node');
const lsp = require('vscode-languageserver-protocol/node');

const [bin, workspace] = process.argv.slice(2);
const root = fs.realpathSync(workspace);
const uri = pathToFileURL(path.join(root, 'visit.md')).href;
const ok = name => console.log(`ok   ${name}`);

const child = spawn(bin, ['serve'], { stdio: ['pipe', 'pipe', 'pipe'] });
let complaints = '';
child.stderr.on('data', text => { complaints += text; });
const exited = new Promise(r => child.once('exit', r));
const conn = rpc.createMessageConnection(new rpc.StreamMessageReader(child.stdout), new rpc.StreamMessageWriter(child.stdin));

let marks = []; // the note's latest diagnostics
const messages = [], unasked = [];
let edits = 0;
const { recheck, until } = poller(ok, 60);
conn.onNotification(lsp.PublishDiagnosticsNotification.type, p => { if (p.uri === uri) marks = p.diagnostics; recheck(); });
conn.onNotification(lsp.ShowMessageNotification.type, p => { messages.push(p.message); recheck(); });
conn.onNotification((method, params) => { if (method !== 'window/logMessage') unasked.push([method, params]); });
conn.onRequest(lsp.ApplyWorkspaceEditRequest.type, () => { edits++; return new rpc.ResponseError(rpc.ErrorCodes.MethodNotFound, 'no edits'); });
conn.onRequest((method, params) => { unasked.push([method, params]); return new rpc.ResponseError(rpc.ErrorCodes.MethodNotFound, method); });
conn.listen();

let text = fs.readFileSync(fileURLToPath(uri), 'utf8'), version = 1;
const placeOf = needle => {
  const at = text.indexOf(needle);
  assert.notEqual(at, -1, `the note has no ${JSON.stringify(needle)}`);
  const before = text.slice(0, at);
  return { line: before.split('\n').length - 1, character: at - before.lastIndexOf('\n') - 1 };
};
const write = newText => {
  text = newText; version++;
  return conn.sendNotification(lsp.DidChangeTextDocumentNotification.type, { textDocument: { uri, version }, contentChanges: [{ text }] });
};
const hover = async needle => (await conn.sendRequest(lsp.HoverRequest.type, { textDocument: { uri }, position: placeOf(needle) }))?.contents;
const commands = needle => {
  const position = placeOf(needle);
  return conn.sendRequest(lsp.CodeActionRequest.type, {
    textDocument: { uri }, range: { start: position, end: position }, context: { diagnostics: marks.filter(d => d.range.start.line === position.line) },
  });
};
const gapOf = needle => marks.find(d => d.range.start.line === placeOf(needle).line && /^missing-/.test(d.code));
const plain = words => assert.ok(!/\*\*|\]\(|`|<!--|&[a-z]+;/.test(words), `this is no plain text: ${words}`);

const init = await conn.sendRequest(lsp.InitializeRequest.type, { processId: null, rootUri: pathToFileURL(root).href, capabilities: {} });
assert.ok([undefined, 'utf-16'].includes(init.capabilities.positionEncoding), init.capabilities.positionEncoding); ok('columns are counted in UTF-16');
await conn.sendNotification(lsp.InitializedNotification.type, {});
await conn.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: 'markdown', version, text } });

// A gap is shown with nothing but a range, a severity, a code and a message.
const unknown = 'What is the starting dose of tirzepatide';
const gap = await until('the gap of an unknown medicine is shown', () => gapOf(unknown));
assert.deepEqual(Object.keys(gap).sort(), ['code', 'message', 'range', 'severity', 'source']);
assert.match(gap.message, /tirzepatide/); plain(gap.message); ok('a mark is nothing but what every client knows');

// The hover reads well without Markdown.
const question = 'What is the usual dose of apixaban in atrial fibrillation?';
const sentence = 'The usual dose of apixaban in atrial fibrillation is 5 mg twice a day.';
let shown = await hover(question);
assert.equal(shown.kind, 'plaintext');
assert.ok(shown.value.includes(sentence), shown.value); plain(shown.value); ok('the hover is plain text');

// Columns after wide characters, and whole documents.
await write(text.replace(question, '😀𝄞 漢字. ' + question));
shown = await hover(question);
assert.ok(shown.value.includes(sentence), shown.value); ok('the hover behind wide characters');

// The answer reaches the user as a message, and the note stays unchanged.
const menu = await commands(question);
assert.ok(menu.length > 0 && menu.every(c => typeof c.command === 'string' && typeof c.title === 'string'), JSON.stringify(menu)); ok('code actions are plain commands');
const answer = menu.find(c => c.title === 'Answer this question');
const outcome = await conn.sendRequest(lsp.ExecuteCommandRequest.type, { command: answer.command, arguments: answer.arguments });
assert.equal(outcome.done, false);
assert.equal(edits, 1); ok('an edit is tried, whatever is declared');
const told = await until('the answer is a message', () => messages.find(m => m.includes(sentence)));
assert.match(told, /does not accept edits from a server/); plain(told); ok('the message is plain text, and says why it is one');

// A dismissed gap goes away.
const dismiss = (await commands(unknown)).find(c => /^Dismiss gap/.test(c.title));
await conn.sendRequest(lsp.ExecuteCommandRequest.type, { command: dismiss.command, arguments: dismiss.arguments });
await until('a dismissed gap goes away', () => !gapOf(unknown));

assert.equal(edits, 1); assert.deepEqual(unasked, []); ok('the server sent no request and no notification that this client does not know');
await conn.sendRequest(lsp.ShutdownRequest.type);
await conn.sendNotification(lsp.ExitNotification.type);
assert.equal(await exited, 0); ok('exit code 0');
assert.equal(complaints, ''); ok('nothing on standard error');
console.log('PASS');
process.exit(0);

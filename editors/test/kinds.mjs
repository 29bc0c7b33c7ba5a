// Tests the real program with clients as they exist in the wild, each in its own session: they do not do what their capabilities say.
// They implement JSON-RPC themselves, because the libraries do not have these faults.
//   node kinds.mjs LACUNA WORKSPACE
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { poller } from './poll.mjs';

const [bin, workspace] = process.argv.slice(2);
const root = fs.realpathSync(workspace);
const uri = pathToFileURL(path.join(root, 'visit.md')).href;
const question = 'What is the usual dose of apixaban in atrial fibrillation?';
const sentence = 'The usual dose of apixaban in atrial fibrillation is 5 mg twice a day.';
const literals = { codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['refactor.rewrite', 'quickfix'] } } } };
const resolving = { codeAction: { ...literals.codeAction, dataSupport: true, resolveSupport: { properties: ['edit'] } } };

/** A client with a note. edits says what it does when it is asked to make some: make, silent (makes them and never replies), unknown, refuse, ignore. */
class Client {
  messages = []; offered = 0; asked = 0; ids = []; next = 0; replies = new Map(); marks = []; version = 1;
  text = fs.readFileSync(fileURLToPath(uri), 'utf8');

  constructor(name, kind) {
    Object.assign(this, { name, ...kind });
    const ok = step => console.log(`ok   ${name}: ${step}`);
    Object.assign(this, { ok }, poller(ok, 60));
    this.child = spawn(bin, ['serve'], { stdio: ['pipe', 'pipe', 'inherit'] });
    let pending = Buffer.alloc(0);
    this.child.stdout.on('data', data => {
      pending = Buffer.concat([pending, data]);
      for (;;) {
        const end = pending.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = Number(/Content-Length: (\d+)/.exec(pending.subarray(0, end).toString())[1]);
        if (pending.length < end + 4 + length) return;
        const message = JSON.parse(pending.subarray(end + 4, end + 4 + length).toString());
        pending = pending.subarray(end + 4 + length);
        this.take(message);
      }
    });
  }

  send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.child.stdin.write(body);
  }

  request(method, params) {
    const id = ++this.next;
    return new Promise((resolve, reject) => {
      this.replies.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  take(m) {
    // A client that numbers all requests together takes a server's request with the id of its own request for the reply.
    const ours = this.replies.get(m.id);
    if (ours && (this.oneSpace || m.method === undefined)) {
      this.replies.delete(m.id);
      if (m.method !== undefined) ours.reject(new Error(`${m.method} came with the number ${m.id} of a request`));
      else if (m.error) ours.reject(new Error(m.error.message));
      else ours.resolve(m.result);
    } else if (m.id !== undefined) {
      this.ids.push(m.id);
      this.serve(m);
    } else if (m.method === 'textDocument/publishDiagnostics' && m.params.uri === uri) this.marks = m.params.diagnostics;
    else if (m.method === 'window/showMessage') this.messages.push(m.params.message);
    this.recheck();
  }

  /** serve answers a request of the server's. */
  serve(m) {
    if (this.handles?.includes(m.method)) return this.send({ id: m.id, result: m.method === 'workspace/configuration' ? m.params.items.map(() => null) : null });
    const unknown = () => this.send({ id: m.id, error: { code: -32601, message: `${m.method} is not supported` } });
    if (m.method !== 'workspace/applyEdit') return unknown();
    this.asked++;
    switch (this.edits) {
      case 'unknown': return unknown();
      case 'ignore': return undefined;
      case 'soon': // after a command, and not much later
        if (performance.now() - this.commanded > this.soon) return this.send({ id: m.id, result: { applied: false, failureReason: '' } });
        break;
      case 'refuse': return this.send({ id: m.id, result: { applied: false } });
    }
    this.apply(m.params.edit);
    if (this.edits !== 'silent') this.send({ id: m.id, result: { applied: true } });
  }

  apply(edit) {
    const all = edit.changes?.[uri] ?? edit.documentChanges.flatMap(change => change.edits);
    const offset = at => this.text.split('\n').slice(0, at.line).reduce((sum, line) => sum + line.length + 1, 0) + at.character;
    for (const one of [...all].sort((a, b) => offset(b.range.start) - offset(a.range.start))) {
      this.text = this.text.slice(0, offset(one.range.start)) + one.newText + this.text.slice(offset(one.range.end));
    }
    this.version++;
    this.send({ method: 'textDocument/didChange', params: { textDocument: { uri, version: this.version }, contentChanges: [{ text: this.text }] } });
  }

  async start() {
    this.init = await this.request('initialize', { processId: null, rootUri: pathToFileURL(root).href, capabilities: this.capabilities ?? {} });
    this.send({ method: 'initialized', params: {} });
    this.send({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'markdown', version: 1, text: this.text } } });
    await this.until('the sources are ready', () => this.marks.length > 0);
  }

  /** menu is what can be done with the question. */
  menu() {
    const before = this.text.slice(0, this.text.indexOf(question)).split('\n');
    const position = { line: before.length - 1, character: before.at(-1).length };
    return this.request('textDocument/codeAction', { textDocument: { uri }, range: { start: position, end: position }, context: { diagnostics: [] } });
  }

  /** choose does what an editor does with an action of that title: its edit first, then its command. */
  async choose(title) {
    let action = (await this.menu()).find(a => a.title === title);
    assert.ok(action, `no action ${title}`);
    this.commanded = performance.now();
    if (typeof action.command === 'string') return this.request('workspace/executeCommand', { command: action.command, arguments: action.arguments });
    if (!action.edit && !action.command) action = await this.request('codeAction/resolve', action);
    if (action.edit) this.apply(action.edit);
    if (action.command) return this.request('workspace/executeCommand', action.command);
    return { done: true };
  }

  answered() { return this.text.includes('<!-- lacuna ') && this.text.includes(sentence); }

  async stop() {
    await this.request('shutdown');
    this.send({ method: 'exit' });
    assert.equal(await new Promise(r => this.child.once('exit', r)), 0);
    assert.ok(this.ids.every(id => Number.isInteger(id) && id > 1e9 && id < 2 ** 31), `ids ${this.ids}`); this.ok('its numbers and the server\'s do not meet');
  }
}

async function run(name, kind, steps) {
  const client = new Client(name, kind);
  await client.start();
  await steps(client);
  await client.stop();
}

const denies = { workspace: { applyEdit: false } };
const writes = async client => {
  const outcome = await client.choose('Answer this question');
  assert.ok(outcome.done && client.answered(), JSON.stringify(outcome)); client.ok('the answer is written');
  await client.choose('Remove the answer');
  assert.ok(!client.answered()); client.ok('and taken out');
};
await run('declares false and makes edits', { capabilities: denies, edits: 'make' }, writes);
await run('declares nothing and makes edits', { edits: 'make' }, writes);
await run('one space of numbers', { edits: 'make', oneSpace: true }, writes);
await run('makes edits and never replies', { capabilities: { ...denies, textDocument: literals }, edits: 'silent' }, writes);

const offers = async client => {
  const outcome = await client.choose('Answer this question');
  assert.equal(outcome.done, false);
  assert.ok(outcome.text.includes(sentence) && client.messages.some(m => m.includes(sentence)), JSON.stringify(outcome)); client.ok('what cannot be written is shown, and replied');
  assert.ok(!client.answered());
};
const once = async client => {
  await offers(client);
  assert.equal(client.asked, 1);
  await offers(client);
  assert.equal(client.asked, 1); client.ok('it is asked for edits once');
};
await run('knows no edits', { edits: 'unknown' }, once);
await run('takes no notice of edits', { edits: 'ignore' }, once);
await run('refuses edits', { edits: 'refuse' }, offers);

const carries = async client => {
  await offers(client);
  await client.choose('Answer this question');
  assert.ok(client.answered()); client.ok('the action has the edit');
  await client.choose('Remove the answer');
  assert.ok(!client.answered()); client.ok('that which takes it out as well');
};
await run('knows no edits, has the edits of actions', { capabilities: { textDocument: literals }, edits: 'unknown' }, carries);
await run('ignores edits, resolves actions', { capabilities: { textDocument: resolving }, edits: 'ignore' }, carries);

// Kate, by its source of August 2026 (addons/lspclient): what it declares, and that it makes edits which nothing in this announces,
// for two seconds after a command.
const kate = {
  textDocument: {
    documentSymbol: { hierarchicalDocumentSymbolSupport: true }, publishDiagnostics: { relatedInformation: true },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'refactor', 'source'] } } },
    semanticTokens: { requests: { range: true, full: { delta: true } }, tokenTypes: ['keyword'], tokenModifiers: [], formats: ['relative'] },
    synchronization: { didSave: true }, selectionRange: { dynamicRegistration: false }, hover: { contentFormat: ['markdown', 'plaintext'] },
    completion: { completionItem: { snippetSupport: false, labelDetailsSupport: true, resolveSupport: { properties: ['additionalTextEdits', 'documentation'] } } },
    inlayHint: { dynamicRegistration: false }, diagnostic: { dynamicRegistration: false, relatedInformation: true },
  },
  window: { workDoneProgress: true, showMessage: { messageActionItem: { additionalPropertiesSupport: true } } },
  workspace: { configuration: true },
};
const handles = ['window/workDoneProgress/create', 'client/registerCapability', 'workspace/configuration', 'workspace/semanticTokens/refresh'];
await run('Kate', { capabilities: kate, edits: 'soon', soon: 60_000, handles }, async client => {
  const at = needle => {
    const before = client.text.slice(0, client.text.indexOf(needle)).split('\n');
    return { line: before.length - 1, character: before.at(-1).length };
  };
  const ask = (method, params) => client.request(`textDocument/${method}`, { textDocument: { uri }, ...params });
  await client.until('gaps are marked without being pulled', () => client.marks.some(d => /^missing-/.test(d.code)));
  assert.match((await ask('hover', { position: at(question) })).contents.value, /5 mg twice a day/); client.ok('the hover says what is known');
  client.soon = -1;
  const late = await client.choose('Answer this question');
  assert.ok(!late.done && !client.answered() && client.messages.some(m => m.includes(sentence)), JSON.stringify(late)); client.ok('an answer that comes too late for it is shown');
  client.soon = 60_000;
  await client.choose('Answer this question');
  assert.ok(client.answered()); client.ok('the next time it is written');
  const position = at('kb/guidelines/medicines/apixaban.md');
  assert.ok((await ask('documentHighlight', { position })).length > 0); client.ok('citations of the same passage are highlighted');
  const [around] = await ask('selectionRange', { positions: [position] });
  assert.ok(around.parent?.parent); client.ok('the selection grows');
  const [target] = [await ask('definition', { position })].flat();
  assert.match(target.uri, /apixaban\.md$/); client.ok('the citation leads to its source');
  assert.ok((await ask('references', { position, context: { includeDeclaration: true } })).length > 1); client.ok('and back');
  assert.ok((await ask('semanticTokens/full', {})).data.length > 0 && (await ask('documentSymbol', {})).length > 0); client.ok('colours and symbols');
  assert.ok(!client.init.capabilities.renameProvider); client.ok('it is offered no rename, because it renames no files');
  await client.choose('Remove the answer');
  assert.ok(!client.answered()); client.ok('the answer is taken out');
});
console.log('PASS');
process.exit(0);

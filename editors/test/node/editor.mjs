// A small editor: the protocol library of VS Code's client, its open notes, and a user's replies to the server's questions.
// Nothing in it waits for a fixed time: until() checks again whenever a message arrives.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { poller } from '../poll.mjs';
const require = createRequire(new URL('../../vscode/package.json', import.meta.url));
export const rpc = require('vscode-jsonrpc/node');
export const lsp = require('vscode-languageserver-protocol/node');

const start = performance.now();
export const ok = (name, extra = '') => console.log(`ok   ${name} (${Math.round(performance.now() - start)} ms) ${extra}`);

const capabilities = {
  general: { positionEncodings: ['utf-16'] },
  experimental: { lacuna: { status: true, workspaceDiagnostics: true } },
  window: { workDoneProgress: true, showDocument: { support: true }, showMessage: { messageActionItem: {} } },
  workspace: {
    fileOperations: { willRename: true, didRename: true, didDelete: true }, applyEdit: true, configuration: true, workspaceFolders: true,
    workspaceEdit: { documentChanges: true, resourceOperations: ['create', 'rename'], changeAnnotationSupport: {} },
    codeLens: { refreshSupport: true }, diagnostics: { refreshSupport: true }, inlayHint: { refreshSupport: true }, symbol: {}, textDocumentContent: {},
  },
  notebookDocument: { synchronization: { dynamicRegistration: false } },
  textDocument: {
    rename: { prepareSupport: true }, documentHighlight: {}, selectionRange: {},
    diagnostic: { dynamicRegistration: false, relatedDocumentSupport: true },
    completion: {}, inlineCompletion: {}, inlayHint: {}, references: {}, foldingRange: {}, documentLink: { tooltipSupport: true },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    semanticTokens: { requests: { full: { delta: true }, range: true }, tokenTypes: [], tokenModifiers: [], formats: ['relative'] },
    hover: { contentFormat: ['markdown', 'plaintext'] }, definition: { linkSupport: true },
    publishDiagnostics: { relatedInformation: true, versionSupport: true, codeDescriptionSupport: true, dataSupport: true },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['', 'quickfix', 'refactor', 'source'] } }, isPreferredSupport: true, disabledSupport: true, dataSupport: true, resolveSupport: { properties: ['edit'] } },
  },
};

/** An editor with the server that it has started for a folder. */
export class Editor {
  notes = new Map(); // by URI
  edits = []; // workspace/applyEdit requests not yet answered, each { params, answer }
  questions = []; // window/showMessageRequest not yet answered, each { message, choose }
  messages = []; // texts of window/showMessage
  documents = []; // URIs of documents that the server opened
  refreshed = []; // URIs of pages whose content has changed
  progress = []; // each { token, value }
  parts = []; // of partial results
  settings = null; // the editor's own settings
  status; // the latest lacuna/status
  pushed = 0; unchanged = 0; hintsAgain = 0;

  constructor(bin, root) {
    this.root = root;
    const { recheck, until } = poller(ok, 60);
    Object.assign(this, { recheck, until });
    const child = spawn(bin, ['serve', '--stdio'], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.complaints = ''; // anything that editors would show as an error
    child.stderr.on('data', text => { this.complaints += text; });
    this.exited = new Promise(r => child.once('exit', r));
    this.conn = rpc.createMessageConnection(new rpc.StreamMessageReader(child.stdout), new rpc.StreamMessageWriter(child.stdin));
    this.#listen();
  }

  #listen() {
    const { conn, recheck } = this;
    const keep = (list, value) => { list.push(value); recheck(); };
    conn.onNotification(lsp.PublishDiagnosticsNotification.type, () => { this.pushed++; });
    conn.onRequest(lsp.DiagnosticRefreshRequest.type, () => { for (const note of this.notes.values()) note.pull(); return null; });
    conn.onNotification('lacuna/status', p => { this.status = p; recheck(); });
    conn.onNotification('$/progress', p => { if (Array.isArray(p.value)) this.parts.push(...p.value); else this.progress.push(p); recheck(); });
    conn.onNotification(lsp.ShowMessageNotification.type, p => keep(this.messages, p.message));
    conn.onRequest(lsp.ShowMessageRequest.type, p => new Promise(answer => keep(this.questions, {
      message: p.message, titles: p.actions.map(a => a.title),
      choose: title => answer(title === null ? null : p.actions.find(a => a.title === title) ?? assert.fail(`no button ${title} among ${p.actions.map(a => a.title)}`)),
    })));
    conn.onRequest(lsp.ShowDocumentRequest.type, p => { keep(this.documents, p.uri); return { success: true }; });
    conn.onRequest(lsp.ApplyWorkspaceEditRequest.type, params => new Promise(answer => keep(this.edits, { params, answer })));
    conn.onRequest(lsp.WorkDoneProgressCreateRequest.type, () => null);
    conn.onRequest(lsp.RegistrationRequest.type, () => null);
    conn.onRequest(lsp.UnregistrationRequest.type, () => null);
    conn.onRequest(lsp.ConfigurationRequest.type, p => p.items.map(() => this.settings));
    conn.onRequest(lsp.CodeLensRefreshRequest.type, () => null);
    conn.onRequest(lsp.TextDocumentContentRefreshRequest.type, p => { keep(this.refreshed, p.uri); return null; });
    conn.onRequest(lsp.InlayHintRefreshRequest.type, () => { this.hintsAgain++; recheck(); return null; });
    conn.listen();
  }

  async start() {
    const folder = { uri: pathToFileURL(this.root).href, name: path.basename(this.root) };
    this.init = await this.conn.sendRequest(lsp.InitializeRequest.type, { processId: process.pid, rootUri: folder.uri, workspaceFolders: [folder], capabilities });
    await this.conn.sendNotification(lsp.InitializedNotification.type, {});
    ok('initialized', JSON.stringify(this.init.serverInfo));
  }

  /** open opens a file of the folder, or a document without a file whose text is given. */
  async open(place, languageId, text) {
    const uri = place.startsWith('untitled:') ? place : pathToFileURL(path.resolve(this.root, place)).href;
    const note = new Note(this, uri, text ?? fs.readFileSync(fileURLToPath(uri), 'utf8'));
    this.notes.set(uri, note);
    await this.conn.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId, version: note.version, text: note.text } });
    await note.pull();
    return note;
  }

  /** openNotebook opens a notebook whose cells are pairs of a language and a text, and returns its Markdown cells. */
  async openNotebook(place, texts) {
    const uri = pathToFileURL(path.resolve(this.root, place)).href;
    const all = texts.map(([language, text], i) => ({ language, cell: new Cell(this, uri, `${uri.replace('file://', 'vscode-notebook-cell:')}#W${i}sZmlsZQ%3D%3D`, text) }));
    // As VS Code's client does: every cell that the server selects by its language, with its text.
    const [{ cells: selected }] = this.init.capabilities.notebookDocumentSync.notebookSelector;
    const synchronised = all.filter(c => selected.some(s => s.language === c.language));
    const kind = language => language === 'markdown' ? lsp.NotebookCellKind.Markup : lsp.NotebookCellKind.Code;
    await this.conn.sendNotification(lsp.DidOpenNotebookDocumentNotification.type, {
      notebookDocument: { uri, notebookType: 'jupyter-notebook', version: 1, cells: synchronised.map(c => ({ kind: kind(c.language), document: c.cell.uri })) },
      cellTextDocuments: synchronised.map(c => ({ uri: c.cell.uri, languageId: c.language, version: 1, text: c.cell.text })),
    });
    const cells = all.filter(c => c.language === 'markdown').map(c => c.cell);
    for (const cell of cells) { this.notes.set(cell.uri, cell); await cell.pull(); }
    return cells;
  }
  async closeNotebook(cells) {
    for (const cell of cells) this.notes.delete(cell.uri);
    await this.conn.sendNotification(lsp.DidCloseNotebookDocumentNotification.type, { notebookDocument: { uri: cells[0].notebook }, cellTextDocuments: cells.map(c => c.document) });
  }

  execute(command, cancellation) { return this.conn.sendRequest(lsp.ExecuteCommandRequest.type, command, cancellation); }

  /** view asks one of the commands that answer with what an editor's lists show. */
  /** page returns the content of the page that was opened last. */
  async page() { return (await this.conn.sendRequest(lsp.TextDocumentContentRequest.type, { uri: this.documents.at(-1) })).text; }
  view(command) { return this.execute({ command, arguments: [{ version: 1 }] }); }

  /** asks waits for a question of the server. */
  async asks(name) {
    await this.until(name, () => this.questions.length > 0);
    return this.questions.shift();
  }

  /** edit waits for an edit that the server asks for. */
  async edit(name) {
    await this.until(name, () => this.edits.length > 0);
    assert.equal(this.edits.length, 1);
    return this.edits.shift();
  }

  /** changedOnDisk tells the server what VS Code's watcher would. */
  changedOnDisk(file) {
    return this.conn.sendNotification(lsp.DidChangeWatchedFilesNotification.type, { changes: [{ uri: pathToFileURL(file).href, type: lsp.FileChangeType.Changed }] });
  }

  async stop() {
    await this.conn.sendRequest(lsp.ShutdownRequest.type);
    await this.conn.sendNotification(lsp.ExitNotification.type);
    assert.equal(await this.exited, 0); ok('exit code 0');
    assert.equal(this.complaints, ''); ok('nothing on standard error');
  }
}

/** A document as an editor keeps it. Columns are UTF-16 code units here, which is what JavaScript counts. */
class Note {
  version = 1;
  diagnostics = []; // of the last pull
  constructor(editor, uri, text) { Object.assign(this, { editor, uri, text, document: { uri } }); }

  // Diagnostics are pulled as VS Code does it: after a change, and when the server says so.
  async pull() {
    const { version, resultId } = this;
    const report = await this.request(lsp.DocumentDiagnosticRequest, { previousResultId: resultId });
    if ((this.pulled ?? 0) > version) return;
    this.pulled = version;
    if (report.kind === 'unchanged') this.editor.unchanged++;
    else { this.diagnostics = report.items; this.resultId = report.resultId; }
    this.editor.recheck();
  }

  request(method, params) { return this.editor.conn.sendRequest(method.type ?? method, { textDocument: this.document, ...params }); }
  hover(position) { return this.request(lsp.HoverRequest, { position }); }
  actions(position, context = {}) {
    return this.request(lsp.CodeActionRequest, { range: { start: position, end: position }, context: { diagnostics: [], ...context } });
  }

  /** action is the one entry of the menu at a text whose title fits. */
  async action(needle, title, context) {
    const menu = await this.actions(this.positionOf(needle), context);
    return menu.find(a => title.test(a.title)) ?? assert.fail(`no ${title} among ${JSON.stringify(menu.map(a => a.title))}`);
  }

  offset({ line, character }) {
    let at = 0;
    while (line-- > 0) at = this.text.indexOf('\n', at) + 1;
    return at + character;
  }
  positionAt(offset) {
    const before = this.text.slice(0, offset);
    return { line: before.split('\n').length - 1, character: offset - before.lastIndexOf('\n') - 1 };
  }
  positionOf(needle, from = 0) {
    const at = this.text.indexOf(needle, from);
    assert.notEqual(at, -1, `the note has no ${JSON.stringify(needle)}: ${this.text}`);
    return this.positionAt(at);
  }
  get everything() { return { start: { line: 0, character: 0 }, end: this.positionAt(this.text.length) }; }

  /** gapsOn are the gaps that are marked on the line of a text. */
  gapsOn(needle) {
    const { line } = this.positionOf(needle);
    return this.diagnostics.filter(d => d.range.start.line === line && /^missing-/.test(d.code));
  }
  marked(code) { return this.diagnostics.some(d => d.code === code); }

  async change(range, newText) {
    const at = { start: this.offset(range.start), end: this.offset(range.end) };
    this.text = this.text.slice(0, at.start) + newText + this.text.slice(at.end);
    this.version++;
    await this.tell({ uri: this.uri, version: this.version }, [{ range, text: newText }]);
    await this.pull();
  }
  tell(textDocument, contentChanges) { return this.editor.conn.sendNotification(lsp.DidChangeTextDocumentNotification.type, { textDocument, contentChanges }); }
  write(text) { return this.change(this.everything, text); }
  async insert(offset, text) { const at = this.positionAt(offset); await this.change({ start: at, end: at }, text); }

  async accept({ params, answer }) {
    const [edited] = params.edit.documentChanges;
    assert.equal(edited.textDocument.uri, this.uri);
    assert.equal(edited.textDocument.version, this.version, 'the edit names the version it was made for');
    answer({ applied: true });
    for (const e of [...edited.edits].reverse()) await this.change(e.range, e.newText);
  }

  /** run runs a command that writes into the note. */
  async run(name, command) {
    const running = this.editor.execute(command);
    running.catch(() => {}); // awaited below, unless the edit does not come
    await this.accept(await this.editor.edit(name));
    await running;
  }

  async save() {
    fs.writeFileSync(fileURLToPath(this.uri), this.text);
    await this.editor.conn.sendNotification(lsp.DidSaveTextDocumentNotification.type, { textDocument: this.document });
  }
  async close() {
    this.editor.notes.delete(this.uri);
    await this.editor.conn.sendNotification(lsp.DidCloseTextDocumentNotification.type, { textDocument: this.document });
  }
}

/** A cell of a notebook, whose changes are changes of the notebook. */
class Cell extends Note {
  constructor(editor, notebook, uri, text) { super(editor, uri, text); this.notebook = notebook; }
  tell(document, changes) {
    return this.editor.conn.sendNotification(lsp.DidChangeNotebookDocumentNotification.type, {
      notebookDocument: { uri: this.notebook, version: this.version }, change: { cells: { textContent: [{ document, changes }] } },
    });
  }
}

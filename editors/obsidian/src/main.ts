// Lacuna for Obsidian: starts the program for the vault, and brings its marks, hovers, actions and commands into notes.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { EditorView } from '@codemirror/view';
import { Component, editorInfoField, FileSystemAdapter, MarkdownRenderer, MarkdownView, Notice, Plugin, TFile } from 'obsidian';
import type {
  ApplyWorkspaceEditParams, ApplyWorkspaceEditResult, CodeAction, Command, Location, LocationLink, MessageActionItem, Position, ShowDocumentParams, TextDocumentEdit, TextEdit,
} from 'vscode-languageserver-protocol';
import { find, isExecutable } from '../../vscode/src/program';
import { Menu, Page, Question } from './dialogs';
import { changesOf, edited, offsetAt, positionAt } from './edits';
import { Notes } from './notes';
import { Server, type Status } from './server';
import { Settings } from './settings';

/** The name of the program's path in this device's own storage: a file of the vault must not choose what is run. */
const storedPath = 'lacuna-program';

interface Gap { uri: string; question: string; line: number; text: string; subject?: string; level?: string }

export default class LacunaPlugin extends Plugin {
  private notes!: Notes;
  private server: Server | undefined;
  private statusBar!: HTMLElement;
  private starting: Promise<void> = Promise.resolve();
  private state = '';
  private readonly parts = new Component();

  override async onload(): Promise<void> {
    this.notes = new Notes({
      uriOf: view => this.uriOf(view),
      notify: (method, params) => this.server?.notify(method, params),
      request: (method, params) => this.request(method, params),
      render: markdown => this.rendered(markdown),
    });
    this.addChild(this.parts);
    this.statusBar = this.addStatusBarItem();
    this.addSettingTab(new Settings(this.app, this));
    this.registerEditorExtension(this.notes.extension());
    this.registerEvent(this.app.vault.on('modify', file => {
      if (file instanceof TFile) this.notes.saved(this.uriOfFile(file));
    }));
    this.addCommands();
    this.app.workspace.onLayoutReady(() => void this.restart());
  }

  override onunload(): void { void this.server?.stop(); }

  /** The program that was chosen on this device; empty for the first that is found. */
  get program(): string { return (this.app.loadLocalStorage(storedPath) as string | null) ?? ''; }
  set program(file: string) { this.app.saveLocalStorage(storedPath, file.trim() === '' ? null : file.trim()); }

  /** found returns the program that would be started, or where it was looked for. */
  found(): ReturnType<typeof find> {
    return find({ setting: this.program, extension: path.join(this.folder(), this.manifest.dir ?? ''), home: os.homedir(), platform: process.platform, env: process.env, isExecutable });
  }

  /** restart ends the program, if it runs, and starts the one that is found. */
  restart(): Promise<void> {
    this.starting = this.starting.then(() => this.startAgain());
    return this.starting;
  }

  private async startAgain(): Promise<void> {
    await this.server?.stop();
    this.server = undefined;
    const found = this.found();
    if (found.file === undefined) {
      this.tell('no program');
      new Notice(`Lacuna did not find its program. Install it, or choose it in the settings of this plug-in. Looked for: ${found.tried.join(', ')}`, 15_000);
      return;
    }
    const folder = this.folder();
    const server = new Server(found.file, { uri: pathToFileURL(folder).href, name: this.app.vault.getName(), path: folder }, {
      diagnostics: p => this.notes.show(p),
      applyEdit: p => this.applyEdit(p),
      show: text => void new Notice(text, 10_000),
      choose: (text, items) => new Promise<MessageActionItem | null>(done => new Question(this.app, text, items, done).open()),
      open: p => this.open(p),
      progress: text => this.tell(this.state, text),
      status: s => this.tell(describe(s)),
      ended: failed => {
        if (failed === undefined) return this.notes.reopen();
        this.tell('stopped');
        new Notice(`Lacuna has stopped: ${failed}. Your notes are unharmed. “Lacuna: Restart” starts it again.`, 0);
      },
    });
    try {
      await server.start();
    } catch (problem) {
      this.tell('stopped');
      new Notice(`Lacuna could not be started: ${String(problem)}`, 0);
      return;
    }
    this.server = server;
    this.tell('');
    this.notes.reopen();
  }

  /** useVault makes the vault a source of its own notes. */
  async useVault(): Promise<void> {
    await this.execute('lacuna.setUpSources', { uri: pathToFileURL(path.join(this.folder(), 'note.md')).href, path: '.' });
  }

  private addCommands(): void {
    const inNote = (id: string, name: string, run: (view: EditorView, uri: string) => Promise<void>): void => {
      this.addCommand({
        id, name,
        editorCheckCallback: checking => {
          const view = this.editor();
          const uri = view && this.uriOf(view);
          if (!view || uri === undefined) return false;
          if (!checking) void run(view, uri).catch(problem => void new Notice(`Lacuna: ${String(problem)}`));
          return true;
        },
      });
    };
    inNote('answer', 'Answer the question at the cursor', async (view, uri) => {
      const actions = await this.actions(view, uri);
      const answer = actions.find(a => a.title.startsWith('Answer this question')) ?? actions.find(a => a.isPreferred);
      if (answer) await this.perform(answer);
      else new Notice('Lacuna: there is no question at the cursor.');
    });
    inNote('actions', 'What can be done here', async (view, uri) => {
      const actions = await this.actions(view, uri);
      if (actions.length === 0) new Notice('Lacuna: nothing to do at the cursor.');
      else new Menu(this.app, actions.map(a => ({ title: a.title, run: () => this.perform(a) })), 'What to do').open();
    });
    inNote('answer-all', 'Answer all open questions of this note', async (_, uri) => void await this.execute('lacuna.answerAll', { uri }));
    inNote('source', 'Open the source of the citation at the cursor', async (view, uri) => {
      const found = await this.request<Location | LocationLink[] | Location[] | null>('textDocument/definition', { textDocument: { uri }, position: positionAt(view.state.doc, view.state.selection.main.head) });
      const place = Array.isArray(found) ? found[0] : found;
      if (!place) new Notice('Lacuna: there is no citation at the cursor.');
      else if ('targetUri' in place) await this.open({ uri: place.targetUri, selection: place.targetSelectionRange });
      else await this.open({ uri: place.uri, selection: place.range });
    });
    const inVault = (id: string, name: string, run: () => Promise<void>): void => {
      this.addCommand({ id, name, callback: () => void run().catch(problem => void new Notice(`Lacuna: ${String(problem)}`)) });
    };
    inVault('gaps', 'Show what the sources do not know', async () => {
      const reply = await this.execute<{ gaps?: Gap[]; message?: string }>('lacuna.listGaps', {});
      const gaps = reply.gaps ?? [];
      if (gaps.length === 0) new Notice(`Lacuna: ${reply.message ?? 'no gap is open'}`);
      else new Menu(this.app, gaps.map(g => ({
        title: g.question, detail: `${g.text} · ${this.inVault(fileURLToPath(g.uri)) ?? g.uri}:${g.line}`,
        run: async () => void await this.open({ uri: g.uri, selection: at({ line: g.line - 1, character: 0 }) }),
      })), 'Questions with gaps').open();
    });
    inVault('stale', 'Show what is no longer true in the notes', async () => void await this.execute('lacuna.showStale', {}));
    inVault('use-vault', 'Use this vault as a source of its notes', () => this.useVault());
    inVault('forget-consent', 'Withdraw every consent to send', async () => void await this.execute('lacuna.forgetConsent', {}));
    inVault('restart', 'Restart', () => this.restart());
  }

  private async request<T>(method: string, params: unknown): Promise<T> {
    await this.starting;
    if (!this.server) throw new Error('the program is not running');
    return this.server.request<T>(method, params);
  }

  private execute<T>(command: string, argument: object): Promise<T> {
    return this.request<T>('workspace/executeCommand', { command, arguments: [{ v: 1, version: 1, ...argument }] });
  }

  private async actions(view: EditorView, uri: string): Promise<CodeAction[]> {
    const here = positionAt(view.state.doc, view.state.selection.main.head);
    const found = await this.request<(CodeAction | Command)[] | null>('textDocument/codeAction', { textDocument: { uri }, range: { start: here, end: here }, context: { diagnostics: [] } });
    return (found ?? []).map(a => typeof a.command === 'string' ? { title: a.title, command: a as Command } : a as CodeAction).filter(a => !a.disabled);
  }

  private async perform(a: CodeAction): Promise<void> {
    if (a.edit) {
      const result = await this.applyEdit({ edit: a.edit });
      if (!result.applied) new Notice(`Lacuna: ${result.failureReason ?? 'the note has changed meanwhile'}`);
    }
    if (!a.command) return;
    const reply = await this.request<{ reason?: string; text?: string } | null>('workspace/executeCommand', { command: a.command.command, arguments: a.command.arguments });
    if (reply?.reason) this.page('Lacuna', `${reply.reason}\n\n${reply.text ?? ''}`);
  }

  /** applyEdit makes an edit: in the editor if the note is open, where one undo takes it back, else on disk. */
  private async applyEdit(p: ApplyWorkspaceEditParams): Promise<ApplyWorkspaceEditResult> {
    const edits: { uri: string; version: number | null; edits: TextEdit[] }[] = Object.entries(p.edit.changes ?? {}).map(([uri, edits]) => ({ uri, version: null, edits }));
    for (const change of p.edit.documentChanges ?? []) {
      if (!('textDocument' in change)) return { applied: false, failureReason: 'Obsidian is asked for changes of text only' };
      const { textDocument, edits: own } = change as TextDocumentEdit;
      edits.push({ uri: textDocument.uri, version: textDocument.version, edits: own.filter((e): e is TextEdit => 'newText' in e) });
    }
    for (const e of edits) {
      const known = this.notes.version(e.uri);
      if (e.version !== null && known !== undefined && known !== e.version) return { applied: false, failureReason: 'the note has changed meanwhile' };
      if (this.notes.views(e.uri).length === 0 && !this.fileOf(e.uri)) return { applied: false, failureReason: 'the note is not in this vault' };
    }
    for (const e of edits) {
      const view = this.notes.views(e.uri)[0];
      if (view) view.dispatch({ changes: changesOf(view.state.doc, e.edits), userEvent: 'input.lacuna' });
      else await this.app.vault.process(this.fileOf(e.uri)!, text => edited(text, e.edits));
    }
    return { applied: true };
  }

  /** open shows a place: in the vault in an editor, another text file as a page, anything else as the system does. */
  private async open(p: ShowDocumentParams): Promise<boolean> {
    if (!p.uri.startsWith('file:')) return false;
    const file = this.fileOf(p.uri);
    if (file && file.extension === 'md') {
      const leaf = this.app.workspace.getLeaf(false);
      await leaf.openFile(file);
      const view = leaf.view instanceof MarkdownView ? this.notes.views(this.uriOfFile(file))[0] : undefined;
      if (view && p.selection) {
        const from = offsetAt(view.state.doc, p.selection.start);
        view.dispatch({ selection: { anchor: from, head: offsetAt(view.state.doc, p.selection.end) }, scrollIntoView: true });
        view.focus();
      }
      return true;
    }
    const name = fileURLToPath(p.uri);
    if (/\.(?:md|markdown|txt)$/i.test(name)) {
      try {
        this.page(path.basename(name, path.extname(name)), await fs.promises.readFile(name, 'utf8'));
        return true;
      } catch {
        return false;
      }
    }
    const inVault = this.inVault(name);
    if (inVault === undefined) return false; // nothing outside of the vault is run
    await this.app.workspace.openLinkText(inVault, '', true);
    return true;
  }

  private page(title: string, markdown: string): void { new Page(this.app, title, markdown, el => this.follow(el)).open(); }

  private rendered(markdown: string): HTMLElement {
    const el = document.createElement('div');
    el.className = 'lacuna-hover';
    void MarkdownRenderer.render(this.app, markdown, el, '', this.parts);
    this.follow(el);
    return el;
  }

  /** follow makes links to files lead to their places. */
  private follow(el: HTMLElement): void {
    el.addEventListener('click', event => {
      const href = (event.target as HTMLElement | null)?.closest?.('a')?.getAttribute('href') ?? '';
      if (!href.startsWith('file:')) return;
      event.preventDefault();
      event.stopPropagation();
      const [uri, line] = href.split('#L');
      void this.open({ uri: uri!, ...(line ? { selection: at({ line: Number.parseInt(line, 10) - 1, character: 0 }) } : {}) });
    }, true);
  }

  private editor(): EditorView | undefined {
    const view = this.app.workspace.getActiveViewOfType(MarkdownView);
    return view ? (view.editor as unknown as { cm?: EditorView }).cm : undefined;
  }

  private uriOf(view: EditorView): string | undefined {
    const file = view.state.field(editorInfoField, false)?.file;
    return file ? this.uriOfFile(file) : undefined;
  }

  private uriOfFile(file: TFile): string { return pathToFileURL(path.join(this.folder(), file.path)).href; }

  private fileOf(uri: string): TFile | undefined {
    const name = this.inVault(fileURLToPath(uri));
    const file = name === undefined ? null : this.app.vault.getAbstractFileByPath(name);
    return file instanceof TFile ? file : undefined;
  }

  /** inVault returns the vault's name of a file, undefined if it lies elsewhere. */
  private inVault(file: string): string | undefined {
    const name = path.relative(this.folder(), file);
    return name === '' || name.startsWith('..') || path.isAbsolute(name) ? undefined : name.split(path.sep).join('/');
  }

  private folder(): string {
    const adapter = this.app.vault.adapter;
    if (!(adapter instanceof FileSystemAdapter)) throw new Error('this vault is no folder');
    return adapter.getBasePath();
  }

  private tell(state: string, progress = ''): void {
    this.state = state;
    this.statusBar.setText(['Lacuna', progress || state].filter(Boolean).join(': '));
  }
}

function at(p: Position): { start: Position; end: Position } { return { start: p, end: p }; }

function describe(s: Status): string {
  const folders = s.folders ?? [];
  const gaps = folders.reduce((n, f) => n + (f.gaps ?? 0), 0);
  const trouble = folders.find(f => f.state !== undefined && f.state !== 'ready');
  if (trouble) return trouble.message || trouble.state || '';
  return gaps === 0 ? '' : gaps === 1 ? '1 gap' : `${gaps} gaps`;
}

// Starts the program and speaks with it.
import { type ChildProcess, spawn } from 'node:child_process';
import { createMessageConnection, type MessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type {
  ApplyWorkspaceEditParams, ApplyWorkspaceEditResult, InitializeParams, MessageActionItem, PublishDiagnosticsParams, ShowDocumentParams,
  ShowMessageParams, ShowMessageRequestParams, WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport,
} from 'vscode-languageserver-protocol';

/** Status is what the server says of a folder, as far as it is shown here. */
export interface Status { folders?: { message?: string; gaps?: number; state?: string }[] }

/** Events is what the server asks for and tells. */
export interface Events {
  diagnostics(p: PublishDiagnosticsParams): void;
  applyEdit(p: ApplyWorkspaceEditParams): Promise<ApplyWorkspaceEditResult>;
  show(text: string): void;
  choose(text: string, items: MessageActionItem[]): Promise<MessageActionItem | null>;
  open(p: ShowDocumentParams): Promise<boolean>;
  progress(text: string): void;
  status(s: Status): void;
  /** The program has ended by itself; failed says that it could not be started again. */
  ended(failed: string | undefined): void;
}

const mostStarts = 5; // within startsWithin milliseconds
const startsWithin = 3 * 60_000;

/** Server is the running program; it is started again when it ends by itself. */
export class Server {
  private process: ChildProcess | undefined;
  private connection: MessageConnection | undefined;
  private starts: number[] = [];
  private stopped = false;

  constructor(private readonly program: string, private readonly folder: { uri: string; name: string; path: string }, private readonly events: Events) {}

  /** start starts the program and returns when it is ready for notes. */
  async start(): Promise<void> {
    this.starts = [...this.starts.filter(at => at > Date.now() - startsWithin), Date.now()];
    const child = spawn(this.program, ['serve'], { cwd: this.folder.path, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true });
    const failed = new Promise<never>((_, reject) => child.once('error', reject));
    child.stdin.on('error', () => undefined); // the program has ended, which its exit tells
    const connection = createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
    this.process = child;
    this.connection = connection;
    this.answer(connection);
    child.once('exit', () => { if (this.process === child) void this.restart(); });
    connection.listen();
    await Promise.race([connection.sendRequest('initialize', this.introduction()), failed]);
    await connection.sendNotification('initialized', {});
  }

  /** stop ends the program, which has three seconds to do so by itself. */
  async stop(): Promise<void> {
    this.stopped = true;
    const { process, connection } = this;
    this.process = this.connection = undefined;
    if (!process || !connection) return;
    const exited = new Promise<void>(done => process.once('exit', () => done()));
    const timer = setTimeout(() => process.kill(), 3000);
    try {
      await connection.sendRequest('shutdown');
      await connection.sendNotification('exit');
      await exited;
    } catch {
      process.kill();
    } finally {
      clearTimeout(timer);
      connection.dispose();
    }
  }

  /** request asks the server; it rejects if there is none. */
  async request<T>(method: string, params: unknown): Promise<T> {
    if (!this.connection) throw new Error('the program is not running');
    return this.connection.sendRequest<T>(method, params);
  }

  notify(method: string, params: unknown): void {
    void this.connection?.sendNotification(method, params).catch(() => undefined);
  }

  private async restart(): Promise<void> {
    this.connection?.dispose();
    this.process = this.connection = undefined;
    if (this.stopped) return;
    const recent = this.starts.filter(at => at > Date.now() - startsWithin);
    if (recent.length >= mostStarts) return this.events.ended('it ended five times in three minutes');
    try {
      await this.start();
      this.events.ended(undefined);
    } catch (problem) {
      this.events.ended(String(problem));
    }
  }

  private answer(c: MessageConnection): void {
    c.onNotification('textDocument/publishDiagnostics', (p: PublishDiagnosticsParams) => this.events.diagnostics(p));
    c.onNotification('window/showMessage', (p: ShowMessageParams) => this.events.show(p.message));
    c.onNotification('lacuna/status', (s: Status) => this.events.status(s));
    c.onNotification('$/progress', (p: { value: WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd }) => {
      const v = p.value;
      this.events.progress(v.kind === 'end' ? '' : [v.kind === 'begin' ? v.title : '', v.message ?? '', v.percentage === undefined ? '' : `${v.percentage} %`].filter(Boolean).join(' '));
    });
    c.onRequest('workspace/applyEdit', (p: ApplyWorkspaceEditParams) => this.events.applyEdit(p));
    c.onRequest('window/showMessageRequest', (p: ShowMessageRequestParams) => this.events.choose(p.message, p.actions ?? []));
    c.onRequest('window/showDocument', async (p: ShowDocumentParams) => ({ success: await this.events.open(p) }));
    c.onRequest('window/workDoneProgress/create', () => null);
    c.onRequest('client/registerCapability', () => null);
    c.onRequest('client/unregisterCapability', () => null);
    c.onRequest('workspace/configuration', (p: { items: unknown[] }) => p.items.map(() => null));
    c.onRequest('workspace/workspaceFolders', () => [{ uri: this.folder.uri, name: this.folder.name }]);
  }

  private introduction(): InitializeParams {
    return {
      processId: process.pid,
      clientInfo: { name: 'Obsidian' },
      rootUri: this.folder.uri,
      workspaceFolders: [{ uri: this.folder.uri, name: this.folder.name }],
      capabilities: {
        general: { positionEncodings: ['utf-16'] },
        textDocument: {
          synchronization: { didSave: true },
          publishDiagnostics: { versionSupport: true, relatedInformation: true },
          hover: { contentFormat: ['markdown', 'plaintext'] },
          codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'refactor', 'source'] } }, isPreferredSupport: true },
          definition: {},
        },
        workspace: { applyEdit: true, workspaceFolders: true, workspaceEdit: { documentChanges: true }, executeCommand: {} },
        window: { workDoneProgress: true, showDocument: { support: true }, showMessage: { messageActionItem: { additionalPropertiesSupport: false } } },
        experimental: { lacuna: { status: true } },
      },
    };
  }
}

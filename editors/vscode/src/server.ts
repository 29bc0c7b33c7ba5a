// Finds, starts and watches the program. If it exits by itself, it is restarted silently a few times; after that one
// message says so.
import * as os from 'node:os';
import * as vscode from 'vscode';
import {
  CloseAction, CodeLensRequest, DefinitionRequest, ErrorAction, ExecuteCommandRequest, LanguageClient, RevealOutputChannelOn, ShowMessageRequest,
  WorkDoneProgressCancelNotification, type LanguageClientOptions,
} from 'vscode-languageclient/node';
import { choose } from './choices';
import { ask, showFailure } from './messages';
import { documents } from './languages';
import { find, isExecutable, isIncompatible } from './program';
import { pageIcon, Pages } from './pages';
import { progress } from './progress';
import { QuestionStates } from './questionStates';
import type { Keys } from './secrets';
import { settingScopes, userSettings, folderSettings, type Scopes } from './settings';
import { isReply, type Status } from './protocol';
import { sourcesOf } from './statusText';
import { provideHover } from './hover';

/** Phase is the state of the program. */
export type Phase = 'stopped' | 'missing' | 'starting' | 'running' | 'ended';

/** A program that exits by itself maxExits times within exitWindow milliseconds is not restarted. */
const maxExits = 4, exitWindow = 3 * 60_000;

/** QuietClient logs the errors that the language client would show in a pop-up for each attempt to start. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Server starts the program and sends it requests. */
export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private queue: Promise<void> = Promise.resolve(); // runs starts and stops one after another
  private exits: number[] = []; // times at which the program exited by itself
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly keys: Scopes;
  private readonly pages: Pages;
  private readonly states: QuestionStates;

  /** onDidChange fires when the phase or the status has changed. */
  readonly onDidChange = this.changed.event;
  phase: Phase = 'stopped';
  /** The server's last status. */
  status: Status | undefined;
  /** The program that is running, or ran last. */
  program: string | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly secrets: Keys,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.keys = settingScopes(context.extension.packageJSON);
    this.states = new QuestionStates(vscode.Uri.joinPath(context.extensionUri, 'media'));
    this.pages = new Pages(pageIcon(context.extensionUri), uri => this.uriFrom(uri));
  }

  /** start starts the program unless it runs; restart stops it first. Neither fails; the phase has the outcome. */
  start(): Promise<void> {
    return this.enqueue(() => this.client ? Promise.resolve() : this.open());
  }

  restart(): Promise<void> {
    this.exits = [];
    return this.enqueue(async () => {
      await this.close();
      await this.open();
    });
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.close());
  }

  dispose(): void {
    this.pages.dispose();
    this.states.dispose();
    void this.stop().finally(() => this.changed.dispose());
  }

  /** uriOf returns the URI that the server uses for a document; uriFrom converts back. */
  uriOf(uri: vscode.Uri): string {
    return this.client?.code2ProtocolConverter.asUri(uri) ?? uri.toString();
  }

  uriFrom(uri: string): vscode.Uri {
    return this.client?.protocol2CodeConverter.asUri(uri) ?? vscode.Uri.parse(uri);
  }

  /** definition asks the server, but no other extension, for the definition at a position. */
  async definition(document: vscode.TextDocument, position: vscode.Position, token: vscode.CancellationToken): Promise<vscode.Location | undefined> {
    if (this.client === undefined) return undefined;
    try {
      const params = this.client.code2ProtocolConverter.asTextDocumentPositionParams(document, position);
      const found = await this.client.sendRequest(DefinitionRequest.type, params, token);
      const first = Array.isArray(found) ? found[0] : found ?? undefined;
      if (first === undefined) return undefined;
      const location = 'targetUri' in first ? { uri: first.targetUri, range: first.targetSelectionRange } : first;
      return this.client.protocol2CodeConverter.asLocation(location);
    } catch {
      return undefined; // a hover without its link is better than none
    }
  }

  /** ask runs a read-only command of the server; it returns undefined if that fails. */
  async ask<T extends { version: number }>(command: string, about: object = {}): Promise<T | undefined> {
    if (this.client === undefined || this.phase !== 'running') return undefined;
    try {
      const reply: unknown = await this.client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [{ version: 1, ...about }] });
      if (isReply<T>(reply)) return reply;
      this.log.warn(`${command}: the reply is of another version`);
    } catch (error) {
      this.log.debug(`${command}: ${String(error)}`);
    }
    return undefined;
  }

  /** run runs a command of the server, and shows its error. */
  async run(command: string, argument: unknown): Promise<void> {
    try {
      await this.client?.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] });
    } catch (error) {
      showFailure(error);
    }
  }

  /** notifySettings makes the server ask for the settings again. */
  notifySettings(): void {
    if (this.phase === 'running') void this.client?.sendNotification('workspace/didChangeConfiguration', { settings: null });
  }

  /** showStatesAgain asks again for what is known of the questions of visible notes. */
  showStatesAgain(): void {
    const lenses = this.client?.getFeature(CodeLensRequest.method);
    for (const { document } of vscode.window.visibleTextEditors) lenses?.getProvider(document)?.onDidChangeCodeLensEmitter.fire();
  }

  /** ownSettings returns the settings that the program gets at the start, as text to compare. */
  ownSettings(): string {
    return JSON.stringify(userSettings(this.keys, key => vscode.workspace.getConfiguration().inspect(key)));
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(work).catch(error => this.log.error(error instanceof Error ? error : String(error)));
    return this.queue;
  }

  private async open(): Promise<void> {
    const file = this.locate();
    if (file === undefined) return;
    this.enter('starting');
    this.program = file;
    const client = new QuietClient('lacuna', 'Lacuna', {
      command: file,
      args: ['serve', '--stdio'],
      options: { env: { ...process.env, LACUNA_SETTINGS: this.ownSettings(), ...await this.secrets.environment() } },
    }, this.options());
    client.registerFeature({
      fillClientCapabilities: capabilities => {
        capabilities.experimental = { ...capabilities.experimental as object, lacuna: { status: true, workspaceDiagnostics: true } };
      },
      initialize: () => undefined,
      getState: () => ({ kind: 'static' }),
      clear: () => undefined,
    });
    client.onRequest(ShowMessageRequest.type, choose);
    client.onNotification('lacuna/status', (status: unknown) => this.update(status));
    this.client = client;
    this.log.info(`starting ${file}`);
    try {
      await client.start();
    } catch (error) {
      this.log.error(error instanceof Error ? error : String(error));
      if (this.client === client) void this.restartAfterExit(); // a program that exits does not always close the connection
    }
    if (this.client !== client || !client.isRunning()) return;
    this.compare(client.initializeResult?.serverInfo);
    this.enter('running');
    this.update(await this.ask<Status>('lacuna.status'));
  }

  private async close(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.status = undefined;
    if (client?.isRunning()) await client.stop().catch(error => this.log.warn(String(error)));
    this.enter('stopped');
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: documents,
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never, // the extension itself shows what matters to the user
      initializationOptions: () => ({ untrustedWorkspace: !vscode.workspace.isTrusted }),
      initializationFailedHandler: error => {
        this.log.error(error instanceof Error ? error : String(error));
        return false;
      },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          void this.restartAfterExit();
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
      markdown: { isTrusted: false, supportHtml: false },
      middleware: {
        provideHover: provideHover((...place) => this.definition(...place)),
        handleWorkDoneProgress: progress(token => void this.client?.sendNotification(WorkDoneProgressCancelNotification.type, { token })),
        executeCommand: async (command, args, next) => {
          if (command === 'lacuna.setUpSources') return vscode.commands.executeCommand('lacuna.editor.chooseSources');
          try {
            return await next(command, args) as unknown;
          } catch (error) {
            if (!(error instanceof vscode.CancellationError)) showFailure(error);
            return undefined;
          }
        },
        window: { showDocument: this.pages.show },
        provideCodeLenses: this.states.provideCodeLenses,
        workspace: {
          configuration: params => params.items.map(item => ({
            ...folderSettings(this.keys, this.inspector(item.scopeUri ?? undefined)),
            untrustedWorkspace: !vscode.workspace.isTrusted,
          })),
          didChangeConfiguration: async () => this.notifySettings(), // the server then asks for the settings it may see
        },
      },
    };
  }

  private inspector(scope: string | undefined) {
    const uri = scope === undefined ? undefined : this.client?.protocol2CodeConverter.asUri(scope);
    const configuration = vscode.workspace.getConfiguration(undefined, uri ?? null);
    return (key: string) => configuration.inspect(key);
  }

  /** locate finds the program, or tells the user once what to do. */
  private locate(): string | undefined {
    const setting = vscode.workspace.getConfiguration('lacuna').get<string>('path', '');
    const found = find({
      setting, extension: this.context.extensionPath, home: os.homedir(), platform: process.platform, env: process.env, isExecutable,
    });
    if (found.file !== undefined) return found.file;
    this.enter('missing');
    this.log.error(`the program was not found; looked at:\n  ${found.tried.join('\n  ') || setting}`);
    void ask('error', setting.trim() === ''
      ? 'Lacuna: the program "lacuna" was not found. Build it with "go build" at the top of its repository and put it on PATH, or name it in the setting lacuna.path.'
      : `Lacuna: there is no program at "${setting}". Correct the setting lacuna.path.`, {
      'Open Setting': 'lacuna.editor.openPathSetting', 'Show Log': 'lacuna.showLog',
    });
    return undefined;
  }

  /** compare warns if the two versions are incompatible, once for each pair. */
  private compare(program: { name: string; version?: string } | undefined): void {
    const version = program?.version ?? 'of unknown version', mine = String(this.context.extension.packageJSON.version);
    this.log.info(`${program?.name ?? 'a program without a name'} ${version} runs, the extension is ${mine}`);
    const pair = `${mine} and ${version}`;
    if (program?.name === 'lacuna' && !isIncompatible(mine, version)) return;
    this.log.warn(`versions ${pair} may not go together`);
    if (this.context.globalState.get('lacuna.toldOfVersions') === pair) return;
    void this.context.globalState.update('lacuna.toldOfVersions', pair);
    void ask('warning', `Lacuna: the program at ${this.program} is ${version} and the extension ${mine}. Some of it may not work until both are of one version.`, {
      'Open Setting': 'lacuna.editor.openPathSetting', 'Show Log': 'lacuna.showLog',
    });
  }

  /** restartAfterExit restarts a program that exited by itself, unless it does so too often. */
  private async restartAfterExit(): Promise<void> {
    if (this.client === undefined) return; // it was stopped
    this.client = undefined;
    this.status = undefined;
    const now = Date.now();
    this.exits = [...this.exits.filter(end => now - end < exitWindow), now];
    this.log.error(`${this.program} ended by itself, ${this.exits.length} times in the last minutes`);
    this.enter('ended');
    if (this.exits.length < maxExits) return this.start();
    await ask('error', `Lacuna: the program ended ${this.exits.length} times and was not started again. The log says more.`, {
      'Show Log': 'lacuna.showLog', 'Start Again': 'lacuna.restartServer',
    });
  }

  private update(status: unknown): void {
    if (!isReply<Status>(status)) return;
    this.status = status;
    void vscode.commands.executeCommand('setContext', 'lacuna.sources', sourcesOf(status));
    this.changed.fire();
  }

  private enter(phase: Phase): void {
    this.phase = phase;
    void vscode.commands.executeCommand('setContext', 'lacuna.phase', phase);
    this.changed.fire();
  }
}

// The server as the rest of the extension sees it: found, started, watched, and started again when it ends
// by itself, a few times and without a word; then one message says so.
import * as os from 'node:os';
import * as vscode from 'vscode';
import {
  CloseAction, DefinitionRequest, ErrorAction, ExecuteCommandRequest, LanguageClient, RevealOutputChannelOn, ShowMessageRequest,
  WorkDoneProgressCancelNotification, type LanguageClientOptions,
} from 'vscode-languageclient/node';
import { choose } from './choices';
import { ask, tell } from './messages';
import { documents } from './languages';
import { differs, find, runs } from './program';
import { progress } from './progress';
import type { Keys } from './secrets';
import { declared, handedOver, told, type Declared } from './settings';
import { understood, type Status } from './protocol';
import { sourcesOf } from './statusText';
import { provideHover } from './hover';

/** Phase is where the server is in its life. */
export type Phase = 'stopped' | 'missing' | 'starting' | 'running' | 'ended';

/** A program that ends by itself so often in so many milliseconds is not started again. */
const mostEnds = 4, endsWithin = 3 * 60_000;

/** QuietClient writes into the log what the language client would show in pop-ups, one for each attempt to start. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Server starts the program and speaks with it. */
export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private turn: Promise<void> = Promise.resolve(); // starts and stops wait for each other
  private ends: number[] = []; // when the program ended by itself
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly keys: Declared;

  /** onDidChange fires when the phase or the status has changed. */
  readonly onDidChange = this.changed.event;
  phase: Phase = 'stopped';
  /** What the server said last about its folders. */
  status: Status | undefined;
  /** The program that runs or ran last. */
  program: string | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly secrets: Keys,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.keys = declared(context.extension.packageJSON);
  }

  /** start starts the program unless it runs, and restart starts it anew. Neither fails; the phase says how it went. */
  start(): Promise<void> {
    return this.inTurn(() => this.client ? Promise.resolve() : this.open());
  }

  restart(): Promise<void> {
    this.ends = [];
    return this.inTurn(async () => {
      await this.close();
      await this.open();
    });
  }

  stop(): Promise<void> {
    return this.inTurn(() => this.close());
  }

  dispose(): void {
    void this.stop().finally(() => this.changed.dispose());
  }

  /** uriOf is the address by which the server knows a document, and uriFrom the other way round. */
  uriOf(uri: vscode.Uri): string {
    return this.client?.code2ProtocolConverter.asUri(uri) ?? uri.toString();
  }

  uriFrom(uri: string): vscode.Uri {
    return this.client?.protocol2CodeConverter.asUri(uri) ?? vscode.Uri.parse(uri);
  }

  /** definition is where what stands at a place is from, as the server alone says it. */
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

  /** ask sends a command that answers without changing anything; undefined when the server cannot say. */
  async ask<T extends { version: number }>(command: string): Promise<T | undefined> {
    if (this.client === undefined || this.phase !== 'running') return undefined;
    try {
      const reply: unknown = await this.client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [{ version: 1 }] });
      if (understood<T>(reply)) return reply;
      this.log.warn(`${command}: the reply is of another version`);
    } catch (error) {
      this.log.debug(`${command}: ${String(error)}`);
    }
    return undefined;
  }

  /** run sends a command to the server as it is, and shows why it failed. */
  async run(command: string, argument: unknown): Promise<void> {
    try {
      await this.client?.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] });
    } catch (error) {
      tell(error);
    }
  }

  /** tellSettings has the server ask for the settings again. */
  tellSettings(): void {
    if (this.phase === 'running') void this.client?.sendNotification('workspace/didChangeConfiguration', { settings: null });
  }

  /** ownSettings are the settings that the program gets when it starts, to tell whether they have changed. */
  ownSettings(): string {
    return JSON.stringify(handedOver(this.keys, key => vscode.workspace.getConfiguration().inspect(key)));
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(work).catch(error => this.log.error(error instanceof Error ? error : String(error)));
    return this.turn;
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
    client.onNotification('lacuna/status', (status: unknown) => this.take(status));
    this.client = client;
    this.log.info(`starting ${file}`);
    try {
      await client.start();
    } catch (error) {
      this.log.error(error instanceof Error ? error : String(error));
      if (this.client === client) void this.ended(); // it does not always close the connection
    }
    if (this.client !== client || !client.isRunning()) return;
    this.compare(client.initializeResult?.serverInfo);
    this.enter('running');
    this.take(await this.ask<Status>('lacuna.status'));
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
      revealOutputChannelOn: RevealOutputChannelOn.Never, // what a person has to know the extension says itself
      initializationOptions: () => ({ untrustedWorkspace: !vscode.workspace.isTrusted }),
      initializationFailedHandler: error => {
        this.log.error(error instanceof Error ? error : String(error));
        return false;
      },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          void this.ended();
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
      markdown: { isTrusted: false, supportHtml: false },
      middleware: {
        provideHover: provideHover(this),
        handleWorkDoneProgress: progress(token => void this.client?.sendNotification(WorkDoneProgressCancelNotification.type, { token })),
        executeCommand: async (command, args, next) => {
          if (command === 'lacuna.setUpSources') return vscode.commands.executeCommand('lacuna.editor.chooseSources');
          try {
            return await next(command, args) as unknown;
          } catch (error) {
            if (!(error instanceof vscode.CancellationError)) tell(error);
            return undefined;
          }
        },
        workspace: {
          configuration: params => params.items.map(item => ({
            ...told(this.keys, this.inspector(item.scopeUri ?? undefined)),
            untrustedWorkspace: !vscode.workspace.isTrusted,
          })),
          didChangeConfiguration: async () => this.tellSettings(), // it asks for what it may know
        },
      },
    };
  }

  private inspector(scope: string | undefined) {
    const uri = scope === undefined ? undefined : this.client?.protocol2CodeConverter.asUri(scope);
    const configuration = vscode.workspace.getConfiguration(undefined, uri ?? null);
    return (key: string) => configuration.inspect(key);
  }

  /** locate finds the program, or says once what to do. */
  private locate(): string | undefined {
    const setting = vscode.workspace.getConfiguration('lacuna').get<string>('path', '');
    const found = find({
      setting, extension: this.context.extensionPath, home: os.homedir(), platform: process.platform, env: process.env, runs,
    });
    if (found.file !== undefined) return found.file;
    this.enter('missing');
    this.log.error(`the program was not found; looked at:\n  ${found.looked.join('\n  ') || setting}`);
    void ask('error', setting.trim() === ''
      ? 'Lacuna: the program "lacuna" was not found. Build it with "go build" at the top of its repository and put it on PATH, or name it in the setting lacuna.path.'
      : `Lacuna: there is no program at "${setting}". Correct the setting lacuna.path.`, {
      'Open Setting': 'lacuna.editor.openPathSetting', 'Show Log': 'lacuna.showLog',
    });
    return undefined;
  }

  /** compare says once for each pair of versions that they do not go together. */
  private compare(program: { name: string; version?: string } | undefined): void {
    const version = program?.version ?? 'of unknown version', mine = String(this.context.extension.packageJSON.version);
    this.log.info(`${program?.name ?? 'a program without a name'} ${version} runs, the extension is ${mine}`);
    const pair = `${mine} and ${version}`;
    if (program?.name === 'lacuna' && !differs(mine, version)) return;
    this.log.warn(`versions ${pair} may not go together`);
    if (this.context.globalState.get('lacuna.toldOfVersions') === pair) return;
    void this.context.globalState.update('lacuna.toldOfVersions', pair);
    void ask('warning', `Lacuna: the program at ${this.program} is ${version} and the extension ${mine}. Some of it may not work until both are of one version.`, {
      'Open Setting': 'lacuna.editor.openPathSetting', 'Show Log': 'lacuna.showLog',
    });
  }

  /** ended starts a program again that ended by itself, unless it does so too often. */
  private async ended(): Promise<void> {
    if (this.client === undefined) return; // it was stopped
    this.client = undefined;
    this.status = undefined;
    const now = Date.now();
    this.ends = [...this.ends.filter(end => now - end < endsWithin), now];
    this.log.error(`${this.program} ended by itself, ${this.ends.length} times in the last minutes`);
    this.enter('ended');
    if (this.ends.length < mostEnds) return this.start();
    await ask('error', `Lacuna: the program ended ${this.ends.length} times and was not started again. The log says more.`, {
      'Show Log': 'lacuna.showLog', 'Start Again': 'lacuna.restartServer',
    });
  }

  private take(status: unknown): void {
    if (!understood<Status>(status)) return;
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

// The VS Code side of Lacuna: it finds the program, starts it, and lets the language client do the rest.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient, type DocumentSelector } from 'vscode-languageclient/node';

const documents: DocumentSelector = ['markdown', 'plaintext', 'org', 'latex', 'tex', 'restructuredtext'].flatMap(language =>
  ['file', 'untitled'].map(scheme => ({ language, scheme })));

let client: LanguageClient | undefined;
let log: vscode.LogOutputChannel;
let turn: Promise<void> = Promise.resolve(); // starts and stops wait for each other

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  log = vscode.window.createOutputChannel('Lacuna', { log: true });
  context.subscriptions.push(
    log,
    vscode.commands.registerCommand('lacuna.restartServer', restart),
    vscode.commands.registerCommand('lacuna.showLog', () => log.show()),
    atCursor('lacuna.editor.answer', 'lacuna.answerQuestion', a => !a.system && !a.fresh && !a.gap),
    atCursor('lacuna.editor.answerThoroughly', 'lacuna.answerQuestion', a => a.system === 'thorough' && !a.gap),
    atCursor('lacuna.editor.answerWith', 'lacuna.answerWith', () => true),
    atCursor('lacuna.editor.preview', 'lacuna.previewRequest', () => true),
    aboutWorkspace('lacuna.editor.showGaps', 'lacuna.showGaps'),
    aboutWorkspace('lacuna.editor.forgetConsent', 'lacuna.forgetConsent'),
    vscode.workspace.onDidChangeConfiguration(e => {
      if (e.affectsConfiguration('lacuna.path')) void restart();
    }),
  );
  await restart();
}

export async function deactivate(): Promise<void> {
  await turn;
  await stop();
}

function restart(): Promise<void> {
  turn = turn.then(stop).then(start).catch(error => log.error(error instanceof Error ? error : String(error)));
  return turn;
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  if (running?.isRunning()) await running.stop();
}

async function start(): Promise<void> {
  const wanted = program();
  const command = find(wanted);
  if (command === undefined) {
    log.error(`${wanted} was not found`);
    void explain(wanted);
    return;
  }
  client = new LanguageClient(
    'lacuna',
    'Lacuna',
    { command, args: ['serve', '--stdio'] },
    { documentSelector: documents, outputChannel: log, synchronize: { configurationSection: 'lacuna' } },
  );
  await client.start(); // the client itself tells the user when this fails
}

// Arguments are what the server's commands take; it alone makes them for a question.
interface Arguments {
  system?: string;
  fresh?: boolean;
  gap?: string;
}

// atCursor runs the entry that the menu of code actions has at the cursor for a command of the server.
function atCursor(name: string, command: string, wants: (a: Arguments) => boolean): vscode.Disposable {
  return vscode.commands.registerCommand(name, async () => {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return;
    const actions = await vscode.commands.executeCommand<(vscode.CodeAction | vscode.Command)[]>(
      'vscode.executeCodeActionProvider', editor.document.uri, editor.selection);
    const found = actions
      .map(action => (typeof action.command === 'object' ? action.command : action as vscode.Command))
      .find(c => c.command === command && wants((c.arguments?.[0] ?? {}) as Arguments));
    if (found) await vscode.commands.executeCommand(found.command, ...(found.arguments ?? []));
    else void vscode.window.showInformationMessage('Lacuna: there is nothing of the kind to do here. Put the cursor on a question; all but the plain answer need a model.');
  });
}

// aboutWorkspace runs a command of the server that needs no question.
function aboutWorkspace(name: string, command: string): vscode.Disposable {
  return vscode.commands.registerCommand(name, async () => {
    const uri = vscode.window.activeTextEditor?.document.uri;
    if (client && uri) await vscode.commands.executeCommand(command, { v: 1, uri: client.code2ProtocolConverter.asUri(uri) });
  });
}

// program is the setting, or "lacuna". The setting has machine scope, so a folder that someone else made cannot
// choose the program to run.
function program(): string {
  const set = vscode.workspace.getConfiguration('lacuna').get<string>('path', '').trim();
  if (set === '') return 'lacuna';
  return set.startsWith('~/') ? path.join(os.homedir(), set.slice(2)) : set;
}

// find returns the program's file: a name without a folder is looked for on PATH, and nowhere else.
function find(command: string): string | undefined {
  const suffixes = process.platform === 'win32' ? ['', '.exe'] : [''];
  const folders = path.basename(command) === command ? (process.env['PATH'] ?? '').split(path.delimiter).filter(path.isAbsolute) : [''];
  return folders
    .flatMap(folder => suffixes.map(suffix => path.join(folder, command + suffix)))
    .find(file => fs.existsSync(file) && fs.statSync(file).isFile());
}

async function explain(command: string): Promise<void> {
  const choice = await vscode.window.showErrorMessage(
    `Lacuna: the program "${command}" was not found. Build it with "go build" and set lacuna.path, or put it on PATH.`,
    'Open Settings',
  );
  if (choice) await vscode.commands.executeCommand('workbench.action.openSettings', 'lacuna.path');
}

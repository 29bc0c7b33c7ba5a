// The VS Code side of Lacuna: it finds the program, starts it, and lets the language client do the rest.
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient, type DocumentSelector } from 'vscode-languageclient/node';

const documents: DocumentSelector = ['markdown', 'plaintext'].flatMap(language =>
  ['file', 'untitled'].map(scheme => ({ language, scheme })));

let client: LanguageClient | undefined;
let log: vscode.LogOutputChannel;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  log = vscode.window.createOutputChannel('Lacuna', { log: true });
  context.subscriptions.push(
    log,
    vscode.commands.registerCommand('lacuna.restartServer', restart),
    vscode.commands.registerCommand('lacuna.showLog', () => log.show()),
    vscode.workspace.onDidChangeConfiguration(e => {
      if (e.affectsConfiguration('lacuna.path')) void restart();
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}

async function start(): Promise<void> {
  const command = program();
  client = new LanguageClient(
    'lacuna',
    'Lacuna',
    { command, args: ['serve', '--stdio'] },
    { documentSelector: documents, outputChannel: log, synchronize: { configurationSection: 'lacuna' } },
  );
  try {
    await client.start();
  } catch (error) {
    await explain(command, error);
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  if (running?.isRunning()) await running.stop();
}

async function restart(): Promise<void> {
  await stop();
  await start();
}

// program is the setting, or "lacuna" for the system to find on PATH. The setting has machine scope, so a
// folder that someone else made cannot choose the program to run.
function program(): string {
  const set = vscode.workspace.getConfiguration('lacuna').get<string>('path', '').trim();
  if (set === '') return 'lacuna';
  return set.startsWith('~/') ? path.join(os.homedir(), set.slice(2)) : set;
}

async function explain(command: string, error: unknown): Promise<void> {
  log.error(`${command}: ${error instanceof Error ? error.message : String(error)}`);
  const choice = await vscode.window.showErrorMessage(
    `Lacuna could not start "${command}". Build it with "go build" and set lacuna.path, or put it on PATH.`,
    'Open Settings',
    'Show Log',
  );
  if (choice === 'Open Settings') {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'lacuna.path');
  } else if (choice === 'Show Log') {
    log.show();
  }
}

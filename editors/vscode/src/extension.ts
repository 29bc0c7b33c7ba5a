// The VS Code side of Lacuna. It finds the program and starts it; the language client does most of the rest. The views
// show what the server reports to every editor.
import * as vscode from 'vscode';
import { compareCitations } from './changes';
import { workspaceCommands } from './commands';
import { dimMachinery } from './dim';
import { gapsView } from './gapsView';
import { documents, languages } from './languages';
import { pageIcon } from './pages';
import { questionCommands } from './questions';
import { showSample } from './sample';
import { Keys } from './secrets';
import { Server } from './server';
import { sourcesView } from './sourcesView';
import { statusBar } from './status';
import { topicsView } from './topicsView';

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel('Lacuna', { log: true });
  const keys = new Keys(context.secrets, log);
  const running = server = new Server(context, keys, log);
  void vscode.commands.executeCommand('setContext', 'lacuna.languages', languages);
  context.subscriptions.push(
    log, running,
    workspaceCommands(context, running, keys, log),
    questionCommands(running),
    gapsView(running, context.workspaceState), sourcesView(running), statusBar(running),
    topicsView(running, pageIcon(context.extensionUri)),
    followSettings(running), dimMachinery(), compareCitations(running, documents),
    keys.onDidChange(() => running.restart()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => running.notifySettings()),
  );
  await Promise.all([running.start(), showSample(context)]);
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** followSettings restarts the program if a setting that it gets at the start changes. It asks for the others itself. */
function followSettings(running: Server): vscode.Disposable {
  let own = running.ownSettings();
  return vscode.workspace.onDidChangeConfiguration(event => {
    if (!event.affectsConfiguration('lacuna')) return;
    if (event.affectsConfiguration('lacuna.questionState')) running.showStatesAgain();
    const now = running.ownSettings(), changed = now !== own || event.affectsConfiguration('lacuna.path');
    own = now;
    if (changed) void running.restart();
  });
}

// Commands that do not concern a single question.
import * as vscode from 'vscode';
import { askFirst } from './askFirst';
import { chooseSources } from './chooseSources';
import { explain } from './explain';
import { show } from './places';
import { createSample } from './sample';
import type { Keys } from './secrets';
import type { Server } from './server';
import { listStale } from './staleNotes';
import { folderOf, linesOf } from './statusText';

/** workspaceCommands registers them. */
export function workspaceCommands(context: vscode.ExtensionContext, server: Server, keys: Keys, log: vscode.LogOutputChannel): vscode.Disposable {
  const commands: Record<string, (...args: unknown[]) => unknown> = {
    'lacuna.restartServer': () => server.restart(),
    'lacuna.showLog': () => { log.show(); },
    'lacuna.editor.menu': () => menu(server),
    'lacuna.editor.listStale': () => listStale(server),
    'lacuna.editor.showGaps': () => ofWorkspace(server, 'lacuna.showGaps'),
    'lacuna.editor.forgetConsent': () => ofWorkspace(server, 'lacuna.forgetConsent'),
    'lacuna.editor.showGapsView': () => vscode.commands.executeCommand('lacuna.gaps.focus'),
    'lacuna.editor.showSources': () => vscode.commands.executeCommand('lacuna.sources.focus'),
    'lacuna.editor.chooseSources': () => chooseSources(server),
    'lacuna.editor.ask': () => askFirst(server),
    'lacuna.editor.openSource': place => show(place),
    'lacuna.editor.explain': () => explain(),
    'lacuna.editor.openSettings': () => vscode.commands.executeCommand('workbench.action.openSettings', '@ext:lacuna.lacuna'),
    'lacuna.editor.openPathSetting': () => vscode.commands.executeCommand('workbench.action.openSettings', 'lacuna.path'),
    'lacuna.editor.setKey': () => keys.set(),
    'lacuna.editor.forgetKey': () => keys.forget(),
    'lacuna.editor.createSample': () => createSample(context),
    'lacuna.editor.openWalkthrough': () => vscode.commands.executeCommand('workbench.action.openWalkthrough', 'lacuna.lacuna#lacuna.start'),
  };
  return vscode.Disposable.from(...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run)));
}

/** ofWorkspace runs a command of the server on the folder of the active note, or on the first folder. */
async function ofWorkspace(server: Server, command: string): Promise<void> {
  if (server.phase !== 'running') {
    void vscode.window.showInformationMessage('Lacuna is not running. "Lacuna: Restart Server" starts it, and "Lacuna: Show Log" says why it is not.');
    return;
  }
  const uri = vscode.window.activeTextEditor?.document.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  await vscode.commands.executeCommand(command, ...(uri ? [{ v: 1, uri: server.uriOf(uri) }] : []));
}

interface Entry extends vscode.QuickPickItem {
  command?: string;
}

/** menu opens the status bar's menu: the status, and every command. */
async function menu(server: Server): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const folder = folderOf(server.status, document && server.uriOf(document.uri));
  const running = server.phase === 'running';
  const entry = (icon: string, label: string, command: string, description = ''): Entry => ({ label: `$(${icon}) ${label}`, command, description });
  const heading = (label: string): Entry => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const items: Entry[] = [];
  if (running && document) items.push(
    heading('This question'),
    entry('comment-discussion', 'Answer', 'lacuna.editor.answer'),
    ...(folder?.model ? [
      entry('telescope', 'Answer Thoroughly', 'lacuna.editor.answerThoroughly'),
      entry('list-selection', 'Answer with Another System', 'lacuna.editor.answerWith'),
      entry('arrow-swap', 'Answer the Other Way', 'lacuna.editor.overrule', 'overrule the gate'),
      entry('eye', 'Show What Answering Would Send', 'lacuna.editor.preview'),
    ] : []),
    heading('This note'),
    entry('checklist', 'Answer All Open Questions', 'lacuna.editor.answerAll'),
  );
  if (running) items.push(
    heading('Workspace'),
    entry('comment', 'Ask a Question', 'lacuna.editor.ask', 'in a new note'),
    entry('question', 'Show Gaps', 'lacuna.editor.showGapsView', folder ? String(folder.gaps) : ''),
    entry('history', 'List What Is No Longer True', 'lacuna.editor.listStale'),
    entry('graph', 'Show What Your Sources Know', 'lacuna.editor.showTopics', 'by subject'),
    entry('folder-library', 'Add a Folder of Sources', 'lacuna.editor.chooseSources'),
    entry('library', 'Show Sources', 'lacuna.editor.showSources', folder ? linesOf(folder).find(line => line.includes('passage')) : ''),
  );
  items.push(
    heading('Lacuna'),
    entry('gear', 'Open Settings', 'lacuna.editor.openSettings'),
    entry('key', 'Set Model Key', 'lacuna.editor.setKey'),
    entry('output', 'Show Log', 'lacuna.showLog'),
    entry('debug-restart', 'Restart Server', 'lacuna.restartServer'),
    entry('mortar-board', 'First Steps', 'lacuna.editor.openWalkthrough'),
  );
  const chosen = await vscode.window.showQuickPick(items, { title: 'Lacuna', placeHolder: folder?.message || 'What should Lacuna do?' });
  if (chosen?.command !== undefined) await vscode.commands.executeCommand(chosen.command);
}

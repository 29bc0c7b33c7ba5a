// Lets the user choose a source. One inside an open folder goes to the server, which adds it to that folder's settings; one
// elsewhere goes into the user's own settings, because only they may name it.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { askFirst } from './askFirst';
import type { Server } from './server';
import { sourcesOf } from './statusText';

/** chooseSources lets the user choose a folder and makes it a source. Who had none is asked for a first question. */
export async function chooseSources(server: Server): Promise<void> {
  const first = server.status !== undefined && sourcesOf(server.status) === 'none';
  const note = vscode.window.activeTextEditor?.document.uri;
  const open = (note && vscode.workspace.getWorkspaceFolder(note)) ?? vscode.workspace.workspaceFolders?.[0];
  const [chosen] = await vscode.window.showOpenDialog({
    canSelectFiles: false, canSelectFolders: true, canSelectMany: false, ...(open ? { defaultUri: open.uri } : {}),
    title: 'Lacuna: a folder with your documents', openLabel: 'Answer from This Folder',
  }) ?? [];
  if (chosen === undefined) return;
  await add(server, chosen);
  if (first && note === undefined) await askFirst(server); // nothing is open that could have a question
}

async function add(server: Server, chosen: vscode.Uri): Promise<void> {
  const inside = vscode.workspace.getWorkspaceFolder(chosen);
  if (inside && path.relative(inside.uri.fsPath, chosen.fsPath) !== '') {
    await server.run('lacuna.setUpSources', { v: 1, uri: server.uriOf(inside.uri), path: chosen.fsPath });
    return;
  }
  const settings = vscode.workspace.getConfiguration('lacuna');
  const own = settings.inspect<{ path: string }[]>('ownSources')?.globalValue ?? [];
  if (!own.some(source => source.path === chosen.fsPath)) {
    await settings.update('ownSources', [...own, { path: chosen.fsPath }], vscode.ConfigurationTarget.Global);
  }
  void vscode.window.showInformationMessage(`Lacuna: questions are answered from ${chosen.fsPath} from now on, in every folder that you open. It stands in the setting lacuna.ownSources.`);
}

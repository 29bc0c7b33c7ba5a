// Example notes to try Lacuna on: a note of an invented clinic, and its sources.
import * as os from 'node:os';
import * as vscode from 'vscode';

const folderName = 'lacuna-sample', noteName = 'visit.md';

/** The key under which createSample stores the folder whose note the next window opens. */
const folderKey = 'lacuna.sampleToShow';

/** showSample opens the note of an example that was just created for this window. */
export async function showSample(context: vscode.ExtensionContext): Promise<void> {
  const folder = context.globalState.get<string>(folderKey);
  if (folder === undefined || !vscode.workspace.workspaceFolders?.some(({ uri }) => uri.toString() === folder)) return;
  await context.globalState.update(folderKey, undefined);
  await vscode.window.showTextDocument(vscode.Uri.joinPath(vscode.Uri.parse(folder), noteName));
}

/** createSample copies the example into a folder that the user chooses and opens it. */
export async function createSample(context: vscode.ExtensionContext): Promise<void> {
  const home = vscode.Uri.file(os.homedir());
  const proposed = vscode.Uri.joinPath(home, folderName);
  const here = 'Create and Open', elsewhere = 'Choose a Folder…';
  const chosen = await vscode.window.showInformationMessage('Create example notes to try Lacuna on?', {
    modal: true,
    detail: `A note with questions, and 61 invented pages to answer them from, in ${proposed.fsPath}. Nothing else is touched; delete the folder when you are done.`,
  }, here, elsewhere);
  if (chosen === undefined) return;
  const folder = chosen === here ? proposed : await choose(home);
  if (folder === undefined) return;
  if (!await exists(folder)) await vscode.workspace.fs.copy(vscode.Uri.joinPath(context.extensionUri, 'dist', 'sample'), folder);
  await context.globalState.update(folderKey, folder.toString());
  await vscode.commands.executeCommand('vscode.openFolder', folder, { forceReuseWindow: vscode.workspace.workspaceFolders === undefined });
}

async function choose(start: vscode.Uri): Promise<vscode.Uri | undefined> {
  const parents = await vscode.window.showOpenDialog({
    canSelectFiles: false, canSelectFolders: true, defaultUri: start, openLabel: `Create ${folderName} here`,
  });
  return parents?.[0] && vscode.Uri.joinPath(parents[0], folderName);
}

async function exists(folder: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(folder).then(() => true, () => false);
}

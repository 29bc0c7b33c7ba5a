// Takes a question from a field, writes it into a new note, and has it answered: the way to a first answer.
import * as vscode from 'vscode';
import { answerNew } from './questions';
import type { Server } from './server';
import { sourcesOf } from './statusText';

/** patience is how long sources that were just added may take to be read, in milliseconds. */
const patience = 120_000;

/** askFirst asks the user for a question and answers it in a new note. */
export async function askFirst(server: Server): Promise<void> {
  const model = server.status?.folders.find(folder => folder.model)?.model;
  const words = (await vscode.window.showInputBox({
    title: 'Ask your documents', prompt: model ? `${model} answers from your documents, and says where it stands.` : 'The answer is quoted from your documents, with where it stands. Nothing is sent anywhere.',
    placeHolder: 'What do you want to know?', ignoreFocusOut: true,
  }))?.trim();
  if (!words) return;
  const question = /[?？]$/.test(words) ? words : `${words}?`;
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: `${question}\n` });
  const editor = await vscode.window.showTextDocument(document, { selection: new vscode.Range(0, 0, 0, 0) });
  await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: 'Lacuna: reading your documents' }, () => ready(server));
  await answerNew(server, editor);
}

/** ready waits until there is something to answer from, or it is known that there is not. */
function ready(server: Server): Promise<void> {
  const isReady = (): boolean => server.phase === 'running' && server.status !== undefined && sourcesOf(server.status) === 'ready'
    && server.status.folders.every(({ state }) => state !== 'indexing');
  return new Promise(resolve => {
    if (isReady()) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      following.dispose();
      resolve();
    };
    const timer = setTimeout(done, patience), following = server.onDidChange(() => { if (isReady()) done(); });
  });
}

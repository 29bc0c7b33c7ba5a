// Commands on the question at the cursor. Only the server can make their arguments, in its code actions; so a command here
// runs the matching code action.
import * as vscode from 'vscode';
import { lineOf } from './gaps';
import { ask } from './messages';
import { isAt, show } from './places';
import type { Gap } from './protocol';
import type { Server } from './server';
import { folderOf } from './statusText';

// Arguments holds the arguments of a server command on a question.
interface Arguments {
  system?: string;
  fresh?: boolean;
  gap?: string;
  override?: boolean;
}

/** wanted maps each command to its code action, and to the message if there is none. */
interface Wanted {
  command: string;
  fits?: (a: Arguments) => boolean;
  otherwise: string;
}

const noQuestion = 'Put the cursor on a question, or into its answer.';
const needsModel = `${noQuestion} This way of answering needs a model; "Lacuna: Open Settings" has where to set one up.`;

const answering: Wanted = {
  command: 'lacuna.answerQuestion', otherwise: noQuestion,
  fits: a => !a.system && !a.fresh && !a.gap && !a.override,
};

const wanted: Record<string, Wanted> = {
  'lacuna.editor.answer': answering,
  'lacuna.editor.answerThoroughly': {
    command: 'lacuna.answerQuestion', otherwise: needsModel,
    fits: a => a.system === 'thorough' && !a.gap,
  },
  'lacuna.editor.answerWith': { command: 'lacuna.answerWith', otherwise: needsModel },
  'lacuna.editor.answerAnew': { command: 'lacuna.answerQuestion', otherwise: 'Put the cursor on an answer that a model wrote.', fits: a => a.fresh === true },
  'lacuna.editor.overrule': {
    command: 'lacuna.answerQuestion', fits: a => a.override === true,
    otherwise: 'No answer here can be overruled: put the cursor on one that a model wrote.',
  },
  'lacuna.editor.keep': {
    command: 'lacuna.acceptAnswer',
    otherwise: 'There is no answer here to keep that is not kept already. Answers from your sources can be, where history.harvest is on in your own settings and the note is not private.',
  },
  'lacuna.editor.remove': { command: 'lacuna.removeAnswer', otherwise: 'There is no answer here to remove.' },
  'lacuna.editor.preview': { command: 'lacuna.previewRequest', otherwise: 'Nothing would be sent to another machine for this question.' },
};

/** questionCommands registers the commands. Each takes an optional place or gap to go to first, for hovers and the view of gaps. */
export function questionCommands(server: Server): vscode.Disposable {
  const commands = Object.entries(wanted).map(([name, entry]) =>
    vscode.commands.registerCommand(name, async (place?: unknown) => {
      const editor = await goTo(server, place);
      if (editor) await run(server, editor, entry);
    }));
  return vscode.Disposable.from(
    ...commands,
    vscode.commands.registerCommand('lacuna.editor.goToGap', (node: unknown) => goTo(server, node)),
    vscode.commands.registerCommand('lacuna.editor.answerGap', async (node: unknown) => {
      const gap = gapOf(node), editor = gap && await goTo(server, node);
      if (editor) await about('lacuna.answerQuestion', gap);
    }),
    vscode.commands.registerCommand('lacuna.editor.dismissGap', async (node: unknown) => {
      const gap = gapOf(node);
      if (gap === undefined) return;
      await vscode.workspace.openTextDocument(server.uriFrom(gap.uri)); // the server knows only the questions of open notes
      await about('lacuna.dismissGap', gap);
    }),
    vscode.commands.registerCommand('lacuna.editor.answerAll', async () => {
      const document = vscode.window.activeTextEditor?.document;
      if (document) await vscode.commands.executeCommand('lacuna.answerAll', { v: 1, uri: server.uriOf(document.uri) });
    }),
  );
}

async function run(server: Server, editor: vscode.TextEditor, entry: Wanted): Promise<void> {
  const folder = folderOf(server.status, server.uriOf(editor.document.uri));
  if (folder?.sources !== undefined && folder.sources !== 'ready' && entry.command !== 'lacuna.removeAnswer') {
    await ask('information', `Lacuna: ${folder.message ?? 'There are no sources to answer from.'}`, folder.sources === 'reading' ? {} : { 'Choose a Folder': 'lacuna.editor.chooseSources' });
    return;
  }
  const found = await actionFor(editor, entry);
  if (found) await vscode.commands.executeCommand(found.command, ...(found.arguments ?? []) as unknown[]);
  else void vscode.window.showInformationMessage(`Lacuna: ${entry.otherwise}`);
}

/** actionFor returns the command of the server's action at the cursor, if it has one. */
async function actionFor(editor: vscode.TextEditor, entry: Wanted): Promise<vscode.Command | undefined> {
  const actions = await vscode.commands.executeCommand<(vscode.CodeAction | vscode.Command)[]>(
    'vscode.executeCodeActionProvider', editor.document.uri, editor.selection);
  return actions
    .map(action => (typeof action.command === 'object' ? action.command : action as vscode.Command))
    .find(c => c.command === entry.command && (entry.fits ?? (() => true))((c.arguments?.[0] ?? {}) as Arguments));
}

/** answerNew answers the question at the cursor of a note that was just opened: the server may learn of the note only later. */
export async function answerNew(server: Server, editor: vscode.TextEditor): Promise<void> {
  const entry = answering;
  for (let tries = 0; tries < 50 && !await actionFor(editor, entry); tries++) await new Promise(resolve => setTimeout(resolve, 200));
  await run(server, editor, entry);
}

/** about runs a command of the server on a gap. */
async function about(command: string, gap: Gap): Promise<void> {
  const question = { v: 1, uri: gap.uri, question: gap.questionId };
  await vscode.commands.executeCommand(command, command === 'lacuna.dismissGap' ? { ...question, gap: gap.gap, code: gap.code } : question);
}

/** goTo opens the place or gap of a command's argument; without one it stays at the cursor. */
async function goTo(server: Server, place: unknown): Promise<vscode.TextEditor | undefined> {
  if (isAt(place)) return show(place);
  const gap = gapOf(place);
  if (gap === undefined) return vscode.window.activeTextEditor;
  const document = await vscode.workspace.openTextDocument(server.uriFrom(gap.uri));
  const found = gap.range?.start.line ?? lineOf(document.getText(), gap.question), line = found < 0 ? (gap.line ?? 1) - 1 : found;
  const start = new vscode.Position(line, gap.range?.start.character ?? 0);
  return vscode.window.showTextDocument(document, { selection: new vscode.Range(start, start) });
}

function gapOf(node: unknown): Gap | undefined {
  return typeof node === 'object' && node !== null && 'gap' in node && typeof node.gap === 'object' ? node.gap as Gap : undefined;
}

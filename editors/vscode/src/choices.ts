// Shows the server's questions (window/showMessageRequest). The language client would show a notification, which truncates
// many buttons, and which Escape hides without a reply, so that the server would wait forever.
import * as vscode from 'vscode';
import { MessageType, type MessageActionItem, type ShowMessageRequestParams } from 'vscode-languageclient';
import { headed, rowOf } from './choiceText';

/** choose asks in a list or, for a warning, in a dialog. Closing either answers null. */
export async function choose(params: ShowMessageRequestParams, token: vscode.CancellationToken): Promise<MessageActionItem | null> {
  const actions = params.actions ?? [];
  if (params.type === MessageType.Warning || params.type === MessageType.Error) return warn(params.message, actions);
  const rows = actions.map(action => ({ ...rowOf(action.title), action }));
  const row = await vscode.window.showQuickPick(rows, { title: params.message, ignoreFocusOut: true, matchOnDescription: true }, token);
  return row?.action ?? null;
}

/** warn asks in a dialog. The first action is the default, and closing the dialog means the last. */
async function warn(message: string, actions: MessageActionItem[]): Promise<MessageActionItem | null> {
  const items = actions.map((action, i) => ({ title: action.title, action, isCloseAffordance: i === actions.length - 1 }));
  const { heading, detail } = headed(message);
  const item = await vscode.window.showWarningMessage(heading, { modal: true, ...(detail && { detail }) }, ...items);
  return item?.action ?? null;
}

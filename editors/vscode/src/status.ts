// The status bar item: Lacuna's status for the active note. A click opens its menu.
import * as vscode from 'vscode';
import { languages } from './languages';
import type { Server } from './server';
import { linesOf, lookOf } from './statusText';

/** statusBar shows the item while a note is active. */
export function statusBar(server: Server): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('lacuna.status', vscode.StatusBarAlignment.Left);
  item.name = 'Lacuna';
  item.command = 'lacuna.editor.menu';
  const refresh = (): void => {
    const front = vscode.window.activeTextEditor?.document, document = front?.uri.scheme === 'output' ? undefined : front; // a user who reads the log wants to see the item
    if (document && !vscode.languages.match([...languages], document)) {
      item.hide();
      return;
    }
    const look = lookOf(server.phase, server.status, document && server.uriOf(document.uri));
    item.text = `$(${look.icon}) ${look.text}`;
    item.backgroundColor = look.alarm ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    item.tooltip = tooltip(server);
    item.accessibilityInformation = { label: look.text };
    item.show();
  };
  refresh();
  return vscode.Disposable.from(item, server.onDidChange(refresh), vscode.window.onDidChangeActiveTextEditor(refresh));
}

function tooltip(server: Server): vscode.MarkdownString {
  const text = new vscode.MarkdownString(undefined, true);
  for (const folder of server.status?.folders ?? []) {
    text.appendMarkdown('**').appendText(folder.name).appendMarkdown('**  \n');
    for (const line of linesOf(folder)) text.appendText(line).appendMarkdown('  \n');
    text.appendMarkdown('\n');
  }
  if (!vscode.workspace.isTrusted) text.appendMarkdown('This folder is not trusted: no model is asked.\n\n');
  return text.appendMarkdown('Click for everything Lacuna can do here.');
}

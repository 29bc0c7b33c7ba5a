// The extension's few pop-ups: each says why a request of the user failed.
import * as vscode from 'vscode';

/** ask shows a message with buttons, each of which runs a command. */
export async function ask(level: 'error' | 'warning' | 'information', text: string, buttons: Record<string, string>): Promise<void> {
  const show = { error: vscode.window.showErrorMessage, warning: vscode.window.showWarningMessage, information: vscode.window.showInformationMessage }[level];
  const chosen = await show(text, ...Object.keys(buttons));
  const command = chosen === undefined ? undefined : buttons[chosen];
  if (command !== undefined) await vscode.commands.executeCommand(command);
}

/** showFailure shows why a request failed, in the server's words. */
export function showFailure(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  void vscode.window.showWarningMessage(text.startsWith('Lacuna') ? text : `Lacuna: ${text}`);
}

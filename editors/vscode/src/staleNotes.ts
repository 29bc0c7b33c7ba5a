// The list of what is no longer true in the notes of the workspace.
import * as vscode from 'vscode';
import type { Stale, StaleMark } from './protocol';
import type { Server } from './server';

/** listStale has all notes compared with the sources, which may take seconds, and goes to the place that is chosen. */
export async function listStale(server: Server): Promise<void> {
  const reply = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: 'Lacuna: comparing your notes with your sources' },
    () => server.ask<Stale>('lacuna.listStale'),
  );
  if (reply === undefined) return;
  if (reply.marks.length === 0) {
    void vscode.window.showInformationMessage(reply.message ?? 'Nothing is marked as no longer true.');
    return;
  }
  const items = reply.marks.map(mark => itemOf(server, mark));
  const chosen = await vscode.window.showQuickPick(items, { title: 'No longer true in your notes', matchOnDescription: true, matchOnDetail: true });
  if (chosen === undefined) return;
  const { start, end } = chosen.mark.range;
  await vscode.window.showTextDocument(server.uriFrom(chosen.mark.uri), { selection: new vscode.Range(start.line, start.character, end.line, end.character) });
}

function itemOf(server: Server, mark: StaleMark): vscode.QuickPickItem & { mark: StaleMark } {
  const place = vscode.workspace.asRelativePath(server.uriFrom(mark.uri));
  return { label: `${place}:${mark.range.start.line + 1}`, description: mark.code, detail: mark.text, mark };
}

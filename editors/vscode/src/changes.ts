// Shows how a source has changed under a quote: the source as it was quoted beside the source as it is.
import * as vscode from 'vscode';
import { asQuoted, changeAt } from './changeText';
import type { Changes } from './protocol';
import type { Server } from './server';

/** The scheme of sources as they were quoted. */
const scheme = 'lacuna-quoted';

/** compareCitations offers the comparison at each citation that its source no longer holds, and as a command. */
export function compareCitations(server: Server, documents: vscode.DocumentSelector): vscode.Disposable {
  const quoted = new Map<string, string>(); // by path
  const compare = async (): Promise<void> => {
    const editor = vscode.window.activeTextEditor;
    const { line, character } = editor?.selection.active ?? new vscode.Position(0, 0);
    const reply = editor && await server.ask<Changes>('lacuna.listChanges', { uri: server.uriOf(editor.document.uri) });
    const change = reply && changeAt(reply.changes, { line, character });
    if (change === undefined) {
      void vscode.window.showInformationMessage('Lacuna: no citation of this note is said in other words by its source now.');
      return;
    }
    const file = server.uriFrom(change.uri), name = file.path.split('/').pop() ?? '';
    const now = await vscode.workspace.openTextDocument(file).then(document => document, () => undefined); // a PDF is no text
    const was = now && asQuoted(now.getText(), change);
    const left = vscode.Uri.from({ scheme, path: `/quoted/${name}` }), right = was === undefined ? vscode.Uri.from({ scheme, path: `/now/${name}` }) : file;
    quoted.set(left.path, was ?? change.was);
    quoted.set(right.path, change.now);
    changed.fire(left);
    changed.fire(right);
    const row = Math.max(change.line - 1, 0);
    await vscode.commands.executeCommand('vscode.diff', left, right, `${name}: as quoted ↔ now`, { selection: new vscode.Range(row, 0, row, 0) });
  };
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const kind = vscode.CodeActionKind.QuickFix;
  return vscode.Disposable.from(
    changed,
    vscode.workspace.registerTextDocumentContentProvider(scheme, { onDidChange: changed.event, provideTextDocumentContent: uri => quoted.get(uri.path) ?? '' }),
    vscode.commands.registerCommand('lacuna.editor.compareCitation', compare),
    vscode.languages.registerCodeActionsProvider(documents, {
      provideCodeActions: (_document, _range, { diagnostics }) => {
        const stale = diagnostics.filter(({ source, code }) => source === 'lacuna' && (typeof code === 'object' ? code.value : code) === 'stale-citation');
        if (stale.length === 0) return [];
        const action = new vscode.CodeAction('Compare with the source as it is now', kind);
        action.diagnostics = stale;
        action.command = { command: 'lacuna.editor.compareCitation', title: action.title };
        return [action];
      },
    }, { providedCodeActionKinds: [kind] }),
  );
}

// Dims what stands in a note for Lacuna alone, so that the eye passes over it. Nothing is hidden: it can be edited.
import * as vscode from 'vscode';
import { languages } from './languages';
import { machineryIn } from './machinery';

/** dimMachinery dims it in the visible notes, also while they change. */
export function dimMachinery(): vscode.Disposable {
  const look = vscode.window.createTextEditorDecorationType({ opacity: '0.4' });
  const dim = (editor: vscode.TextEditor): void => {
    const note = editor.document;
    if (!(languages as readonly string[]).includes(note.languageId)) return;
    editor.setDecorations(look, machineryIn(note.getText()).map(({ start, end }) => new vscode.Range(note.positionAt(start), note.positionAt(end))));
  };
  vscode.window.visibleTextEditors.forEach(dim);
  return vscode.Disposable.from(
    look,
    vscode.window.onDidChangeVisibleTextEditors(editors => editors.forEach(dim)),
    vscode.workspace.onDidChangeTextDocument(({ document }) => vscode.window.visibleTextEditors.filter(editor => editor.document === document).forEach(dim)),
  );
}

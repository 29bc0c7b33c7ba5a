// Dims what stands in a note for Lacuna alone, so that the eye passes over it. Nothing is hidden: it can be edited.
import * as vscode from 'vscode';
import { languages } from './languages';
import { machineryIn } from './machinery';

/** dimMachinery dims it in the visible notes, also while they change. */
export function dimMachinery(): vscode.Disposable {
  let look = lookIn(vscode.window.activeColorTheme);
  const dim = (editor: vscode.TextEditor): void => {
    const note = editor.document;
    if (!(languages as readonly string[]).includes(note.languageId)) return;
    editor.setDecorations(look, machineryIn(note.getText()).map(({ start, end }) => new vscode.Range(note.positionAt(start), note.positionAt(end))));
  };
  vscode.window.visibleTextEditors.forEach(dim);
  return vscode.Disposable.from(
    { dispose: () => { look.dispose(); } },
    vscode.window.onDidChangeActiveColorTheme(theme => {
      look.dispose();
      look = lookIn(theme);
      vscode.window.visibleTextEditors.forEach(dim);
    }),
    vscode.window.onDidChangeVisibleTextEditors(editors => editors.forEach(dim)),
    vscode.workspace.onDidChangeTextDocument(({ document }) => vscode.window.visibleTextEditors.filter(editor => editor.document === document).forEach(dim)),
  );
}

/** lookIn makes the look of machinery, which in high contrast stays readable. */
function lookIn({ kind }: vscode.ColorTheme): vscode.TextEditorDecorationType {
  const contrast = kind === vscode.ColorThemeKind.HighContrast || kind === vscode.ColorThemeKind.HighContrastLight;
  return vscode.window.createTextEditorDecorationType({ opacity: contrast ? '0.85' : '0.4' });
}

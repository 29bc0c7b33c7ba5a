// Opens the page about a diagnostic's code. The server sends the page's address with each diagnostic.
import * as vscode from 'vscode';

/** explain shows the page about the diagnostic at the cursor, or lets the user choose among the visible ones. */
export async function explain(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const here = editor ? ours(vscode.languages.getDiagnostics(editor.document.uri)).filter(d => touches(d.range, editor.selection)) : [];
  const pages = pagesOf(here.length > 0 ? here : vscode.languages.getDiagnostics().flatMap(([, found]) => ours(found)));
  const codes = [...pages.keys()].sort();
  const code = codes.length > 1 ? await vscode.window.showQuickPick(codes, { title: 'Which mark should be explained?' }) : codes[0];
  const page = code === undefined ? undefined : pages.get(code);
  if (page) await open(page);
  else if (codes.length === 0) void vscode.window.showInformationMessage('Lacuna: there is no mark to explain in what is open.');
}

function ours(diagnostics: readonly vscode.Diagnostic[]): vscode.Diagnostic[] {
  return diagnostics.filter(d => d.source === 'lacuna');
}

function touches(range: vscode.Range, selection: vscode.Range): boolean {
  return range.start.line <= selection.end.line && selection.start.line <= range.end.line;
}

function pagesOf(diagnostics: readonly vscode.Diagnostic[]): Map<string, vscode.Uri> {
  const pages = new Map<string, vscode.Uri>();
  for (const { code } of diagnostics) if (typeof code === 'object') pages.set(String(code.value), code.target);
  return pages;
}

async function open(page: vscode.Uri): Promise<void> {
  if (page.scheme === 'file' || page.scheme === 'vscode-remote') await vscode.commands.executeCommand('markdown.showPreview', page);
  else await vscode.env.openExternal(page);
}

// Shows the server's pages: texts that are no files, such as a report or what would be sent. A page is Markdown, and is
// shown as it reads, in a view that runs no script and loads nothing. Its links lead to places in files.
import * as vscode from 'vscode';
import type { WindowMiddleware } from 'vscode-languageclient';
import { linked, pageHtml, targetsOf } from './pageText';
import { at, type At } from './places';

/** Icon is that of a tab, for themes of either kind. */
export interface Icon {
  light: vscode.Uri;
  dark: vscode.Uri;
}

/** pageIcon returns the icon of the extension's own tabs. */
export function pageIcon(extension: vscode.Uri): Icon {
  return { light: vscode.Uri.joinPath(extension, 'media', 'page-light.svg'), dark: vscode.Uri.joinPath(extension, 'media', 'page-dark.svg') };
}

/** Pages keeps the views of the pages, one for each. */
export class Pages implements vscode.Disposable {
  private readonly views = new Map<string, vscode.WebviewPanel>();
  private readonly following: vscode.Disposable;

  constructor(private readonly icon: Icon, private readonly uriFrom: (uri: string) => vscode.Uri) {
    this.following = vscode.workspace.onDidChangeTextDocument(({ document }) => void this.fill(document));
  }

  /** show opens a page; every other document that the server wants shown is opened as usual. */
  readonly show: NonNullable<WindowMiddleware['showDocument']> = async (params, token, next) => {
    const uri = vscode.Uri.parse(params.uri);
    if (uri.scheme !== 'lacuna') return next(params, token);
    try {
      const document = await vscode.workspace.openTextDocument(uri);
      this.view(document).reveal();
      await this.fill(document);
      return { success: true };
    } catch {
      return next(params, token); // without VS Code's Markdown it is shown as text
    }
  };

  dispose(): void {
    this.following.dispose();
    for (const view of this.views.values()) view.dispose();
  }

  private view(document: vscode.TextDocument): vscode.WebviewPanel {
    const key = document.uri.toString(), there = this.views.get(key);
    if (there) return there;
    const title = document.uri.path.replace(/^\//, '').replace(/\.md$/, '');
    const view = vscode.window.createWebviewPanel('lacuna.page', title, vscode.ViewColumn.Active, {
      enableScripts: false, enableForms: false, enableCommandUris: ['lacuna.editor.openSource'], localResourceRoots: [], enableFindWidget: true,
    });
    view.iconPath = this.icon;
    view.onDidDispose(() => this.views.delete(key));
    this.views.set(key, view);
    return view;
  }

  private async fill(document: vscode.TextDocument): Promise<void> {
    const view = this.views.get(document.uri.toString());
    if (view === undefined) return;
    const { markdown, targets } = targetsOf(document.getText());
    const html = await vscode.commands.executeCommand<string>('markdown.api.render', markdown);
    view.webview.html = pageHtml(linked(html, targets.map(target => this.link(target))));
  }

  /** link returns the command that opens a place in a file, as a link has it. */
  private link(target: string): string {
    const [file = '', line] = target.split(/#L(\d+)$/);
    const place: At = at(this.uriFrom(file), new vscode.Position(Math.max(Number(line ?? 1) - 1, 0), 0));
    return `command:lacuna.editor.openSource?${encodeURIComponent(JSON.stringify([place]))}`;
  }
}

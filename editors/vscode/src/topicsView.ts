// Shows the picture of what the sources know and lack, in a view that runs no script and loads nothing.
import * as vscode from 'vscode';
import { pageHtml } from './pageText';
import type { Icon } from './pages';
import { at } from './places';
import type { Asked, Topics } from './protocol';
import type { Server } from './server';
import { topicsHtml } from './topicText';

/** topicsView registers the command that shows it. It is drawn anew while it is visible and something changes. */
export function topicsView(server: Server, icon: Icon): vscode.Disposable {
  let view: vscode.WebviewPanel | undefined, drawn = '', timer: NodeJS.Timeout | undefined;
  const link = ({ uri, line }: Asked): string =>
    `command:lacuna.editor.openSource?${encodeURIComponent(JSON.stringify([at(server.uriFrom(uri), new vscode.Position(Math.max(line - 1, 0), 0))]))}`;
  const draw = async (): Promise<void> => {
    if (view?.visible !== true) return;
    const topics = await server.ask<Topics>('lacuna.listTopics'), text = JSON.stringify(topics);
    if (topics === undefined || view === undefined || text === drawn) return; // what is unfolded stays so
    drawn = text;
    view.webview.html = pageHtml(topicsHtml(topics, link));
  };
  const show = async (): Promise<void> => {
    if (view === undefined) {
      view = vscode.window.createWebviewPanel('lacuna.topics', 'What your sources know', vscode.ViewColumn.Active, {
        enableScripts: false, enableForms: false, enableCommandUris: ['lacuna.editor.openSource'], localResourceRoots: [], enableFindWidget: true,
      });
      view.iconPath = icon;
      view.onDidDispose(() => { view = undefined; });
      view.onDidChangeViewState(() => void draw());
      drawn = '';
    }
    view.reveal();
    await draw();
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void draw(), 300);
  };
  return vscode.Disposable.from(
    vscode.commands.registerCommand('lacuna.editor.showTopics', show), server.onDidChange(soon),
    { dispose: () => { clearTimeout(timer); view?.dispose(); } },
  );
}

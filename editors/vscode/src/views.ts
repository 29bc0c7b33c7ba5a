// What the views have in common.
import * as vscode from 'vscode';
import type { Server } from './server';

/** fresh refreshes a view when something has changed while it can be seen, and when it comes into sight; never twice at once. */
export function fresh(view: vscode.TreeView<unknown>, server: Server, refresh: () => Promise<void>): vscode.Disposable {
  let running = false, again = false, stale = true;
  const run = async (): Promise<void> => {
    if (running) {
      again = true;
      return;
    }
    running = true;
    do {
      again = false;
      await refresh();
    } while (again);
    running = false;
  };
  const changed = (): void => {
    stale = !view.visible;
    if (view.visible) void run();
  };
  const shown = (): void => {
    if (!view.visible || !stale) return;
    stale = false;
    void run();
  };
  shown();
  return vscode.Disposable.from(server.onDidChange(changed), view.onDidChangeVisibility(shown));
}

// Helpers that the views share.
import * as vscode from 'vscode';
import type { Server } from './server';

/** keepFresh refreshes a view when it becomes visible, and when the server changes while it is visible; never twice concurrently. */
export function keepFresh(view: vscode.TreeView<unknown>, server: Server, refresh: () => Promise<void>): vscode.Disposable {
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
  const onChanged = (): void => {
    stale = !view.visible;
    if (view.visible) void run();
  };
  const onShown = (): void => {
    if (!view.visible || !stale) return;
    stale = false;
    void run();
  };
  onShown();
  return vscode.Disposable.from(server.onDidChange(onChanged), view.onDidChangeVisibility(onShown));
}

// Progress of what the server does. Reading the sources is shown by the item in the status bar. An answer gets a
// notification with a way to stop it, if it takes long enough for somebody to want to.
import * as vscode from 'vscode';
import type { Middleware, ProgressToken, WorkDoneProgressBegin, WorkDoneProgressReport } from 'vscode-languageclient';

/** patience is how long, in milliseconds, an answer may take before anything is said of it. */
const patience = 700;

/** progress shows it; stop is told what a person wants to stop. */
export function progress(stop: (token: ProgressToken) => void): NonNullable<Middleware['handleWorkDoneProgress']> {
  const running = new Map<ProgressToken, Work>();
  return (token, params, next) => {
    if (params.kind === 'begin') {
      if (params.cancellable) running.set(token, new Work(params, () => stop(token)));
      return;
    }
    if (params.kind === 'report') {
      running.get(token)?.report(params);
      return;
    }
    running.get(token)?.end();
    running.delete(token);
    next(token, params); // the client forgets the token
  };
}

/** Work is one piece of work that can be stopped. */
class Work {
  private readonly timer: NodeJS.Timeout;
  private said: { message?: string; percentage?: number };
  private shown = 0; // percent
  private progress: vscode.Progress<{ message?: string; increment?: number }> | undefined;
  private finish: (() => void) | undefined;

  constructor(private readonly begun: WorkDoneProgressBegin, private readonly stop: () => void) {
    this.said = begun;
    this.timer = setTimeout(() => this.show(), patience);
  }

  report(params: WorkDoneProgressReport): void {
    this.said = { ...this.said, ...params };
    const { message, percentage } = this.said, increment = Math.max(0, (percentage ?? 0) - this.shown);
    if (this.progress === undefined) return;
    this.shown += increment;
    this.progress.report({ increment, ...(message !== undefined && { message }) });
  }

  end(): void {
    clearTimeout(this.timer);
    this.finish?.();
  }

  private show(): void {
    void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: this.begun.title, cancellable: true }, (shown, cancelled) => {
      cancelled.onCancellationRequested(this.stop);
      this.progress = shown;
      this.report({ kind: 'report' });
      return new Promise<void>(resolve => { this.finish = resolve; });
    });
  }
}

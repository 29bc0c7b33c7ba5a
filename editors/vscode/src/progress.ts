// Progress of the server's work. The status bar shows indexing. An answer that takes longer than patience gets a
// notification that can cancel it.
import * as vscode from 'vscode';
import type { Middleware, ProgressToken, WorkDoneProgressBegin, WorkDoneProgressReport } from 'vscode-languageclient';

/** patience is the time in milliseconds before an answer's progress is shown. */
const patience = 700;

/** progress shows notifications for work that can be cancelled; it calls stop with the token of cancelled work. */
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

/** Work is one task that the user can cancel. */
class Work {
  private readonly timer: NodeJS.Timeout;
  private latest: { message?: string; percentage?: number };
  private reported = 0; // percent
  private progress: vscode.Progress<{ message?: string; increment?: number }> | undefined;
  private finish: (() => void) | undefined;

  constructor(private readonly begun: WorkDoneProgressBegin, private readonly stop: () => void) {
    this.latest = begun;
    this.timer = setTimeout(() => this.show(), patience);
  }

  report(params: WorkDoneProgressReport): void {
    this.latest = { ...this.latest, ...params };
    const { message, percentage } = this.latest, increment = Math.max(0, (percentage ?? 0) - this.reported);
    if (this.progress === undefined) return;
    this.reported += increment;
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

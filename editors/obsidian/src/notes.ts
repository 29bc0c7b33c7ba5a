// Keeps the server informed of the notes that are open, and shows its marks and hovers in them.
import { type Diagnostic as Mark, setDiagnostics } from '@codemirror/lint';
import type { Extension, Text } from '@codemirror/state';
import { type EditorView, hoverTooltip, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import type { Hover, MarkupContent, PublishDiagnosticsParams } from 'vscode-languageserver-protocol';
import { difference, offsetAt, positionAt } from './edits';

/** Host is what notes need of the plug-in. */
export interface Host {
  /** The URI of the note in an editor; undefined for what is no note of the vault. */
  uriOf(view: EditorView): string | undefined;
  notify(method: string, params: unknown): void;
  request<T>(method: string, params: unknown): Promise<T>;
  /** Renders the server's Markdown, whose links lead into the vault. */
  render(markdown: string): HTMLElement;
}

interface OpenNote { version: number; doc: Text; views: Set<EditorView>; marks: PublishDiagnosticsParams['diagnostics'] }

const severities: Record<number, Mark['severity']> = { 1: 'error', 2: 'warning', 3: 'info', 4: 'hint' };

/** Notes holds the open notes by URI. A note may be open in several editors. */
export class Notes {
  private readonly open = new Map<string, OpenNote>();

  constructor(private readonly host: Host) {}

  /** extension belongs into every editor of notes. */
  extension(): Extension {
    const notes = this;
    return [
      ViewPlugin.fromClass(class {
        private uri: string | undefined;
        constructor(private readonly view: EditorView) { this.follow(); }
        update(u: ViewUpdate): void {
          if (notes.host.uriOf(u.view) !== this.uri) this.follow();
          else if (u.docChanged && this.uri !== undefined) notes.changed(this.uri, u.state.doc);
        }
        destroy(): void { notes.detach(this.view, this.uri); }
        private follow(): void { // an editor is reused for another note
          notes.detach(this.view, this.uri);
          this.uri = notes.host.uriOf(this.view);
          notes.attach(this.view, this.uri);
        }
      }),
      hoverTooltip(async (view, pos) => {
        const uri = this.host.uriOf(view);
        if (uri === undefined) return null;
        const hover = await this.host.request<Hover | null>('textDocument/hover', { textDocument: { uri }, position: positionAt(view.state.doc, pos) }).catch(() => null);
        const markdown = (hover?.contents as MarkupContent | undefined)?.value;
        if (!hover || !markdown) return null;
        const from = hover.range ? offsetAt(view.state.doc, hover.range.start) : pos;
        const end = hover.range ? offsetAt(view.state.doc, hover.range.end) : pos;
        return { pos: from, end, above: true, create: () => ({ dom: this.host.render(markdown) }) };
      }),
    ];
  }

  /** views returns the editors of a note. */
  views(uri: string): EditorView[] { return [...(this.open.get(uri)?.views ?? [])]; }

  /** version returns the version of an open note as the server knows it. */
  version(uri: string): number | undefined { return this.open.get(uri)?.version; }

  /** show shows the marks of a note, unless it has changed since. */
  show(p: PublishDiagnosticsParams): void {
    const note = this.open.get(p.uri);
    if (!note || p.version !== undefined && p.version !== null && p.version < note.version) return;
    note.marks = p.diagnostics;
    for (const view of note.views) this.draw(view, note);
  }

  /** saved tells that a note is on disk. */
  saved(uri: string): void {
    if (this.open.has(uri)) this.host.notify('textDocument/didSave', { textDocument: { uri } });
  }

  /** reopen tells a server that was started again of all notes. */
  reopen(): void {
    for (const [uri, note] of this.open) this.announce(uri, note);
  }

  private draw(view: EditorView, note: OpenNote): void {
    const doc = view.state.doc;
    view.dispatch(setDiagnostics(view.state, note.marks.map(d => {
      const from = offsetAt(doc, d.range.start);
      return {
        from, to: Math.max(from, offsetAt(doc, d.range.end)), severity: severities[d.severity ?? 3] ?? 'info', source: 'Lacuna',
        message: typeof d.message === 'string' ? d.message : d.message.value,
      };
    })));
  }

  private attach(view: EditorView, uri: string | undefined): void {
    if (uri === undefined) return;
    let note = this.open.get(uri);
    if (!note) {
      note = { version: 1, doc: view.state.doc, views: new Set(), marks: [] };
      this.open.set(uri, note);
      this.announce(uri, note);
    }
    note.views.add(view);
    const opened = note;
    queueMicrotask(() => { // an editor cannot be changed while it is made
      if (opened.views.has(view)) this.draw(view, opened);
    });
  }

  private detach(view: EditorView, uri: string | undefined): void {
    const note = uri === undefined ? undefined : this.open.get(uri);
    if (!note || uri === undefined) return;
    note.views.delete(view);
    if (note.views.size > 0) return;
    this.open.delete(uri);
    this.host.notify('textDocument/didClose', { textDocument: { uri } });
  }

  private announce(uri: string, note: OpenNote): void {
    this.host.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'markdown', version: note.version, text: note.doc.toString() } });
  }

  private changed(uri: string, doc: Text): void {
    const note = this.open.get(uri);
    const change = note && difference(note.doc, doc);
    if (!note || !change) return;
    note.doc = doc;
    this.host.notify('textDocument/didChange', { textDocument: { uri, version: ++note.version }, contentChanges: [change] });
  }
}

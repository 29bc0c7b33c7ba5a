// The page of the film: the plug-in as it is packaged, on CodeMirror and the stand-in for Obsidian, with a screen. What a plug-in finds in
// Obsidian beside the page, Node's modules, is here a bridge to the Node that opened the page.
import * as commands from '@codemirror/commands';
import * as linting from '@codemirror/lint';
import * as state from '@codemirror/state';
import * as view from '@codemirror/view';
import { marked } from 'marked';

import { elements, obsidian } from './standin.mjs';

const dom = id => document.getElementById(id);
elements(HTMLElement.prototype);

/** Bytes is as much of Node's Buffer as messages are read and written with. */
class Bytes extends Uint8Array {
  static from(data) { return typeof data === 'string' ? new Bytes(new TextEncoder().encode(data)) : new Bytes(data); }
  static allocUnsafe(n) { return new Bytes(n); }
  static byteLength(text) { return new TextEncoder().encode(text).length; }
  toString(_, from = 0, to = this.length) { return new TextDecoder().decode(this.subarray(from, to)); }
  copy(into, at = 0) { into.set(this, at); return this.length; }
}
globalThis.Buffer = Bytes;

class Emitter {
  heard = new Map();
  on(name, f) { this.heard.set(name, [...this.heard.get(name) ?? [], f]); return this; }
  once(name, f) { return this.on(name, f); }
  off(name, f) { this.heard.set(name, (this.heard.get(name) ?? []).filter(g => g !== f)); return this; }
  removeListener(name, f) { return this.off(name, f); }
  emit(name, ...args) { for (const f of this.heard.get(name) ?? []) f(...args); }
}

/** The program: what it says arrives by window.heard, what it is told goes by bridgeTell. */
function spawn(program, args, { cwd }) {
  const child = Object.assign(new Emitter(), { pid: 1, stdout: new Emitter(), kill() {} });
  child.stdin = Object.assign(new Emitter(), { write(data, encoding, done) { void bridgeTell(typeof data === 'string' ? data : Bytes.from(data).toString()).then(() => (typeof encoding === 'function' ? encoding : done)?.()); return true; }, end() {} });
  window.heard = bytes => child.stdout.emit('data', Bytes.from(bytes));
  void bridgeStart(program, args, cwd);
  return child;
}

const path = {
  sep: '/', delimiter: ':', isAbsolute: p => p.startsWith('/'), basename: (p, end = '') => p.split('/').pop().replace(new RegExp(end.replace('.', '\\.') + '$'), ''),
  extname: p => /[^/](\.[^./]*)$/.exec(p)?.[1] ?? '', dirname: p => p.replace(/\/[^/]*$/, '') || '/',
  join: (...parts) => parts.filter(Boolean).join('/').replace(/\/\.?\/+/g, '/'),
  relative: (from, to) => to === from ? '' : to.startsWith(from + '/') ? to.slice(from.length + 1) : '../' + to,
};
path.posix = path;
const url = { pathToFileURL: p => ({ href: 'file://' + p.split('/').map(encodeURIComponent).join('/') }), fileURLToPath: u => decodeURIComponent(u.replace(/^file:\/\//, '')) };

window.begin = async ({ folder, name, files, program, main, manifest }) => {
  const has = new Set(files);
  const fs = {
    constants: { X_OK: 1 }, accessSync() {}, existsSync: p => has.has(path.relative(folder, p)), promises: { readFile: p => bridgeRead(p) },
    statSync: p => { if (p !== program) throw new Error('not there'); return { isFile: () => true }; },
  };
  const marks = view.EditorView.theme({ '.cm-scroller': { fontFamily: 'inherit' }, '.cm-content': { caretColor: '#705dcf' } });
  const titles = view.ViewPlugin.fromClass(class { // headings look like headings, as in live preview
    constructor(v) { this.decorations = this.of(v.state.doc); }
    update(u) { if (u.docChanged) this.decorations = this.of(u.state.doc); }
    of(doc) {
      const lines = [];
      for (let n = 1; n <= doc.lines; n++) {
        const line = doc.line(n), level = /^(#{1,3}) /.exec(line.text)?.[1].length;
        if (level) lines.push(view.Decoration.line({ class: `heading-${level}` }).range(line.from));
        else if (/^>|^<!--/.test(line.text)) lines.push(view.Decoration.line({ class: 'quoted' }).range(line.from));
      }
      return view.Decoration.set(lines);
    }
  }, { decorations: v => v.decorations });
  const o = obsidian({ state, view, commands, markdown: text => marked.parse(text), more: [view.EditorView.lineWrapping, view.drawSelection(), marks, titles, view.keymap.of(commands.historyKeymap), view.EditorView.updateListener.of(u => { if (u.docChanged) window.changes = (window.changes ?? 0) + 1; })] },
    { folder, name, has: n => has.has(n), read: n => bridgeRead(path.join(folder, n)), write: (n, text) => bridgeWrite(path.join(folder, n), text) }, dom('note'));
  const modules = {
    obsidian: o.module, '@codemirror/state': state, '@codemirror/view': view, '@codemirror/lint': linting, fs, 'node:fs': fs, path, 'node:path': path, 'node:url': url,
    os: { homedir: () => '/', tmpdir: () => '/', type: () => '' }, 'node:os': { homedir: () => '/' }, util: { TextDecoder, promisify: f => f }, net: {}, crypto: { randomBytes: () => Bytes.from('') }, 'node:child_process': { spawn },
  };
  globalThis.process = { platform: 'linux', env: { PATH: '' }, pid: null, on() {}, argv: [], nextTick: f => queueMicrotask(f) };
  globalThis.global = globalThis;
  globalThis.setImmediate = (f, ...args) => setTimeout(f, 0, ...args);
  const made = { exports: {} };
  new Function('require', 'module', 'exports', main)(n => modules[n], made, made.exports);
  const plugin = new made.exports.default(o.app, JSON.parse(manifest));

  // What Obsidian draws around its editors.
  o.seen.shows = file => {
    for (const [n, v] of o.views) v.editor.cm.dom.style.setProperty('display', n === file ? 'flex' : 'none', 'important');
    dom('title').textContent = file.replace(/\.md$/, '').split('/').join(' / ');
    for (const row of document.querySelectorAll('#files div')) row.classList.toggle('open', row.dataset.file === file);
    o.views.get(file).editor.cm.requestMeasure();
  };
  o.seen.tells = text => { dom('status').textContent = text; };
  o.seen.opens = modal => {
    const box = dom('modal');
    box.replaceChildren();
    box.hidden = false;
    if (!modal.getSuggestions) return box.append(modal.titleEl, modal.contentEl);
    box.createEl('input').placeholder = modal.placeholder;
    for (const choice of modal.getSuggestions('').slice(0, 8)) {
      const row = box.createDiv({ cls: 'suggestion' });
      modal.renderSuggestion(choice, row);
      row.addEventListener('click', () => { modal.close(); modal.onChooseSuggestion(choice); });
    }
  };
  o.seen.closes = () => { dom('modal').hidden = true; };
  for (const file of files.filter(f => f.endsWith('.md')).slice(0, 24)) {
    const row = dom('files').createDiv({ text: file.replace(/\.md$/, '').split('/').pop() });
    row.dataset.file = file;
    row.style.paddingLeft = `${12 + 14 * (file.split('/').length - 1)}px`;
  }
  dom('vault').textContent = name;
  plugin.program = program;
  await plugin.onload();

  const cm = () => o.app.workspace.active.editor.cm;
  const at = (needle, more = 0) => {
    const index = cm().state.doc.toString().indexOf(needle);
    if (index < 0) throw new Error(`the note lacks ${needle}`);
    return index + more;
  };
  window.film = {
    show: n => o.show(n).then(() => undefined),
    text: () => cm().state.doc.toString(),
    put: (needle, more) => { cm().dispatch({ selection: { anchor: at(needle, more) }, scrollIntoView: true }); cm().focus(); },
    reveal: needle => cm().dispatch({ effects: view.EditorView.scrollIntoView(at(needle), { y: 'center' }) }),
    where: (needle, more) => { const { left, top, bottom } = cm().coordsAtPos(at(needle, more)); return [left + 3, (top + bottom) / 2]; },
    marksAt: needle => { const line = cm().state.doc.lineAt(at(needle)); let n = 0; linting.forEachDiagnostic(cm().state, (_, from, to) => { if (from <= line.to && to >= line.from) n++; }); return n; },
    write: text => { const { head } = cm().state.selection.main; cm().dispatch({ changes: { from: head, insert: text }, selection: { anchor: head + text.length }, userEvent: 'input.type' }); },
    status: () => o.seen.status, opened: () => o.app.workspace.active.file.path, close: () => o.seen.modals.at(-1)?.close(),
    /** palette shows the plug-in's commands as Obsidian's palette does, with one of them chosen; a second call runs it. */
    palette: id => {
      const box = dom('modal');
      if (!box.hidden && box.dataset.palette) { box.hidden = true; delete box.dataset.palette; void o.run(id); return; }
      box.replaceChildren();
      box.hidden = false;
      box.dataset.palette = 'yes';
      box.createEl('input').value = 'Lacuna';
      for (const c of [...o.seen.commands.values()]) box.createDiv({ text: `Lacuna: ${c.name}`, cls: c.id === id ? 'suggestion chosen' : 'suggestion' });
    },
  };
};

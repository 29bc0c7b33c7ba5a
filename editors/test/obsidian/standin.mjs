// A stand-in for Obsidian with a vault open: its own module as far as the plug-in uses it, as Obsidian's documentation has it. It runs in a
// page, with a screen or without.

/** obsidian returns the stand-in: the app, its module, what a test looks at, and what a user does. modules are CodeMirror's; vault has the
 * folder's files: folder, name, has(file), read(file) and write(file, text). place is where editors and modals appear. */
export function obsidian(modules, vault, place = document.body) {
  const { state, view: viewing, commands } = modules;
  // What is shown; a page with a screen sets the functions shows, opens, closes, tells and notes to be told.
  const seen = { notices: [], modals: [], commands: new Map(), status: "", tab: undefined };
  const stored = new Map();
  class Component { load() {} unload() {} addChild(c) { return c; } registerEvent() {} }
  class TAbstractFile { constructor(name) { this.path = name; this.extension = /\.([^./]*)$/.exec(name)?.[1] ?? ""; } }
  class TFile extends TAbstractFile {}
  class FileSystemAdapter { getBasePath() { return vault.folder; } }
  class MarkdownView { constructor(file, cm) { this.file = file; this.editor = { cm }; } }
  class Modal {
    constructor() { this.titleEl = document.createElement("h2"); this.contentEl = document.createElement("div"); }
    open() { seen.modals.push(this); this.onOpen(); seen.opens?.(this); }
    close() { seen.modals.splice(seen.modals.indexOf(this), 1); this.onClose(); seen.closes?.(this); }
    onOpen() {}
    onClose() {}
  }
  class SuggestModal extends Modal { setPlaceholder(text) { this.placeholder = text; } }
  const editorInfoField = state.StateField.define({ create: () => ({ file: null }), update: (value, tr) => tr.effects.find(e => e.is(shown))?.value ?? value });
  const shown = state.StateEffect.define();
  let extensions = [];
  const views = new Map(); // by path
  const listeners = [];
  const show = async file => {
    if (!views.has(file.path)) {
      const cm = new viewing.EditorView({
        parent: place,
        state: state.EditorState.create({ doc: await vault.read(file.path), extensions: [commands.history(), modules.more ?? [], editorInfoField.init(() => ({ file })), extensions] }),
      });
      views.set(file.path, new MarkdownView(file, cm));
    }
    app.workspace.active = views.get(file.path);
    seen.shows?.(file.path);
    return app.workspace.active;
  };
  const app = {
    vault: {
      adapter: new FileSystemAdapter(), getName: () => vault.name, on: (_, f) => listeners.push(f),
      getAbstractFileByPath: name => vault.has(name) ? new TFile(name) : null,
      async process(file, f) { await vault.write(file.path, f(await vault.read(file.path))); },
    },
    workspace: {
      active: undefined, onLayoutReady: f => f(),
      getActiveViewOfType: type => app.workspace.active instanceof type ? app.workspace.active : null,
      getLeaf: () => ({ view: undefined, async openFile(file) { this.view = await show(file); } }),
    },
    loadLocalStorage: key => stored.get(key) ?? null, saveLocalStorage: (key, value) => value === null ? stored.delete(key) : stored.set(key, value),
  };
  class Plugin extends Component {
    constructor(a, manifest) { super(); this.app = a; this.manifest = manifest; }
    addStatusBarItem() { return { setText: text => { seen.status = text; seen.tells?.(text); } }; }
    addSettingTab(tab) { seen.tab = tab; }
    registerEditorExtension(e) { extensions = e; }
    addCommand(c) { seen.commands.set(c.id, c); }
  }
  class Setting { // as far as a settings page is made of it
    constructor(el) { this.el = el.createDiv(); }
    setName(text) { this.el.createDiv({ text }); return this; }
    setDesc(text) { this.el.createDiv({ text }); return this; }
    addText(f) { const t = { setPlaceholder: () => t, setValue: v => { t.value = v; return t; }, onChange: g => { t.change = g; return t; } }; f(t); return this; }
    addButton(f) { const b = { setButtonText: () => b, onClick: g => { b.click = g; return b; } }; f(b); return this; }
  }
  const module = {
    Component, TFile, FileSystemAdapter, MarkdownView, Modal, SuggestModal, Plugin, Setting, editorInfoField,
    PluginSettingTab: class { constructor() { this.containerEl = document.createElement("div"); } },
    Notice: class { constructor(text) { seen.notices.push(text); seen.notes?.(text); } },
    MarkdownRenderer: { async render(_, markdown, el) { if (modules.markdown) el.innerHTML = modules.markdown(markdown); else el.textContent = markdown; } },
  };
  const run = async id => {
    const c = seen.commands.get(id);
    if (c.callback) return c.callback();
    if (!c.editorCheckCallback(true)) throw new Error(`${id} is not offered`);
    c.editorCheckCallback(false);
  };
  return { app, module, seen, run, show: name => show(new TFile(name)), saved: name => listeners.forEach(f => f(new TFile(name))), views };
}

/** elements adds to elements what Obsidian adds to them. */
export function elements(prototype) {
  Object.assign(prototype, {
    createEl(tag, o = {}) { const el = document.createElement(tag); if (o.text) el.textContent = o.text; if (o.cls) el.className = o.cls; this.append(el); return el; },
    createDiv(o) { return this.createEl("div", o); },
    setText(text) { this.textContent = text; },
    addClass(name) { this.classList.add(name); },
    empty() { this.replaceChildren(); },
  });
}

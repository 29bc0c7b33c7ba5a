// What is chosen from and read beside the notes.
import { type App, Component, MarkdownRenderer, Modal, SuggestModal } from 'obsidian';
import type { MessageActionItem } from 'vscode-languageserver-protocol';

/** Choice is a line that can be chosen, with what is done then. */
export interface Choice { title: string; detail?: string; run(): void | Promise<void> }

/** Menu lets the user choose one of the choices. */
export class Menu extends SuggestModal<Choice> {
  constructor(app: App, private readonly choices: Choice[], placeholder: string) {
    super(app);
    this.setPlaceholder(placeholder);
  }

  override getSuggestions(query: string): Choice[] {
    const words = query.toLowerCase().split(/\s+/);
    return this.choices.filter(c => words.every(w => `${c.title} ${c.detail ?? ''}`.toLowerCase().includes(w)));
  }

  override renderSuggestion(c: Choice, el: HTMLElement): void {
    el.createDiv({ text: c.title });
    if (c.detail) el.createEl('small', { text: c.detail });
  }

  override onChooseSuggestion(c: Choice): void { void c.run(); }
}

/** Question shows a message with a button for each item. No button is the default: what is asked may be whether text leaves this machine. */
export class Question extends Modal {
  private chosen: MessageActionItem | null = null;

  constructor(app: App, private readonly text: string, private readonly items: MessageActionItem[], private readonly done: (chosen: MessageActionItem | null) => void) {
    super(app);
  }

  override onOpen(): void {
    this.titleEl.setText('Lacuna');
    this.contentEl.createDiv({ cls: 'lacuna-message', text: this.text });
    const row = this.contentEl.createDiv({ cls: 'lacuna-choice' });
    for (const item of this.items) {
      row.createEl('button', { text: item.title }).addEventListener('click', () => {
        this.chosen = item;
        this.close();
      });
    }
  }

  override onClose(): void { this.done(this.chosen); }
}

/** Page shows a text that is no note of the vault. */
export class Page extends Modal {
  private readonly parts = new Component();

  constructor(app: App, private readonly title: string, private readonly markdown: string, private readonly follow: (el: HTMLElement) => void) {
    super(app);
  }

  override onOpen(): void {
    this.parts.load();
    this.titleEl.setText(this.title);
    this.contentEl.addClass('lacuna-page');
    void MarkdownRenderer.render(this.app, this.markdown, this.contentEl, '', this.parts);
    this.follow(this.contentEl);
  }

  override onClose(): void { this.parts.unload(); }
}

// The settings page.
import { type App, PluginSettingTab, Setting } from 'obsidian';
import type LacunaPlugin from './main';

export class Settings extends PluginSettingTab {
  constructor(app: App, private readonly plugin: LacunaPlugin) { super(app, plugin); }

  override display(): void {
    this.containerEl.empty();
    const found = this.plugin.found();
    new Setting(this.containerEl)
      .setName('Program')
      .setDesc(`The path of lacuna on this device; empty for the first that is found. It is stored on this device only, not in the vault. ${found.file === undefined ? 'Not found.' : `Found: ${found.file}`}`)
      .addText(text => text.setPlaceholder('lacuna').setValue(this.plugin.program).onChange(value => { this.plugin.program = value; }))
      .addButton(button => button.setButtonText('Restart').onClick(async () => {
        await this.plugin.restart();
        this.display();
      }));
    new Setting(this.containerEl)
      .setName('This vault as a source')
      .setDesc('Every note is then answered from all others. This adds a source to .lacuna.toml in the vault, and makes the file if there is none.')
      .addButton(button => button.setButtonText('Use this vault').onClick(() => void this.plugin.useVault()));
    new Setting(this.containerEl)
      .setName('Everything else')
      .setDesc('is set in .lacuna.toml of the vault, or, what concerns other machines, in your own settings file: docs/settings.md of Lacuna has all of it. Without a model in your own settings nothing leaves this machine.');
  }
}

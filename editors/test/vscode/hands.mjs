// A user's actions in a window of VS Code. Each key press waits for its effect, and is repeated if something that was just
// being drawn or closed took the key.
import path from 'node:path';

import { out, scale, until } from './window.mjs';

const tries = 5;

/** hands work on a page of the browser. */
export function hands(page) {
  const picture = name => page.screenshot({ path: path.join(out, `${name}.png`), animations: 'disabled' });
  const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };
  const gone = locator => locator.first().waitFor({ state: 'detached' });
  const hidden = locator => locator.first().waitFor({ state: 'hidden' });

  // Locators.
  const line = text => page.locator('.view-line', { hasText: text }).first();
  const lens = text => page.locator('.codelens-decoration a', { hasText: text }).first();
  const status = text => page.locator('.statusbar-item', { hasText: text }).first();
  const tab = text => page.locator('.tab.active', { hasText: text }).first();
  const rows = (view, text) => page.locator(`.pane:has(.pane-header[aria-label*="${view}"]) .monaco-list-row`, { hasText: text });
  const pick = text => page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
  const problem = text => page.locator('.markers-panel .monaco-list-row', { hasText: text }).first();
  const menuEntry = text => page.locator('.action-widget .monaco-list-row', { hasText: text }).first();
  const toast = text => page.locator('.notifications-toasts .notification-toast', { hasText: text }).first();
  const button = (text, within = page) => within.locator('.monaco-button', { hasText: text }).first();

  /** shown is the page in front, as it reads. */
  const shown = () => page.frameLocator('iframe.webview.ready:visible').frameLocator('#active-frame');

  /** again does something until what it brings is there, which has so many seconds to appear, and each time as many more. */
  async function again(wanted, act, otherwise = async () => {}, seconds = 1) {
    for (let n = 1; ; n++) {
      if (n > 1 && await wanted.isVisible()) return wanted; // it came while something else was done about its being late
      await act();
      if (await wanted.waitFor({ timeout: n * seconds * 1000 * scale }).then(() => true, error => { if (n === tries) throw error; })) return wanted;
      await otherwise();
    }
  }

  /** leads presses keys that lead somewhere. */
  const leads = (wanted, ...keys) => again(wanted, () => press(...keys), undefined, 3);

  /** summon presses keys for a pop-up that anything moving on the screen may close, until it is there. */
  const summon = async (popup, ...keys) => (await again(popup, () => press(...keys), () => press('Escape'))).innerText();
  const hover = needle => summon(page.locator('.monaco-hover:not(.hidden) .hover-contents', { hasText: needle }).first(), 'Control+K', 'Control+I');

  /** menu opens that of the code actions. The key that opens it takes its first entry when it is there already. */
  const menu = async entry => await menuEntry(entry).isVisible() ? menuEntry(entry).innerText() : summon(menuEntry(entry), 'Control+.');

  /** act runs an action of a row and waits for its effect; it tries again if the list was redrawn at that moment. */
  async function act(row, label, brings) {
    for (let n = 1; ; n++) {
      const soon = { timeout: n * 3000 * scale };
      await row.hover(soon).then(() => row.locator(`.action-label[aria-label="${label}"]`).click(soon)).catch(() => {});
      if (await brings(soon).then(() => true, error => { if (n === tries) throw error; })) return;
    }
  }

  /** choose takes an entry of the menu, and waits for what it brings: a menu may go in the moment in which it is clicked. */
  const choose = (entry, wanted) => again(wanted, async () => {
    await menu(entry);
    await menuEntry(entry).click({ timeout: 3000 * scale }).catch(() => {});
  }, undefined, 3);

  /** caret puts it at the start of a line, moves it with keys, and the mouse out of the way. */
  async function caret(text, ...keys) {
    await line(text).click();
    await page.mouse.move(500, 5);
    await press('Home', ...keys);
  }

  /** point clicks on some words of the note, which stand on one line of the screen. */
  async function point(words) {
    const place = await page.waitForFunction(wanted => {
      for (const shown of document.querySelectorAll('.view-line')) {
        const at = shown.textContent.replaceAll('\u00a0', ' ').indexOf(wanted);
        if (at < 0) continue;
        const range = document.createRange(), texts = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT);
        let before = 0, begun = false;
        for (let text = texts.nextNode(); text; before += text.length, text = texts.nextNode()) {
          if (!begun && at < before + text.length) { range.setStart(text, at - before); begun = true; }
          if (begun && at + wanted.length <= before + text.length) { range.setEnd(text, at + wanted.length - before); break; }
        }
        const { x, y, width, height } = range.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      }
      return null;
    }, words);
    const { x, y } = await place.jsonValue();
    await page.mouse.click(x, y);
    await page.mouse.move(500, 5);
  }

  /** typed opens a field with a key, types into it and chooses a row; it starts again if the field disappeared because something else got the focus. */
  async function typed(key, text, row) {
    const field = page.locator('.quick-input-widget input').first();
    for (let n = 1; ; n++) {
      const soon = { timeout: n * 1000 * scale };
      await press(key);
      try {
        await field.fill(text, soon);
        await row.waitFor(soon);
        await row.click({ ...soon, trial: true });
        const { x, y, width, height } = await row.boundingBox(soon);
        // A click of the row's own that gave up late might have run the command; one of the mouse may miss a list that is closing, and is then repeated.
        await page.evaluate(() => document.addEventListener('mousedown', event => { window.rowHit = !!event.target.closest('.quick-input-list'); }, { capture: true, once: true }));
        await page.mouse.click(x + width / 2, y + height / 2);
        if (await page.evaluate(() => window.rowHit)) return;
        if (n === tries) throw new Error(`the list closed under the mouse: ${text}`);
      } catch (error) {
        if (n === tries) throw error;
      }
      await press('Escape');
    }
  }

  /** palette runs a command by its whole name. */
  function palette(command) {
    const whole = new RegExp(`^${command.replace(/[()\\.]/g, '\\$&')}$`);
    return typed('F1', `>${command}`, page.locator('.quick-input-list .monaco-list-row').filter({ has: page.locator('.label-name', { hasText: whole }) }).first());
  }

  /** openFile brings a file to the front by its full path, as it is pasted into the list of files. */
  async function openFile(file) {
    await again(tab(path.basename(file)), () => typed('Control+P', file, pick(path.basename(file))), undefined, 3);
  }

  /** close closes the tab in front, which has a name, by its cross: the next key belongs to what comes to light. */
  async function close(name = '') {
    const front = tab(name), whole = await front.getAttribute('data-resource-name');
    await front.hover();
    await front.locator('.tab-actions .action-label').click();
    await gone(page.locator(`.tab[data-resource-name=${JSON.stringify(whole)}]`));
  }

  /** leave closes the window in front of the note, by its cross. */
  async function leave() {
    const cross = page.locator('.action-label[aria-label^="Close Modal Editor"]');
    await cross.click();
    await gone(cross);
  }

  /** save writes the note in front to disk. */
  const save = name => again(page.locator('.tab.active:not(.dirty)', { hasText: name }).first(), () => press('Control+S'));

  /** standing is what pointing at the item in the status bar says, once that holds some words. */
  async function standing(words) {
    const shown = page.locator('.monaco-hover:not(.hidden)', { hasText: words }).first();
    await again(shown, () => status('Lacuna').hover(), () => page.mouse.move(500, 5));
    const text = await shown.innerText();
    await page.mouse.move(500, 5);
    return text;
  }

  /** quiet puts away all that was said. */
  async function quiet() {
    await palette('Notifications: Clear All Notifications');
    await until('nothing is said any more', async () => await toast('').count() === 0, 10);
  }

  return {
    page, picture, press, gone, hidden, line, lens, status, tab, rows, pick, problem, menuEntry, toast, button,
    shown, again, leads, summon, hover, menu, act, choose, caret, point, typed, palette, openFile, close, leave, save, standing, quiet,
  };
}

// Everything that shows more than one question: views, lists of symbols, the status bar, the settings.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { ok, scale, set, until } from './window.mjs';

export default function ({ window: w, folder, question }) {
  const { page, line, lens, status, tab, rows, pick, problem, act, gone, press, picture } = w;

  // Every gap, and the status of every file.
  async function views() {
    const empty = path.join(folder, 'kb/guidelines/empty.md');
    fs.writeFileSync(empty, '');
    await w.palette('Lacuna: Show the List of Gaps');
    const gap = rows('Gaps', 'tirzepatide').first();
    await gap.waitFor(); ok('the view lists the gaps', JSON.stringify(await gap.innerText()));
    await gap.click();
    await status(/^Ln 13,/).waitFor(); ok('a click goes to the question');
    await act(gap, 'Answer', soon => line('Nearest places:').waitFor(soon)); ok('a gap is answered from the view');
    await w.caret('starting dose of tirzepatide');
    await w.palette('Lacuna: Remove the Answer');
    await gone(line('Nearest places:'));
    await w.save('visit.md');
    const pegloticase = rows('Gaps', 'pegloticase').first();
    await w.palette('Lacuna: Arrange the Gaps');
    await pick('By Subject').click();
    const subject = rows('Gaps', /^gout/).first();
    await subject.waitFor(); ok('gaps by subject', JSON.stringify(await subject.innerText()));
    await picture('10b-subjects');
    await w.palette('Lacuna: Arrange the Gaps');
    await pick('Only Those with Words').click();
    await page.locator('.quick-input-widget input').first().fill('starting dose');
    await press('Enter');
    await gone(rows('Gaps', 'pegloticase')); ok('only those with some words');
    await w.palette('Lacuna: Arrange the Gaps');
    await pick('All Gaps').click();
    await w.palette('Lacuna: Arrange the Gaps');
    await pick('By Note').click();
    await pegloticase.waitFor();
    await act(pegloticase, 'Dismiss', soon => pegloticase.waitFor({ state: 'detached', ...soon })); ok('a dismissed gap is gone');

    await w.palette('Lacuna: Show the Sources');
    await rows('Sources', 'guidelines').first().click();
    const skipped = rows('Sources', 'empty.md').first();
    await skipped.waitFor({ timeout: 60000 * scale }); ok('the view says why a file was skipped', JSON.stringify(await skipped.innerText()));
    await rows('Sources', 'Not read, or only in part').waitFor();
    await rows('Sources', 'Add a Folder').waitFor(); ok('and has a row to add a folder');
    await rows('Sources', /^conditions/).first().click();
    const file = rows('Sources', 'angina.md').first();
    await file.waitFor(); ok('and what became of the others', JSON.stringify(await file.innerText()));
    await picture('10-views');
    await file.click();
    await tab('angina.md').waitFor(); ok('a click opens the file');
    await w.close('angina.md');
    fs.rmSync(empty);
    await gone(rows('Sources', 'empty.md')); ok('a file that is deleted goes from the view');
    await w.palette('View: Close Primary Side Bar');
    await w.palette('Lacuna: Show the Open Gaps of the Workspace');
    await tab('What your sources do not know').waitFor();
    const report = w.shown();
    const link = report.locator('a', { hasText: /^visit\.md:13$/ }).first();
    await link.waitFor(); ok('the gaps of the workspace on one page');
    await picture('11-report');
    await link.click();
    await status(/^Ln 13,/).waitFor(); ok('its links lead to the lines of the questions');
    await w.palette('View: Close Other Editors in Group');
    await tab('visit.md').waitFor();
  }

  // What the sources know and lack, by subject.
  async function topics() {
    await w.palette('Lacuna: Show What Your Sources Know');
    await tab('What your sources know').waitFor();
    const row = w.shown().locator('details', { hasText: 'metformin' }).first();
    await row.waitFor(); ok('what the sources know, by subject', JSON.stringify(await row.locator('summary').innerText()));
    assert.equal(await w.shown().locator('script').count(), 0);
    assert.match(await w.shown().locator('meta[http-equiv]').getAttribute('content'), /default-src 'none'/);
    await row.locator('summary').click();
    await picture('19-topics');
    await row.locator('a', { hasText: 'breastfeeding' }).click();
    await status(/^Ln 12,/).waitFor(); ok('a question of it leads to the note');
    await w.palette('View: Close Other Editors in Group');
  }

  // The outline and the list of symbols.
  async function symbols() {
    await line(question).click();
    await w.leads(pick('How can gout attacks be prevented'), 'Control+Shift+O'); ok('symbols of the note');
    await press('Escape');
    await line(question).click();
    await w.typed('Control+T', '#gout prevented', pick('How can gout attacks be prevented'));
    await status(/^Ln 19,/).waitFor(); ok('a symbol of the workspace leads to its question');
  }

  // The status, and every command.
  async function standing() {
    await line(question).click();
    ok('the status bar says how things stand', JSON.stringify(await w.standing('passages from')));
    await status(/Lacuna: \d+ gap/).click();
    await pick('Show Sources').waitFor(); ok('the menu of the status bar', JSON.stringify(await page.locator('.quick-input-title').innerText()));
    await picture('12-status-menu');
    await press('Escape');
    await w.palette('Lacuna: Explain a Mark');
    await pick('missing-topic').click();
    await tab('missing-topic').waitFor();
    await page.frameLocator('iframe.webview.ready').frameLocator('#active-frame').locator('h1').waitFor(); ok('a mark is explained');
    await picture('14-explained');
    await w.close('missing-topic');
    await w.palette('Lacuna: Show Log');
    await until('the log is shown', () => page.locator('.panel select').evaluateAll(all => all.some(select => select.selectedOptions[0]?.textContent === 'Lacuna')), 10);
    await status('Lacuna').waitFor(); ok('the status is still shown');
    await w.palette('View: Hide Panel');
  }

  // Settings take effect without a restart.
  async function settings() {
    await w.palette('Lacuna: Open Settings');
    await page.locator('.settings-editor .monaco-list-row', { hasText: /^Diagnostics/ }).first().click();
    await page.locator('.settings-editor .setting-item-contents', { hasText: 'Overrides how marks are shown' }).first().waitFor(); ok('the settings have a page');
    await picture('15-settings');
    await w.leave();
    const marks = page.locator('.squiggly-warning, .squiggly-info');
    set({ 'lacuna.lens.enabled': false, 'lacuna.diagnostics.enabled': false });
    await gone(lens('Answer')); ok('a setting takes effect immediately: no code lenses');
    await gone(marks); ok('and no marks');
    set({ 'lacuna.lens.enabled': null, 'lacuna.diagnostics.enabled': null, 'lacuna.hints.enabled': true });
    await lens('Answer').waitFor();
    await marks.first().waitFor();
    await line('covered ').waitFor(); ok('hints behind questions, where they are wanted', JSON.stringify(await line('covered ').innerText()));
    await picture('16-hints');
    set({ 'lacuna.hints.enabled': null });
    await gone(line('covered '));

    // The folder's own file, which every editor shares.
    const file = path.join(folder, '.lacuna.toml'), before = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(file, `${before}\n[diagnostics]\nenabled = false\n`);
    await gone(marks); ok("the folder's own settings take effect immediately");
    fs.writeFileSync(file, before);
    await marks.first().waitFor();
    assert.equal(await w.toast('').count(), 0, 'nothing was said of it');
  }

  return { views, topics, symbols, standing, settings };
}

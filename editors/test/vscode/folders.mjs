// Windows on other folders: several folders in one window, and a new user's example notes.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { home, ok, scale, until } from './window.mjs';

export default function ({ window: w, folder, note, question, garden }) {
  const { page, line, lens, status, tab, rows, pick, button, toast, gone, press, caret, picture } = w;
  const judged = { timeout: 60000 * scale };

  // Each folder has its own sources; one is added and removed without a restart.
  async function folders() {
    const place = path.join(home, 'both.code-workspace'), plot = path.join(home, 'garden'), plan = path.join(plot, 'plan.md');
    fs.cpSync(garden, plot, { recursive: true });
    const holds = (...paths) => fs.writeFileSync(place, JSON.stringify({ folders: paths.map(path => ({ path })) }));
    holds(folder, plot);
    await w.show('workspace', place, plan);
    const potatoes = 'How deep are potato tubers set?';
    await line(potatoes).waitFor(judged);
    await w.palette('View: Close Primary Side Bar');
    await lens('Answer').waitFor(judged);
    await caret(potatoes);
    await w.leads(line('Potatoes, line 5'), 'Control+Alt+A'); ok('the second folder answers from its own sources');
    await w.save('plan.md');
    await w.openFile(note);
    await caret(question);
    await w.leads(line('Apixaban, line'), 'Control+Alt+A'); ok('and so does the first');
    await w.palette('Lacuna: Show the Sources');
    await rows('Sources', 'garden').first().waitFor();
    await rows('Sources', 'clinic').first().waitFor(); ok('the view has both');
    await picture('24-folders');
    await w.typed('Control+T', '#dahlias', pick('When should dahlias'));
    await tab('plan.md').waitFor(); ok('the list of symbols has both folders');
    await w.close('plan.md');

    holds(folder);
    await gone(rows('Sources', 'garden')); ok('a folder goes');
    holds(folder, plot);
    await rows('Sources', 'garden').first().waitFor(judged); ok('and comes');
    await w.palette('View: Close Primary Side Bar');
    await w.openFile(note); // a busy window may have brought back what was closed before
    await caret(question);
    await w.palette('Lacuna: Remove the Answer');
    await w.save('visit.md');
  }

  // A folder without sources: every view says so, and the user chooses a source.
  async function barren() {
    const empty = path.join(home, 'barren'), lone = path.join(empty, 'ask.md'), guides = path.join(empty, 'guides');
    fs.mkdirSync(guides, { recursive: true });
    fs.writeFileSync(path.join(guides, 'gout.md'), '# Gout\n\n## Treatment\n\nGout is treated with colchicine or with naproxen for some days.\n');
    const ask = 'How is gout treated?';
    fs.writeFileSync(lone, `# Today\n\n${ask}\n`);
    await w.show('folder', empty, lone);
    await lens('No sources are set up').waitFor(judged); ok('the line above the first question says that there are no sources');
    assert.equal(await lens('nothing near').count(), 0); ok('and nothing about what they hold');
    await status('Lacuna: no sources').waitFor(); ok('so does the status bar');
    await caret(ask);
    ok('and the hover', JSON.stringify(await w.hover('No sources are set up')));
    await press('Escape');
    await w.palette('Lacuna: Show the List of Gaps');
    const firstSteps = welcome => button('First Steps', page.locator('.welcome-view-content', { hasText: welcome }));
    await firstSteps('no question has been looked up').waitFor(); ok('and the list of gaps, which offers first steps');
    await caret(ask);
    await w.menu('Set up sources'); ok('the menu has the way to set some up');
    await press('Escape');
    await caret(ask);
    await w.palette('Lacuna: Answer the Question');
    await toast('No sources are set up').waitFor(); ok('a command says it as well');
    await picture('27-barren');
    await button('Choose a Folder', toast('No sources are set up')).click();
    const place = page.locator('.quick-input-widget input').first();
    // The dialog writes the open folder's path when it has read the folder, and would write it in front of ours.
    await until('the dialog is in the open folder', async () => await place.inputValue() === `${empty}/`, 30);
    await place.fill(`${guides}/`);
    await picture('28-choose');
    await page.locator('.quick-input-widget .monaco-button', { hasText: 'Answer from This Folder' }).first().click();
    await lens('1 source').waitFor(judged); ok('what is chosen is answered from');
    assert.match(fs.readFileSync(path.join(empty, '.lacuna.toml'), 'utf8'), /path = "guides"/); ok('and named in the settings of the folder');
    await page.locator('.welcome-view-content', { hasText: 'No gap is open' }).first().waitFor();
    assert.equal(await firstSteps('').count(), 0); ok('the list of gaps is empty, and offers no first steps any more');
    await picture('29-chosen');
  }

  // From an empty window to an answer from one's own folder, in three clicks.
  async function nothing() {
    const documents = path.join(home, 'papers');
    fs.mkdirSync(documents, { recursive: true });
    fs.writeFileSync(path.join(documents, 'bees.md'), '# Bees\n\n## Feeding\n\nIn autumn bees are fed two parts of sugar to one part of water by weight.\n\n## Swarming\n\nA colony swarms in May or June when the hive has become too small for it.\n');
    await w.empty();
    await w.palette('Lacuna: Show the Sources'); // as a click on the brackets at the left does: the first
    const welcome = page.locator('.welcome-view-content', { hasText: 'from folders of yours' }).first();
    await welcome.waitFor(judged); ok('the first screen says what to do');
    await picture('30-nothing');
    await button('Choose a Folder', welcome).click(); // the second
    const place = page.locator('.quick-input-widget input').first();
    await until('the dialog has read a folder', async () => (await place.inputValue()).endsWith('/'), 30);
    await until('the dialog shows the folder', async () => { // which may still write the one it began with
      if (await place.inputValue() !== `${documents}/`) await place.fill(`${documents}/`);
      return await page.locator('.quick-input-list .monaco-list-row').count() === 1;
    }, 30);
    await page.locator('.quick-input-widget .monaco-button', { hasText: 'Answer from This Folder' }).first().click(); // the third
    await page.locator('.quick-input-widget', { hasText: 'Ask your documents' }).first().waitFor(); ok('a question is asked for');
    await page.keyboard.type('What are bees fed in autumn');
    await picture('31-ask');
    await press('Enter');
    await line('two parts of sugar').waitFor(judged); ok('and answered from the folder');
    await picture('32-first-answer');
  }

  // A new user's first minute.
  async function firstSteps() {
    await w.palette('Lacuna: First Steps');
    await page.locator('.getting-started-step', { hasText: 'Answer a question' }).first().waitFor(); ok('first steps open');
    await page.locator('.getting-started-step', { hasText: 'The program runs' }).locator('.step-icon.complete, .codicon-getting-started-step-checked').first().waitFor(); ok('the first is done, for the program runs');
    await picture('25-first-steps');
    await w.palette('Lacuna: Create Example Notes');
    await button('Create and Open', page.locator('.monaco-dialog-box')).click();
    await page.waitForURL(/lacuna-sample/, { waitUntil: 'commit' });
    await line(question).waitFor(judged);
    await status(/Lacuna: \d+ gaps/).waitFor(judged); ok('the example notes open, and are judged');
    await picture('26-sample');
  }

  return { folders, barren, nothing, firstSteps };
}

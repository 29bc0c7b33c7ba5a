// A model's answers. The scripted model server plays the model.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { configure, ok, scale, scripted, until } from './window.mjs';

const { env } = process;

export default function ({ window: w, folder, note, question, settingsWith }) {
  const { page, line, lens, status, problem, toast, button, pick, gone, hidden, press, caret, picture } = w;
  const answer = line('nswered by scripted');
  const removed = async (what = answer) => {
    await caret(question);
    await w.palette('Lacuna: Remove the Answer');
    await gone(what);
    await w.save('visit.md');
  };
  const modelThere = async () => { await caret(question); await w.menu('Answer thoroughly'); await press('Escape'); };

  // A folder that is not trusted has no model, and its settings are ignored; trusting it is enough.
  async function trust() {
    const theirs = path.join(folder, '.vscode/settings.json');
    fs.mkdirSync(path.dirname(theirs), { recursive: true });
    fs.writeFileSync(theirs, JSON.stringify({ 'lacuna.path': '/bin/false', 'lacuna.model.baseUrl': 'http://elsewhere.example/v1', 'lacuna.diagnostics.max': 1 }));
    await until('a folder may show less', async () => await page.locator('.squiggly-warning, .squiggly-info').count() <= 2, 30);
    await status(/Lacuna: \d+ gap/).waitFor(); ok('a folder cannot name the program');
    await caret(question);
    await w.palette('Lacuna: Answer the Question with Another System');
    await toast('needs a model').waitFor(); ok('no model in a folder that is not trusted');
    await picture('17-untrusted');
    await w.quiet();
    fs.rmSync(theirs);
    await w.palette('Workspaces: Manage Workspace Trust');
    await button(/^Trust/, page.locator('.workspace-trust-editor')).click(); ok('the folder is trusted');
    await w.leave();
    await modelThere(); ok('and has a model');
  }

  // The user chooses a system; what its model finds missing is marked, and listed.
  async function model() {
    const list = page.locator('.quick-input-widget', { hasText: 'Which system should answer?' });
    const systems = async () => {
      await caret(question);
      await w.palette('Lacuna: Answer the Question with Another System');
      await list.waitFor();
    };
    const misknow = async () => {
      await systems();
      await pick('misknow/merged').click();
    };
    await systems();
    const row = pick('misknow/merged').locator('.label-name'), name = await row.innerText();
    const cut = await row.evaluate(e => e.scrollWidth > e.clientWidth);
    assert.ok(name.startsWith('misknow/merged') && !cut, `the row reads ${name}`); ok('the systems can be read', JSON.stringify(await pick('misknow/merged').innerText()));
    await picture('18-systems');
    await status('Lacuna: answering').waitFor({ state: 'detached' });
    await press('Escape');
    await hidden(list);
    await status(/Lacuna: \d+ gap/).waitFor(); ok('a list that is closed ends the command');
    await misknow();
    await answer.waitFor(); ok('answer of the model in the note');
    await lens('1 gap').waitFor();
    const lacking = await w.leads(problem('missing-knowledge'), 'Control+Shift+M'); ok('what the model misses is listed', JSON.stringify(await lacking.innerText()));
    await picture('18-model');
    await w.palette('View: Hide Panel');
    await caret(question);
    ok('the hover says what it cost', JSON.stringify(await w.hover('misknow/merged with scripted')));
    await press('Escape');
    await misknow();
    await answer.waitFor();
    await caret(question);
    ok('what was asked before is not asked again', JSON.stringify(await w.hover('cached reply of')));
    await press('Escape');
    assert.equal(await line('cached reply of').count(), 0); ok('which the note does not say');
    await caret(question);
    await w.palette('Lacuna: Answer Again Without Cached Replies');
    await caret(question);
    ok('the model is asked again', JSON.stringify(await w.hover('misknow/merged with scripted: ')));
    await press('Escape');
    await removed();
  }

  // A thorough answer has the model's own background, marked as such; a gap can have background alone.
  async function thorough() {
    await caret(question);
    await w.palette('Lacuna: Answer the Question Thoroughly');
    const alone = line('Written by scripted alone, not from your sources'); // what the scripted model writes cites nothing
    await alone.waitFor({ timeout: 60000 * scale }); ok('a thorough answer in the note');
    await line('background from the model, not from your sources').waitFor(); ok('with background that is marked');
    await w.point('described in textbooks');
    ok('and said not to be evidence', JSON.stringify(await w.hover('not evidence')));
    await picture('19-thorough');
    await press('Escape');
    await removed(alone);
    await caret('starting dose of tirzepatide');
    await w.choose('Ask the model for background', line('background from the model')); ok('background on a gap');
    await caret('starting dose of tirzepatide');
    await w.palette('Lacuna: Remove the Answer');
    await gone(line('background from the model'));
    await w.save('visit.md');
  }

  // A running answer is shown, and can be stopped. A changed model is used from the next question on, without a restart.
  async function stopping() {
    const slow = await scripted('-wait', '1h'), before = fs.readFileSync(note, 'utf8');
    try {
      configure(settingsWith(slow.url, 'slow'));
      ok('the own settings act without a restart', JSON.stringify(await w.standing('Model: slow')));
      await caret(question);
      await w.palette('Lacuna: Answer the Question Thoroughly');
      await status('Lacuna: answering').waitFor(); ok('the status bar says that it is being answered');
      const shown = toast(/\(step \d+ of \d+\)/);
      await shown.waitFor();
      await picture('20-stop');
      await caret('starting dose of tirzepatide');
      ok('everything else works while it runs', JSON.stringify(await w.hover('tirzepatide')));
      await caret(question); // Escape would close the notification
      await button('Cancel', shown).click();
      await gone(shown);
      await status(/Lacuna: \d+ gap/).waitFor(); ok('an answer is stopped');
      await w.save('visit.md');
      assert.equal(fs.readFileSync(note, 'utf8'), before, 'nothing was written');
    } finally {
      slow.end();
      configure(settingsWith(env.MODEL_URL));
    }
    await w.standing('Model: scripted');
  }

  return { trust, model, thorough, stopping };
}

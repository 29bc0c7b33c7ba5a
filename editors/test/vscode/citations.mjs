// Citations: where they lead, how they follow their sources, how they look, and their completion.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { ok, scale, until } from './window.mjs';

export default function ({ window: w, folder, note, original, question, sentence }) {
  const { page, line, status, tab, problem, button, gone, press, caret, point, picture } = w;
  const answer = line('is 5 mg twice');
  const source = path.join(folder, 'kb/guidelines/medicines/apixaban.md');
  const atSource = async (name = 'apixaban.md') => { await tab(name).waitFor(); await line(sentence.slice(0, 40)).waitFor(); };

  // There and back again.
  async function following() {
    await caret(question);
    await w.leads(answer, 'Control+Alt+A');
    await w.save('visit.md');
    await point(', line ');
    ok('hover on the citation shows the passage', JSON.stringify(await w.hover('For a new blood clot')));
    await picture('5-citation');
    await page.locator('.monaco-hover a', { hasText: 'Open the source' }).first().click();
    await atSource(); ok('the link of the hover opens the source');
    await picture('6-source');
    await w.close('apixaban.md');
    await point(', line ');
    await w.leads(tab('apixaban.md'), 'F12');
    await atSource(); ok('definition opens the source');
    await w.leads(tab('visit.md'), 'Shift+F12'); // the one place that cites it
    await status(/^Ln 12,/).waitFor(); ok('references lead to what cites the sentence');
    await w.palette('View: Close Other Editors in Group');
    await point('apixaban.md#L12');
    await w.palette('Open Link');
    await atSource(); ok('the link in the answer opens the source');
    await w.close('apixaban.md');
  }

  // An answer folds with its question.
  async function folding() {
    await point('<!-- lacuna ');
    await w.palette('Fold');
    await gone(answer); ok('an answer folds with its question');
    await w.palette('Unfold All');
    await answer.waitFor(); ok('and unfolds');
  }

  // A citation follows its source when that is moved, and is marked when the source no longer says it.
  async function moving() {
    const renamed = async name => {
      const field = page.locator('.explorer-viewlet .monaco-inputbox input').first(), sure = button('OK', page.locator('.monaco-dialog-box'));
      await w.again(sure, async () => {
        await w.palette('File: Reveal Active File in Explorer View');
        await press('F2');
        await field.fill(name, { timeout: 3000 * scale }).then(() => press('Enter'), () => {});
      }, undefined, 5);
      await sure.click(); // VS Code asks before it changes notes
      await tab(name).waitFor();
      await w.palette('View: Close Primary Side Bar');
    };
    await point(', line ');
    await w.leads(tab('apixaban.md'), 'F12');
    await renamed('apixaban-moved.md');
    await w.close('apixaban-moved.md');
    await line('apixaban-moved.md#').waitFor(); ok('the citation follows a source that is renamed');
    await point(', line ');
    await w.leads(tab('apixaban-moved.md'), 'F12'); ok('and still leads to it');
    await renamed('apixaban.md');
    await w.close('apixaban.md');
    await line('apixaban.md#').waitFor();

    const text = fs.readFileSync(source, 'utf8');
    fs.writeFileSync(source, text.replace(sentence, 'The usual dose of apixaban in atrial fibrillation is 2.5 mg twice a day.'));
    await page.locator('.squiggly-warning').first().waitFor();
    const mark = await w.leads(problem('stale-citation'), 'Control+Shift+M'); ok('a citation of what has changed is marked', JSON.stringify(await mark.innerText()));
    await w.palette('View: Hide Panel');
    await point(', line ');
    await w.choose('Compare with the source as it is now', tab('apixaban.md: as quoted'));
    await page.locator('.editor.original .view-line', { hasText: 'is 5 mg twice' }).first().waitFor();
    await page.locator('.editor.modified .view-line', { hasText: 'is 2.5 mg twice' }).first().waitFor(); ok('the source as it was quoted beside the source now');
    await picture('18-changed');
    await w.close('apixaban.md');
    await point(', line ');
    await w.choose('Answer again from the current sources', line('is 2.5 mg twice')); ok('and renewed');
    fs.writeFileSync(source, text);
    await caret(question);
    await w.palette('Lacuna: Remove the Answer');
    await gone(line('is 2.5 mg twice'));
    await w.save('visit.md');
    await until('the note is as it was', () => fs.readFileSync(note, 'utf8') === original, 10);
  }

  // Writing: numbers, sources and directives complete themselves.
  async function writing() {
    const offered = text => page.locator('.suggest-widget.visible .monaco-list-row', { hasText: text }).first();
    const draft = path.join(folder, 'draft.md');
    fs.writeFileSync(draft, answered);
    await w.openFile(draft);
    await caret('A sentence of a model', 'End');
    await page.keyboard.type(' [');
    ok('the number of a source is offered', JSON.stringify(await offered('[1]').innerText()));
    await offered('[1]').click();
    await line('looked up. [1]').waitFor(); ok('and completed');
    await caret('The end', 'End', 'Enter', 'Enter');
    await page.keyboard.type('See [warf');
    ok('a source is offered', JSON.stringify(await w.summon(offered('warfarin'), 'Control+Space')));
    await picture('8-completion');
    await offered('warfarin').click();
    await line('.txt').waitFor(); ok('and linked');
    await press('End', 'Enter', 'Enter');
    await page.keyboard.type('<!-- lac');
    await w.summon(offered('lacuna: ask'), 'Control+Space');
    await offered('lacuna: ask').click();
    await line('<!-- lacuna: ask -->').waitFor(); ok('a directive is completed');
    await w.save('draft.md');
  }

  // Sentences are coloured by what they rest on.
  async function colours() {
    const draft = path.join(folder, 'draft.md');
    if (!fs.existsSync(draft)) fs.writeFileSync(draft, answered);
    await w.openFile(draft);
    const look = words => line(words).locator('span span', { hasText: words }).first().evaluate(span => {
      const { color, fontStyle } = getComputedStyle(span);
      return { color, fontStyle };
    });
    await until('what nothing supports stands out', async () => {
      const cited = await look('The usual dose of apixaban'), unsupported = await look('Many clinics'), background = await look('Tablets are made');
      return background.fontStyle === 'italic' && unsupported.color !== cited.color && unsupported.color !== background.color && cited.fontStyle === 'normal' && { cited, unsupported, background };
    }, 30);
    await picture('9-colours');
    await w.close('draft.md');
    fs.rmSync(draft);
  }

  return { following, folding, moving, writing, colours };
}

/** A note that a model wrote elsewhere. */
export const answered = `# A draft

- What is the usual dose of apixaban in atrial fibrillation?

  <!-- lacuna:answer 808c8792 -->
  **Answered by a model from 1 source, and with background of its own**

  - The usual dose of apixaban in atrial fibrillation is 5 mg twice a day. [1]
  - Tablets are made in two strengths. (background from the model, not from your sources)
  - Many clinics give a leaflet. (not in the passages found)
  - A sentence of a model that somebody looked up.

  1. [guidelines/medicines/apixaban.md:12](kb/guidelines/medicines/apixaban.md#L12): "The usual dose of apixaban in atrial fibrillation is 5 mg twice a day." <!-- lacuna:cite 46bd758ce6b7c4c995c17fdbc32792a5 -->
  <!-- lacuna:end -->

The end.
`;

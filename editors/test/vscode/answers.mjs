// Answers from the sources: requested in every way, removed, accepted, forgotten.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { lacuna, ok, until } from './window.mjs';

export default function ({ window: w, folder, note, original, question, sentence }) {
  const { page, line, lens, toast, gone, press, caret, picture } = w;
  const answer = line('is 5 mg twice');
  const onDisk = () => fs.readFileSync(note, 'utf8');
  const asItWas = async () => {
    await gone(answer);
    await w.save('visit.md');
    await until('the note is as it was', () => onDisk() === original, 10);
  };

  // An answer is requested by the menu, a key and the code lens, and removed by undo, a command and the menu.
  async function answering() {
    await caret(question);
    ok('menu', JSON.stringify(await w.menu('Answer this question')));
    await picture('3-menu');
    await w.choose(/^Answer this question$/, answer); ok('answer in the note');
    await answer.locator('..').locator('.mtku', { hasText: /Apixaban/ }).first().waitFor(); ok('the source behind a quote looks like a link');
    await picture('4-answered');
    await w.save('visit.md');
    await until('saved to disk', () => onDisk().includes(sentence), 10);
    const [before, after] = onDisk().split(sentence);
    assert.ok(before.includes(question) && after, 'the answer stands below its question');
    await line(question).click();
    await press('Control+Z');
    await asItWas(); ok('one undo removes the answer');

    await caret(question);
    await w.leads(answer, 'Control+Alt+A'); ok('a key answers');
    await caret(question);
    await w.palette('Lacuna: Remove the Answer');
    await asItWas(); ok('a command removes the answer');

    await lens('Answer').click(); // of the first question
    await answer.waitFor(); ok('the words above a question answer');
    await caret(question);
    await w.choose('Remove the answer', lens(/^Answer · 1 source$/).first());
    await asItWas(); ok('an entry of the menu removes the answer');

    await w.palette('Lacuna: Answer All Open Questions of the Note');
    await toast(/\d+ of 13 questions answered/).waitFor();
    const said = await toast('questions answered').innerText();
    await answer.waitFor(); ok('all questions are answered', JSON.stringify(said));
    await w.quiet();
    await line(question).click();
    await press('Control+Z');
    await asItWas(); ok('and one undo removes them all');
  }

  // A question is finished by its mark, and its answer stands in grey behind it until it is taken.
  async function grey() {
    await line('An invented visit note').click(); // far from the lower edge, below which nothing in grey would be seen
    await press('End', 'Enter', 'Enter');
    await page.keyboard.type('Which medicines make lisinopril raise potassium', { delay: 5 });
    await page.keyboard.type('?');
    await page.locator('.suggest-preview-text .view-line', { hasText: 'lisinopril' }).first().waitFor(); ok('an answer stands in grey');
    await picture('grey');
    await press('Tab');
    await w.save('visit.md');
    await until('Tab takes it', () => /raise potassium\?\n[^]*"[^"]+"[^]*kb\/guidelines\//.test(onDisk()), 10);
    for (let undone = 0; undone < 12 && onDisk() !== original; undone++) {
      await press('Control+Z');
      await w.save('visit.md');
    }
    assert.equal(onDisk(), original); ok('and undo gives it back');
  }

  // An accepted answer answers again in other notes, until it is forgotten or changed.
  async function keeping() {
    const kept = () => lacuna(folder, 'history', 'list', '--json').split('\n').filter(Boolean).map(text => JSON.parse(text)).filter(row => row.kind === 'answer');
    const other = path.join(folder, 'other.md');
    fs.writeFileSync(other, `# Another visit\n\n- ${question}\n`);
    lacuna(folder, 'history', 'forget', '--all');

    await caret(question);
    await w.leads(answer, 'Control+Alt+A');
    await w.palette('Lacuna: Keep This Answer for Later Questions');
    await until('a kept answer is remembered', () => kept().some(row => row.answer.question === question && row.serves), 30);
    await w.openFile(other);
    await caret(question);
    ok('it is known in another note', JSON.stringify(await w.hover('accepted answers/')));
    await picture('27-kept');
    await press('Escape');
    await w.close('other.md');

    await caret('is 5 mg twice a day', 'End');
    await press('Backspace', 'Backspace', 'Backspace');
    await w.save('visit.md');
    await until('an answer that is changed is kept no longer', () => kept().length === 0, 30);
    await caret(question);
    await w.palette('Lacuna: Remove the Answer');
    await asItWas();

    await caret(question);
    await w.leads(answer, 'Control+Alt+A');
    await w.save('visit.md');
    await until('an answer that stands in a saved note is kept by itself', () => kept().length === 1, 30);
    lacuna(folder, 'history', 'forget', '--all');
    assert.equal(kept().length, 0);
    await w.openFile(other);
    await until('what is forgotten answers no longer', async () => {
      await caret(question);
      const shown = await w.hover('is 5 mg twice');
      await press('Escape');
      return !shown.includes('accepted answers/');
    }, 60);
    await w.close('other.md');
    fs.rmSync(other);
    await caret(question);
    await w.palette('Lacuna: Remove the Answer');
    await asItWas();
  }

  return { answering, grey, keeping };
}

// Gaps and their actions.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { ok, scale, set, until } from './window.mjs';

export default function ({ window: w, folder, note, question }) {
  const { page, line, lens, status, tab, rows, problem, gone, press, caret, picture } = w;

  // Gaps appear by themselves: as squiggles, code lenses and problems.
  async function gaps() {
    await line(question).waitFor({ timeout: 60000 * scale }); ok('note open');
    await w.palette('View: Close Primary Side Bar'); // more room for the note
    await page.locator('.squiggly-warning, .squiggly-info').first().waitFor({ timeout: 60000 * scale }); ok('squiggle');
    await lens('Answer').waitFor(); ok('code lens');
    await lens('nearest places, 1 gap').first().waitFor(); ok('code lens of a gap');
    await status(/Lacuna: \d+ gaps/).waitFor({ timeout: 60000 * scale }); ok('status bar counts the gaps');
    await picture('1-gaps');
    const listed = await w.leads(problem('missing-topic'), 'Control+Shift+M'); ok('problem listed', JSON.stringify(await listed.innerText()));
    await w.palette('View: Hide Panel');
    await caret('starting dose of tirzepatide');
    ok('hover on the question', JSON.stringify(await w.hover('Nearest places:')));
    await picture('2-hover');
    await press('Escape');
  }

  // By default what is known of a question stands behind it, and no line moves.
  async function behind() {
    const after = words => page.locator('.view-line').evaluateAll((lines, wanted) => {
      const found = lines.find(shown => shown.textContent.replaceAll('\u00a0', ' ').includes(wanted));
      return [...found?.querySelectorAll('*') ?? []].map(part => getComputedStyle(part, '::after').content).find(content => /[a-z]/.test(content) && content !== 'normal' && content !== 'none') ?? '';
    }, words);
    const top = words => line(words).evaluate(shown => shown.getBoundingClientRect().top);
    const height = await top('Which medicines make lisinopril') - await top(question);
    set({ 'lacuna.questionState': null });
    await gone(page.locator('.codelens-decoration a'));
    ok('what is known stands behind its question', await until('and says how many sources', async () => (await after(question)).includes('1 source') && after(question), 30));
    await until('and what is missing', async () => (await after('starting dose of tirzepatide')).includes('nearest places, 1 gap'), 30);
    await page.locator('.margin-view-overlays .cgmr[class*="ced-"], .glyph-margin-widgets .codicon, .glyph-margin-widgets [class*="ced-"]').first().waitFor(); ok('with an icon beside it');
    assert.ok(await top('Which medicines make lisinopril') - await top(question) < height, 'no line is between questions');
    await picture('17-behind');
    set({ 'lacuna.questionState': 'above' });
    await lens('Answer').waitFor();
  }

  // A gap's menu offers a search for what is missing, a page for it, and to dismiss it.
  async function missing() {
    const asked = 'What is the starting dose of tirzepatide', pages = path.join(folder, 'kb/guidelines');
    await caret(asked);
    await w.choose('Dismiss gap', lens(/nearest places$/)); ok('a gap is dismissed');
    await caret(asked);
    await w.choose('Restore dismissed gap', page.locator('.codelens-decoration a', { hasText: 'nearest places, 1 gap' }).nth(1)); ok('and restored');
    await caret(asked);
    await w.choose('Search again with', line('Nearest places:')); ok('a gap is searched for again');
    await press('Control+Z');
    await gone(line('Nearest places:'));
    await caret(asked);
    await w.choose('Take as the answer', line(' taken -->')); ok('a nearest place is taken as the answer');
    await press('Control+Z');
    await gone(line(' taken -->'));
    await caret(asked);
    const before = new Set(fs.readdirSync(pages));
    await w.choose('Start a page on', tab('tirzepatide'));
    await line('To be written').waitFor(); ok('a page is started for it');
    await w.save('tirzepatide');
    const [started] = fs.readdirSync(pages).filter(name => !before.has(name));
    assert.match(fs.readFileSync(path.join(pages, started), 'utf8'), /tirzepatide/);
    await w.close('tirzepatide');
    fs.rmSync(path.join(pages, started)); // a source without it again
    await lens('nearest places, 1 gap').first().waitFor();
  }

  // Text that is no question, and questions in other languages than Markdown.
  async function notes() {
    const marks = async (name, text, asked, silent) => {
      fs.writeFileSync(path.join(folder, name), text);
      await w.openFile(path.join(folder, name));
      await line(asked).waitFor();
      await lens('Answer').waitFor();
      assert.equal(await page.locator('.codelens-decoration', { hasText: 'Answer' }).count(), 1, `${name}: one question is asked`);
      if (silent) await line(silent).waitFor();
      ok(`questions of ${name}`);
      await w.close(name);
      fs.rmSync(path.join(folder, name));
    };
    await marks('skipped.md', 'How is zanubrutinib given?\n\n<!-- lacuna: skip -->\nHow is ibrutinib given?\n\n<!-- lacuna: off -->\nWhat is left out?\n', 'zanubrutinib', 'What is left out');
    await marks('thoughts.org', '* Visit\n\n#+begin_src sh\nls ?\n#+end_src\n\n** How is zanubrutinib given?\n', 'zanubrutinib');

    const secret = path.join(folder, 'secret.md');
    fs.writeFileSync(secret, '---\nlacuna: private\n---\n\nHow is acalabrutinib given?\n\nWhat is the usual dose of apixaban in atrial fibrillation?\n');
    await w.openFile(secret);
    await caret('How is acalabrutinib given');
    ok('nothing of a private note is looked up', JSON.stringify(await w.hover('nothing is looked up until you ask')));
    await press('Escape'); // it lies over the next question
    assert.equal(await page.locator('.squiggly-warning, .squiggly-info').count(), 0, 'nothing is marked in a private note');
    await caret('usual dose of apixaban');
    await w.palette('Lacuna: Answer the Question');
    await line('is 5 mg twice').waitFor(); ok('but what is asked is answered');
    await press('Control+Z');
    await gone(line('is 5 mg twice'));
    await w.save('secret.md');
    await w.close('secret.md');
    fs.rmSync(secret);
    await until('the note is in front again', async () => await tab('visit.md').count() === 1, 10);
  }

  // The Markdown cells of a notebook are notes: they are marked, answered and hovered over where they are edited. Code is not read.
  async function notebooks() {
    const book = path.join(folder, 'round.ipynb'), unknown = 'What is the starting dose of tirzepatide for weight loss?';
    const cell = (cell_type, ...source) => ({ cell_type, id: `c${source[0].length}`, metadata: {}, source, ...(cell_type === 'code' && { execution_count: null, outputs: [] }) });
    fs.writeFileSync(book, `${JSON.stringify({
      cells: [cell('markdown', '# Ward round\n', '\n', question), cell('code', '# How is zanubrutinib given?\n', 'print("rounds")'), cell('markdown', unknown)],
      metadata: { language_info: { name: 'python' } }, nbformat: 4, nbformat_minor: 5,
    }, null, 1)}\n`);
    await w.openFile(book);
    await w.palette('View: Close Other Editors in Group'); // whose lines are the same, and hidden
    const edit = text => w.again(page.locator('.notebook-editor .view-line', { hasText: text }).first(), () => w.shown().getByText(text).dblclick({ timeout: 3000 * scale }).catch(() => {}));
    await edit('starting dose of tirzepatide');
    await page.locator('.notebook-editor .squiggly-warning, .notebook-editor .squiggly-info').first().waitFor({ timeout: 60000 * scale }); ok('a gap is marked in a cell');
    await w.palette('Lacuna: Show the List of Gaps');
    await rows('Gaps', 'round.ipynb').first().waitFor(); ok('and listed', JSON.stringify(await rows('Gaps', 'round.ipynb').first().innerText()));
    assert.equal(await rows('Gaps', 'zanubrutinib').count(), 0, 'code is not read');
    await w.palette('View: Close Primary Side Bar');
    await edit(question);
    await caret(question);
    ok('hover in a cell', JSON.stringify(await w.hover('is 5 mg twice')));
    await press('Escape', 'Escape'); // out of the hover, and out of the cell
    await edit(question);
    await caret(question);
    await w.choose(/^Answer this question$/, line('is 5 mg twice')); ok('the answer stands in the cell');
    await w.point(', line ');
    ok('its citation shows the passage', JSON.stringify(await w.hover('For a new blood clot')));
    await picture('33-notebook');
    await w.save('round.ipynb');
    const cells = await until('and in the file', () => {
      const now = JSON.parse(fs.readFileSync(book, 'utf8')).cells;
      return /apixaban in atrial fibrillation\?\n[^]*"[^"]*5 mg twice a day[^]*\(kb\/guidelines\/medicines\/apixaban\.md#L\d+/.test([now[0].source].flat().join('')) && now;
    }, 20);
    assert.deepEqual(cells.slice(1).map(({ cell_type, source }) => [cell_type, [source].flat().join('')]),
      [['code', '# How is zanubrutinib given?\nprint("rounds")'], ['markdown', unknown]]); ok('the other cells are as they were');
    await w.point(', line ');
    await w.leads(tab('apixaban.md'), 'F12'); ok('its source opens');
    await w.close('apixaban.md');
    await w.openFile(note);
    await w.palette('View: Close Other Editors in Group');
    fs.rmSync(book);
  }

  return { gaps, behind, missing, notes, notebooks };
}

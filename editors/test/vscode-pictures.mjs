// Makes the pictures of docs/: one walk through VS Code as it is set up by itself, and the two films, frame by frame.
// env: as vscode.mjs; THEME, WIDTH and HEIGHT are the look of the window.
import fs from 'node:fs';
import path from 'node:path';

import { answered } from './vscode/citations.mjs';
import { configure, home, open, scale, until } from './vscode/window.mjs';

const { env } = process;
const folder = path.resolve(env.WORKSPACE), note = path.join(folder, 'visit.md');
const question = 'What is the usual dose of apixaban in atrial fibrillation?';
const sentence = 'The usual dose of apixaban in atrial fibrillation is 5 mg twice a day.';
const model = (url, more = '') => `[model]\nbase_url = "${url}"\nmodel = "scripted"\n${more}`;
const long = { timeout: 60000 * scale };

const w = await open({
  vsix: env.VSIX, folder, note, machine: { 'lacuna.path': env.LACUNA }, userConfig: model(env.MODEL_URL),
  user: { 'workbench.activityBar.location': 'default', 'security.workspace.trust.enabled': false, 'workbench.reduceMotion': 'on', 'workbench.statusBar.visible': true },
});
const { page, line, lens, rows, tab, status, button, press, caret, point, gone } = w;
const answer = line('is 5 mg twice');
const wide = Number(env.WIDTH) > 1500;

/** still takes a picture once nothing has moved for a moment: the caret is put away, and what fades in has come. */
async function still(name) {
  let before;
  await until(`${name} stands still`, async () => {
    const now = (await page.screenshot({ animations: 'disabled', caret: 'hide' })).toString('base64'), same = now === before;
    before = now;
    return same;
  }, 10);
  await w.picture(name);
}

/** ringed takes a picture with a ring around what is about to be clicked, and clicks it. */
async function ringed(name, target) {
  const { x, y, width, height } = await target.boundingBox();
  await page.evaluate(([x, y]) => {
    const ring = Object.assign(document.createElement('div'), { id: 'ring' });
    ring.style.cssText = `position:fixed;left:${x - 17}px;top:${y - 17}px;width:28px;height:28px;border:3px solid #e8590c;border-radius:50%;pointer-events:none;z-index:99999`;
    document.body.append(ring);
  }, [x + width / 2, y + height / 2]);
  await still(name);
  await page.evaluate(() => document.getElementById('ring').remove());
  await target.click();
}

/** known waits until what is known of the questions stands behind them. */
const known = () => until('what is known stands behind its question', () => page.locator('.glyph-margin-widgets [class*="ced-"]').count(), 30);

async function questions() {
  await line(question).waitFor(long);
  await status('Lacuna: 4 gaps').waitFor(long); // all of the example's
  await page.locator('.squiggly-warning, .squiggly-info').first().waitFor(long);
  if (!wide) await w.palette('View: Close Primary Side Bar');
  await caret(question);
  await known();
  await still('vscode');
  await w.menu('Answer this question');
  await still('film-1');
  await w.choose(/^Answer this question$/, answer);
  await w.save('visit.md');
  await still('film-2');
}

async function citation() {
  await point('[Apixaban');
  await w.hover('For a new blood clot');
  await still('vscode-citation');
  await press('Escape');
  await point('[Apixaban');
  await w.leads(tab('apixaban.md'), 'F12');
  await line(sentence.slice(0, 40)).waitFor();
  await still('film-4');
  await w.close('apixaban.md');
}

async function changed() {
  const source = path.join(folder, 'kb/guidelines/medicines/apixaban.md'), text = fs.readFileSync(source, 'utf8');
  fs.writeFileSync(source, text.replace(sentence, 'The usual dose of apixaban in atrial fibrillation is 2.5 mg twice a day.'));
  await page.locator('.squiggly-warning').first().waitFor(long);
  await point('[Apixaban');
  await w.choose('Compare with the source as it is now', tab('apixaban.md: as quoted'));
  await page.locator('.editor.modified .view-line', { hasText: 'is 2.5 mg twice' }).first().waitFor();
  await still('vscode-changed');
  await w.close('apixaban.md');
  fs.writeFileSync(source, text);
  await caret(question);
  await w.palette('Lacuna: Remove the Answer');
  await gone(answer);
  await w.save('visit.md');
}

async function colours() {
  const draft = path.join(folder, 'draft.md');
  fs.writeFileSync(draft, answered);
  await w.openFile(draft);
  await page.locator('.view-line span span', { hasText: 'Many clinics' }).first().waitFor();
  await until('what is background is slanted', () => line('Tablets are made').locator('span span', { hasText: 'Tablets' }).first().evaluate(span => getComputedStyle(span).fontStyle === 'italic'), 30);
  await line('A draft').click();
  await still('vscode-colours');
  await w.close('draft.md');
  fs.rmSync(draft);
}

async function views() {
  const empty = path.join(folder, 'kb/guidelines/empty.md');
  fs.writeFileSync(empty, '');
  await w.palette('Lacuna: Show the List of Gaps');
  await rows('Gaps', 'tirzepatide').first().click();
  await w.palette('Lacuna: Show the Sources');
  await rows('Sources', 'guidelines').first().click();
  await rows('Sources', 'empty.md').first().waitFor(long);
  await known();
  await page.mouse.move(700, 5);
  await still('vscode-views');
  fs.rmSync(empty);
  await gone(rows('Sources', 'empty.md'));
  if (!wide) await w.palette('View: Close Primary Side Bar');
}

async function topics() {
  await w.palette('Lacuna: Show What Your Sources Know');
  const row = w.shown().locator('details', { hasText: 'metformin' }).first();
  await row.locator('summary').click();
  await page.mouse.move(700, 5);
  await still('vscode-topics');
  await w.palette('View: Close All Editors');
}

async function settings() {
  await w.palette('Lacuna: Open Settings');
  await page.locator('.settings-editor .monaco-list-row', { hasText: /^Answer/ }).first().click();
  await page.locator('.settings-editor .setting-item-contents', { hasText: 'Answer' }).first().waitFor();
  await still('vscode-settings');
  await w.leave();
}

async function notebook() {
  const book = path.join(folder, 'round.ipynb');
  const cell = (cell_type, source) => ({ cell_type, id: `c${source.length}`, metadata: {}, source, ...(cell_type === 'code' && { execution_count: null, outputs: [] }) });
  fs.writeFileSync(book, JSON.stringify({
    cells: [cell('markdown', `# Ward round\n\n${question}`), cell('code', 'print("rounds")'), cell('markdown', 'What is the starting dose of tirzepatide for weight loss?')],
    metadata: { language_info: { name: 'python' } }, nbformat: 4, nbformat_minor: 5,
  }));
  await w.openFile(book);
  const edit = text => w.again(page.locator('.notebook-editor .view-line', { hasText: text }).first(), () => w.shown().getByText(text).dblclick({ timeout: 3000 * scale }).catch(() => {}));
  await edit('starting dose of tirzepatide');
  await page.locator('.notebook-editor .squiggly-warning, .notebook-editor .squiggly-info').first().waitFor(long);
  await edit(question);
  await caret(question);
  await w.choose(/^Answer this question$/, answer);
  await point('[Apixaban');
  await w.hover('For a new blood clot');
  await still('vscode-notebook');
  await w.save('round.ipynb');
  await w.palette('View: Close All Editors');
  fs.rmSync(book);
}

async function consent() {
  const host = 'llm.example.org', asking = page.locator('.monaco-dialog-box', { hasText: 'about to send your question' });
  configure(model(`http://${host}/v1`, `proxy = "${new URL(env.MODEL_URL).origin}"\n`));
  await w.openFile(note);
  await caret(question);
  await w.menu('Show what would be sent');
  await press('Escape');
  await caret(question);
  await w.palette('Lacuna: Answer the Question Thoroughly');
  await asking.waitFor();
  await still('vscode-consent');
  await press('Escape');
  await w.hidden(asking);
}

// Three clicks from nothing to an answer.
async function nothing() {
  configure('');
  const documents = path.join(home, 'papers');
  fs.mkdirSync(documents, { recursive: true });
  fs.writeFileSync(path.join(documents, 'bees.md'), '# Bees\n\n## Feeding\n\nIn autumn bees are fed two parts of sugar to one part of water by weight.\n\n## Swarming\n\nA colony swarms in May or June when the hive has become too small for it.\n');
  await w.empty();
  const brackets = page.locator('.activitybar .action-label[aria-label^="Lacuna"]').first();
  await brackets.waitFor(long);
  await ringed('three-1', brackets);
  const welcome = page.locator('.welcome-view-content', { hasText: 'from folders of yours' }).first();
  await welcome.waitFor(long);
  await ringed('three-2', button('Choose a Folder', welcome));
  const place = page.locator('.quick-input-widget input').first();
  await until('the dialog has read a folder', async () => (await place.inputValue()).endsWith('/'), 30);
  await until('the dialog shows the folder', async () => { // which may still write the one it began with
    if (await place.inputValue() !== `${documents}/`) await place.fill(`${documents}/`);
    return await page.locator('.quick-input-list .monaco-list-row').count() === 1;
  }, 30);
  await ringed('three-3', page.locator('.quick-input-widget .monaco-button', { hasText: 'Answer from This Folder' }).first());
  await page.locator('.quick-input-widget', { hasText: 'Ask your documents' }).first().waitFor();
  await page.keyboard.type('What are bees fed in autumn');
  await still('three-4');
  await press('Enter');
  await line('two parts of sugar').waitFor(long);
  await w.quiet();
  await still('three-5');
  await point('[Bees');
  await w.hover('two parts of sugar');
  await still('three-6');
}

const all = { questions, citation, changed, colours, views, topics, settings, notebook, consent, nothing };
const wanted = env.CHAPTERS?.split(' ') ?? Object.keys(all);
let failed = false;
for (const [name, chapter] of Object.entries(all)) {
  if (name !== 'questions' && !wanted.includes(name)) continue;
  try {
    await chapter();
  } catch (error) {
    failed = true;
    console.log('FAIL', name, error.message.split('\n').slice(0, 4).join(' | '));
    await w.picture(`failed-${name}`).catch(() => {});
    break;
  }
}
await w.end();
process.exit(failed ? 1 : 0);

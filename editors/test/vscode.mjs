// VS Code (code-server in Chromium) end to end, with our packaged extension, the keyboard and the screen.
// env: VSCODE_ROOT (made by vscode-root.sh), VSIX, LACUNA, WORKSPACE (a copy of the clinic), ORIGINAL, OUT; MODEL_URL, CHROMIUM, WAIT_SCALE;
// CHAPTERS names those to run after the first, when one of them is being worked on
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { environmentOf, home, ok, open, ourProcesses, scale, set, until } from './vscode-window.mjs';

const { env } = process;
const folder = path.resolve(env.WORKSPACE), note = path.join(folder, 'visit.md');
const original = fs.readFileSync(env.ORIGINAL, 'utf8'), onDisk = () => fs.readFileSync(note, 'utf8');
const question = 'What is the usual dose of apixaban in atrial fibrillation?';
const sentence = 'The usual dose of apixaban in atrial fibrillation is 5 mg twice a day.';

const window_ = await open({
  vsix: env.VSIX, folder, note,
  machine: { 'lacuna.path': env.LACUNA }, // the program is named where the editor's server runs
  userConfig: `${env.MODEL_URL ? `[model]\nbase_url = "${env.MODEL_URL}"\nmodel = "scripted"\n` : ''}[history]\nharvest = true\n`,
}).catch(error => { console.log('FAIL', error.message); process.exit(1); });
const { page, line, picture, press, summon, hover, caret, palette, status, tab, rows, pick, outside } = window_;
const lens = text => page.locator('.codelens-decoration a', { hasText: text }).first();
const menuEntry = text => page.locator('.action-widget .monaco-list-row', { hasText: text }).first();
const gone = locator => locator.waitFor({ state: 'detached' });

// Gaps appear by themselves: squiggles, lenses, entries in the list of problems.
async function gaps() {
  await line(question).waitFor({ timeout: 60000 * scale }); ok('note open');
  await press('Control+B'); // more room for the note
  await page.locator('.squiggly-warning, .squiggly-info').first().waitFor({ timeout: 60000 * scale }); ok('squiggle');
  await lens('Answer').waitFor(); ok('code lens');
  await lens('nothing found, 1 gap').waitFor(); ok('code lens of a gap');
  await status(/Lacuna: \d+ gaps/).waitFor(); ok('status bar counts the gaps');
  await picture('1-gaps');
  await press('Control+Shift+M');
  const problem = page.locator('.markers-panel .monaco-list-row', { hasText: 'missing-topic' }).first();
  await problem.waitFor(); ok('problem listed', JSON.stringify(await problem.innerText()));
  await press('Control+Shift+M');
  await caret('starting dose of tirzepatide');
  ok('hover on the question', JSON.stringify(await hover('Nothing found')));
  await picture('2-hover'); await press('Escape');
}

// Answering: the menu, the block, the way to the source and back, the undo.
async function answering() {
  await caret(question);
  ok('menu', JSON.stringify(await summon(menuEntry('Answer this question'), 'Control+.')));
  await picture('3-menu');
  await menuEntry('Answer this question').click();
  await line('is 5 mg twice a day').waitFor(); ok('answer in the note');
  await line('is 5 mg twice a day').locator('..').locator('.mtku', { hasText: /^\[?1\]?$/ }).first().waitFor(); ok('the number of a citation looks like a link');
  await picture('4-answered');
  await palette('Lacuna: Keep This Answer for Later Questions');
  await until('a kept answer is remembered', () => remembered(), 10);
  await press('Control+S');
  await until('saved to disk', () => onDisk().includes(sentence), 10);
  const [before, after] = onDisk().split(sentence);
  assert.ok(before.includes(question) && after, 'the answer stands below its question');

  await caret('is 5 mg twice a day', 'End', 'End', 'ArrowLeft', 'ArrowLeft');
  ok('hover on the citation shows the passage', JSON.stringify(await hover('For a new blood clot')));
  await picture('5-citation');
  await page.locator('.monaco-hover a', { hasText: 'Open the source' }).first().click();
  await tab('apixaban.md').waitFor(); await line(sentence.slice(0, 40)).waitFor(); ok('the link of the hover opens the source');
  await picture('6-source');
  await press('Control+W');
  await caret('is 5 mg twice a day', 'End', 'End', 'ArrowLeft', 'ArrowLeft');
  await press('F12');
  await tab('apixaban.md').waitFor(); await line(sentence.slice(0, 40)).waitFor(); ok('definition opens the source');
  await press('Shift+F12'); // the one place that cites it
  await tab('visit.md').waitFor(); await status(/^Ln 14,/).waitFor(); ok('references lead to what cites the sentence');
  await palette('View: Close Other Editors in Group');
  await caret('guidelines/medicines/apixaban.md', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight');
  await palette('Open Link');
  await tab('apixaban.md').waitFor(); ok('the link in the answer opens the source');
  await press('Control+W');

  await line(question).click(); await press('Control+Z');
  await gone(line('is 5 mg twice a day')); ok('one undo removes the answer');
  await press('Control+S');
  await until('the note is as it was', () => onDisk() === original, 10);
}

/** remembered is whether the answer lies beside the index. */
function remembered() {
  const index = path.join(home, 'index');
  return fs.readdirSync(index, { recursive: true }).some(name => name.endsWith('accepted.jsonl') && fs.readFileSync(path.join(index, name), 'utf8').includes('apixaban'));
}

// Files: a citation follows its source, wherever that goes.
async function moving() {
  const called = async name => {
    await palette('File: Reveal Active File in Explorer View');
    await press('F2');
    await page.locator('.explorer-viewlet .monaco-inputbox input').first().fill(name);
    await press('Enter');
    await page.locator('.monaco-dialog-box .monaco-button', { hasText: 'OK' }).click(); // VS Code asks before it changes notes
    await tab(name).waitFor();
    await press('Control+B');
  };
  await caret(question);
  await press('Control+Alt+A');
  await line('is 5 mg twice a day').waitFor(); ok('a key answers');
  await press('Control+S');
  await caret('is 5 mg twice a day', 'End', 'End', 'ArrowLeft', 'ArrowLeft');
  await press('F12');
  await tab('apixaban.md').waitFor();
  await called('apixaban-moved.md');
  await press('Control+W');
  await line('medicines/apixaban-moved.md').waitFor(); ok('the citation follows a source that is renamed');
  await caret('is 5 mg twice a day', 'End', 'End', 'ArrowLeft', 'ArrowLeft');
  await press('F12');
  await tab('apixaban-moved.md').waitFor(); ok('and still leads to it');
  await called('apixaban.md');
  await press('Control+W');
  await line('medicines/apixaban.md').waitFor();
  await caret(question);
  await palette('Lacuna: Remove the Answer');
  await gone(line('is 5 mg twice a day')); ok('an answer is removed');
  await press('Control+S');
  await until('the note is as it was again', () => onDisk() === original, 10);
}

// Writing: citations and sources complete themselves.
async function writing() {
  await caret(question, 'End', 'Enter');
  await page.keyboard.type('See [warf');
  const offered = page.locator('.suggest-widget.visible .monaco-list-row', { hasText: 'warfarin' }).first();
  ok('a source is offered', JSON.stringify(await summon(offered, 'Control+Space')));
  await picture('7-completion');
  await offered.click();
  await line('.txt').waitFor(); ok('and linked');
  await until('all of it can be undone', async () => { await press('Control+Z'); return await line('See').count() === 0; }, 10);
}

// The views: every gap, and what became of every file.
async function views() {
  await palette('Lacuna: Show the List of Gaps');
  const gap = rows('Gaps', 'tirzepatide').first();
  await gap.waitFor(); ok('the view lists the gaps', JSON.stringify(await gap.innerText()));
  await gap.click();
  await status(/^Ln 13,/).waitFor(); ok('a click goes to the question');
  await rows('Sources', 'guidelines').first().click();
  const file = rows('Sources', 'angina.md').first();
  await file.waitFor(); ok('the view lists what became of files', JSON.stringify(await file.innerText()));
  await picture('8-views');
  await file.click();
  await tab('angina.md').waitFor(); ok('a click opens the file');
  await press('Control+W');
  const pegloticase = rows('Gaps', 'pegloticase').first();
  await pegloticase.hover();
  await pegloticase.locator('.action-label[aria-label="Not Needed"]').click();
  await gone(rows('Gaps', 'pegloticase')); ok('a gap marked as not needed is gone');
  await press('Control+B');
}

// What an outline, a list of symbols and a page of settings show.
async function lists() {
  await line(question).click();
  await press('Control+Shift+O');
  await pick('How can gout attacks be prevented').waitFor(); ok('symbols of the note');
  await press('Escape', 'Control+T');
  await page.keyboard.type('pegloticase');
  await pick('pegloticase').waitFor(); ok('symbols of the workspace');
  await press('Escape');
  await status(/Lacuna: \d+ gap/).click();
  await pick('Show Sources').waitFor(); ok('the menu of the status bar', JSON.stringify(await page.locator('.quick-input-title').innerText()));
  await picture('9-status-menu');
  await press('Escape');
  await palette('Lacuna: Open Settings');
  await page.locator('.settings-editor .monaco-list-row', { hasText: /^Diagnostics/ }).first().click();
  await page.locator('.settings-editor .setting-item-contents', { hasText: 'How long the typing must rest' }).first().waitFor(); ok('the settings have a page');
  await picture('10-settings');
  await press('Escape');
  await gone(page.locator('.settings-editor'));
  set({ 'lacuna.lens.enabled': false });
  await gone(lens('Answer')); ok('a setting acts at once');
  set({ 'lacuna.lens.enabled': true, 'lacuna.hints.enabled': true });
  await lens('Answer').waitFor();
  await line('covered ').waitFor(); ok('hints behind questions, where they are wanted', JSON.stringify(await line('covered ').innerText()));
  set({ 'lacuna.hints.enabled': false });
  await gone(line('covered '));
}

// A folder that is not trusted has no model; trusting it is enough.
async function trust() {
  await caret(question);
  await palette('Lacuna: Answer the Question with Another System');
  await page.locator('.notifications-toasts', { hasText: 'needs a model' }).first().waitFor(); ok('no model in a folder that is not trusted');
  await palette('Notifications: Clear All Notifications');
  await palette('Workspaces: Manage Workspace Trust');
  await page.locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust/ }).first().click(); ok('the folder is trusted');
  await press('Control+W');
}

// A model answers, chosen as the system; what it finds missing is marked.
async function model() {
  await caret(question);
  const system = page.locator('.notifications-toasts .monaco-button', { hasText: 'misknow/merged' }).first();
  await until('the model can be chosen', async () => {
    await palette('Lacuna: Answer the Question with Another System');
    return system.waitFor({ timeout: 3000 }).then(() => true, async () => { await palette('Notifications: Clear All Notifications'); return false; });
  }, 30);
  await system.click();
  await line('answered by scripted').waitFor(); ok('answer of the model in the note');
  await lens('1 gap').waitFor();
  await press('Control+Shift+M');
  const lacking = page.locator('.markers-panel .monaco-list-row', { hasText: 'missing-knowledge' }).first();
  await lacking.waitFor(); ok('what the model misses is listed', JSON.stringify(await lacking.innerText()));
  await picture('11-model');
  await press('Control+Shift+M');
  await caret(question);
  await palette('Lacuna: Explain a Mark');
  await tab('missing-knowledge').waitFor();
  await page.frameLocator('iframe.webview.ready').frameLocator('#active-frame').locator('h1').waitFor(); ok('a mark is explained');
  await picture('12-explained');
  await press('Control+W');
  await palette('Lacuna: Show the Open Gaps of the Workspace');
  await line('What your sources do not know').waitFor(); ok('the gaps of the workspace');
  await picture('13-report');
  await press('Control+W');
}

// A key goes to the program and nowhere else; a program that ends is there again.
async function program() {
  const toasts = page.locator('.notifications-toasts .notification-toast');
  const said = async text => { await toasts.filter({ hasText: text }).waitFor(); assert.equal(await toasts.count(), 1, 'nothing else is said'); };
  const cleared = async () => { await palette('Notifications: Clear All Notifications'); await until('nothing is said any more', async () => await toasts.count() === 0, 10); };
  await cleared();
  await palette('Lacuna: Set Model Key');
  await pick('The model').click();
  const secret = 'test-key-4711';
  await page.locator('.quick-input-widget input').first().fill(secret);
  await press('Enter');
  await said('is stored');
  await until('the program has the key', () => ourProcesses(env.LACUNA).some(id => environmentOf(id).includes(`LACUNA_MODEL_API_KEY=${secret}`)), 20);
  await cleared();
  const kept = fs.readdirSync(home, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile() && /\.(json|log|toml)$/.test(entry.name))
    .filter(entry => fs.readFileSync(path.join(entry.parentPath, entry.name), 'utf8').includes(secret));
  assert.deepEqual(kept.map(entry => entry.name), [], 'no setting and no log holds the key'); ok('no setting and no log holds the key');
  await status(/Lacuna/).waitFor();
  const [id] = ourProcesses(env.LACUNA);
  process.kill(Number(id), 'SIGKILL');
  await until('a program that ended is there again', () => ourProcesses(env.LACUNA).some(other => other !== id), 20);
  await lens('Answer').waitFor(); ok('and answers');
  assert.equal(await toasts.count(), 0, 'nothing was said of it');

  set({ 'lacuna.path': '/nowhere/lacuna' });
  await status('program not found').waitFor();
  await said('there is no program at'); ok('a program that is missing is said once');
  await cleared();
  set({ 'lacuna.path': fs.realpathSync('/bin/true') });
  await status('has ended').waitFor();
  await said('was not started again'); ok('a program that always ends is said once');
  await cleared();
  set({ 'lacuna.path': env.LACUNA });
  await lens('Answer').waitFor(); ok('and the right one answers again');
}

// The first minute of somebody new.
async function firstSteps() {
  await palette('Lacuna: First Steps');
  await page.locator('.getting-started-step', { hasText: 'Answer a question' }).first().waitFor(); ok('first steps open');
  await picture('14-first-steps');
  await palette('Lacuna: Create Example Notes');
  await page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Create and Open' }).click();
  await page.waitForURL(/lacuna-sample/, { waitUntil: 'commit' });
  await line(question).waitFor({ timeout: 60000 * scale });
  await status(/Lacuna: \d+ gaps/).waitFor({ timeout: 60000 * scale }); ok('the example notes open, and are judged');
  await picture('15-sample');
}

let failed = false;
try {
  for (const chapter of [gaps, answering, moving, writing, views, lists, trust, model, program, firstSteps]) {
    if (chapter === gaps || !env.CHAPTERS || env.CHAPTERS.split(' ').includes(chapter.name)) await chapter();
  }
} catch (e) {
  failed = true;
  console.log('FAIL', e.message.split('\n').slice(0, 8).join(' | '), e.stack.split('\n').find(l => l.includes('vscode.mjs')) ?? '');
  await picture('failed').catch(() => {});
}
await window_.close();
console.log('asked outside:', [...outside].length);
console.log(failed ? 'FAILED' : 'PASS');
process.exit(failed ? 1 : 0);

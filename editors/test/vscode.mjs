// VS Code (code-server in Chromium) end to end, with our packaged extension, the keyboard and the screen.
// env: VSCODE_ROOT (made by vscode-root.sh), VSIX, LACUNA, WORKSPACE (a copy of the clinic), OUT; CHROMIUM, WAIT_SCALE
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const { env } = process;
const { chromium } = createRequire(new URL('../vscode/package.json', import.meta.url))('playwright-core');
const out = path.resolve(env.OUT || '.'), scale = Number(env.WAIT_SCALE || 1);
const folder = path.resolve(env.WORKSPACE), note = path.join(folder, 'visit.md');
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'lacuna-vscode-')), data = path.join(work, 'data');
const started = performance.now();
const ok = (name, extra = '') => console.log(`ok   ${name} (${Math.round(performance.now() - started)} ms) ${extra}`);

const settings = {
  'telemetry.telemetryLevel': 'off', 'update.mode': 'none', 'extensions.autoUpdate': false, 'extensions.autoCheckUpdates': false,
  'workbench.startupEditor': 'none', 'workbench.enableExperiments': false, 'security.workspace.trust.enabled': false, 'workbench.tips.enabled': false,
  'chat.disableAIFeatures': true, 'workbench.secondarySideBar.defaultVisibility': 'hidden', 'git.enabled': false, 'window.commandCenter': false,
  'editor.minimap.enabled': false, 'editor.codeLens': true, 'files.autoSave': 'off', 'editor.hover.delay': 50, 'editor.accessibilitySupport': 'off',
  'editor.stickyScroll.enabled': false, 'editor.wordWrap': 'on', 'workbench.colorTheme': 'Default Light Modern',
  'extensions.ignoreRecommendations': true, 'workbench.layoutControl.enabled': false,
  'workbench.activityBar.location': 'hidden', 'breadcrumbs.enabled': false, 'editor.fontSize': 15,
};
for (const [layer, values] of [['User', settings], ['Machine', { 'lacuna.path': env.LACUNA }]]) { // the program is named where the editor's server runs
  fs.mkdirSync(path.join(data, layer), { recursive: true });
  fs.writeFileSync(path.join(data, layer, 'settings.json'), JSON.stringify(values));
}
if (env.MODEL_URL) {
  fs.mkdirSync(path.join(work, 'cfg/lacuna'), { recursive: true });
  fs.writeFileSync(path.join(work, 'cfg/lacuna/config.toml'),
    `[model]\nbase_url = "${env.MODEL_URL}"\nmodel = "scripted"\n`);
}
const quiet = {
  ...env, EXTENSIONS_GALLERY: '{"serviceUrl":""}', HOME: work,
  XDG_CONFIG_HOME: path.join(work, 'cfg'), XDG_DATA_HOME: path.join(work, 'xdg'), LACUNA_CACHE_DIR: path.join(work, 'index'),
};
const node24 = path.join(env.VSCODE_ROOT, 'node24');
const codeServer = [path.join(env.VSCODE_ROOT, 'node_modules/code-server/out/node/entry.js'),
  '--config', path.join(work, 'cs.yaml'), '--extensions-dir', path.join(work, 'ext'), '--user-data-dir', data];
const installed = spawnSync(node24, [...codeServer, '--install-extension', path.resolve(env.VSIX)], { env: quiet, encoding: 'utf8' });
if (installed.status !== 0) { console.log('FAIL install extension', installed.stdout, installed.stderr); process.exit(1); }
ok('extension installed');

const port = await new Promise(r => { const s = net.createServer().listen(0, '127.0.0.1', () => { const p = s.address().port; s.close(() => r(p)); }); });
const log = fs.createWriteStream(path.join(out, 'code-server.log'));
const server = spawn(node24, [...codeServer, '--bind-addr', `127.0.0.1:${port}`, '--auth', 'none', '--disable-telemetry', '--disable-update-check',
  '--disable-workspace-trust', '--disable-getting-started-override', folder], { env: quiet });
server.stdout.pipe(log); server.stderr.pipe(log);

// until polls something outside the browser; inside, Playwright waits by itself.
async function until(name, condition, seconds) {
  for (const end = performance.now() + seconds * scale * 1000; ;) {
    if (await condition()) return ok(name);
    if (performance.now() > end) throw new Error(`${name}: not within ${seconds * scale} s`);
    await new Promise(r => setTimeout(r, 50));
  }
}

const question = 'What is the usual dose of apixaban in atrial fibrillation?';
const sentence = 'The usual dose of apixaban in atrial fibrillation is 5 mg twice a day.';
const outside = new Set(); // hosts something tried to reach
let browser, page, failed = false;
const picture = name => page.screenshot({ path: path.join(out, `${name}.png`) });
try {
  await until('code-server listens', () => fetch(`http://127.0.0.1:${port}/healthz`).then(r => r.ok, () => false), 30);
  browser = await chromium.launch({
    executablePath: env.CHROMIUM || spawnSync('sh', ['-c', 'command -v chromium || command -v google-chrome'], { encoding: 'utf8' }).stdout.trim(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const context = await browser.newContext({ viewport: { width: 1040, height: 700 }, deviceScaleFactor: 1 });
  await context.route(u => !['127.0.0.1', 'localhost'].includes(u.hostname), r => { outside.add(new URL(r.request().url()).hostname); r.abort(); });
  page = await context.newPage(); page.setDefaultTimeout(15000 * scale);
  const payload = encodeURIComponent(JSON.stringify([['openFile', `vscode-remote://127.0.0.1:${port}${note}`]]));
  await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}&payload=${payload}`);
  const line = text => page.locator('.view-line', { hasText: text }).first();
  await line(question).waitFor({ timeout: 60000 * scale }); ok('note open');
  await page.keyboard.press('Control+B'); // more room for the note

  // Gaps appear by themselves: squiggles, and entries in the list of problems.
  await page.locator('.squiggly-warning, .squiggly-info').first().waitFor({ timeout: 60000 * scale }); ok('squiggle');
  await page.locator('.codelens-decoration a', { hasText: 'Answer' }).first().waitFor(); ok('code lens');
  await page.locator('.codelens-decoration a', { hasText: 'nothing found, 1 gap' }).first().waitFor(); ok('code lens of a gap');
  await picture('1-gaps');
  await page.keyboard.press('Control+Shift+M');
  const problem = page.locator('.markers-panel .monaco-list-row', { hasText: 'missing-topic' }).first();
  await problem.waitFor(); ok('problem listed', JSON.stringify(await problem.innerText()));
  await page.keyboard.press('Control+Shift+M');

  // summon presses keys for a pop-up that anything moving on the screen may close, until it is there.
  async function summon(popup, ...keys) {
    for (let tries = 1; ; tries++) {
      for (const key of keys) await page.keyboard.press(key);
      if (await popup.waitFor({ timeout: 3000 * scale }).then(() => true, e => { if (tries === 5) throw e; })) return popup.innerText();
      await page.keyboard.press('Escape');
    }
  }
  const hover = needle => summon(page.locator('.monaco-hover:not(.hidden) .hover-contents', { hasText: needle }).first(), 'Control+K', 'Control+I');
  async function caret(target, ...keys) { // puts it at the start of a line, moves it with keys, and the mouse out of the way
    await target.click();
    await page.mouse.move(500, 5);
    for (const key of ['Home', ...keys]) await page.keyboard.press(key);
  }
  await caret(line('starting dose of tirzepatide'));
  ok('hover on the question', JSON.stringify(await hover('Nothing found')));
  await picture('2-hover'); await page.keyboard.press('Escape');

  // Answering: the menu, the block, the way to the source.
  await caret(line(question));
  const answer = page.locator('.action-widget .monaco-list-row', { hasText: 'Answer this question' }).first();
  ok('menu', JSON.stringify(await summon(answer, 'Control+.')));
  await picture('3-menu');
  await answer.click();
  await line('is 5 mg twice a day').waitFor(); ok('answer in the note');
  await picture('4-answered');
  await page.keyboard.press('Control+S');
  await until('saved to disk', () => fs.readFileSync(note, 'utf8').includes(sentence), 10);
  const [before, after] = fs.readFileSync(note, 'utf8').split(sentence);
  assert.ok(before.includes(question) && after, 'the answer stands below its question');

  await caret(line('is 5 mg twice a day'), 'End', 'End', 'ArrowLeft', 'ArrowLeft');
  ok('hover on the citation shows the passage', JSON.stringify(await hover('For a new blood clot')));
  await picture('5-citation'); await page.keyboard.press('Escape');
  await page.keyboard.press('F12');
  await page.locator('.tab.active', { hasText: 'apixaban.md' }).waitFor(); await line(sentence.slice(0, 40)).waitFor(); ok('definition opens the source');
  await picture('6-source');
  await page.keyboard.press('Control+W');

  await line(question).click(); await page.keyboard.press('Control+Z');
  await line('is 5 mg twice a day').waitFor({ state: 'detached' }); ok('one undo removes the answer');
  await page.keyboard.press('Control+S');
  await until('the note is as it was', () => fs.readFileSync(note, 'utf8') === fs.readFileSync(env.ORIGINAL, 'utf8'), 10);

  // A model answers, chosen as the system; what it finds missing is marked.
  async function palette(command) {
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget input').first().fill(`>${command}`);
    await page.locator('.quick-input-list .monaco-list-row', { hasText: command }).first().click();
  }
  await caret(line(question));
  await palette('Lacuna: Answer the Question with Another System');
  await page.locator('.notifications-toasts .monaco-button', { hasText: 'misknow/merged' }).first().click(); ok('a system is chosen');
  await line('answered by scripted').waitFor(); ok('answer of the model in the note');
  await page.locator('.codelens-decoration a', { hasText: '1 gap' }).first().waitFor();
  await page.keyboard.press('Control+Shift+M');
  const lacking = page.locator('.markers-panel .monaco-list-row', { hasText: 'missing-knowledge' }).first();
  await lacking.waitFor(); ok('what the model misses is listed', JSON.stringify(await lacking.innerText()));
  await picture('7-model');
  await page.keyboard.press('Control+Shift+M');
  await palette('Lacuna: Show the Open Gaps of the Workspace');
  await line('What your sources do not know').waitFor(); ok('the gaps of the workspace');
  await picture('8-report');
} catch (e) {
  failed = true;
  console.log('FAIL', e.message.split('\n').slice(0, 6).join(' | '));
  if (page) await picture('failed').catch(() => {});
}
await browser?.close();
server.kill('SIGTERM');
await Promise.race([new Promise(r => server.once('exit', r)), new Promise(r => setTimeout(r, 3000))]);
fs.rmSync(work, { recursive: true, force: true });
console.log('asked outside:', [...outside].length);
console.log(failed ? 'FAILED' : 'PASS');
process.exit(failed ? 1 : 0);

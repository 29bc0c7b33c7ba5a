// The film of the plug-in for Obsidian, frame by frame: a question is written, its gap is marked, another is answered, its citation followed.
//   node obsidian-film.mjs copy-of-the-clinic FOLDER     writes 01.png … into the folder
// The plug-in as it is packaged runs in Chromium on CodeMirror, Obsidian's editor, and on the stand-in of the tests.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const from = name => createRequire(new URL(`../${name}/package.json`, import.meta.url));
const { chromium } = from('vscode')('playwright-core'), { build } = from('obsidian')('esbuild');
const folder = path.resolve(process.argv[2]), out = path.resolve(process.argv[3]);
const here = import.meta.dirname, plugin = path.join(here, '../obsidian/dist/lacuna');
fs.mkdirSync(out, { recursive: true });

const { outputFiles: [script] } = await build({ entryPoints: [path.join(here, 'obsidian/page.mjs')], bundle: true, write: false, format: 'iife', target: 'es2022' });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const page = await browser.newPage({ viewport: { width: 960, height: 600 }, reducedMotion: 'reduce' });
page.on('pageerror', problem => console.error(problem));
let child;
await page.exposeFunction('bridgeStart', (program, args, cwd) => {
  child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdout.setEncoding('latin1'); // bytes; the page decodes a message when it is whole
  child.stdout.on('data', text => void page.evaluate(bytes => window.heard(Uint8Array.from(bytes, c => c.charCodeAt(0))), text).catch(() => undefined));
});
await page.exposeFunction('bridgeTell', text => void child.stdin.write(text));
await page.exposeFunction('bridgeRead', file => fs.readFileSync(file, 'utf8'));
await page.exposeFunction('bridgeWrite', (file, text) => fs.writeFileSync(file, text));
await page.setContent(fs.readFileSync(path.join(here, 'obsidian/page.html'), 'utf8'));
await page.addStyleTag({ path: path.join(plugin, 'styles.css') });
await page.addScriptTag({ content: script.text });
const files = fs.readdirSync(folder, { recursive: true }).map(f => f.split(path.sep).join('/')).filter(f => !/(^|\/)\./.test(f) && fs.statSync(path.join(folder, f)).isFile()).sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1));
await page.evaluate(o => window.begin(o), {
  folder, name: path.basename(folder), files, program: process.env.LACUNA,
  main: fs.readFileSync(path.join(plugin, 'main.js'), 'utf8'), manifest: fs.readFileSync(path.join(plugin, 'manifest.json'), 'utf8'),
});

const scale = Number(process.env.WAIT_SCALE || 1);
const until = (name, f, arg) => page.waitForFunction(f, arg, { timeout: 60000 * scale }).catch(async () => { throw new Error(`${name} did not come; ${await page.evaluate(() => film.status())}`); });
let frames = 0;
async function frame(name) {
  await page.waitForTimeout(300); // what fades in has come
  await page.screenshot({ path: path.join(out, `${String(++frames).padStart(2, '0')}.png`), caret: 'initial' });
  console.log(`ok   ${name}`);
}
const point = async (needle, more) => { const [x, y] = await page.evaluate(a => film.where(...a), [needle, more]); await page.mouse.move(x - 40, y); await page.mouse.move(x, y, { steps: 4 }); };
const away = async () => { await page.mouse.move(500, 590); await page.locator('.cm-tooltip').waitFor({ state: 'detached' }); };

const known = 'What is the usual dose of apixaban in atrial fibrillation?', unknown = 'What is the starting dose of tirzepatide for weight loss?';
const sentence = 'The usual dose of apixaban in atrial fibrillation is 5 mg twice a day.';
await page.evaluate(() => film.show('visit.md'));
await until('the first mark', n => film.marksAt(n) > 0, unknown);
await until('the count of gaps', () => film.status().includes('4 gaps')); // all of the example's
await page.evaluate(n => film.put(n, 0), known);
await frame('a note with questions; what the sources lack is marked');
await point(unknown, 30);
await page.locator('.cm-tooltip').waitFor();
await frame('what is known about a question');
await away();
await page.evaluate(n => film.put(n, n.length), known);
await page.evaluate(() => film.palette('answer'));
await frame('the command that answers');
await page.evaluate(() => film.palette('answer'));
await until('the answer', s => film.text().includes(s), sentence);
await frame('the answer, with its citation');
await point(', line ', 2);
await page.locator('.cm-tooltip').waitFor();
await frame('the passage behind the citation');
await away();
await page.evaluate(() => { film.put(', line ', 1); film.palette('source'); });
await page.evaluate(() => film.palette('source'));
await until('the source', () => film.opened().endsWith('/apixaban.md'));
await frame('the source, at the sentence');
await page.evaluate(() => film.show('visit.md'));
await page.evaluate(n => film.put(n, n.length), unknown);
await page.evaluate(() => film.write('\n- How is zanubrutinib given?'));
await until('the mark of a new question', n => film.marksAt(n) > 0, 'How is zanubrutinib given?');
await frame('a question is written, and its gap is marked');
await page.evaluate(() => film.palette('gaps'));
await page.evaluate(() => film.palette('gaps'));
await page.locator('#modal .suggestion').first().waitFor();
await frame('all gaps of the vault');
await browser.close();
child.kill();
process.exit(0);

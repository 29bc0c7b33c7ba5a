// A window of VS Code for a test: code-server with our packaged extension, a browser, and their environment.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

import { hands } from './hands.mjs';

const { env } = process;
const { chromium } = createRequire(new URL('../../vscode/package.json', import.meta.url))('playwright-core');
/** How many times longer than usual everything may take. */
export const scale = Number(env.WAIT_SCALE || 1);
export const out = path.resolve(env.OUT || '.');
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'lacuna-vscode-'));
const data = path.join(work, 'data');
export const home = work;

/** What every process of the window has around it: folders of its own, and no gallery of extensions to ask. */
const surroundings = {
  ...env, EXTENSIONS_GALLERY: '{"serviceUrl":""}', HOME: work,
  XDG_CONFIG_HOME: path.join(work, 'cfg'), XDG_DATA_HOME: path.join(work, 'xdg'), LACUNA_CACHE_DIR: path.join(work, 'index'),
};

const started = performance.now();
export const ok = (name, extra = '') => console.log(`ok   ${name} (${Math.round(performance.now() - started)} ms) ${extra}`);

/** The settings that keep the screen quiet. The folder is not trusted until the test trusts it. */
const settings = {
  'telemetry.telemetryLevel': 'off', 'update.mode': 'none', 'extensions.autoUpdate': false, 'extensions.autoCheckUpdates': false,
  'workbench.startupEditor': 'none', 'workbench.enableExperiments': false, 'workbench.tips.enabled': false,
  'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.banner': 'never',
  'chat.disableAIFeatures': true, 'workbench.secondarySideBar.defaultVisibility': 'hidden', 'git.enabled': false, 'window.commandCenter': false,
  'editor.minimap.enabled': false, 'editor.codeLens': true, 'files.autoSave': 'off', 'editor.hover.delay': 50, 'editor.accessibilitySupport': 'off',
  'editor.stickyScroll.enabled': false, 'editor.wordWrap': 'on', 'workbench.colorTheme': env.THEME || 'Default Light Modern',
  'extensions.ignoreRecommendations': true, 'workbench.layoutControl.enabled': false, 'workbench.reduceMotion': 'on',
  'workbench.activityBar.location': 'hidden', 'breadcrumbs.enabled': false, 'editor.fontSize': 15, 'editor.occurrencesHighlight': 'off',
  'explorer.confirmDragAndDrop': false, 'explorer.confirmDelete': false, 'files.refactoring.autoSave': false, 'files.hotExit': 'off',
  'remote.autoForwardPorts': false, // VS Code would announce the ports of other programs
};
const settingsFile = layer => path.join(data, layer, 'settings.json');
const write = (layer, values) => {
  fs.mkdirSync(path.join(data, layer), { recursive: true });
  fs.writeFileSync(settingsFile(layer), JSON.stringify(values));
};

/** set edits the settings file of the machine that the editor's server runs on; null removes a setting. */
export function set(values) {
  const all = { ...JSON.parse(fs.readFileSync(settingsFile('Machine'), 'utf8')), ...values };
  write('Machine', Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)));
}

/** configure writes the person's own settings file for Lacuna, which every editor shares. */
export function configure(toml) {
  fs.mkdirSync(path.join(work, 'cfg/lacuna'), { recursive: true });
  fs.writeFileSync(path.join(work, 'cfg/lacuna/config.toml'), toml);
}

/** lacuna runs the program in a folder, as in a shell next to the window, and returns its output. */
export function lacuna(folder, ...args) {
  const done = spawnSync(env.LACUNA, args, { cwd: folder, env: surroundings, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`lacuna ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
}

/** scripted starts a model server of our own, and returns its address and what ends it. */
export async function scripted(...args) {
  const server = spawn(env.SCRIPTED, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const url = await new Promise((resolve, reject) => {
    server.stdout.once('data', line => resolve(String(line).trim()));
    server.once('error', reject);
    server.once('exit', code => reject(new Error(`the model server ended with ${code}`)));
  });
  return { url, end: () => server.kill('SIGKILL') };
}

/** until polls something outside the browser; inside, Playwright waits by itself. */
export async function until(name, condition, seconds) {
  for (const end = performance.now() + seconds * scale * 1000; ;) {
    const found = await condition();
    if (found) { ok(name); return found; }
    if (performance.now() > end) throw new Error(`${name}: not within ${seconds * scale} s`);
    await new Promise(r => setTimeout(r, 50));
  }
}

/** ourProcesses are the ids of the programs that this window has started from a file. */
export function ourProcesses(file) {
  return fs.readdirSync('/proc').filter(name => /^\d+$/.test(name)).filter(id => {
    try {
      return fs.readlinkSync(`/proc/${id}/exe`) === file && environmentOf(id).includes(`LACUNA_CACHE_DIR=${path.join(work, 'index')}`);
    } catch {
      return false; // it has ended, or is not ours
    }
  });
}
/** environmentOf is that of a process, and nothing if it has ended. */
export function environmentOf(id) {
  try {
    return fs.readFileSync(`/proc/${id}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** open starts everything and shows a note in its folder; userConfig is the person's own settings file for Lacuna, user are settings of VS Code. */
export async function open({ vsix, machine, user = {}, userConfig, folder, note }) {
  write('User', { ...settings, ...user });
  write('Machine', machine);
  configure(userConfig);
  const node24 = path.join(env.VSCODE_ROOT, 'node24');
  const codeServer = [path.join(env.VSCODE_ROOT, 'node_modules/code-server/out/node/entry.js'),
    '--config', path.join(work, 'cs.yaml'), '--extensions-dir', path.join(work, 'ext'), '--user-data-dir', data];
  const installed = spawnSync(node24, [...codeServer, '--install-extension', path.resolve(vsix)], { env: surroundings, encoding: 'utf8' });
  if (installed.status !== 0) throw new Error(`install extension: ${installed.stdout} ${installed.stderr}`);
  ok('extension installed');

  const port = await new Promise(r => { const s = net.createServer().listen(0, '127.0.0.1', () => { const p = s.address().port; s.close(() => r(p)); }); });
  const log = fs.createWriteStream(path.join(out, 'code-server.log'));
  const server = spawn(node24, [...codeServer, '--bind-addr', `127.0.0.1:${port}`, '--auth', 'none', '--disable-telemetry', '--disable-update-check',
    '--disable-getting-started-override', folder], { env: surroundings });
  server.stdout.pipe(log); server.stderr.pipe(log);
  const outside = new Set(); // hosts something tried to reach
  let browser;
  const close = async () => {
    await browser?.close();
    server.kill('SIGTERM');
    await Promise.race([new Promise(r => server.once('exit', r)), new Promise(r => setTimeout(r, 3000))]);
    fs.rmSync(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }); // the program may still be writing its index
  };
  try {
    await until('code-server listens', () => fetch(`http://127.0.0.1:${port}/healthz`).then(r => r.ok, () => false), 30);
    browser = await chromium.launch({
      executablePath: env.CHROMIUM || spawnSync('sh', ['-c', 'command -v chromium || command -v google-chrome'], { encoding: 'utf8' }).stdout.trim(),
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
    const context = await browser.newContext({ viewport: { width: Number(env.WIDTH || 1040), height: Number(env.HEIGHT || 700) }, deviceScaleFactor: 1 });
    await context.route(u => !['127.0.0.1', 'localhost'].includes(u.hostname), r => { outside.add(new URL(r.request().url()).hostname); r.abort(); });
    context.setDefaultTimeout(15000 * scale);
    const page = await context.newPage();
    /** show reloads the window on a folder or a workspace file, with a note in front. */
    const show = (kind, place, file) => {
      const payload = encodeURIComponent(JSON.stringify([['openFile', `vscode-remote://127.0.0.1:${port}${file}`]]));
      return page.goto(`http://127.0.0.1:${port}/?${kind}=${encodeURIComponent(place)}&payload=${payload}`, { waitUntil: 'commit' });
    };
    /** empty reloads the window without a folder. */
    const empty = () => page.goto(`http://127.0.0.1:${port}/?ew=true`, { waitUntil: 'commit' });
    await show('folder', folder, note);
    return { outside, end: close, show, empty, ...hands(page) };
  } catch (error) {
    await close();
    throw error;
  }
}

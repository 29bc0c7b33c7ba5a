// The program behind the editor: its key, its exits and restarts.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { environmentOf, home, ok, ourProcesses, set, until } from './window.mjs';

const { env } = process;

export default function ({ window: w }) {
  const { page, lens, status, pick, toast, press } = w;
  const toasts = page.locator('.notifications-toasts .notification-toast');
  const said = async text => { await toast(text).waitFor(); assert.equal(await toasts.count(), 1, 'nothing else is said'); };
  const withKey = key => ourProcesses(env.LACUNA).filter(id => environmentOf(id).includes(`LACUNA_MODEL_API_KEY=${key}`));
  const answers = () => lens('Answer').waitFor();

  // A key is passed to the program and nowhere else, until it is forgotten.
  async function key() {
    await w.quiet();
    await w.palette('Lacuna: Set Model Key');
    await pick('The model').click();
    const secret = 'test-key-4711';
    await page.locator('.quick-input-widget input[type=password]').first().fill(secret);
    await press('Enter');
    await said('is stored');
    await until('the program has the key', () => withKey(secret).length === 1, 20);
    await w.quiet();
    const kept = fs.readdirSync(home, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile() && /\.(json|log|toml)$/.test(entry.name))
      .filter(entry => fs.readFileSync(path.join(entry.parentPath, entry.name), 'utf8').includes(secret));
    assert.deepEqual(kept.map(entry => entry.name), [], 'no setting and no log holds the key'); ok('no setting and no log holds the key');
    await answers();
    await w.palette('Lacuna: Forget Model Key');
    await pick('A key for').click();
    await until('a key that is forgotten is handed over no longer', () => withKey(secret).length === 0 && ourProcesses(env.LACUNA).length === 1, 20);
    await answers();
  }

  // A program that exits is restarted, one that cannot run is reported once, and the user can restart it.
  async function program() {
    const other = id => ourProcesses(env.LACUNA).some(now => now !== id);
    await status(/Lacuna: \d+ gap/).waitFor();
    const [first] = ourProcesses(env.LACUNA);
    process.kill(Number(first), 'SIGKILL');
    await until('a program that ended is there again', () => other(first), 20);
    await answers(); ok('and answers');
    assert.equal(await toasts.count(), 0, 'nothing was said of it');
    await status(/Lacuna: \d+ gap/).waitFor();
    const [second] = ourProcesses(env.LACUNA);
    await w.palette('Lacuna: Restart Server');
    await until('it restarts on request', () => other(second), 20);
    await answers();

    set({ 'lacuna.path': '/nowhere/lacuna' });
    await status('program not found').waitFor();
    await said('there is no program at'); ok('a program that is missing is said once');
    await w.quiet();
    set({ 'lacuna.path': fs.realpathSync('/bin/true') });
    await status('has ended').waitFor();
    await said('was not started again'); ok('a program that always ends is said once');
    await w.quiet();
    set({ 'lacuna.path': env.LACUNA });
    await answers(); ok('and the right one answers again');
  }

  return { key, program };
}

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { find, isExecutable, isIncompatible, type Environment } from '../src/program';

const surroundings = (over: Partial<Environment>, ...there: string[]): Environment => ({
  setting: '', extension: '/ext', home: '/home/me', platform: 'linux', env: { PATH: '/usr/bin:/opt/bin' },
  isExecutable: file => there.includes(file), ...over,
});

test('the program is found where it is most likely meant', () => {
  const all = ['/ext/bin/lacuna', '/opt/bin/lacuna', '/home/me/go/bin/lacuna'];
  for (let i = 0; i < all.length; i++) assert.deepEqual(find(surroundings({}, ...all.slice(i))), { file: all[i] });
  assert.deepEqual(find(surroundings({ env: { PATH: '', GOBIN: '/gobin', GOPATH: '/gopath' } }, '/gobin/lacuna', '/gopath/bin/lacuna')), { file: '/gobin/lacuna' });
  assert.deepEqual(find(surroundings({ env: { GOPATH: '/a:/b' } }, '/b/bin/lacuna')), { file: '/b/bin/lacuna' });
});

test('a setting is taken at its word', () => {
  assert.deepEqual(find(surroundings({ setting: ' ~/bin/lacuna ' }, '/home/me/bin/lacuna', '/opt/bin/lacuna')), { file: '/home/me/bin/lacuna' });
  assert.deepEqual(find(surroundings({ setting: 'lacuna-next' }, '/opt/bin/lacuna-next')), { file: '/opt/bin/lacuna-next' });
  assert.deepEqual(find(surroundings({ setting: '/gone/lacuna' }, '/opt/bin/lacuna')).file, undefined);
});

test('nothing relative is run', () => {
  assert.equal(find(surroundings({ env: { PATH: '.:bin' } }, 'lacuna', 'bin/lacuna')).file, undefined);
  assert.equal(find(surroundings({ setting: './lacuna' }, './lacuna', 'lacuna')).file, undefined);
  assert.equal(find(surroundings({ setting: 'tools/lacuna' }, 'tools/lacuna')).file, undefined);
});

test('a failed search lists the places it tried', () => {
  assert.deepEqual(find(surroundings({ env: { PATH: '/usr/bin' } })), { tried: ['/ext/bin/lacuna', '/usr/bin/lacuna', '/home/me/go/bin/lacuna'] });
});

test('only a file that can be run is a program', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'lacuna-program-'));
  try {
    const file = path.join(folder, 'lacuna');
    assert.equal(isExecutable(file), false);
    fs.writeFileSync(file, '', { mode: 0o600 });
    if (process.platform !== 'win32') assert.equal(isExecutable(file), false);
    fs.chmodSync(file, 0o700);
    assert.equal(isExecutable(file), true);
    assert.equal(isExecutable(folder), false);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

test('versions go together when their first two numbers agree', () => {
  assert.equal(isIncompatible('0.1.0', '0.1.7'), false);
  assert.equal(isIncompatible('0.1.0', 'v0.1.0-dev'), false);
  assert.equal(isIncompatible('0.1.0', '0.2.0'), true);
  assert.equal(isIncompatible('0.1.0', 'of unknown version'), true);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import manifest from '../package.json';
import { settingScopes, userSettings, folderSettings, type Inspection } from '../src/settings';

const keys = settingScopes(manifest);

test('the manifest declares what the server knows, and nothing of the extension goes there', () => {
  assert.equal(keys.get('lacuna.model.baseUrl'), 'machine');
  assert.equal(keys.get('lacuna.offline'), 'machine-overridable');
  assert.equal(keys.get('lacuna.diagnostics.max'), 'machine-overridable');
  assert.equal(keys.get('lacuna.gate.policy'), 'machine');
  assert.equal(keys.get('lacuna.lens.enabled'), 'resource');
  assert.equal(keys.has('lacuna.path'), false);
  assert.equal(keys.has('lacuna.trace.server'), false);
});

test('each value goes the one way that fits who set it', () => {
  const set: Record<string, Inspection> = {
    'lacuna.model.baseUrl': { globalValue: 'http://mine', workspaceValue: 'http://evil' },
    'lacuna.ownSources': { globalValue: [{ path: '/mine' }] },
    'lacuna.sources': { workspaceValue: [{ path: 'kb' }] },
    'lacuna.offline': { globalValue: false, workspaceValue: true },
    'lacuna.privacy.redact': { globalValue: 'off' },
    'lacuna.diagnostics.max': { globalValue: 5, workspaceValue: 6, workspaceFolderValue: 7 },
    'lacuna.lens.enabled': { globalValue: false },
    'lacuna.answer.language': {},
  };
  const inspect = (key: string): Inspection | undefined => set[key];
  assert.deepEqual(userSettings(keys, inspect), {
    'model.baseUrl': 'http://mine', sources: [{ path: '/mine' }], offline: false, 'privacy.redact': 'off', 'diagnostics.max': 5,
  });
  assert.deepEqual(folderSettings(keys, inspect), {
    sources: [{ path: 'kb' }], offline: true, 'diagnostics.max': 7, 'lens.enabled': false,
  });
});

test('a setting without a value is not sent', () => {
  assert.deepEqual(userSettings(keys, () => ({})), {});
  assert.deepEqual(folderSettings(keys, () => ({ globalValue: null })), {});
});

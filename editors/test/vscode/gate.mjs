// The gate: whether the sources are searched at all is shown with the answer, overruled, and learnt from.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { lacuna, ok, set, until } from './window.mjs';

export default function ({ window: w, folder }) {
  const { line, lens, gone, press, caret, picture } = w;
  const question = 'Which medicines make lisinopril raise potassium?';

  async function gate() {
    const file = path.join(folder, '.lacuna.toml'), before = fs.readFileSync(file, 'utf8');
    const name = 'gated.md', note = path.join(folder, name);
    const labels = () => lacuna(folder, 'history', 'export', '--labels').split('\n').filter(Boolean).map(text => JSON.parse(text));
    lacuna(folder, 'history', 'forget', '--all');
    fs.writeFileSync(file, before.replace('"offline"', '"auto"'));
    fs.writeFileSync(note, `# Potassium\n\n- ${question}\n`);
    set({ 'lacuna.gate.policy': 'never' });
    await w.standing('Gate: never');
    await w.openFile(note);
    await caret(question);
    await w.palette('Lacuna: Answer the Question');
    await line('alone, not from your sources').waitFor(); ok('the gate leaves the sources alone');
    await caret(question);
    ok('the hover says so', JSON.stringify(await w.hover('Your sources were not searched')));
    await picture('23-gate');
    await press('Escape');
    await lens('by the model alone').waitFor(); ok('and the line above', JSON.stringify(await lens('by the model alone').innerText()));
    ok('and the status bar', JSON.stringify(await w.standing('last: answered by the model alone')));
    await w.save(name);
    await until('what was kept is remembered', () => labels().length === 1, 30);

    await caret(question);
    await w.palette('Lacuna: Answer the Other Way (Overrule the Gate)');
    await line('scripted from 1 source').waitFor(); ok('the gate is overruled');
    await until('which is remembered as well', () => labels().some(label => label.label === 'ir better'), 30);
    await w.standing('last: answered from the sources');
    await caret(question);
    await w.palette('Lacuna: Remove the Answer');
    await gone(line('nswered by scripted'));
    await w.save(name);
    lacuna(folder, 'history', 'forget', '--all');
    assert.deepEqual(labels(), []); ok('all of it is forgotten');

    await w.close(name);
    fs.rmSync(note);
    fs.writeFileSync(file, before);
    set({ 'lacuna.gate.policy': null });
    await w.standing('Gate: always');
  }

  return { gate };
}

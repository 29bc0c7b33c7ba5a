// The protocol library of VS Code's client against the real program, on a copy of the clinic example:
//   node client.mjs LACUNA WORKSPACE
// It is the fastest real client, so most end-to-end checks are here, a chapter for each subject. CHAPTERS="models folders" runs those
// two. Each leaves the note as it found it.
import assert from 'node:assert/strict';
import fs from 'node:fs';

import { answering, navigating, writing } from './node/answers.mjs';
import { accepting, consenting, gating, models, stopping } from './node/models.mjs';
import { directives, folders, formats, gaps, notebooks, sources, views } from './node/notes.mjs';
import { Editor, ok } from './node/editor.mjs';

const [bin, workspace] = process.argv.slice(2);
const editor = new Editor(bin, fs.realpathSync(workspace));
await editor.start();
assert.ok(editor.init.capabilities.diagnosticProvider); ok('diagnostics are to be pulled');
const note = await editor.open('visit.md', 'markdown');
const chapters = { gaps, answering, navigating, writing, sources, models, gating, stopping, consenting, accepting, directives, formats, notebooks, folders, views };
const wanted = process.env.CHAPTERS?.split(' ') ?? Object.keys(chapters);
if (wanted[0] !== 'gaps') await editor.until('the sources are ready', () => editor.status?.folders[0].state === 'ready');
for (const name of wanted) {
  console.log(`-- ${name}`);
  const before = note.text;
  await chapters[name](editor, note);
  assert.equal(note.text, before, `${name} leaves the note as it was`);
}
await note.pull();
assert.ok(editor.unchanged > 0 || process.env.CHAPTERS); assert.equal(editor.pushed, 0); ok('what is pulled is not pushed as well', `${editor.unchanged} answers that nothing has changed`);
await editor.stop();
console.log('PASS');
process.exit(0);

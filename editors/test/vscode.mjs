// Tests VS Code (code-server in Chromium) end to end, with our packaged extension, the keyboard and the screen: one journey in
// one window, in chapters; each file in vscode/ holds the chapters of one subject.
// env: VSCODE_ROOT (made by vscode-root.sh), VSIX, LACUNA, SCRIPTED, MODEL_URL, WORKSPACE (a copy of the clinic), ORIGINAL, OUT;
// CHROMIUM, WAIT_SCALE; THEME and WIDTH change how the window looks in pictures; CHAPTERS names the chapters to run after the first, while you work on them
import fs from 'node:fs';
import path from 'node:path';

import answers from './vscode/answers.mjs';
import citations from './vscode/citations.mjs';
import folders from './vscode/folders.mjs';
import gaps from './vscode/gaps.mjs';
import gate from './vscode/gate.mjs';
import models from './vscode/models.mjs';
import overview from './vscode/overview.mjs';
import program from './vscode/program.mjs';
import sending from './vscode/sending.mjs';
import { open } from './vscode/window.mjs';

const { env } = process;
const folder = path.resolve(env.WORKSPACE), note = path.join(folder, 'visit.md');
/** The person's own settings for Lacuna, with a model at an address. */
const settingsWith = (url, model = 'scripted') => `[model]\nbase_url = "${url}"\nmodel = "${model}"\n\n[history]\nharvest = true\n`;

const window = await open({
  vsix: env.VSIX, folder, note,
  machine: { 'lacuna.path': env.LACUNA, 'lacuna.questionState': 'above' }, // the program is named where the editor's server runs; what stands above a question can be clicked
  userConfig: settingsWith(env.MODEL_URL),
}).catch(error => { console.log('FAIL', error.message); process.exit(1); });

const facts = {
  window, folder, note, settingsWith,
  garden: path.resolve(path.dirname(env.ORIGINAL), '../garden'),
  original: fs.readFileSync(env.ORIGINAL, 'utf8'),
  question: 'What is the usual dose of apixaban in atrial fibrillation?',
  sentence: 'The usual dose of apixaban in atrial fibrillation is 5 mg twice a day.',
};
const all = Object.assign({}, ...[gaps, answers, citations, overview, models, sending, gate, program, folders].map(about => about(facts)));
const journey = [
  'gaps', 'behind', 'answering', 'grey', 'keeping', 'following', 'folding', 'moving', 'writing', 'colours', 'missing', 'notes', 'notebooks',
  'views', 'topics', 'symbols', 'standing', 'settings',
  'trust', 'model', 'thorough', 'stopping', 'sending', 'gate', 'key', 'program', 'folders', 'barren', 'nothing', 'firstSteps',
];

let failed = false;
try {
  const wanted = env.CHAPTERS?.split(' ');
  for (const chapter of journey) if (chapter === journey[0] || (wanted ?? journey).includes(chapter)) await all[chapter]();
} catch (e) {
  failed = true;
  const where = e.stack.split('\n').filter(l => l.includes('editors/test/')).map(l => l.trim()).join(' ');
  console.log('FAIL', e.message.split('\n').slice(0, 8).join(' | '), where);
  await window.picture('failed').catch(() => {});
}
await window.end();
console.log('asked outside:', [...window.outside].length);
console.log(failed ? 'FAILED' : 'PASS');
process.exit(failed ? 1 : 0);

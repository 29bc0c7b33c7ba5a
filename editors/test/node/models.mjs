// Tests a model's answers and the user's decisions about them. The scripted model server at MODEL_URL plays the model.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';

import { answer, firstMark, question, sentence } from './answers.mjs';
import { lsp, ok } from './editor.mjs';

const { env } = process;
const cautious = 'When should metformin be avoided in kidney disease?';
const config = path.join(env.XDG_CONFIG_HOME, 'lacuna', 'config.toml');
const lacuna = (editor, ...line) => execFileSync('lacuna', ['--workspace', editor.root, ...line], { encoding: 'utf8' });

/** named is the command to answer a question with a system. */
async function named(note, needle, system, more) {
  const command = structuredClone((await note.action(needle, /^Answer this question/)).command);
  Object.assign(command.arguments[0], { system, ...more });
  return command;
}

/** below is the note from a question on. */
const below = (note, needle) => note.text.slice(note.text.indexOf(needle));

// Changes the user's own settings for the duration of the work, without a restart.
async function configured(editor, toml, name, condition, work) {
  const before = fs.readFileSync(config, 'utf8');
  const holds = found => editor.until(name, () => editor.status && found(editor.status.folders[0]));
  fs.writeFileSync(config, toml(before));
  await holds(condition);
  await work();
  fs.writeFileSync(config, before);
  await editor.until('the settings are as they were, without a restart', () => !condition(editor.status.folders[0]));
}

const otherModel = (url, model, more = '') => before => before.replace(/\[model\]\n(?:\w+ = .*\n)*/, `[model]\nbase_url = "${url}"\nmodel = "${model}"\n${more}`);

export async function models(editor, note) {
  const before = note.text, reports = editor.progress.length;
  await note.run('the model has answered', await named(note, cautious, 'misknow/merged'));
  assert.match(below(note, cautious), /answered by scripted[^]*\[1\][^]*, line \d+/i); ok('the answer of the model is in the note');
  const lacking = await editor.until('what the model misses is shown', () => note.gapsOn(cautious).find(d => d.code === 'missing-knowledge'));
  assert.match(lacking.message, /limits and exceptions/);
  const said = editor.progress.slice(reports).filter(p => p.value.kind === 'report').map(p => p.value.message);
  assert.ok(said.length > 0); ok('progress of the model', JSON.stringify([...new Set(said)]));
  assert.match((await note.hover(note.positionOf(cautious))).contents.value, /misknow\/merged with scripted/); ok('hover names the model');
  await note.run('it is asked again', (await note.action(cautious, /^Answer again without cached replies$/)).command);
  await note.run('background on the gap is asked for', (await note.action(cautious, /^Ask the model for background on/, { diagnostics: [lacking], only: ['quickfix'] })).command);
  assert.match(below(note, cautious), /background from the model, not from your sources/); ok('and is marked as that');
  await note.write(before);

  await note.run('the model has answered thoroughly', (await note.action(cautious, /^Answer thoroughly/)).command);
  assert.match(below(note, cautious), /background from the model/); ok('with background of its own');
  await note.write(before);

  const choosing = editor.execute((await note.action(cautious, /^Answer with another system/)).command);
  const systems = await editor.asks('the systems are to be chosen from');
  systems.choose(systems.titles.find(t => t.startsWith('direct')) ?? assert.fail(JSON.stringify(systems.titles)));
  await note.accept(await editor.edit('the chosen one has answered')); await choosing;
  assert.match(below(note, cautious), /alone, not from your sources/); ok('as it does', systems.titles.length + ' systems');
  await note.write(before);
}

// A gate that never searches: its decision is shown, and overruled.
export async function gating(editor, note) {
  const before = note.text;
  const never = toml => `${toml}\n[gate]\npolicy = "never"\n`;
  await configured(editor, never, 'a gate of the settings decides', folder => folder.gate?.startsWith('never'), async () => {
    await note.run('the gate lets the model answer alone', await named(note, question, 'auto'));
    assert.match(below(note, question), /Written by scripted alone, not from your sources/); ok('and the answer says so');
    assert.doesNotMatch(below(note, question), /not searched/); ok('and nothing about how it came about');
    assert.match((await note.hover(note.positionOf(question))).contents.value, /Your sources were not searched[^]*never/); ok('the hover says that, and by what');
    const { line } = note.positionOf(question);
    assert.ok((await note.request(lsp.CodeLensRequest)).some(l => l.range.start.line === line && /by the model alone/.test(l.command.title))); ok('and so does the line above the question');
    assert.match((await editor.view('lacuna.status')).folders[0].decision, /model alone|not searched/); ok('and the status');
    await note.run('the decision is overruled', (await note.action(question, /^Answer from my sources$/)).command);
    assert.match(below(note, question), /from \d sources?/); ok('and the sources are searched');
    const labels = fs.readdirSync(env.LACUNA_CACHE_DIR, { recursive: true }).filter(name => name.endsWith('gate-labels.jsonl'));
    assert.ok(labels.some(name => fs.readFileSync(path.join(env.LACUNA_CACHE_DIR, name), 'utf8').includes(question))); ok('for the gate to learn from');
    await note.write(before);
  });
}

// A model that never replies: a stopped answer ends on both sides, and writes nothing.
export async function stopping(editor, note) {
  const asked = [];
  const silent = http.createServer(request => { asked.push(request); request.resume(); editor.recheck(); }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  await configured(editor, otherModel(`http://127.0.0.1:${silent.address().port}/v1`, 'silent'), 'another model is set', folder => folder.model === 'silent', async () => {
    const begun = editor.progress.length;
    const running = editor.execute(await named(note, cautious, 'misknow/merged')).then(result => result, error => error);
    const { token, value } = await editor.until('an answer is under way', () => asked.length > 0 && editor.progress.slice(begun).find(p => p.value.kind === 'begin'));
    assert.ok(value.cancellable); ok('it can be stopped', value.title);
    const dropped = once(asked[0].socket, 'close');
    await editor.conn.sendNotification(lsp.WorkDoneProgressCancelNotification.type, { token });
    await dropped; ok('the model is left alone');
    const outcome = await running;
    assert.ok(outcome instanceof Error || outcome?.done === false, JSON.stringify(outcome));
    assert.equal(editor.edits.length, 0); ok('a stopped answer writes nothing');
  });
  silent.closeAllConnections(); silent.close();
}

// A model on another machine, played by a local proxy: nothing is sent to it without the user's consent.
export async function consenting(editor, note) {
  const sent = [], before = note.text, model = new URL(env.MODEL_URL);
  const proxy = http.createServer((request, response) => {
    sent.push(request.url);
    request.pipe(http.request({ host: model.hostname, port: model.port, path: new URL(request.url).pathname, method: request.method, headers: request.headers }, reply => {
      response.writeHead(reply.statusCode, reply.headers);
      reply.pipe(response);
    }));
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const remote = otherModel('http://llm.example/v1', 'remote', `proxy = "http://127.0.0.1:${proxy.address().port}"\n`);
  await configured(editor, remote, 'a model on another machine is set', folder => folder.model === 'remote', async () => {
    const shown = editor.documents.length;
    const looking = (await note.action(cautious, /^Show what would be sent$/)).command;
    looking.arguments[0].system = 'misknow/merged';
    await editor.execute(looking);
    await editor.until('what would be sent is shown', () => editor.documents.length > shown);
    const preview = await editor.page();
    assert.ok(preview.includes('llm.example') && preview.includes(cautious), preview);
    assert.ok(preview.indexOf('## What is asked') < preview.indexOf('```json'), preview); ok('first as it reads, then byte by byte');
    assert.deepEqual(sent, []); ok('and nothing has been sent');

    const sending = editor.execute(await named(note, cautious, 'misknow/merged'));
    const asked = await editor.asks('consent is asked for');
    assert.match(asked.message, /llm\.example/);
    asked.choose('Show what would be sent');
    const again = await editor.asks('what would be sent is shown, and asked again');
    assert.ok((await editor.page()).includes(cautious));
    assert.deepEqual(sent, []);
    again.choose('Send');
    await note.accept(await editor.edit('the model on the other machine has answered')); await sending;
    assert.match(below(note, cautious), /answered by remote/i);
    assert.ok(sent.length > 0 && sent.every(url => url.startsWith('http://llm.example/'))); ok('consent has been given', `${sent.length} requests`);
    assert.match(lacuna(editor, 'consent'), /llm\.example/);
    assert.match(lacuna(editor, 'audit'), /llm\.example/); ok('what was sent is in the audit');
    await note.write(before);

    const messages = editor.messages.length, requests = sent.length;
    await editor.execute({ command: 'lacuna.forgetConsent', arguments: [] });
    await editor.until('consent is taken back', () => editor.messages.slice(messages).some(m => /Nothing more is sent/.test(m)));
    const refusing = editor.execute(await named(note, question, 'misknow/merged'));
    (await editor.asks('consent is asked for again')).choose('Not now');
    await note.accept(await editor.edit('without it the sources answer alone')); await refusing;
    assert.ok(below(note, question).includes(sentence), note.text);
    assert.equal(sent.length, requests); ok('and nothing is sent');
    await note.write(before);
  });
  proxy.closeAllConnections(); proxy.close();
}

// An accepted answer answers the same question again; a removed one does not.
export async function accepting(editor, note) {
  const kept = () => lacuna(editor, 'history').includes(sentence.slice(0, 40));
  const passages = () => editor.status.folders[0].passages, without = passages();
  const indexed = async (name, there) => {
    await editor.until(name, () => kept() === there);
    await editor.until(there ? 'it is found' : 'it is not found any more', () => passages() === without + Number(there));
  };
  const before = await answer(note);
  await editor.execute((await note.action(question, /^Save this answer for later questions$/)).command);
  await indexed('an answer is kept', true);
  await note.save();
  await note.run('a kept answer is to be taken out', (await note.action(question, /^Remove the answer$/)).command);
  await note.save();
  await indexed('and is kept no longer', false);
  await answer(note);
  await note.save();
  await indexed('an answer that is saved as it was written is kept', true);
  await note.run('the question is asked again', (await note.action(question, /^Answer this question again$/)).command);
  assert.match((await note.hover(firstMark(note))).contents.value, /[Aa]ccepted|answered before/); ok('and answered by what was kept');
  lacuna(editor, 'history', 'forget', '--all');
  await indexed('what was kept is forgotten', false);
  await note.write(before);
  await note.save();
}

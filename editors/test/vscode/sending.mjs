// A model on another machine: the preview of what would be sent, and consent. Only the proxy knows the machine's name, and the
// proxy is the model server itself.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { configure, lacuna, ok } from './window.mjs';

const { env } = process;
const host = 'llm.example.org';

export default function ({ window: w, folder, question, settingsWith }) {
  const { page, line, tab, toast, button, pick, status, gone, hidden, press, caret, picture } = w;
  const asking = page.locator('.monaco-dialog-box', { hasText: 'about to send your question' });
  const again = page.locator('.quick-input-widget', { hasText: `Send this to ${host}` });
  const consents = () => lacuna(folder, 'consent');
  const ask = async () => {
    await caret(question);
    await w.palette('Lacuna: Answer the Question Thoroughly');
    await asking.waitFor();
  };

  async function sending() {
    const file = path.join(folder, '.lacuna.toml'), before = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(file, before.replace('"offline"', '"auto"')); // a plain answer is the model's
    configure(settingsWith(`http://${host}/v1`).replace('\n\n', `\nproxy = "${new URL(env.MODEL_URL).origin}"\n\n`));
    await caret(question);
    await w.menu('Show what would be sent');
    await press('Escape');
    await w.again(tab('What would be sent first'), async () => {
      await w.quiet();
      await caret(question);
      await w.palette('Lacuna: Show What Answering Would Send');
    }, undefined, 10); ok('what would be sent is shown'); // the first text that may leave has the lists of names read
    await w.shown().getByText(`To ${host}:80, for the model scripted`).waitFor();
    await w.shown().locator('blockquote', { hasText: question }).first().waitFor(); ok('as it reads: the question');
    await w.shown().locator('blockquote', { hasText: '[1] (Title: Apixaban' }).waitFor(); ok('the passages');
    assert.equal(await w.shown().locator('a').count(), 0, 'nothing in it is a link');
    const bytes = w.shown().locator('code.language-json');
    await picture('21-preview');
    await w.shown().getByText('The JSON that would be sent').scrollIntoViewIfNeeded();
    JSON.parse(await bytes.innerText()); ok('and below, all that would be sent');
    await w.close();

    await ask(); ok('before anything is sent the user is asked', JSON.stringify(await asking.innerText()));
    await picture('22-consent');
    await press('Escape');
    await hidden(asking);
    await status(/Lacuna: \d+ gap/).waitFor();
    await toast(`Nothing was sent to ${host}`).waitFor(); ok('closing the question refuses');
    await w.quiet();

    await ask();
    assert.match(await asking.innerText(), /Question: What is the usual dose of apixaban[^]*From your sources: /); ok('the dialog names the question and the passages');
    await press('Enter'); // the default sends nothing
    await tab(`What would be sent to ${host} 80`).waitFor();
    await w.shown().getByText(`To ${host}:80, for the model scripted`).waitFor(); ok('the user can see what would be sent');
    await again.waitFor();
    await picture('23-asked-again');
    await pick('Not now').click();
    await w.close();
    await toast(`Nothing was sent to ${host}`).waitFor(); ok('refusing gives an answer from the sources', JSON.stringify(await toast(host).innerText()));
    await line('is 5 mg twice').waitFor();
    assert.equal(await line('Nothing was sent').count(), 0); ok('and a note that says nothing of it');
    assert.ok(!consents().includes(host), 'a no is not kept');
    await w.quiet();

    await ask();
    await button('Send', asking).click();
    await line('Written by scripted alone').waitFor(); ok('allowing it gives an answer from the model');
    assert.ok(consents().includes(host), consents());
    await caret(question);
    await w.palette('Lacuna: Forget What May Be Sent');
    await toast('until you allow it again').waitFor();
    assert.ok(!consents().includes(host), consents()); ok('what was allowed is forgotten');
    await w.quiet();
    await caret(question);
    await w.palette('Lacuna: Answer Again Without Cached Replies');
    await asking.waitFor(); ok('and asked for again');
    await button('Not now', asking).click();
    await toast(`Nothing was sent to ${host}`).waitFor();
    await w.quiet();
    await caret(question);
    await w.palette('Lacuna: Remove the Answer');
    await gone(line('nswered'));
    await w.save('visit.md');
    fs.writeFileSync(file, before);
    configure(settingsWith(env.MODEL_URL));
    await w.standing('Model: scripted');
  }

  return { sending };
}

// The plug-in for Obsidian, as the guide has put it into a vault, answers a question from another note: node obsidian.mjs VAULT
process.env.PLUGIN ||= `${process.argv[2]}/.obsidian/plugins/lacuna`;
const { start, put, wait } = await import('../obsidian/plugin.mjs');
const o = await start(process.argv[2]);
await o.show('plan.md');
const { cm } = o.views.get('plan.md').editor, text = () => cm.state.doc.toString();
await o.run('use-vault'); // step 4 of the guide
await wait('a question is answered from another note', async () => {
  put(cm, process.env.QUESTION, 5);
  await o.run('answer');
  await new Promise(done => setTimeout(done, 500));
  return text().includes(process.env.SENTENCE) && text().includes('[[kitchen');
}, () => [text(), o.seen.notices], 120);
await o.plugin.server.stop();
process.exit(0);

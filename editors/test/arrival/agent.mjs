// A scripted agent: starts a server as it is told to, is refused, has the user run the line that allows it, and asks for a quote.
//   node agent.mjs FOLDER NAME CONSENT COMMAND...         with that command
//   node agent.mjs FOLDER NAME CONSENT plugin DIRECTORY   with the one of a plug-in's .mcp.json
//   node agent.mjs FOLDER NAME CONSENT bundle FILE        with the one of a bundle's manifest, after unpacking it
// CONSENT is the line of the guide; if it is empty, the line that the refusal names.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';

const { env } = process;
let [folder, name, consent, ...command] = process.argv.slice(2);
if (command[0] === 'plugin') {
  const { command: program, args } = JSON.parse(fs.readFileSync(path.join(command[1], '.mcp.json'), 'utf8')).mcpServers.lacuna;
  command = [program, ...args];
} else if (command[0] === 'bundle') {
  const into = path.join(env.HOME, 'bundles/lacuna');
  fs.mkdirSync(into, { recursive: true });
  execFileSync('unzip', ['-q', '-o', command[1], '-d', into]);
  const { mcp_config: { command: program, args } } = JSON.parse(fs.readFileSync(path.join(into, 'manifest.json'), 'utf8')).server;
  command = [program, ...args].map(part => part.replaceAll('${__dirname}', into).replaceAll('${user_config.folder}', folder));
}
let server, waiting, last = 0;
/** start starts the server, and ends the one before. */
async function start() {
  console.log('starts', command.join(' '));
  server?.stdin.end();
  server = spawn(command[0], command.slice(1), { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  waiting = new Map();
  const mine = waiting;
  readline.createInterface({ input: server.stdout }).on('line', line => {
    const message = JSON.parse(line);
    mine.get(message.id)?.(message);
  });
  const hello = await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name, version: '1' } });
  ok('the server introduces itself', hello.result?.serverInfo.name === 'lacuna', hello);
  send({ method: 'notifications/initialized' });
}
const send = message => server.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n');
const request = (method, params) => new Promise(done => { waiting.set(++last, done); send({ id: last, method, params }); });
function ok(what, passed, seen) {
  console.log(passed ? 'ok  ' : 'FAIL', what, passed ? '' : JSON.stringify(seen));
  if (!passed) { server.kill(); process.exit(1); }
}

await start();
const ask = () => request('tools/call', { name: 'ask', arguments: { question: env.QUESTION } });
const refused = await ask(), text = refused.result?.content?.[0]?.text ?? '';
ok('is given nothing before it is allowed', refused.result?.isError && text.includes(`agent:${name}`) && !text.includes(env.SENTENCE), refused);
const [, told, where, setUp] = /the user runs: (.+?), in ([^;]+)(?:; .* begins with (.+?), and starts the agent again)?$/.exec(text) ?? [];
for (const line of [consent || told, setUp && `${setUp} --yes`].filter(Boolean)) {
  const done = spawnSync('sh', ['-c', line], { cwd: where, encoding: 'utf8' });
  ok(`the user runs: ${line}`, done.status === 0, done.stderr);
}
if (setUp) await start();
const answer = (await ask()).result?.structuredContent;
ok('an answer from one’s own folder', answer?.state === 'answered', answer);
ok('with its quote', answer.quotes.some(q => q.text.includes(env.SENTENCE) && q.place.file.endsWith('kitchen.md')), answer.quotes);
const quote = (await request('tools/call', { name: 'verify_quote', arguments: { quote: env.SENTENCE } })).result?.structuredContent;
ok('which is verbatim', quote?.verdict === 'verbatim', quote);
server.stdin.end();
server.on('exit', code => process.exit(code ?? 1));

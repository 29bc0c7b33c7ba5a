// A program that passes everything between an editor and Lacuna on, except that it drops one thing of what Lacuna says:
//   MUTANT=severity LACUNA=program node mutant.mjs serve …
// A test of an editor that does not fail with it does not look at that thing.
import { spawn } from 'node:child_process';

/** everywhere applies a change to every object inside a value. */
function everywhere(value, change) {
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value)) change(value);
  for (const inner of Object.values(value)) everywhere(inner, change);
}
export const mutants = {
  none: () => {},
  severity: o => { if ('severity' in o) o.severity = 1; },
  relatedInformation: o => { delete o.relatedInformation; },
  tooltip: o => { delete o.tooltip; },
  isPreferred: o => { delete o.isPreferred; },
  codeDescription: o => { delete o.codeDescription; },
};

if (process.env.MUTANT) {
  const child = spawn(process.env.LACUNA_UNCHANGED, process.argv.slice(2), { stdio: ['pipe', 'pipe', 'inherit'] });
  process.stdin.pipe(child.stdin);
  let received = Buffer.alloc(0);
  child.stdout.on('data', data => {
    received = Buffer.concat([received, data]);
    for (;;) {
      const head = received.indexOf('\r\n\r\n');
      if (head < 0) return;
      const end = head + 4 + Number(/Content-Length: (\d+)/i.exec(received.subarray(0, head))[1]);
      if (received.length < end) return;
      const message = JSON.parse(received.subarray(head + 4, end));
      received = received.subarray(end);
      everywhere(message, mutants[process.env.MUTANT]);
      const body = Buffer.from(JSON.stringify(message));
      process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`);
      process.stdout.write(body);
    }
  });
  child.on('exit', code => { process.exitCode = code ?? 1; });
}

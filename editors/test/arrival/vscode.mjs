// VS Code with the extension that has the program inside: from an empty window to an answer from a folder of one's own, as the guide has it.
//   VSIX=file NOTE=note VSCODE_ROOT=folder node vscode.mjs
import path from 'node:path';

import folders from '../vscode/folders.mjs';
import { open, scale } from '../vscode/window.mjs';

const { env } = process, note = path.resolve(env.NOTE), folder = path.dirname(note);
const window = await open({ vsix: env.VSIX, folder, note, machine: {}, userConfig: '' });
let failed = 1;
try {
  await window.line(env.QUESTION).waitFor({ timeout: 120000 * scale }); // the window has come
  await window.empty();
  await window.page.locator('.statusbar-item').first().waitFor({ timeout: 120000 * scale });
  await folders({ window, folder, note }).nothing();
  failed = 0;
} catch (error) {
  console.log('FAIL', error.message);
  await window.picture('failed').catch(() => {});
}
await window.end();
process.exit(failed);

// Bundles the plug-in into dist/lacuna, the folder that Obsidian loads. Obsidian itself brings CodeMirror and its own module.
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const here = path.resolve(import.meta.dirname, '..');
const out = path.join(here, 'dist', 'lacuna');
await build({
  absWorkingDir: here, entryPoints: ['src/main.ts'], outfile: path.join(out, 'main.js'), bundle: true, minify: true, platform: 'node', format: 'cjs', target: 'es2022',
  external: ['obsidian', 'electron', '@codemirror/*', '@lezer/*'], logLevel: 'warning', legalComments: 'inline',
});
fs.copyFileSync(path.join(here, '..', 'vscode', 'ThirdPartyNotices.txt'), path.join(out, 'ThirdPartyNotices.txt')); // of which it has a part
for (const file of ['manifest.json', 'styles.css']) fs.copyFileSync(path.join(here, file), path.join(out, file));

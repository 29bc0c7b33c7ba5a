// Bundles the extension into one file; with --tests, each test as well.
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const here = path.resolve(import.meta.dirname, '..');
const common = { absWorkingDir: here, bundle: true, platform: 'node', format: 'cjs', target: 'node20', external: ['vscode'], logLevel: 'warning' };
if (process.argv.includes('--tests')) {
  const tests = fs.readdirSync(path.join(here, 'test')).filter(name => name.endsWith('.test.ts'));
  await build({ ...common, entryPoints: tests.map(name => `test/${name}`), outdir: 'dist/test', sourcemap: 'inline' });
} else {
  await build({ ...common, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js', minify: true });
}

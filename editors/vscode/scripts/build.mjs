// Bundles the extension into one file, whose packages must all be in ThirdPartyNotices.txt; with --tests, bundles each test.
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const here = path.resolve(import.meta.dirname, '..');
const common = { absWorkingDir: here, bundle: true, platform: 'node', format: 'cjs', target: 'node20', external: ['vscode'], logLevel: 'warning' };
if (process.argv.includes('--tests')) {
  const tests = fs.readdirSync(path.join(here, 'test')).filter(name => name.endsWith('.test.ts'));
  await build({ ...common, entryPoints: tests.map(name => `test/${name}`), outdir: 'dist/test', sourcemap: 'inline' });
} else {
  const built = await build({ ...common, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js', minify: true, metafile: true });
  const notices = fs.readFileSync(path.join(here, 'ThirdPartyNotices.txt'), 'utf8').split('\n');
  const bundled = Object.keys(built.metafile.inputs).map(file => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]).filter(folder => folder !== undefined);
  for (const folder of new Set(bundled)) {
    const { name, version } = JSON.parse(fs.readFileSync(path.join(here, folder, 'package.json'), 'utf8'));
    if (notices.some(line => line.startsWith(`${name} ${version}: `))) continue;
    console.error(`${name} ${version} is bundled and not in ThirdPartyNotices.txt: make it a dependency in package.json, and run go test ./release -update`);
    process.exitCode = 1;
  }
}

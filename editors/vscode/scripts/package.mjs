// Makes the .vsix: the bundle, the example notes, the license and the notices. With TARGET=linux-x64 (or another platform of VS
// Code) it also builds the program for that platform and includes it with its notices, and names the file after the platform.
// Files have the time of the commit, so that the same commit gives the same bytes.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const here = path.resolve(import.meta.dirname, '..'), repository = path.resolve(here, '../..');
const target = process.env.TARGET ?? '';
const vsix = target === '' ? 'lacuna.vsix' : `lacuna-${target}.vsix`;

function run(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: here, stdio: 'inherit', ...options });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

fs.rmSync(path.join(here, 'dist'), { recursive: true, force: true });
fs.rmSync(path.join(here, 'bin'), { recursive: true, force: true });
run(process.execPath, ['scripts/build.mjs']);
fs.cpSync(path.join(repository, 'examples', 'clinic'), path.join(here, 'dist', 'sample'), { recursive: true });
fs.copyFileSync(path.join(repository, 'LICENSE'), path.join(here, 'dist', 'LICENSE'));
if (target !== '') {
  const [platform, arch] = target.split('-');
  const os = { win32: 'windows', alpine: 'linux' }[platform] ?? platform, cpu = { x64: 'amd64', armhf: 'arm' }[arch] ?? arch;
  const program = path.join(here, 'bin', os === 'windows' ? 'lacuna.exe' : 'lacuna');
  for (const notice of ['NOTICE', 'ThirdPartyNotices.txt', 'knowledge/lexicon/LGPL-2.1.txt']) {
    fs.cpSync(path.join(repository, notice), path.join(here, 'bin', path.basename(notice)));
  }
  const settings = { CGO_ENABLED: '0', GOFLAGS: '-trimpath', GOOS: os, GOARCH: cpu }; // as in release/toolchain.go, so that the bytes are those of the release
  run('go', ['build', '-ldflags=-s -w', '-o', program, '.'], { cwd: repository, env: { ...process.env, ...settings } });
}
const commit = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: here, encoding: 'utf8' }).stdout?.trim();
if (commit) process.env.SOURCE_DATE_EPOCH ??= commit;
const vsce = path.join(here, 'node_modules', '@vscode', 'vsce', 'vsce');
run(process.execPath, [vsce, 'package', '--no-dependencies', '--skip-license', '--allow-missing-repository', ...(target === '' ? [] : ['--target', target]), '-o', vsix]);
console.log(`made editors/vscode/${vsix}; install it with: code --install-extension editors/vscode/${vsix}`);

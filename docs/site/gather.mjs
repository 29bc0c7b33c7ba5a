// Puts the pages of the repository where the generator reads them, with links that lead on the site. What a page links to that is no
// page, a file or a folder of the repository, becomes a page that shows it. Fails if a link leads nowhere.
import fs from 'node:fs';
import path from 'node:path';

import { address, out, root, sections, title, tracked } from './navigation.mjs';

const to = path.join(out, 'source');
fs.rmSync(to, { recursive: true, force: true });
const pages = sections().flatMap(s => s.pages), isPage = new Set(pages), isFile = new Set(tracked);
const pictures = /\.(gif|png|svg)$/, problems = [];
const shown = new Set(); // files and folders that a page leads to

function write(name, content) {
  const file = path.join(to, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
}

/** target returns where a link of a page leads on the site. */
function target(page, link) {
  if (/^[a-z]+:/.test(link) || link.startsWith('#')) return link;
  const [name, heading] = link.split('#');
  const file = path.posix.normalize(path.posix.join(path.posix.dirname(page), name)).replace(/\/$/, '');
  const after = heading ? '#' + heading : '';
  if (isPage.has(file)) return '/' + address(file) + '.md' + after;
  if (pictures.test(file) && isFile.has(file)) {
    write('public/' + file, fs.readFileSync(path.join(root, file)));
    return '/' + file;
  }
  if (isFile.has(file) || tracked.some(t => t.startsWith(file + '/'))) {
    shown.add(file);
    return '/' + shownAt(file) + '.md';
  }
  problems.push(`${page}: ${link} leads to no file of the repository`);
  return link;
}

const shownAt = file => 'files/' + file.replaceAll('/.', '/dot-').replace(/^\./, 'dot-') + (isFile.has(file) ? '' : '/index');

/** withLinks returns a page's text with its links changed, outside of code. */
function withLinks(page, text) {
  return text.split(/(^ *```[^]*?^ *```|`[^`\n]*`)/m).map((part, i) => i % 2 ? part : part.replaceAll(/\]\(([^()\s]+)\)/g, (_, link) => `](${target(page, link)})`)).join('');
}

for (const page of pages.filter(p => isFile.has(p))) {
  const text = fs.readFileSync(path.join(root, page), 'utf8');
  if (!title(text)) problems.push(`${page} has no heading`);
  write(address(page) + '.md', withLinks(page, text.replace(/^<!--[^]*?-->\n*/m, '')));
}

for (const file of shown) {
  const head = `---\nsearch: false\neditLink: false\n---\n\n# ${file}\n\n`;
  if (!isFile.has(file)) {
    const inside = tracked.filter(t => t.startsWith(file + '/')).map(t => `- \`${t.slice(file.length + 1)}\``);
    write(shownAt(file) + '.md', `${head}A folder of the repository, with ${inside.length === 1 ? 'one file' : inside.length + ' files'}:\n\n${inside.join('\n')}\n`);
    continue;
  }
  const text = fs.readFileSync(path.join(root, file), 'utf8'), fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(m => m[0].length + 1)));
  const language = { '.go': 'go', '.toml': 'toml', '.json': 'json', '.lua': 'lua', '.mjs': 'js', '.el': 'elisp', '.sublime-settings': 'json' }[path.extname(file) || path.basename(file)] ?? 'txt';
  write(shownAt(file) + '.md', `${head}A file of the repository.\n\n${fence}${language}\n${text}\n${fence}\n`);
}

for (const file of tracked.filter(f => f.endsWith('.md') && onSite(f) && !isPage.has(f))) problems.push(`${file} is in no section of navigation.json`);
for (const page of pages) if (!isFile.has(page)) problems.push(`navigation.json names ${page}, which is not there`);
if (problems.length) {
  console.error(problems.join('\n'));
  process.exit(1);
}
console.log(`${pages.length} pages, ${shown.size} files and folders that they show`);

/** onSite tells documentation from examples, tests and what other programs read. */
function onSite(file) { return !/(^|\/)(examples|testdata|media|obsidian-vault)\//.test(file); }

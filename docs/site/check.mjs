// Follows every link of the made pages to a page and a heading, and looks for what would be loaded from elsewhere. Fails if a link
// leads nowhere, an anchor is missing, a page cannot be reached from the start, or something is not ours.
import fs from 'node:fs';
import path from 'node:path';

import { address, out, sections } from './navigation.mjs';

const made = path.join(out, 'pages'), base = process.env.SITE_BASE || '/';
const files = fs.readdirSync(made, { recursive: true, withFileTypes: true }).filter(e => e.isFile()).map(e => path.relative(made, path.join(e.parentPath ?? e.path, e.name)).replaceAll(path.sep, '/'));
const isFile = new Set(files), problems = [];
const html = new Map(files.filter(f => f.endsWith('.html')).map(f => [f, fs.readFileSync(path.join(made, f), 'utf8')]));
const ids = new Map([...html].map(([f, text]) => [f, new Set([...text.matchAll(/ id="([^"]*)"/g)].map(m => decode(m[1])))]));

function decode(text) { return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'); }

/** fileOf returns which file an address within the site means. */
function fileOf(from, url) {
  const name = url.startsWith(base) ? url.slice(base.length) : path.posix.join(path.posix.dirname(from), url);
  return [name, name + '.html', path.posix.join(name, 'index.html')].map(n => n.replace(/^\/|^\.$/, '')).find(n => isFile.has(n));
}

let links = 0;
const leads = new Map(); // a page to those it links to
for (const [page, text] of html) {
  leads.set(page, new Set());
  for (const [, tag, name, quoted] of text.matchAll(/<(a|link|script|img|iframe|source|video)\b[^>]*?\s(href|src)="([^"]*)"/g)) {
    const url = decode(quoted);
    if (/^(https?:)?\/\//.test(url)) {
      if (tag !== 'a') problems.push(`${page}: <${tag} ${name}> loads ${url}`);
      continue;
    }
    if (/^(mailto|data):/.test(url)) continue;
    links++;
    const [where, heading] = url.split('#');
    const file = where ? fileOf(page, decodeURI(where)) : page;
    if (!file) problems.push(`${page}: ${url} leads nowhere`);
    else if (heading && html.has(file) && !ids.get(file).has(decodeURIComponent(heading))) problems.push(`${page}: ${url} has no such heading`);
    if (file) leads.get(page).add(file);
  }
}
for (const file of files.filter(f => f.endsWith('.css'))) {
  for (const [, url] of fs.readFileSync(path.join(made, file), 'utf8').matchAll(/(?:url\(|@import )["']?((?:https?:)?\/\/[^"')]*)/g)) problems.push(`${file} loads ${url}`);
}

const reached = new Set(['index.html']);
for (const page of reached) for (const next of leads.get(page) ?? []) reached.add(next);
for (const page of html.keys()) if (page !== '404.html' && !reached.has(page)) problems.push(`${page} cannot be reached from the start`);
const navigation = leads.get('index.html');
for (const page of sections().flatMap(s => s.pages)) if (!navigation.has(address(page) + '.html')) problems.push(`${page} is not in the navigation of the start page`);

if (problems.length) {
  console.error(problems.join('\n'));
  process.exit(1);
}
console.log(`${html.size} pages, ${links} links, all lead; nothing is loaded from elsewhere`);

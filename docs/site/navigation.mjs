// Which pages of the repository are on the site, in the order in which a newcomer needs them, and their addresses there.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');
export const out = path.join(import.meta.dirname, 'out');

/** tracked lists the files of the repository, in order. */
export const tracked = execFileSync('git', ['-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8', maxBuffer: 1 << 26 }).split('\0').filter(Boolean).sort();

/** sections returns the navigation: each section's pages by their path in the repository. A star stands for a part of a path, and leaves out what an earlier line names. */
export function sections() {
  const seen = new Set();
  const all = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, 'navigation.json'), 'utf8'));
  const named = new Set(all.flatMap(s => s.pages));
  return all.map(section => ({
    ...section,
    pages: section.pages.flatMap(pattern => {
      if (!pattern.includes('*')) return [pattern];
      const like = new RegExp('^' + pattern.split('*').map(part => part.replace(/[.]/g, '\\.')).join('[^/]*') + (pattern.endsWith('*') ? '\\.md$' : '$'));
      return tracked.filter(file => like.test(file) && !named.has(file));
    }).filter(page => !seen.has(page) && seen.add(page)),
  }));
}

/** address returns where a page is on the site, without its ending. */
export function address(file) {
  const name = file.replace(/\.md$/, '').replace(/(^|\/)README$/, '$1index').replace(/^docs\//, '').replace(/^handlers\/explain\//, 'marks/');
  return name.replace(/^[A-Z]+$/, s => s.toLowerCase());
}

/** title returns a page's first heading, as plain text. */
export function title(text) {
  return /^# +(.+?) *$/m.exec(text)?.[1].replaceAll('`', '') ?? '';
}

/** anchor returns the name of a heading in an address, as forges make it. */
export function anchor(heading) {
  return heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
}

// What the generator makes of the gathered pages. Nothing here or in the pages is loaded from elsewhere: no font, no script, no counter.
import fs from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitepress';

import { address, anchor, out, root, sections, title } from '../navigation.mjs';

const item = page => ({ text: page === 'README.md' ? 'Lacuna' : title(fs.readFileSync(path.join(root, page), 'utf8')), link: '/' + address(page).replace(/(^|\/)index$/, '$1') });

export default defineConfig({
  title: 'Lacuna',
  description: 'Answers the questions in your notes from your own documents, word for word and with a citation, and marks what they lack.',
  lang: 'en',
  base: process.env.SITE_BASE || '/', // /lacuna/ if the pages lie in that folder of a web server
  srcDir: path.join(out, 'source'),
  cacheDir: path.join(out, 'cache'),
  outDir: path.join(out, 'pages'),
  metaChunk: true,
  markdown: {
    html: false, // a page says <folder> and means it
    anchor: { slugify: anchor },
    toc: { slugify: anchor },
    languageAlias: { restructuredtext: 'rst' },
    config(md) { // what looks like a template of Vue's is text
      for (const kind of ['text', 'code_inline', 'code_block']) {
        const as = md.renderer.rules[kind];
        md.renderer.rules[kind] = (...args) => as(...args).replaceAll('{{', '&#123;&#123;').replaceAll('}}', '&#125;&#125;');
      }
    },
  },
  themeConfig: {
    sidebar: sections().map(s => ({ text: s.title, collapsed: s.closed ?? false, items: s.pages.map(item) })),
    outline: [2, 3],
    search: {
      provider: 'local', // an index among the pages; nothing is asked elsewhere
      options: { miniSearch: { searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, titles: 2, text: 1 } } } },
    },
    externalLinkIcon: true,
    docFooter: { prev: 'Before', next: 'Next' },
  },
});

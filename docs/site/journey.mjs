// The made pages in a browser without a screen and without a network: search by keyboard, light and dark, and the width of a phone.
//   node journey.mjs [FOLDER]     puts pictures into FOLDER, out/pictures unless named
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { chromium } from 'playwright-core';

import { out } from './navigation.mjs';

const made = path.join(out, 'pages'), pictures = path.resolve(process.argv[2] ?? path.join(out, 'pictures'));
fs.mkdirSync(pictures, { recursive: true });
const kinds = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.svg': 'image/svg+xml', '.png': 'image/png', '.gif': 'image/gif' };
const server = http.createServer((request, reply) => {
  let file = path.join(made, path.normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)));
  if (file.endsWith(path.sep)) file += 'index.html';
  fs.readFile(file, (err, data) => reply.writeHead(err ? 404 : 200, { 'content-type': kinds[path.extname(file)] ?? 'text/plain' }).end(data));
});
await new Promise(done => server.listen(0, '127.0.0.1', done));
const start = `http://127.0.0.1:${server.address().port}/`;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

let failed = 0;
function ok(name, passed, extra = '') {
  console.log(`${passed ? 'ok  ' : 'FAIL'} ${name}${passed ? '' : ' ' + JSON.stringify(extra)}`);
  if (!passed) failed++;
}
const strangers = [];
async function open(options, name = '') {
  const page = await browser.newPage({ ...options, reducedMotion: 'reduce' });
  page.on('request', request => { if (!request.url().startsWith(start) && !request.url().startsWith('data:')) strangers.push(request.url()); });
  await page.goto(start + name, { waitUntil: 'networkidle' });
  return page;
}
const picture = (page, name) => page.screenshot({ path: path.join(pictures, name + '.png') });

for (const scheme of ['light', 'dark']) {
  const page = await open({ viewport: { width: 1280, height: 800 }, colorScheme: scheme });
  const dark = await page.evaluate(() => document.documentElement.classList.contains('dark'));
  ok(`${scheme} as the system says`, dark === (scheme === 'dark'), dark);
  await picture(page, 'start-' + scheme);
  await page.goto(start + 'settings.html', { waitUntil: 'networkidle' });
  await picture(page, 'settings-' + scheme);
  await page.keyboard.press('/');
  const box = page.locator('.VPLocalSearchBox input');
  await box.waitFor();
  await page.keyboard.type('consent forget');
  await page.locator('.VPLocalSearchBox .results .result').first().waitFor({ timeout: 60000 });
  await page.keyboard.press('ArrowDown');
  const titles = await page.locator('.VPLocalSearchBox .results .titles').allInnerTexts();
  ok('a search finds sections', titles.length > 1, titles);
  await picture(page, 'search-' + scheme);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\.html/);
  await page.locator('.VPLocalSearchBox').waitFor({ state: 'detached' });
  ok('Enter opens what was found', await page.locator('.VPLocalSearchBox').count() === 0 && !page.url().endsWith('settings.html'), page.url());
  await page.close();
}

{
  const page = await open({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 });
  await picture(page, 'phone-start');
  await page.locator('.VPLocalNav .menu').click();
  await page.locator('.VPSidebar.open').waitFor();
  await picture(page, 'phone-menu');
  const wide = [], pages = fs.readdirSync(made, { recursive: true }).filter(f => f.endsWith('.html') && !f.startsWith('files'));
  for (const name of pages) {
    await page.goto(start + name, { waitUntil: 'load' });
    const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (over > 1) wide.push([name, over]);
  }
  ok(`no page of ${pages.length} is wider than a phone`, wide.length === 0, wide);
  await page.goto(start + 'settings.html', { waitUntil: 'networkidle' });
  await picture(page, 'phone-settings');
  await page.close();
}

{ // without scripts a page is still there to be read
  const page = await open({ viewport: { width: 1280, height: 800 }, javaScriptEnabled: false }, 'privacy.html');
  ok('a page can be read without scripts', (await page.locator('.vp-doc h1').innerText()).startsWith('Privacy'));
  await page.close();
}
ok('nothing was asked elsewhere', strangers.length === 0, strangers);
await browser.close();
server.close();
process.exit(failed ? 1 : 0);

// termshot.mjs draws terminal screens: node termshot.mjs screen.ansi [...] writes screen.png next to each.
// The input is the output of `tmux capture-pane -e -p`; Chromium draws it, so the picture has the real screen's text and colours.
import fs from 'node:fs'; import { createRequire } from 'node:module'; import { spawnSync } from 'node:child_process';
const { chromium } = createRequire(new URL('../vscode/package.json', import.meta.url))('playwright-core');
const base16 = ['#000', '#c33', '#2a2', '#a80', '#36c', '#a3a', '#099', '#ccc', '#666', '#f55', '#5d5', '#fd5', '#68f', '#f6f', '#5dd', '#fff'];
const c256 = n => n < 16 ? base16[n] : n > 231 ? `rgb(${Array(3).fill(8 + (n - 232) * 10)})` : (n -= 16, `rgb(${[n / 36 | 0, (n / 6 | 0) % 6, n % 6].map(v => v ? 55 + v * 40 : 0)})`);
const esc = s => s.replace(/[&<>]/g, m => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[m]);
export function html(ansi) {
  let st = {}, body = '';
  for (const part of ansi.replace(/\n+$/, '\n').split(/(\x1b\[[0-9;:]*m)/)) {
    const m = /^\x1b\[([0-9;:]*)m$/.exec(part);
    if (!m) { const fg = st.rev ? st.bg || 'var(--bg)' : st.fg, bg = st.rev ? st.fg || 'var(--fg)' : st.bg;
      const css = [fg && `color:${fg}`, bg && `background:${bg}`, st.b && 'font-weight:bold', st.i && 'font-style:italic', st.u && 'text-decoration:underline'].filter(Boolean).join(';');
      body += css ? `<span style="${css}">${esc(part)}</span>` : esc(part); continue; }
    const p = m[1].split(/[;:]/).map(Number);
    for (let i = 0; i < p.length; i++) { const n = p[i];
      if (n === 0) st = {}; else if (n === 1) st.b = 1; else if (n === 3) st.i = 1; else if (n === 4) { st.u = 1; if (m[1].startsWith('4:')) { st.u = p[1]; break; } } else if (n === 7) st.rev = 1;
      else if (n === 22) delete st.b; else if (n === 23) delete st.i; else if (n === 24) delete st.u; else if (n === 27) delete st.rev; else if (n === 39) delete st.fg; else if (n === 49) delete st.bg;
      else if (n >= 30 && n < 38) st.fg = base16[n - 30]; else if (n >= 90 && n < 98) st.fg = base16[n - 82]; else if (n >= 40 && n < 48) st.bg = base16[n - 40]; else if (n >= 100 && n < 108) st.bg = base16[n - 92];
      else if (n === 38 || n === 48 || n === 58) { let c; if (p[i + 1] === 5) { c = c256(p[i + 2]); i += 2; } else { c = `rgb(${p.slice(i + 2, i + 5)})`; i += 4; } if (n === 38) st.fg = c; else if (n === 48) st.bg = c; } }
  }
  return `<body style="--bg:#16181d;--fg:#d8dee9;margin:0;background:#16181d"><pre id=t style="margin:0;padding:12px;display:inline-block;min-width:100ch;background:var(--bg);color:var(--fg);font:15px/1.25 'DejaVu Sans Mono',monospace">${body}</pre>`;
}
const exe = process.env.CHROMIUM || spawnSync('sh', ['-c', 'command -v chromium || command -v google-chrome'], { encoding: 'utf8' }).stdout.trim();
const b = await chromium.launch({ executablePath: exe, args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
const page = await b.newPage({ viewport: { width: 1000, height: 500 } });
for (const f of process.argv.slice(2)) { await page.setContent(html(fs.readFileSync(f, 'utf8'))); await page.locator('#t').screenshot({ path: f.replace(/\.ansi$/, '') + '.png' }); }
await b.close();

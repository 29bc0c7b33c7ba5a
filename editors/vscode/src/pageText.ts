// The text of pages. It does not import VS Code, so that it can be tested.

/** ours matches a link to a file, as the server writes it; words of others have a backslash before the bracket. */
const ours = /(?<!\\)\]\(<(file:\/\/[^<>\s]*)>\)/g;

/**
 * targetsOf numbers the links to files, because VS Code's Markdown has none: the nth becomes a link to the fragment
 * lacuna-n. What stands between fences is left alone.
 */
export function targetsOf(text: string): { markdown: string; targets: string[] } {
  const targets: string[] = [];
  let fence = '';
  const markdown = text.split('\n').map(line => {
    const mark = /^`{3,}/.exec(line)?.[0] ?? '';
    if (fence !== '') {
      if (mark.length >= fence.length) fence = '';
      return line;
    }
    fence = mark;
    return line.replace(ours, (_, target: string) => `](#lacuna-${targets.push(target) - 1})`);
  }).join('\n');
  return { markdown, targets };
}

/** linked gives the links of a rendered page their addresses. */
export function linked(html: string, addresses: readonly string[]): string {
  return html.replace(/href="#lacuna-(\d+)"/g, (whole, n: string) => {
    const address = addresses[Number(n)];
    return address === undefined ? whole : `href="${escapeHtml(address)}"`;
  });
}

/** escapeHtml makes a text safe in HTML, also between quotation marks. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, found => `&#${found.charCodeAt(0)};`);
}

/** pageHtml is the whole of a page. Nothing in it runs, and nothing is loaded. */
export function pageHtml(body: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>${style}</style>
</head>
<body>${body}</body>
</html>`;
}

const style = `
body { font: var(--vscode-markdown-font-size, 14px)/1.55 var(--vscode-markdown-font-family, var(--vscode-font-family)); color: var(--vscode-foreground); max-width: 48em; margin: 0 auto; padding: 0 1.5em 4em; overflow-wrap: anywhere; }
h1 { font-size: 1.6em; font-weight: 600; line-height: 1.25; margin: 1.2em 0 .6em; }
h2 { font-size: 1.15em; font-weight: 600; margin: 1.8em 0 .5em; }
a { color: var(--vscode-textLink-foreground); text-decoration: none; }
a:hover, a:focus { color: var(--vscode-textLink-activeForeground); text-decoration: underline; }
ul { padding-left: 1.3em; }
li { margin: .25em 0; }
ul ul { color: var(--vscode-descriptionForeground); }
hr { border: 0; border-top: 1px solid var(--vscode-panel-border, var(--vscode-contrastBorder)); }
blockquote { margin: .5em 0; padding: .1em 1em; border-left: 3px solid var(--vscode-textBlockQuote-border, var(--vscode-contrastBorder)); background: var(--vscode-textBlockQuote-background); }
summary { cursor: pointer; margin: .5em 0; }
summary:focus-visible { outline: 1px solid var(--vscode-focusBorder); }
pre { padding: .8em 1em; overflow: auto; white-space: pre-wrap; background: var(--vscode-textCodeBlock-background); border: 1px solid var(--vscode-contrastBorder, transparent); }
code { font-family: var(--vscode-editor-font-family, monospace); font-size: .92em; }
`;

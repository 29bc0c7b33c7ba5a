// Adds links to hovers, because a hover that shows a source should lead there. The server's text contains untrusted
// words, so it must not run commands; the links are in a separate, trusted text.
import * as vscode from 'vscode';
import type { HoverMiddleware } from 'vscode-languageclient';
import { at, type At } from './places';

/** The commands that a hover may run. */
const allowed = ['lacuna.editor.openSource', 'lacuna.editor.answer', 'lacuna.gaps.focus'];

/** Definition returns the source of the citation at a position, if there is one. */
type Definition = (document: vscode.TextDocument, position: vscode.Position, token: vscode.CancellationToken) => Promise<vscode.Location | undefined>;

/** provideHover adds the links to the server's hover. */
export function provideHover(definition: Definition): NonNullable<HoverMiddleware['provideHover']> {
  return async (document, position, token, next) => {
    const hover = await next(document, position, token);
    if (!hover || token.isCancellationRequested) return hover;
    const source = await definition(document, position, token);
    const links = source
      ? [link('Open the source', 'lacuna.editor.openSource', at(source.uri, source.range.start))]
      : [link('Answer', 'lacuna.editor.answer', at(document.uri, position)), link('All gaps', 'lacuna.gaps.focus')];
    const added = new vscode.MarkdownString(links.join(' · '));
    added.isTrusted = { enabledCommands: allowed };
    return new vscode.Hover([...hover.contents, added], hover.range);
  };
}

function link(title: string, command: string, argument?: At): string {
  // A bracket in a file name would end the link.
  const query = argument === undefined ? '' : `?${encodeURIComponent(JSON.stringify([argument])).replaceAll('(', '%28').replaceAll(')', '%29')}`;
  return `[${title}](command:${command}${query})`;
}

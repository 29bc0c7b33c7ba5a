// Hovers end in links, because a hover with a source and no way to it is a dead end. The server's text, which has
// words of strangers in it, is never trusted with commands; the links stand in a text of their own.
import * as vscode from 'vscode';
import type { HoverMiddleware } from 'vscode-languageclient';
import { at, type At } from './places';
import type { Server } from './server';

/** Commands that a hover may run. */
const allowed = ['lacuna.editor.openSource', 'lacuna.editor.answer', 'lacuna.gaps.focus'];

/** provideHover adds the links to what the server says. */
export function provideHover(server: Server): NonNullable<HoverMiddleware['provideHover']> {
  return async (document, position, token, next) => {
    const hover = await next(document, position, token);
    if (!hover || token.isCancellationRequested) return hover;
    const source = await server.definition(document, position, token);
    const links = source
      ? [link('Open the source', 'lacuna.editor.openSource', at(source.uri, source.range.start))]
      : [link('Answer', 'lacuna.editor.answer', at(document.uri, position)), link('All gaps', 'lacuna.gaps.focus')];
    const added = new vscode.MarkdownString(links.join(' · '));
    added.isTrusted = { enabledCommands: allowed };
    return new vscode.Hover([...hover.contents, added], hover.range);
  };
}

function link(title: string, command: string, argument?: At): string {
  // A bracket in the name of a file would end the link.
  const query = argument === undefined ? '' : `?${encodeURIComponent(JSON.stringify([argument])).replaceAll('(', '%28').replaceAll(')', '%29')}`;
  return `[${title}](command:${command}${query})`;
}

// The view of what the sources do not know, note by note.
import * as vscode from 'vscode';
import { byNote, describe, type Note } from './gaps';
import type { Gap, Gaps } from './protocol';
import type { Server } from './server';
import { keepFresh } from './views';
import { count } from './statusText';

type Node = { note: Note } | { gap: Gap };

/** gapsView shows the open gaps; it refreshes only while it is visible. */
export function gapsView(server: Server): vscode.Disposable {
  let notes: Note[] = [];
  const changed = new vscode.EventEmitter<void>();
  const provider: vscode.TreeDataProvider<Node> = {
    onDidChangeTreeData: changed.event,
    getChildren: node => {
      if (node === undefined) return notes.map(note => ({ note }));
      return 'note' in node ? node.note.gaps.map(gap => ({ gap })) : [];
    },
    getTreeItem: node => 'note' in node ? noteItem(server, node.note) : gapItem(node.gap),
  };
  const view = vscode.window.createTreeView('lacuna.gaps', { treeDataProvider: provider, showCollapseAll: true });
  const refresh = async (): Promise<void> => {
    const reply = await server.ask<Gaps>('lacuna.listGaps');
    notes = byNote(reply?.gaps ?? []);
    changed.fire();
  };
  const showCount = (): void => {
    const total = (server.status?.folders ?? []).reduce((sum, folder) => sum + folder.gaps, 0);
    view.badge = total > 0 ? { value: total, tooltip: count(total, 'open gap') } : undefined;
  };
  return vscode.Disposable.from(view, changed, keepFresh(view, server, refresh), server.onDidChange(showCount));
}

function noteItem(server: Server, note: Note): vscode.TreeItem {
  const uri = server.uriFrom(note.uri);
  const item = new vscode.TreeItem(uri, vscode.TreeItemCollapsibleState.Expanded);
  item.id = note.uri;
  item.description = count(note.gaps.length, 'gap');
  item.iconPath = vscode.ThemeIcon.File;
  item.contextValue = 'note';
  return item;
}

function gapItem(gap: Gap): vscode.TreeItem {
  const item = new vscode.TreeItem(gap.text);
  item.description = gap.question;
  item.tooltip = describe(gap);
  item.iconPath = new vscode.ThemeIcon(gap.code === 'generated-background' ? 'sparkle' : 'question');
  item.contextValue = 'gap';
  item.command = { command: 'lacuna.editor.goToGap', title: 'Go to the Question', arguments: [{ gap }] };
  item.accessibilityInformation = { label: `${gap.text}; asked: ${gap.question}` };
  return item;
}

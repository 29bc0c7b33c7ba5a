// The view of the sources: which of their files were indexed, skipped or failed, and why.
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Source, SourceFile, Sources } from './protocol';
import type { Server } from './server';
import { byUrgency, details, outcome, summary } from './sources';
import { count } from './statusText';
import { keepFresh } from './views';

type Folder = Sources['folders'][number];
type Node = { folder: Folder } | { source: Source } | { file: SourceFile } | { line: string };

/** sourcesView shows the sources; it refreshes only while it is visible. If one folder is open, its sources are at the top level. */
export function sourcesView(server: Server): vscode.Disposable {
  let folders: Folder[] = [];
  const changed = new vscode.EventEmitter<void>();
  const provider: vscode.TreeDataProvider<Node> = {
    onDidChangeTreeData: changed.event,
    getChildren: node => {
      if (node === undefined) return folders.length === 1 ? sourcesOf(folders[0]) : folders.map(folder => ({ folder }));
      if ('folder' in node) return sourcesOf(node.folder);
      return 'source' in node ? filesOf(node.source) : [];
    },
    getTreeItem: node => {
      if ('folder' in node) return folderItem(node.folder);
      if ('source' in node) return sourceItem(node.source);
      return 'file' in node ? fileItem(server, node.file) : new vscode.TreeItem(node.line);
    },
  };
  const view = vscode.window.createTreeView('lacuna.sources', { treeDataProvider: provider, showCollapseAll: true });
  const refresh = async (): Promise<void> => {
    const reply = await server.ask<Sources>('lacuna.listSources');
    folders = reply?.folders.filter(folder => folder.sources.length > 0) ?? [];
    changed.fire();
  };
  return vscode.Disposable.from(view, changed, keepFresh(view, server, refresh));
}

function sourcesOf(folder: Folder | undefined): Node[] {
  return folder?.sources.map(source => ({ source })) ?? [];
}

function filesOf(source: Source): Node[] {
  const lines = [...(source.left ? [`and ${count(source.left, 'file')} more`] : []), ...(source.others ?? [])];
  return [...byUrgency(source.files).map(file => ({ file })), ...lines.map(line => ({ line }))];
}

function folderItem(folder: Folder): vscode.TreeItem {
  const item = new vscode.TreeItem(folder.name, vscode.TreeItemCollapsibleState.Expanded);
  item.id = folder.uri;
  item.iconPath = vscode.ThemeIcon.Folder;
  return item;
}

function sourceItem(source: Source): vscode.TreeItem {
  const item = new vscode.TreeItem(source.name, vscode.TreeItemCollapsibleState.Collapsed);
  item.description = summary(source);
  item.tooltip = [source.root, summary(source), source.kept, source.leftOut && `left out: ${source.leftOut}`].filter(Boolean).join('\n');
  item.iconPath = source.failed > 0 ? new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground')) : new vscode.ThemeIcon('library');
  return item;
}

function fileItem(server: Server, file: SourceFile): vscode.TreeItem {
  const uri = server.uriFrom(file.uri);
  const item = new vscode.TreeItem(path.posix.basename(file.path));
  item.description = [outcome(file), path.posix.dirname(file.path)].filter(part => part !== '.').join(' · ');
  item.tooltip = details(file);
  item.iconPath = new vscode.ThemeIcon(file.partly ? 'warning' : { indexed: 'file', skipped: 'circle-slash', failed: 'error' }[file.state]);
  item.command = { command: 'vscode.open', title: 'Open', arguments: [uri] };
  item.accessibilityInformation = { label: `${file.path}: ${outcome(file)}` };
  return item;
}

// The view of the sources: what was read of their files, what was not and why, and the way to add a folder.
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { FolderStatus, Source, SourceFile, Sources } from './protocol';
import type { Server } from './server';
import { countOf, details, outcome, summary, treeOf, unread, type Branch } from './sources';
import { count } from './statusText';
import { keepFresh } from './views';

type Folder = Sources['folders'][number];
type Node = { folder: Folder } | { source: Source; folder: Folder } | { unread: SourceFile[]; source: Source } | { branch: Branch; source: Source } | { file: SourceFile; attention?: boolean } | { line: string } | { add: true };

/** sourcesView shows the sources; it refreshes only while it is visible. If one folder is open, its sources are at the top level. */
export function sourcesView(server: Server): vscode.Disposable {
  let folders: Folder[] = [];
  const changed = new vscode.EventEmitter<void>();
  const statusOf = (folder: Folder): FolderStatus | undefined => server.status?.folders.find(({ uri }) => uri === folder.uri);
  const provider: vscode.TreeDataProvider<Node> = {
    onDidChangeTreeData: changed.event,
    getChildren: node => {
      if (node === undefined) return folders.length === 0 ? [] : [...(folders.length === 1 ? sourcesOf(folders[0]) : folders.map(folder => ({ folder }))), { add: true }];
      if ('source' in node && 'folder' in node) return partsOf(node.source);
      if ('folder' in node) return sourcesOf(node.folder);
      if ('unread' in node) return node.unread.map(file => ({ file, attention: true }));
      return 'branch' in node ? inside(node.branch, node.source) : [];
    },
    getTreeItem: node => {
      if ('source' in node && 'folder' in node) return sourceItem(node.source, statusOf(node.folder));
      if ('folder' in node) return folderItem(node.folder);
      if ('unread' in node) return unreadItem(node.unread, node.source);
      if ('branch' in node) return branchItem(node.branch, node.source);
      if ('add' in node) return addItem();
      return 'file' in node ? fileItem(server, node.file, node.attention === true) : new vscode.TreeItem(node.line);
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
  return folder?.sources.map(source => ({ source, folder })) ?? [];
}

/** partsOf lists what a source has: what was not read, its folders and files, and what is not listed. */
function partsOf(source: Source): Node[] {
  const bad = unread(source.files);
  const lines = [...(source.left ? [`and ${count(source.left, 'file')} more`] : []), ...(source.others ?? [])];
  return [...(bad.length > 0 ? [{ unread: bad, source }] : []), ...inside(treeOf(source.files), source), ...lines.map(line => ({ line }))];
}

function inside(branch: Branch, source: Source): Node[] {
  return [...branch.branches.map(next => ({ branch: next, source })), ...branch.files.map(file => ({ file }))];
}

function folderItem(folder: Folder): vscode.TreeItem {
  const item = new vscode.TreeItem(folder.name, vscode.TreeItemCollapsibleState.Expanded);
  item.id = folder.uri;
  item.iconPath = vscode.ThemeIcon.Folder;
  return item;
}

function sourceItem(source: Source, status: FolderStatus | undefined): vscode.TreeItem {
  const item = new vscode.TreeItem(source.name, vscode.TreeItemCollapsibleState.Collapsed), reading = status?.state === 'indexing';
  item.id = `source ${status?.uri ?? ''} ${source.name}`;
  item.description = reading ? `reading${status.percent === undefined ? '' : `, ${status.percent} %`}` : summary(source);
  item.tooltip = [decodeURI(source.root), summary(source), source.kept, source.leftOut && `left out: ${source.leftOut}`].filter(Boolean).join('\n');
  item.iconPath = reading ? new vscode.ThemeIcon('sync~spin')
    : source.failed > 0 ? new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'))
    : new vscode.ThemeIcon('library');
  item.accessibilityInformation = { label: `${source.name}: ${String(item.description)}` };
  item.contextValue = 'source';
  return item;
}

function unreadItem(files: SourceFile[], source: Source): vscode.TreeItem {
  const item = new vscode.TreeItem('Not read, or only in part', vscode.TreeItemCollapsibleState.Expanded);
  item.id = `unread ${source.root}`;
  item.description = count(files.length, 'file');
  item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  return item;
}

function branchItem(branch: Branch, source: Source): vscode.TreeItem {
  const item = new vscode.TreeItem(branch.name, vscode.TreeItemCollapsibleState.Collapsed), { files, passages } = countOf(branch);
  item.id = `branch ${source.root} ${branch.path}`;
  item.description = `${count(files, 'file')}, ${count(passages, 'passage')}`;
  item.iconPath = vscode.ThemeIcon.Folder;
  return item;
}

/** addItem is the last row: the way to add a folder. */
function addItem(): vscode.TreeItem {
  const item = new vscode.TreeItem('Add a Folder…');
  item.iconPath = new vscode.ThemeIcon('add');
  item.command = { command: 'lacuna.editor.chooseSources', title: 'Add a Folder' };
  item.tooltip = 'Answer questions from another folder of yours, too';
  return item;
}

function fileItem(server: Server, file: SourceFile, attention: boolean): vscode.TreeItem {
  const uri = server.uriFrom(file.uri), folder = path.posix.dirname(file.path);
  const item = new vscode.TreeItem(path.posix.basename(file.path));
  item.description = attention && folder !== '.' ? `${outcome(file)} · ${folder}` : outcome(file);
  item.tooltip = details(file);
  item.iconPath = new vscode.ThemeIcon(file.partly ? 'warning' : { indexed: 'file', skipped: 'circle-slash', failed: 'error' }[file.state]);
  item.command = { command: 'vscode.open', title: 'Open', arguments: [uri] };
  item.accessibilityInformation = { label: `${file.path}: ${outcome(file)}` };
  return item;
}

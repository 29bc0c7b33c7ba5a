// The view of what the sources do not know, question by question.
import * as vscode from 'vscode';
import { arrange, arrangementText, describe, levelText, usual, type Arrangement, type Group, type Question } from './gaps';
import type { Gap, Gaps } from './protocol';
import type { Server } from './server';
import { keepFresh } from './views';
import { count } from './statusText';

type Node = { group: Group } | { question: Question; gap?: Gap } | { gap: Gap };

/** The key under which the arrangement of the view is stored, for each workspace. */
const arrangementKey = 'lacuna.gaps.arrangement';

/** gapsView shows the open gaps; it refreshes only while it is visible. */
export function gapsView(server: Server, state: vscode.Memento): vscode.Disposable {
  let gaps: Gap[] = [], how: Arrangement = { ...usual, ...state.get<Partial<Arrangement>>(arrangementKey) };
  const changed = new vscode.EventEmitter<void>();
  const provider: vscode.TreeDataProvider<Node> = {
    onDidChangeTreeData: changed.event,
    getChildren: node => {
      if (node === undefined) {
        const groups = arrange(gaps, how);
        return how.group === 'none' ? groups.flatMap(rowsOf) : groups.map(group => ({ group }));
      }
      if ('group' in node) return rowsOf(node.group);
      return 'question' in node && node.gap === undefined ? node.question.gaps.map(gap => ({ gap })) : [];
    },
    getTreeItem: node => 'group' in node ? groupItem(server, node.group) : 'question' in node ? questionItem(node.question) : gapItem(node.gap),
  };
  const view = vscode.window.createTreeView('lacuna.gaps', { treeDataProvider: provider, showCollapseAll: true });
  const draw = (): void => {
    const none = gaps.length > 0 && arrange(gaps, how).length === 0;
    view.description = arrangementText(how);
    view.message = none ? 'No gap fits. “Arrange” above shows all of them again.' : '';
    changed.fire();
  };
  const refresh = async (): Promise<void> => {
    gaps = (await server.ask<Gaps>('lacuna.listGaps'))?.gaps ?? [];
    draw();
  };
  const showCount = (): void => {
    const total = (server.status?.folders ?? []).reduce((sum, folder) => sum + folder.gaps, 0);
    view.badge = total > 0 ? { value: total, tooltip: count(total, 'open gap') } : undefined;
  };
  const rearrange = async (): Promise<void> => {
    const change = await chooseArrangement(how);
    if (change === undefined) return;
    how = { ...how, ...change };
    void state.update(arrangementKey, how);
    draw();
  };
  return vscode.Disposable.from(
    view, changed, keepFresh(view, server, refresh), server.onDidChange(showCount),
    vscode.commands.registerCommand('lacuna.editor.arrangeGaps', rearrange),
  );
}

/** chooseArrangement lets the user change one thing about the arrangement. */
async function chooseArrangement(now: Arrangement): Promise<Partial<Arrangement> | undefined> {
  const entry = (label: string, change: Partial<Arrangement>): vscode.QuickPickItem & { change: Partial<Arrangement> } => {
    const chosen = Object.entries(change).every(([key, value]) => now[key as keyof Arrangement] === value);
    return { label, change, ...(chosen && { description: 'now' }) };
  };
  const heading = (label: string) => ({ label, kind: vscode.QuickPickItemKind.Separator, change: {} });
  const find = { label: 'Only Those with Words…', change: {}, ...(now.words !== '' && { description: `now “${now.words}”` }) };
  const row = await vscode.window.showQuickPick([
    heading('Show'), entry('All Gaps', { certain: false, words: '' }), entry('Only What Is Almost Certainly Missing', { certain: true }), find,
    heading('Group'), entry('By Note', { group: 'note' }), entry('By Subject', { group: 'subject' }), entry('One List', { group: 'none' }),
    heading('Order'), entry('As in the Notes', { sort: 'place' }), entry('Most Certain First', { sort: 'certainty' }), entry('Newest First', { sort: 'newest' }),
  ], { title: 'Arrange the gaps' });
  if (row !== find) return row?.change;
  const words = await vscode.window.showInputBox({ title: 'Only gaps with these words', value: now.words, placeHolder: 'in the question, its subject, what is missing, or the name of the note' });
  return words === undefined ? undefined : { words: words.trim() };
}

function rowsOf(group: Group): Node[] {
  return group.questions.map(question => question.gaps.length === 1 && question.gaps[0] ? { question, gap: question.gaps[0] } : { question });
}

function groupItem(server: Server, { name, uri, questions }: Group): vscode.TreeItem {
  const item = uri === undefined
    ? new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.Expanded)
    : new vscode.TreeItem(server.uriFrom(uri), vscode.TreeItemCollapsibleState.Expanded);
  item.id = uri ?? `subject ${name}`;
  item.description = count(questions.length, 'question');
  item.iconPath = uri === undefined ? new vscode.ThemeIcon('tag') : vscode.ThemeIcon.File;
  item.contextValue = uri === undefined ? 'subject' : 'note';
  return item;
}

function questionItem(question: Question): vscode.TreeItem {
  const [first] = question.gaps, single = question.gaps.length === 1;
  const item = new vscode.TreeItem(question.question, single ? vscode.TreeItemCollapsibleState.None : vscode.TreeItemCollapsibleState.Collapsed);
  if (first === undefined) return item;
  dress(item, first);
  item.description = single ? first.text : count(question.gaps.length, 'gap');
  item.contextValue = single ? 'gap' : 'question';
  item.accessibilityInformation = { label: `${question.question}: ${question.gaps.map(gap => gap.text).join('; ')}, ${levelText(first)}` };
  return item;
}

function gapItem(gap: Gap): vscode.TreeItem {
  const item = new vscode.TreeItem(gap.text);
  dress(item, gap);
  item.contextValue = 'gap';
  item.accessibilityInformation = { label: `${gap.text}, ${levelText(gap)}; asked: ${gap.question}` };
  return item;
}

/** dress gives a row the looks of its gap, and the way to its question. */
function dress(item: vscode.TreeItem, gap: Gap): void {
  item.tooltip = describe(gap);
  item.iconPath = gap.code === 'generated-background' ? new vscode.ThemeIcon('sparkle')
    : gap.level === 'warning' ? new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'))
    : new vscode.ThemeIcon('question');
  item.command = { command: 'lacuna.editor.goToGap', title: 'Go to the Question', arguments: [{ gap }] };
}

// Shows what is known of each question in grey behind it, so that no line moves when it comes. It is the server's code
// lenses that say it; those that are more than a state stay lenses.
import * as vscode from 'vscode';
import type { CodeLensMiddleware } from 'vscode-languageclient';
import { stateOf, type State } from './stateText';

interface Shown extends State {
  line: number;
}

/** QuestionStates draws the states of the questions of visible notes. */
export class QuestionStates implements vscode.Disposable {
  private readonly known = new Map<string, { version: number; states: Shown[] }>();
  private readonly words = vscode.window.createTextEditorDecorationType({
    after: { margin: '0 0 0 2em', color: new vscode.ThemeColor('editorCodeLens.foreground'), fontStyle: 'normal' }, rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  private readonly icons: Record<NonNullable<State['icon']>, vscode.TextEditorDecorationType>;
  private readonly following: vscode.Disposable;

  constructor(media: vscode.Uri) {
    const icon = (name: string): vscode.TextEditorDecorationType => vscode.window.createTextEditorDecorationType({
      gutterIconSize: '75%',
      light: { gutterIconPath: vscode.Uri.joinPath(media, `${name}-light.svg`) }, dark: { gutterIconPath: vscode.Uri.joinPath(media, `${name}-dark.svg`) },
    });
    this.icons = { answer: icon('answer'), places: icon('places'), gap: icon('gap') };
    this.following = vscode.Disposable.from(
      vscode.window.onDidChangeVisibleTextEditors(editors => { for (const editor of editors) this.draw(editor); }),
      vscode.workspace.onDidCloseTextDocument(document => { this.known.delete(document.uri.toString()); }),
    );
  }

  /** provideCodeLenses takes the states out of the lenses and draws them, unless the user wants them above. */
  readonly provideCodeLenses: NonNullable<CodeLensMiddleware['provideCodeLenses']> = async (document, token, next) => {
    const version = document.version, lenses = await next(document, token) ?? [];
    if (token.isCancellationRequested || document.version !== version) return lenses;
    const behind = vscode.workspace.getConfiguration('lacuna', document.uri).get('questionState') !== 'above';
    const isState = (lens: vscode.CodeLens): boolean => behind && lens.command?.command === 'lacuna.answerQuestion';
    const states = lenses.filter(isState).flatMap(({ range, command }): Shown[] => {
      const state = stateOf(command?.title ?? '');
      return state ? [{ ...state, line: range.start.line }] : [];
    });
    this.known.set(document.uri.toString(), { version, states });
    for (const editor of vscode.window.visibleTextEditors) if (editor.document === document) this.draw(editor);
    return lenses.filter(lens => !isState(lens));
  };

  dispose(): void {
    vscode.Disposable.from(this.following, this.words, ...Object.values(this.icons)).dispose();
  }

  private draw(editor: vscode.TextEditor): void {
    const { document } = editor, known = this.known.get(document.uri.toString());
    if (known?.version !== document.version) return; // those that are drawn move with the text until the next come
    const at = ({ line }: Shown): vscode.Range => document.lineAt(Math.min(line, document.lineCount - 1)).range;
    const end = (state: Shown): vscode.Range => new vscode.Range(at(state).end, at(state).end);
    editor.setDecorations(this.words, known.states.map(state => ({ range: end(state), renderOptions: { after: { contentText: state.text } } })));
    for (const [icon, look] of Object.entries(this.icons)) {
      editor.setDecorations(look, known.states.filter(state => state.icon === icon).map(state => ({ range: end(state) })));
    }
  }
}

// Places in documents, as the arguments of commands carry them.
import * as vscode from 'vscode';

/** At is a place that can be sent as JSON. */
export interface At {
  uri: string;
  line: number;
  character: number;
}

export function at(uri: vscode.Uri, position: vscode.Position): At {
  return { uri: uri.toString(), line: position.line, character: position.character };
}

/** show opens a document at a place. It ignores values that are not places. */
export async function show(place: unknown): Promise<vscode.TextEditor | undefined> {
  if (!isAt(place)) return undefined;
  const position = new vscode.Position(place.line, place.character);
  return vscode.window.showTextDocument(vscode.Uri.parse(place.uri, true), { selection: new vscode.Range(position, position) });
}

export function isAt(value: unknown): value is At {
  const { uri, line, character } = (value ?? {}) as Partial<At>;
  return typeof uri === 'string' && isIndex(line) && isIndex(character);
}

function isIndex(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

// The lines and comments of an answer that are for Lacuna and not for the reader, by their offsets. The server writes
// them (handlers/note); every language of notes has its own comment.
const own = new RegExp([
  String.raw`^[ \t]*(?:>[ \t]*)*<!-- lacuna(?::answer|:end| [0-9a-f]{8}(?:-\d+)?\b)[^\n]*?-->`,
  String.raw`<!-- lacuna:cite [0-9a-f]{32} -->`,
  String.raw`@@comment:lacuna:cite [0-9a-f]{32}@@`,
  String.raw`[%/]{1,2} lacuna:cite [0-9a-f]{32}`,
  String.raw`^[ \t]*(?:#|%|\.\.|//) lacuna(?::answer|:end| [0-9a-f]{8}(?:-\d+)?)(?: [0-9a-f-]+)*(?: taken)?[ \t\r]*$`,
  String.raw`^[ \t]*\(lacuna [0-9a-f]{8}(?:-\d+)?(?: [0-9a-f]{4})*(?: taken)?\)`,
  String.raw`^[ \t]*--- (?:end of )?lacuna answer[^\n]*---`,
].join('|'), 'gm');

/** machineryIn returns what a reader of a text can do without: where each stretch begins and ends. */
export function machineryIn(text: string): { start: number; end: number }[] {
  return [...text.matchAll(own)].map(found => ({ start: found.index, end: found.index + found[0].length }));
}

// The text of choices. Nothing here knows VS Code, so that it can be tested.

/** rowOf is a choice of the server as a row of a list: "name · what it is, up to 3 calls" has its name first. */
export function rowOf(title: string): { label: string; description?: string } {
  const at = title.indexOf(' · ');
  return at < 0 ? { label: title } : { label: title.slice(0, at), description: title.slice(at + 3) };
}

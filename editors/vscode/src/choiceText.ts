// The text of choices. It does not import VS Code, so that it can be tested.

/** rowOf converts a choice of the server to a row of a list: "name · what it is, up to 3 calls" begins with the name. */
export function rowOf(title: string): { label: string; description?: string } {
  const at = title.indexOf(' · ');
  return at < 0 ? { label: title } : { label: title.slice(0, at), description: title.slice(at + 3) };
}

/** headed takes the first paragraph of a question for its heading. */
export function headed(message: string): { heading: string; detail: string } {
  const [heading = '', ...rest] = message.split('\n\n');
  return { heading, detail: rest.join('\n\n') };
}

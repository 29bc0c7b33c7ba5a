// What stands behind a question. It does not import VS Code, so that it can be tested.

/** State says what is known of a question: a few words, and the icon beside it. */
export interface State {
  text: string;
  icon?: 'answer' | 'places' | 'gap';
}

/** stateOf turns the title of a code lens into what stands behind its question; undefined if nothing is known yet. */
export function stateOf(title: string): State | undefined {
  const text = title.replace(/^Answer( again)?( · |$)/, ''), answered = title.startsWith('Answer again');
  if (text === '') return undefined;
  const icon = /\bgaps?\b/.test(text) ? 'gap' : /\bplaces?\b/.test(text) ? 'places' : /\bsources?\b/.test(text) && !answered ? 'answer' : undefined;
  return { text, ...(icon && { icon }) };
}

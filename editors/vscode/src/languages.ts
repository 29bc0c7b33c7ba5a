/** The languages of notes: what the server reads questions from. */
export const languages = [
  'markdown', 'quarto', 'plaintext', 'org', 'latex', 'tex', 'restructuredtext', 'asciidoc', 'typst',
] as const;

/** documents selects the documents that are synchronised with the server, Markdown cells of notebooks among them. */
export const documents = [
  ...languages.flatMap(language => ['file', 'untitled'].map(scheme => ({ language, scheme }))),
  { language: 'markdown', scheme: 'vscode-notebook-cell' },
];

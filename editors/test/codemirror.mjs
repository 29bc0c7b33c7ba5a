// CodeMirror's language client end to end, in a page without a screen:
//   node codemirror.mjs lacuna copy-of-the-clinic
// It has marks, hovers, completion and definitions of its own. It has no menu of actions and applies no edits of commands,
// so the page brings a menu, as one that embeds the editor would: it asks for actions and applies the edit that they carry.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL, fileURLToPath } from "node:url";
import { JSDOM } from "jsdom";

const [program, folder] = process.argv.slice(2);
const { window } = new JSDOM("<!doctype html><body></body>", { pretendToBeVisual: true });
for (const name of ["window", "Window", "document", "Node", "HTMLElement", "Element", "MutationObserver", "Range", "DOMRect", "requestAnimationFrame", "cancelAnimationFrame", "getSelection", "getComputedStyle", "KeyboardEvent", "MouseEvent", "Event"])
  globalThis[name] = name === "window" ? window : window[name]?.bind && !window[name].prototype ? window[name].bind(window) : window[name];
window.Range.prototype.getClientRects = () => [];
window.Range.prototype.getBoundingClientRect = () => ({ left: 0, right: 0, top: 0, bottom: 0 });

const { EditorView } = await import("@codemirror/view");
const { EditorState } = await import("@codemirror/state");
const { forEachDiagnostic } = await import("@codemirror/lint");
const { history, undo } = await import("@codemirror/commands");
const { LSPClient, serverDiagnostics, hoverTooltips, serverCompletionSource, jumpToDefinition } = await import("@codemirror/lsp-client");
const { CompletionContext } = await import("@codemirror/autocomplete");

const begun = Date.now(), scale = Number(process.env.WAIT_SCALE || 1);
function report(name, passed, extra) {
  console.log(`${passed ? "ok  " : "FAIL"} ${name} (${Date.now() - begun} ms)${passed ? "" : " " + JSON.stringify(extra)}`);
  if (!passed) { server.kill(); process.exit(1); }
}
async function wait(name, condition, seconds = 30) {
  const end = Date.now() + seconds * 1000 * scale;
  let found;
  while (!(found = await condition()) && Date.now() < end) await new Promise((done) => setTimeout(done, 20));
  report(name, Boolean(found), view?.state.doc.toString());
  return found;
}

// Messages with their length in front, on the standard streams.
const server = spawn(program, ["serve"], { stdio: ["pipe", "pipe", "inherit"] });
const handlers = new Set();
let received = Buffer.alloc(0);
server.stdout.on("data", (data) => {
  received = Buffer.concat([received, data]);
  for (;;) {
    const end = received.indexOf("\r\n\r\n");
    const length = end < 0 ? NaN : Number(/Content-Length: (\d+)/i.exec(received.subarray(0, end))[1]);
    if (!(received.length >= end + 4 + length)) return;
    const message = received.subarray(end + 4, end + 4 + length).toString();
    received = received.subarray(end + 4 + length);
    for (const handler of handlers) handler(message);
  }
});
const transport = {
  send: (message) => server.stdin.write(`Content-Length: ${Buffer.byteLength(message)}\r\n\r\n${message}`),
  subscribe: (handler) => handlers.add(handler),
  unsubscribe: (handler) => handlers.delete(handler),
};

// The page shows one editor for each file that is asked for.
let shown, view;
const menu = { clientCapabilities: { textDocument: { codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: [] } } } } } };
const client = new LSPClient({ rootUri: pathToFileURL(folder).href, timeout: 30000 * scale, extensions: [serverDiagnostics(), hoverTooltips(), menu] });
client.workspace.displayFile = async (uri) => { shown = uri; return client.workspace.getFile(uri)?.getView() ?? editor(fileURLToPath(uri)); };

function editor(path) {
  return new EditorView({
    parent: document.body,
    state: EditorState.create({ doc: readFileSync(path, "utf8"), extensions: [history(), client.plugin(pathToFileURL(path).href, "markdown")] }),
  });
}
const text = () => view.state.doc.toString();
const position = (offset) => { const line = view.state.doc.lineAt(offset); return { line: line.number - 1, character: offset - line.from }; };
const offset = (at) => view.state.doc.line(at.line + 1).from + at.character;
const put = (needle, more = 0) => { const at = text().indexOf(needle) + more; view.dispatch({ selection: { anchor: at } }); return at; };
function marks(needle) {
  const line = view.state.doc.lineAt(text().indexOf(needle)), found = [];
  forEachDiagnostic(view.state, (d, from, to) => { if (from <= line.to && to >= line.from) found.push(d); });
  return found;
}

await client.connect(transport).initializing;
const uri = pathToFileURL(join(folder, "visit.md")).href;
view = editor(join(folder, "visit.md"));
const question = "What is the usual dose of apixaban in atrial fibrillation?", sentence = "The usual dose of apixaban in atrial fibrillation is 5 mg twice a day.";
const unknown = "What is the starting dose of tirzepatide";

await wait("the gap of an unknown medicine is marked", () => marks(unknown).length > 0, 60);
report("it is named", marks(unknown)[0].message.includes("tirzepatide"), marks(unknown));
report("a gap is no error", marks(unknown).every((d) => d.severity !== "error"), marks(unknown));
report("an answered question has no mark", marks(question).length === 0, marks(question));
const original = text();

const hover = await client.request("textDocument/hover", { textDocument: { uri }, position: position(text().indexOf("tirzepatide")) });
report("the hover says what comes nearest", hover.contents.value.includes("Nearest places:"), hover);

const asked = put(question, 5);
await wait("the answer is in the note", async () => {
  client.sync();
  const actions = await client.request("textDocument/codeAction", { textDocument: { uri }, range: { start: position(asked), end: position(asked) }, context: { diagnostics: [] } });
  const action = actions.find((a) => a.title.startsWith("Answer this question"));
  if (action?.edit) {
    const edits = action.edit.changes?.[uri] ?? action.edit.documentChanges[0].edits;
    view.dispatch({ changes: edits.map((e) => ({ from: offset(e.range.start), to: offset(e.range.end), insert: e.newText })), userEvent: "input" });
  } else if (action?.command) {
    const command = typeof action.command === "string" ? action : action.command;
    await client.request("workspace/executeCommand", { command: command.command, arguments: command.arguments });
  }
  return text().includes(sentence);
});
report("below its question", text().indexOf(question) < text().indexOf(sentence));
client.sync();

const cited = await client.request("textDocument/hover", { textDocument: { uri }, position: position(text().indexOf(", line ") + 1) });
report("the hover on a citation shows the passage", cited?.contents.value.includes("For a new blood clot"), cited);

put(", line ", 1);
report("the definition is asked for", jumpToDefinition(view));
await wait("definition opens the source", () => shown?.endsWith("/apixaban.md"));
const source = await wait("in an editor", () => client.workspace.getFile(shown)?.getView());
await wait("at the sentence", () => source.state.sliceDoc(source.state.selection.main.head).startsWith(sentence));

view.dispatch({ changes: { from: text().length, insert: "\n[apix" }, selection: { anchor: text().length + 6 } });
const offered = await serverCompletionSource(new CompletionContext(view.state, text().length, true, view));
report("places of sources are offered", offered?.options.some((o) => /apixaban/i.test(o.label)), offered);
while (text() !== original && undo(view));
report("undo takes everything out", text() === original, text());
client.disconnect();
server.kill();
process.exit(0);

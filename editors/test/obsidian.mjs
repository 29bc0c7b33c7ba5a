// The plug-in for Obsidian end to end, in a page without a screen:
//   node obsidian.mjs copy-of-the-clinic copy-of-a-vault
import fs from "node:fs";
import path from "node:path";

import { commands, linting, ok, put, start, wait } from "./obsidian/plugin.mjs";

const [clinic, vault] = process.argv.slice(2);
const marks = (cm, needle) => {
  const line = cm.state.doc.lineAt(cm.state.doc.toString().indexOf(needle)), found = [];
  linting.forEachDiagnostic(cm.state, (d, from, to) => { if (from <= line.to && to >= line.from) found.push(d); });
  return found;
};

// A vault with sources of its own beside the notes.
{
  const o = await start(clinic);
  const { editor: { cm } } = await o.show("visit.md");
  const text = () => cm.state.doc.toString(), before = text();
  await wait("the gap of an unknown medicine is marked", () => marks(cm, "starting dose of tirzepatide").length > 0, text, 60);
  ok("it is named", marks(cm, "starting dose of tirzepatide")[0].message.includes("tirzepatide"));
  const known = "What is the usual dose of apixaban in atrial fibrillation?", sentence = "The usual dose of apixaban in atrial fibrillation is 5 mg twice a day.";
  ok("an answered question has no mark", marks(cm, known).length === 0, marks(cm, known));
  await wait("the status bar counts the gaps", () => /\d+ gaps?/.test(o.seen.status), () => o.seen.status);

  put(cm, known, 5);
  await o.run("actions");
  const menu = await wait("what can be done is a menu", () => o.seen.modals.at(-1));
  ok("that begins with the answer", menu.getSuggestions("")[0].title.startsWith("Answer this question"), menu.getSuggestions("").map(c => c.title));
  menu.close();
  await o.run("answer");
  await wait("the answer is in the note", () => text().includes(sentence), text);
  ok("below its question", text().indexOf(known) < text().indexOf(sentence));

  put(cm, ", line ", 1);
  await o.run("source");
  const source = await wait("the source opens", () => [...o.views].find(([name]) => name.endsWith("/apixaban.md"))?.[1], () => [...o.views.keys()]);
  await wait("at the sentence", () => source.editor.cm.state.sliceDoc(source.editor.cm.state.selection.main.from).startsWith(sentence));
  await o.show("visit.md");
  commands.undo(cm);
  ok("one undo takes the answer out", text() === before, text());

  cm.dispatch({ changes: { from: cm.state.doc.length, insert: "\nHow is zanubrutinib given?\n" } });
  await wait("a question that is written is judged", () => marks(cm, "How is zanubrutinib given").length > 0, text);
  await o.run("gaps");
  const gaps = await wait("the gaps are a list", () => o.seen.modals.at(-1));
  ok("of questions", gaps.getSuggestions("tirzepatide").length > 0, gaps.getSuggestions(""));
  gaps.close();
  o.seen.tab.display();
  ok("the settings page shows the program", o.seen.tab.containerEl.textContent.includes("Found: "), o.seen.tab.containerEl.textContent);
  const program = o.plugin.program;
  ok("no file of the vault names it", program === "" && !fs.existsSync(path.join(clinic, ".obsidian")));
  await o.plugin.server.stop();
}

// A vault whose notes are its own sources, and a program that is not there.
{
  const o = await start(vault);
  await o.show("Question.md");
  const cm = o.views.get("Question.md").editor.cm, text = () => cm.state.doc.toString();
  await o.run("use-vault");
  await wait("the vault becomes a source of itself", () => fs.existsSync(path.join(vault, ".lacuna.toml")) && fs.readFileSync(path.join(vault, ".lacuna.toml"), "utf8").includes("path"), () => o.seen.notices);
  await wait("a note is answered from another note", async () => {
    if (text().includes("every ten days")) return true;
    put(cm, "How often");
    await o.run("answer");
    await new Promise(done => setTimeout(done, 500));
    return text().includes("every ten days");
  }, () => [text(), o.seen.notices]);
  o.plugin.program = "/nowhere/lacuna";
  await o.run("restart");
  await wait("a program that is not there is told, with what to do", () => o.seen.notices.some(n => n.includes("did not find its program") && n.includes("settings")), () => o.seen.notices);
  o.plugin.program = "";
  await o.run("restart");
  await wait("and one that is there starts", () => o.plugin.server);
  await o.plugin.server.stop();
}
process.exit(0);

// The plug-in for Obsidian as it is packaged, in a page without a screen, and the steps of its tests. Obsidian itself cannot be had here: the plug-in
// runs on CodeMirror, Obsidian's editor, and on the stand-in. PLUGIN names a folder with the plug-in other than the built one.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { JSDOM } from "jsdom";

import { elements, obsidian } from "./standin.mjs";

const built = process.env.PLUGIN || path.join(import.meta.dirname, "../../obsidian/dist/lacuna");
const { window } = new JSDOM("<!doctype html><body></body>", { pretendToBeVisual: true });
for (const name of ["window", "Window", "document", "Node", "HTMLElement", "Element", "MutationObserver", "Range", "DOMRect", "requestAnimationFrame", "cancelAnimationFrame", "getSelection", "getComputedStyle", "KeyboardEvent", "MouseEvent", "Event"])
  globalThis[name] = name === "window" ? window : window[name]?.bind && !window[name].prototype ? window[name].bind(window) : window[name];
window.Range.prototype.getClientRects = () => [];
window.Range.prototype.getBoundingClientRect = () => ({ left: 0, right: 0, top: 0, bottom: 0 });

elements(window.HTMLElement.prototype);

const state = await import("@codemirror/state"), viewing = await import("@codemirror/view"), linting = await import("@codemirror/lint"), commands = await import("@codemirror/commands");
export { commands, linting };
const modules = { "@codemirror/state": state, "@codemirror/view": viewing, "@codemirror/lint": linting };

const begun = Date.now(), scale = Number(process.env.WAIT_SCALE || 1);
export function ok(name, passed = true, extra = "") {
  console.log(`${passed ? "ok  " : "FAIL"} ${name} (${Date.now() - begun} ms)${passed ? "" : " " + JSON.stringify(extra)}`);
  if (!passed) process.exit(1);
}
export async function wait(name, condition, extra = () => "", seconds = 30) {
  const end = Date.now() + seconds * 1000 * scale;
  let found;
  while (!(found = await condition()) && Date.now() < end) await new Promise(done => setTimeout(done, 20));
  ok(name, Boolean(found), extra());
  return found;
}

export async function start(folder) {
  const file = name => path.join(folder, name);
  const o = obsidian({ state, view: viewing, commands }, {
    folder, name: path.basename(folder), has: name => fs.existsSync(file(name)), read: name => fs.readFileSync(file(name), "utf8"), write: (name, text) => fs.writeFileSync(file(name), text),
  });
  const own = createRequire(import.meta.url);
  const main = { exports: {} };
  new Function("require", "module", "exports", fs.readFileSync(path.join(built, "main.js"), "utf8"))(
    name => name === "obsidian" ? o.module : modules[name] ?? own(name), main, main.exports);
  const plugin = new main.exports.default(o.app, JSON.parse(fs.readFileSync(path.join(built, "manifest.json"), "utf8")));
  await plugin.onload();
  return { ...o, plugin };
}

export const put = (cm, needle, more = 0) => { const at = cm.state.doc.toString().indexOf(needle) + more; cm.dispatch({ selection: { anchor: at } }); return at; };

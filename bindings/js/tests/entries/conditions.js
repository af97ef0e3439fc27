// Prints what an entry does in Node: `node [--conditions=...] conditions.js ENTRY`. Modules of WebAssembly are imported as the
// hosts at the edge do it, and nothing is fetched.

import { readFileSync } from "node:fs";
import { register } from "node:module";

import { replay } from "./walk.js";

const hooks = `
export async function load(url, context, next) {
  if (!url.endsWith(".wasm?module")) return next(url, context);
  const file = JSON.stringify(url.slice(0, -"?module".length));
  const source = 'import { readFileSync } from "node:fs";' +
    'export default new WebAssembly.Module(readFileSync(new URL(' + file + ')));';
  return { format: "module", source, shortCircuit: true };
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
globalThis.fetch = () => Promise.reject(new Error("an entry fetched something"));

const data = (name) => readFileSync(new URL(`../data/${name}`, import.meta.url));
const entry = await import(process.argv[2]);
entry.initSync();
const first = replay(entry, data("tiny.gvocab"), data("tiny-person.gmask"), data("tiny-person.trace"));
await entry.init({ fresh: true });
const second = replay(entry, data("tiny.gvocab"), data("tiny-xml.gmask"), data("tiny-xml.trace"));
console.log(JSON.stringify({ first, second, resolved: import.meta.resolve(process.argv[2]) }));

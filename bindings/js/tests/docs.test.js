// The examples of docs/javascript.md run, each as a module of its own.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { DATA, ROOT } from "./support.js";

const page = readFileSync(`${ROOT}docs/javascript.md`, "utf8");
const examples = [...page.matchAll(/^```js\n(.*?)^```/gms)].map(([, text]) => text);

/** What the page's later examples take from its first. */
const FIRST = `
import { readFileSync as read } from "node:fs";
import * as grammarc from "grammarc";
await grammarc.init();
const { Splitter } = grammarc;
const vocabulary = grammarc.Vocabulary.open(read("model.gvocab"));
const grammar = grammarc.Grammar.open(read("person.gmask"), vocabulary);
`;

const folder = `${DATA}docs/`;
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
copyFileSync(`${DATA}tiny.gvocab`, `${folder}model.gvocab`);
copyFileSync(`${DATA}tiny-person.gmask`, `${folder}person.gmask`);

test("the page has examples", () => assert.ok(examples.length >= 5, `${examples.length}`));

for (const [at, text] of examples.entries()) {
  test(`example ${at + 1}`, async () => {
    const file = `${folder}example-${at}.mjs`;
    writeFileSync(file, text.startsWith("import") ? text : FIRST + text);
    // A model that wants the end, after some text.
    globalThis.logitsOfTheModel = (output) => {
      const row = new Float32Array(268);
      row[34] = output.length;
      row[266] = 50;
      return row;
    };
    const [before, said, log] = [process.cwd(), [], console.log];
    process.chdir(folder);
    console.log = (...words) => said.push(words.join(" "));
    try {
      await import(pathToFileURL(file).href);
    } finally {
      console.log = log;
      process.chdir(before);
    }
    // What the page says that an example prints.
    for (const [, expected] of text.matchAll(/console\.log\(.*\);\s+\/\/ (.*)$/gm)) assert.ok(said.includes(expected), `${said}`);
  });
}

test("the table of sizes is that of the module", () => {
  const bytes = readFileSync(new URL("../src/runtime.wasm", import.meta.url)).length;
  const said = [...page.matchAll(/^\| with(?:out)? `wasm-opt` \| ([\d,]+) \|/gm)].map(([, number]) => Number(number.replaceAll(",", "")));
  assert.equal(said.length, 2);
  // Other versions of the compiler give some percent more or less.
  assert.ok(said.some((said) => Math.abs(bytes - said) < said / 20), `${bytes} bytes, and the page says ${said}`);
});

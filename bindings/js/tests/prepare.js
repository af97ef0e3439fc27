// Makes the artifacts and the recorded walks of the tests, once for each build of the command.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";

import { COMMAND, DATA, RECORD, ROOT, run } from "./support.js";

/** Texts of the tokens that are not single bytes. */
const WORDS = ['{"', '":', '": "', '", "', "true", " hello", "12", "ab", "12,", "é"];

/** A byte-level tokenizer with every byte, some words and an end token, in the form of a tokenizer.json. */
function tokenizer(words) {
  const own = (byte) => (byte >= 0x21 && byte < 0x7f) || (byte >= 0xa1 && byte !== 0xad);
  let others = 0;
  const names = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(own(byte) ? byte : 256 + others++));
  const bytes = [...Array.from({ length: 256 }, (_, byte) => [byte]), ...words.map((word) => [...Buffer.from(word)])];
  const vocab = Object.fromEntries(bytes.map((text, at) => [text.map((byte) => names[byte]).join(""), at]));
  const special = ["<|end|>", "<tool>"].map((content, at) => ({ id: bytes.length + at, content, special: true }));
  const pre = { type: "ByteLevel", add_prefix_space: false, use_regex: false };
  return {
    added_tokens: special,
    pre_tokenizer: pre,
    decoder: { type: "ByteLevel" },
    model: { type: "BPE", vocab, merges: [] },
  };
}

const PERSON = {
  type: "object",
  properties: {
    name: { type: "string", maxLength: 40 },
    age: { type: "integer", minimum: 0, maximum: 150 },
    tags: { type: "array", items: { enum: ["red", "green"] }, maxItems: 5, uniqueItems: true },
    friend: { $ref: "#" },
  },
  required: ["name"],
  additionalProperties: false,
};

const CALLS = {
  type: "structural_tag",
  format: {
    type: "triggered_tags",
    triggers: ["<call="],
    tags: [{ begin: "<call=look>", content: { type: "json_schema", json_schema: PERSON }, end: "</call>" }],
  },
};

const GRAMMARS = {
  "person.json": PERSON,
  "order.json": { properties: { b: { type: "number" }, a: { type: "boolean" } }, required: ["a", "b"], type: "object" },
  "words.json": { enum: Array.from({ length: 400 }, (_, n) => `${n * n * 7919 % 99991}`) },
  "pattern.json": { type: "string", minLength: 3, maxLength: 60, pattern: "^[a-z]+(/[a-z]+)*$" },
  "calls.tag.json": CALLS,
};

/** Walks of a small vocabulary and of a large one: number and length. */
const SMALL = [120, 120];
const LARGE = [80, 120];

function compile(source, vocabulary, name, ...flags) {
  run("compile", source, "--vocab", `${DATA}${vocabulary}.gvocab`, "-o", `${DATA}${name}.gmask`, ...flags);
}

function record(vocabulary, name, [walks, steps], seed) {
  const words = [`${DATA}${vocabulary}.gvocab`, `${DATA}${name}.gmask`, walks, steps, seed].map(String);
  writeFileSync(`${DATA}${name}.trace`, execFileSync(RECORD, words, { maxBuffer: 1 << 30 }));
}

function small() {
  writeFileSync(`${DATA}tiny.json`, JSON.stringify(tokenizer(WORDS)));
  writeFileSync(`${DATA}other.json`, JSON.stringify(tokenizer(WORDS.map((word) => (word === "ab" ? "abc" : word)))));
  for (const name of ["tiny", "other"]) {
    run("vocab", `${DATA}${name}.json`, "-o", `${DATA}${name}.gvocab`, "--end-token", "<|end|>");
  }
  const traces = [];
  for (const [file, source] of Object.entries(GRAMMARS)) {
    const name = `tiny-${file.split(".")[0]}`;
    writeFileSync(DATA + file, JSON.stringify(source));
    compile(DATA + file, "tiny", name);
    traces.push(["tiny", name]);
  }
  for (const file of ["json.gbnf", "xml.gbnf", "query.lark"]) {
    const name = `tiny-${file.split(".")[0]}`;
    compile(`${ROOT}grammars/${file}`, "tiny", name);
    traces.push(["tiny", name]);
  }
  compile(`${DATA}person.json`, "tiny", "standalone", "--standalone");
  traces.forEach(([vocabulary, name], at) => record(vocabulary, name, SMALL, at + 1));
  return traces;
}

function large() {
  const folder = `${process.env.GRAMMARC_DATA ?? `${ROOT}../shared/data`}/tokenizers/`;
  const traces = [];
  for (const vocabulary of ["llama3_1", "qwen3", "gemma3"]) {
    if (!existsSync(folder + vocabulary)) {
      console.log(`skipped: ${folder}${vocabulary} is not there`);
      continue;
    }
    run("vocab", folder + vocabulary, "-o", `${DATA}${vocabulary}.gvocab`);
    for (const file of ["invoice.json", "tool-call.json", "json.gbnf"]) {
      const name = `${vocabulary}-${file.split(".")[0]}`;
      compile(`${ROOT}grammars/${file}`, vocabulary, name);
      record(vocabulary, name, LARGE, traces.length + 100);
      traces.push([vocabulary, name]);
    }
  }
  return traces;
}

const stamp = [COMMAND, RECORD, import.meta.filename].map((file) => statSync(file).mtimeMs).join();
if (!existsSync(`${DATA}stamp`) || readFileSync(`${DATA}stamp`, "utf8") !== stamp) {
  rmSync(DATA, { recursive: true, force: true });
  mkdirSync(DATA, { recursive: true });
  writeFileSync(`${DATA}traces.json`, JSON.stringify([...small(), ...large()]));
  writeFileSync(`${DATA}stamp`, stamp);
}

// The module itself, the package's manifest, and an instance that has failed.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { ArgumentError, Grammar, GrammarcError, InternalError, UnsupportedError, Vocabulary, init, initSync } from "grammarc";

import { instance } from "../src/instance.js";
import { data, errorOf } from "./support.js";

const file = new URL("../src/runtime.wasm", import.meta.url);
const bytes = readFileSync(file);

test("calls before init say what to do", () => {
  const error = errorOf(() => Vocabulary.open(data("tiny.gvocab")), GrammarcError, "argument");
  assert.equal(error.message, "call and await init() first, or call initSync()");
});

test("a module that is none, and an engine that lacks a feature", async () => {
  await assert.rejects(init({ module: new Uint8Array(8) }), WebAssembly.CompileError);
  const { validate } = WebAssembly;
  WebAssembly.validate = () => false;
  try {
    await assert.rejects(init({ module: new Uint8Array(8) }), UnsupportedError);
    const error = errorOf(() => initSync({ module: new Uint8Array(8) }), UnsupportedError, "unsupported");
    assert.match(error.message, /lacks SIMD128, bulk memory, saturating conversion, sign extension$/);
  } finally {
    WebAssembly.validate = validate;
  }
});

test("init takes bytes, a module, a response, and nothing; concurrent calls share one instance", async () => {
  const module = new WebAssembly.Module(bytes);
  for (const from of [module, bytes, new Response(bytes), Promise.resolve(new Response(bytes)), undefined]) {
    await init({ module: from, fresh: true });
    const first = instance();
    await Promise.all([init(), init()]);
    assert.equal(instance(), first);
  }
  initSync({ module, fresh: true });
});

test("the module imports nothing, and needs what its page says", () => {
  const module = new WebAssembly.Module(bytes);
  assert.deepEqual(WebAssembly.Module.imports(module), []);
  const kinds = WebAssembly.Module.exports(module).filter(({ kind }) => kind === "function");
  assert.ok(kinds.every(({ name }) => name.startsWith("grammarc_")));
});

test("an instance that has failed is used no more, and a fresh one is", async () => {
  await init();
  const vocabulary = Vocabulary.open(data("tiny.gvocab"));
  const grammar = Grammar.open(data("tiny-person.gmask"), vocabulary);
  const matcher = grammar.matcher();
  const panic = errorOf(() => instance().exports.grammarc_panic(), InternalError, "internal");
  assert.match(panic.message, /^this is a defect of grammarc: panicked at .*failure\.rs:\d+:\d+:\nasked for by a test$/);
  assert.equal(panic.cause.constructor, WebAssembly.RuntimeError);
  for (const call of [() => matcher.accept(1), () => grammar.matcher(), () => vocabulary.tokenBytes(1)]) {
    assert.match(errorOf(call, InternalError, "internal").message, /init\(\{ fresh: true \}\)/);
  }
  await init();
  errorOf(() => Vocabulary.open(data("tiny.gvocab")), InternalError, "internal");
  await init({ fresh: true });
  const again = Vocabulary.open(data("tiny.gvocab"));
  // Handles of the dead instance are never released into the new one.
  for (const object of [matcher, grammar, vocabulary]) object.dispose();
  const error = errorOf(() => Grammar.open(data("tiny-person.gmask"), vocabulary), ArgumentError, "disposed");
  assert.equal(error.message, "the vocabulary was disposed of");
  assert.equal(Grammar.open(data("tiny-person.gmask"), again).matcher().count() > 0, true);
});

test("the manifest names files that are there, types first, and no dependency", () => {
  const root = new URL("../", import.meta.url);
  const manifest = JSON.parse(readFileSync(new URL("package.json", root)));
  for (const [name, entry] of Object.entries(manifest.exports)) {
    const paths = typeof entry === "string" ? [entry] : Object.values(entry);
    for (const path of paths) assert.ok(existsSync(new URL(path, root)), `${name}: ${path}`);
    if (typeof entry !== "string") assert.equal(Object.keys(entry)[0], "types");
  }
  for (const field of ["dependencies", "peerDependencies", "optionalDependencies"]) assert.equal(manifest[field], undefined);
  for (const script of ["install", "preinstall", "postinstall", "prepare"]) assert.equal(manifest.scripts[script], undefined);
  assert.equal(manifest.type, "module");
});

test("no source evaluates text, waits at the top level, or imports another package", () => {
  const folder = new URL("../src/", import.meta.url);
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".js"))) {
    const text = readFileSync(new URL(name, folder), "utf8");
    assert.doesNotMatch(text, /\beval\(|new Function|^await /m, name);
    for (const [, from] of text.matchAll(/from "([^"]+)"/g)) {
      assert.ok(from.startsWith("./") || (name === "node.js" && from === "node:fs/promises"), `${name}: ${from}`);
    }
  }
});

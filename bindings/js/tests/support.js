// What the tests share: the command, the artifacts that `prepare.js` made, the errors of calls.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { Grammar, Vocabulary, init } from "grammarc";

export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
export const DATA = fileURLToPath(new URL("data/", import.meta.url));
const TARGET = process.env.CARGO_TARGET_DIR ?? `${ROOT}target`;

/** The command, which compiles the grammars, and the example that records walks. */
export const COMMAND = process.env.GRAMMARC_COMMAND ?? `${TARGET}/debug/grammarc`;
export const RECORD = process.env.GRAMMARC_RECORD ?? `${TARGET}/debug/examples/record`;

/** Runs the command, which has to succeed. */
export function run(...words) {
  return execFileSync(COMMAND, words, { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
}

/** Returns the messages of a run of the command that fails. */
export function failure(...words) {
  const { status, stderr } = spawnSync(COMMAND, [...words, "--format", "json"], { encoding: "utf8" });
  assert.notEqual(status, 0);
  return stderr;
}

export const has = (name) => existsSync(DATA + name);
export const data = (name) => readFileSync(DATA + name);

/** Loads the module, and opens the small vocabulary with the grammar of persons. */
export async function tiny() {
  await init();
  const vocabulary = Vocabulary.open(data("tiny.gvocab"));
  return { vocabulary, person: Grammar.open(data("tiny-person.gmask"), vocabulary) };
}

/** Returns the error of a call, which has to throw one of a class with a code. */
export function errorOf(call, Class, code) {
  try {
    call();
  } catch (error) {
    assert.equal(error.constructor, Class, error.stack);
    assert.equal(error.code, code, error.message);
    return error;
  }
  return assert.fail("nothing was thrown");
}

/** A generator of random numbers, with a seed. */
export function random(seed) {
  let state = seed >>> 0 || 1;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

// Walks that the native runtime recorded: every mask has the same bits here.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Grammar, Vocabulary, init } from "grammarc";

import { data } from "./support.js";

const END = 0xffffffff;

/** Returns the FNV-1a hash of words, as `examples/record.rs` has it. */
function hash(words, basis) {
  let hash = basis;
  for (const word of words) hash = Math.imul(hash ^ word, 0x01000193);
  return hash >>> 0;
}

await init();
const vocabularies = new Map();
let masks = 0;
for (const [vocabulary, name] of JSON.parse(data("traces.json").toString())) {
  test(`masks of ${name}`, () => {
    if (!vocabularies.has(vocabulary)) vocabularies.set(vocabulary, Vocabulary.open(data(`${vocabulary}.gvocab`)));
    const grammar = Grammar.open(data(`${name}.gmask`), vocabularies.get(vocabulary));
    const trace = data(`${name}.trace`);
    const steps = new Uint32Array(trace.buffer, trace.byteOffset, trace.length / 4);
    assert.ok(steps.length > 300, `${steps.length}`);
    let matcher = grammar.matcher();
    const words = new Uint32Array(Math.ceil(matcher.logitWidth / 32) + 3).fill(7);
    const whole = words.subarray(0, -3);
    for (let at = 0; at < steps.length; at += 3) {
      const [token, first, second] = steps.subarray(at, at + 3);
      matcher.fill(words);
      assert.equal(hash(whole, 0x811c9dc5), first, `step ${at / 3}`);
      assert.equal(hash(whole, 0x9e3779b9), second, `step ${at / 3}`);
      assert.deepEqual([...words.subarray(-3)], [0, 0, 0]);
      masks += 1;
      if (token !== END) {
        matcher.accept(token);
        continue;
      }
      matcher.dispose();
      matcher = grammar.matcher();
    }
  });
}

test("the number of masks", (context) => {
  context.diagnostic(`${masks} masks are equal`);
  assert.ok(masks > 20_000, `${masks}`);
});

// Every public function, against plain definitions.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Grammar, Matcher, Splitter, Vocabulary, init, initSync, versions } from "grammarc";

import { data, random, tiny } from "./support.js";

const { vocabulary, person } = await tiny();

const bytesOf = (tokens) => Buffer.concat([...tokens].map((token) => vocabulary.tokenBytes(token)));
const ids = (text) => [...Buffer.from(text)].map((byte) => vocabulary.lookup(Uint8Array.of(byte)));
const isSet = (words, token) => (words[token >>> 5] >>> (token & 31)) & 1;

/** Calls work at each step of random walks over a grammar, with the allowed tokens. */
function walk(grammar, steps, work) {
  const draw = random(steps);
  for (let at = 0, matcher = grammar.matcher(); at < steps; at += 1) {
    const allowed = matcher.allowed();
    work(matcher, allowed, draw);
    if (matcher.isFinished || allowed.length === 0) matcher = grammar.matcher();
    else matcher.accept(allowed[draw(allowed.length)]);
  }
}

test("versions are those of the package and the format", () => {
  const own = JSON.parse(data("../../package.json").toString());
  assert.equal(versions().version, own.version);
  assert.match(versions().formatVersion, /^\d+\.\d+$/);
});

test("a second init does nothing", async () => {
  const before = vocabulary.tokenBytes(65);
  await init();
  initSync({ module: new Uint8Array(0) });
  assert.deepEqual(vocabulary.tokenBytes(65), before);
});

test("a vocabulary", () => {
  assert.equal(vocabulary.name, "tiny");
  assert.equal(vocabulary.size, 268);
  assert.equal(vocabulary.logitWidth, 268);
  assert.deepEqual(vocabulary.endTokens, [266]);
  assert.match(vocabulary.fingerprint, /^[0-9a-f]{64}$/);
  assert.equal(vocabulary.tokenKind(65), "text");
  assert.equal(vocabulary.tokenKind(266), "special");
  assert.equal(Buffer.from(vocabulary.tokenBytes(266)).toString(), "<|end|>");
  for (let id = 0; id < vocabulary.size; id += 1) assert.equal(vocabulary.lookup(vocabulary.tokenBytes(id)), id);
  assert.equal(vocabulary.lookup("no such token"), undefined);
  assert.equal(vocabulary.lookup("é"), 265);
  assert.ok(data("tiny.gvocab").equals(vocabulary.toBytes()));
});

test("a grammar", () => {
  assert.match(person.digest, /^[0-9a-f]{64}$/);
  assert.equal(person.digest, data("tiny-person.gmask").subarray(16, 48).toString("hex"));
  assert.equal(person.language, "json-schema");
  assert.equal(person.vocabulary, vocabulary);
  assert.equal(typeof person.bound.stateBytes, "number");
  const unique = person.report.find(({ keyword }) => keyword === "uniqueItems");
  assert.deepEqual(unique, { pointer: "/properties/tags/uniqueItems", keyword: "uniqueItems", verdict: "exact", reason: "" });
  assert.ok(data("tiny-person.gmask").equals(person.toBytes()));
  assert.deepEqual(person.parse('{"name":"ab","tags":["red"]}'), { name: "ab", tags: ["red"] });
  person.check(Buffer.from('{"name":"é"}'));
});

test("a grammar with its vocabulary in it", () => {
  const alone = Grammar.open(data("standalone.gmask"));
  assert.equal(alone.vocabulary.fingerprint, vocabulary.fingerprint);
  assert.equal(alone.vocabulary, alone.vocabulary);
  alone.check('{"name":""}');
});

test("masks in all their forms agree", () => {
  const words = new Int32Array(12);
  walk(person, 400, (matcher, allowed, draw) => {
    const restricts = matcher.fill(words);
    const expected = Array.from({ length: 268 }, (_, token) => token).filter((token) => isSet(words, token));
    assert.deepEqual([...allowed], expected);
    assert.equal(restricts, expected.length < 268);
    assert.deepEqual([...matcher.mask], [...new Uint32Array(words.buffer, 0, 9)]);
    assert.equal(matcher.count(), expected.length);
    assert.equal(matcher.only(), expected.length === 1 ? expected[0] : undefined);
    assert.deepEqual([...matcher.allowed(3)], expected.slice(0, 3));
    const token = draw(268);
    assert.equal(matcher.allows(token), expected.includes(token));
    assert.equal(matcher.fork().tryAccept(BigInt(token)), expected.includes(token));
  });
});

test("apply writes negative infinity to forbidden logits and leaves the others", () => {
  const ends = { logitWidth: 300 };
  for (const grammar of [person, Grammar.open(data("tiny-xml.gmask"), vocabulary)]) {
    const matcher = grammar.matcher(ends);
    walk(grammar, 60, (at, allowed, draw) => {
      matcher.restore(at.export());
      const given = Float32Array.from({ length: 300 }, () => (draw(9) === 0 ? NaN : draw(1000) / 7));
      const expected = given.map((logit, token) => (allowed.includes(token) ? logit : -Infinity));
      const row = given.slice();
      matcher.apply(row);
      assert.deepEqual(row, expected);
      // The kernel in the module, over a row that lies there.
      const inside = matcher.row();
      inside.set(given);
      matcher.apply(inside);
      assert.deepEqual(inside.slice(), expected);
      for (const [type, infinity] of [["float16", 0xfc00], ["bfloat16", 0xff80]]) {
        const bits = Uint16Array.from({ length: 300 }, () => draw(65536));
        const half = bits.slice();
        matcher.apply(half, type);
        assert.deepEqual(half, bits.map((logit, token) => (allowed.includes(token) ? logit : infinity)));
      }
    });
  }
});

test("argmax and sample choose among the allowed", () => {
  walk(person, 200, (matcher, allowed, draw) => {
    const logits = Float32Array.from({ length: 268 }, () => draw(10_000) / 1000);
    const greatest = [...allowed].reduce((best, token) => (logits[token] > logits[best] ? token : best), allowed[0]);
    assert.equal(matcher.argmax(logits), greatest);
    assert.equal(matcher.sample(logits, 0, 0.5), greatest);
    const uniform = draw(1000) / 1000;
    const weights = [...allowed].map((token) => Math.exp((logits[token] - logits[greatest]) / 0.7));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const token = matcher.sample(logits, 0.7, uniform);
    const at = allowed.indexOf(token);
    const below = weights.slice(0, at).reduce((sum, weight) => sum + weight, 0) / total;
    assert.ok(below <= uniform + 1e-4 && uniform <= below + weights[at] / total + 1e-4, `${token}`);
    const row = matcher.row();
    row.set(logits);
    assert.equal(matcher.argmax(row), greatest);
  });
});

test("tokens are accepted, taken back and tried", () => {
  assert.equal(person.matcher({ rollbackWindow: 0 }).rollbackDepth, 0);
  const matcher = person.matcher({ rollbackWindow: 40 });
  const text = ids('{"name":"x"}');
  assert.equal(matcher.validate(text), text.length);
  assert.equal(matcher.validate([...text, 65]), text.length);
  assert.equal(matcher.acceptMany([...text.slice(0, 3), 65, 66]), 3);
  assert.equal(matcher.acceptMany(Uint32Array.from(text.slice(3))), text.length - 3);
  assert.ok(matcher.isAccepting && !matcher.isFinished && matcher.mustEnd);
  assert.equal(matcher.rollbackDepth, text.length);
  const position = matcher.export();
  matcher.rollback();
  assert.ok(!matcher.isAccepting);
  matcher.rollback(3);
  assert.equal(matcher.rollbackDepth, text.length - 4);
  matcher.restore(position);
  assert.equal(matcher.rollbackDepth, 0);
  assert.ok(matcher.isAccepting);
  const fork = matcher.fork();
  matcher.accept(266n);
  assert.ok(matcher.isFinished && !fork.isFinished);
  matcher.reset();
  assert.deepEqual([...matcher.allowed()], [...person.matcher().allowed()]);
  matcher.acceptText('{"name":"é');
  assert.equal(matcher.rollbackDepth, 1);
  assert.ok(matcher.tryAccept(34) || matcher.tryAccept(ids('"')[0]));
});

test("forced tokens and bytes, and endings", () => {
  const order = Grammar.open(data("tiny-order.gmask"), vocabulary);
  const matcher = order.matcher();
  matcher.acceptText('{"b":1,"a":t');
  assert.equal(Buffer.from(matcher.forcedBytes()).toString(), "rue");
  matcher.reset();
  walk(order, 100, (at) => {
    const forced = at.fork();
    for (const token of at.forcedTokens()) {
      assert.equal(forced.only(), token);
      forced.accept(token);
    }
    if (at.isFinished) return;
    const end = at.fork();
    const ending = at.ending();
    assert.equal(end.acceptMany(ending), ending.length);
    assert.ok(end.isAccepting);
  });
  matcher.acceptText('{"b":');
  matcher.acceptMany(matcher.ending());
  assert.ok(matcher.isAccepting);
});

test("an explanation has the byte, the place and what may come", () => {
  const matcher = person.matcher();
  matcher.acceptText('{"name":"x","age":1');
  const refused = matcher.explain(ids("x")[0]);
  assert.equal(refused.isAllowed, false);
  assert.equal(refused.byte, 120);
  assert.deepEqual([refused.accepted, refused.mayEnd], [0, false]);
  assert.ok(refused.places.includes("/properties/age"), `${refused.places}`);
  assert.ok(refused.next.includes(0x7d));
  assert.equal(Buffer.from(refused.completion).toString(), "}");
  assert.equal(matcher.explain(ids("}")[0]).isAllowed, true);
  assert.equal(matcher.explain(-1).isAllowed, false);
});

test("drafts have the masks of the positions after them", () => {
  const matcher = person.matcher();
  const drafts = ids('{"nx');
  const words = new Uint32Array(9 * 5);
  assert.equal(matcher.fillDrafts(drafts, words), 3);
  const ahead = person.matcher();
  for (let row = 0; row < 4; row += 1) {
    assert.deepEqual(words.slice(row * 9, row * 9 + 9), ahead.mask.slice());
    if (row < 3) ahead.accept(drafts[row]);
  }
  assert.deepEqual(words.slice(36), words.slice(27, 36));
});

test("other end tokens and a wider row", () => {
  const matcher = person.matcher({ endTokens: [270, 65n], logitWidth: 320 });
  assert.deepEqual(matcher.endTokens, [65, 270]);
  assert.equal(matcher.logitWidth, 320);
  matcher.acceptText('{"name":""}');
  assert.deepEqual([...matcher.allowed()], [65, 270]);
  const none = person.matcher({ endTokens: [] });
  none.acceptText('{"name":""}');
  assert.deepEqual([none.isFinished, none.count(), none.only()], [true, 0, undefined]);
  assert.equal(none.argmax(new Float32Array(268)), undefined);
});

test("a splitter", () => {
  const calls = Grammar.open(data("tiny-calls.gmask"), vocabulary);
  const text = 'so: <call=look>{"name":"é"}</call> done';
  for (const size of [1, 3, 100]) {
    const splitter = new Splitter(calls);
    const pieces = [];
    for (let at = 0; at < text.length; at += size) pieces.push(...splitter.pushText(text.slice(at, at + size)));
    assert.ok(splitter.isAccepting && !splitter.isFinished);
    pieces.push(...splitter.finish());
    assert.ok(splitter.isFinished);
    assert.equal(Buffer.concat(pieces.map(({ bytes }) => bytes)).toString(), text);
    const json = pieces.filter(({ kind }) => kind === "json");
    assert.equal(Buffer.concat(json.map(({ bytes }) => bytes)).toString(), '{"name":"é"}');
    assert.ok(json.every(({ isArguments, call }) => isArguments === (call !== undefined)));
    assert.equal(pieces[0].kind, "text");
    assert.equal(pieces[0].begins, true);
    assert.ok(Array.isArray(splitter.calls));
  }
  const splitter = new Splitter(calls);
  assert.deepEqual(splitter.pushBytes(Buffer.from("so")).map(({ kind }) => kind), ["text"]);
  splitter.push(65);
  splitter.push(266);
  assert.ok(splitter.isFinished);
});

test("what is disposed of is freed once", () => {
  const own = Vocabulary.open(data("tiny.gvocab"));
  const grammar = Grammar.open(data("tiny-person.gmask"), own);
  const matcher = grammar.matcher();
  own.dispose();
  own[Symbol.dispose]();
  grammar.dispose();
  // The matcher keeps what it needs.
  assert.ok(matcher instanceof Matcher && matcher.count() > 0);
  matcher.dispose();
  matcher.dispose();
});

const collect = globalThis.gc ?? globalThis.Bun?.gc.bind(null, true);

test("what is collected is freed", { skip: collect === undefined && "needs --expose-gc" }, async () => {
  const cycle = async () => {
    for (let at = 0; at < 40; at += 1) Vocabulary.open(data("tiny.gvocab"));
    for (let at = 0; at < 10; at += 1) {
      collect();
      await new Promise((done) => setTimeout(done, 5));
    }
    person.matcher().dispose();
    return person.matcher().mask.buffer.byteLength;
  };
  const first = await cycle();
  for (let at = 0; at < 4; at += 1) await cycle();
  const last = await cycle();
  // 200 vocabularies of 414 KB would be 80 MB.
  assert.ok(last - first < 20 << 20, `${first} ${last}`);
});

// Bad input: the same codes and words as in the other bindings, and no trap.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";

import {
  ArgumentError,
  ArtifactError,
  Grammar,
  GrammarcError,
  LimitError,
  LoadError,
  Splitter,
  TextRefused,
  TokenRefused,
  Vocabulary,
  VocabularyMismatch,
} from "grammarc";

import { DATA, data, errorOf, failure, random, tiny } from "./support.js";

const { vocabulary, person } = await tiny();

/** Asserts that the command says of a file what the error says. */
function sameWords(error, bytes, name, ...words) {
  const file = `${DATA}${name}`;
  writeFileSync(file, bytes);
  const messages = failure(...words, file).replaceAll("\\\"", '"').replaceAll("\\\\", "\\");
  assert.ok(messages.includes(error.message), `${messages}\ndoes not have\n${error.message}`);
}

test("damaged vocabularies", () => {
  const whole = data("tiny.gvocab");
  const flipped = Buffer.from(whole);
  flipped[5000] ^= 1;
  const version = Buffer.from(whole);
  version.writeUInt16LE(99, 52);
  const cases = { "cut.gvocab": whole.subarray(0, 9999), "flipped.gvocab": flipped, "version.gvocab": version, "text.gvocab": Buffer.from("hello") };
  for (const [name, bytes] of Object.entries(cases)) {
    const error = errorOf(() => Vocabulary.open(bytes), ArtifactError, "format");
    sameWords(error, bytes, name, "inspect");
  }
  errorOf(() => Vocabulary.open(new ArrayBuffer(0)), ArtifactError, "format");
  assert.match(errorOf(() => Vocabulary.open(data("tiny-person.gmask")), ArtifactError, "format").message, /^expected a /);
});

test("each cut and many flips of a grammar are refused", () => {
  const whole = data("tiny-person.gmask");
  for (let length = 0; length < whole.length; length += 97) {
    errorOf(() => Grammar.open(whole.subarray(0, length), vocabulary), ArtifactError, "format");
  }
  const draw = random(5);
  for (let at = 0; at < 300; at += 1) {
    const bytes = Buffer.from(whole);
    bytes[draw(bytes.length)] ^= 1 << draw(8);
    assert.throws(() => Grammar.open(bytes, vocabulary), ArtifactError);
  }
  person.check('{"name":""}');
});

test("a grammar of another vocabulary", () => {
  const other = Vocabulary.open(data("other.gvocab"));
  const error = errorOf(() => Grammar.open(data("tiny-person.gmask"), other), VocabularyMismatch, "vocabulary-mismatch");
  assert.ok(error instanceof ArtifactError);
  assert.match(error.message, /they differ first at token 263, here "abc"|they differ first among tokens/);
  sameWords(error, Buffer.alloc(0), "none", "check", `${DATA}tiny-person.gmask`, "--vocab", `${DATA}other.gvocab`);
  const alone = errorOf(() => Grammar.open(data("tiny-person.gmask")), ArtifactError, "format");
  assert.match(alone.message, /the artifact has no vocabulary in it/);
});

test("ids that are no tokens are refused, and never wrapped", () => {
  const matcher = person.matcher();
  const outside = [-1, 1.5, 268, 2 ** 32 + 123, 2 ** 53, NaN, Infinity, -0.5, -1n, 2n ** 32n + 123n, 2n ** 70n];
  for (const id of outside) {
    const error = errorOf(() => matcher.accept(id), TokenRefused, "refused");
    assert.equal(error.message, `token ${id} is outside of the logit row`);
    assert.equal(error.token, id);
    assert.equal(matcher.tryAccept(id), false);
    assert.equal(matcher.allows(id), false);
    assert.equal(matcher.validate([id]), 0);
    assert.equal(matcher.acceptMany([id]), 0);
    assert.equal(matcher.explain(id).isAllowed, false);
    errorOf(() => new Splitter(person).push(id), TokenRefused, "refused");
  }
  assert.equal(errorOf(() => matcher.accept(65), TokenRefused, "refused").message, "token 65 is not allowed here");
  for (const id of ["1", undefined, null, {}, true]) errorOf(() => matcher.accept(id), ArgumentError, "argument");
  errorOf(() => matcher.acceptMany("12"), ArgumentError, "argument");
  errorOf(() => matcher.acceptMany(7), ArgumentError, "argument");
  matcher.acceptText('{"name":""}');
  matcher.accept(266);
  assert.equal(errorOf(() => matcher.accept(65), TokenRefused, "finished").message, "token 65 follows the end of the sequence");
  assert.equal(errorOf(() => matcher.accept(-1), TokenRefused, "finished").message, "token -1 follows the end of the sequence");
});

test("a refused call leaves the matcher where it is", () => {
  const matcher = person.matcher();
  matcher.acceptText('{"na');
  const position = Buffer.from(matcher.export());
  const error = errorOf(() => matcher.acceptText("mé"), TextRefused, "refused");
  assert.deepEqual([error.message, error.offset], ["byte 1 of the text is not allowed here", 1]);
  matcher.tryAccept(65);
  matcher.validate([109]);
  assert.ok(position.equals(matcher.export()));
});

test("texts", () => {
  const refused = (text) => errorOf(() => person.check(text), TextRefused, "refused");
  assert.deepEqual([refused('{"x').offset, refused('{"x').message], [2, "byte 2 is not allowed here"]);
  assert.deepEqual([refused('{"name"').offset, refused('{"name"').message], [7, "the text ends where more has to follow"]);
  assert.equal(refused(Buffer.from([0x7b, 0xff])).offset, 1);
  for (const text of ['{"name":"é\ud800"}', '{"name":"é\udc00"}', '{"name":"é\udc00\ud800"}']) {
    const error = refused(text);
    assert.deepEqual([error.message, error.offset], ["the text has a lone surrogate at index 10", 11]);
  }
  person.check('{"name":"\ud83d\ude00"}');
  errorOf(() => person.check(7), ArgumentError, "argument");
  errorOf(() => person.parse(Buffer.from("{}")), ArgumentError, "argument");
  errorOf(() => person.parse("{"), TextRefused, "refused");
});

test("rows and masks of another length", () => {
  const matcher = person.matcher();
  const said = (call) => errorOf(call, ArgumentError, "argument").message;
  assert.equal(said(() => matcher.fill(new Uint32Array(8))), "the buffer holds 8 words, the logit width needs 9");
  assert.equal(said(() => matcher.apply(new Float32Array(267))), "the buffer holds 267 logits, the logit width needs 268");
  assert.equal(said(() => matcher.argmax(new Float32Array(269))), "the buffer holds 269 logits, the logit width needs 268");
  said(() => matcher.fill(new Float32Array(9)));
  said(() => matcher.fill([0]));
  said(() => matcher.apply(new Float64Array(268)));
  said(() => matcher.apply(new Uint16Array(268)));
  said(() => matcher.argmax([1]));
  assert.match(said(() => matcher.sample(new Float32Array(268), -1, 0)), /^a temperature of -1 is not in 0.0..=/);
  assert.equal(said(() => matcher.sample(new Float32Array(268), 1, 1)), "the random number 1 is not in 0.0..1.0");
  assert.equal(said(() => matcher.fillDrafts([1, 2], new Uint32Array(9))), "row 2 is not among the 1 rows");
  assert.equal(said(() => matcher.fillDrafts([1], new Uint32Array(19))), "19 elements are not a whole number of rows of 9");
});

test("options", () => {
  const said = (options) => errorOf(() => person.matcher(options), ArgumentError, "argument").message;
  assert.equal(said({ logitWidth: 10 }), "a logit width of 10 is less than the 268 of the vocabulary");
  assert.equal(said({ endTokens: [300] }), "end token 300 is outside the logit row of 268");
  assert.equal(said({ endTokens: [1, -1] }), "-1 is no token's id");
  for (const width of [-1, 1.5, NaN, "268", null]) said({ logitWidth: width });
  said({ rollbackWindow: -1 });
  const matcher = person.matcher();
  assert.equal(errorOf(() => matcher.rollback(3), ArgumentError, "argument").message, "3 tokens cannot be taken back, the matcher keeps 0");
  errorOf(() => matcher.rollback(-1), ArgumentError, "argument");
  errorOf(() => matcher.allowed(-1), ArgumentError, "argument");
  assert.equal(errorOf(() => vocabulary.tokenBytes(268), ArgumentError, "argument").message, "no token 268; there are 268");
  errorOf(() => vocabulary.tokenKind(-1), ArgumentError, "argument");
});

test("positions", () => {
  const matcher = person.matcher();
  const position = matcher.export();
  const xml = Grammar.open(data("tiny-xml.gmask"), vocabulary);
  assert.equal(errorOf(() => xml.matcher().restore(position), ArgumentError, "mismatch").message, "the position belongs to another grammar");
  assert.equal(errorOf(() => matcher.restore(new Uint8Array(3)), ArgumentError, "format").message, "not an exported position");
  for (let length = 0; length < position.length; length += 1) {
    assert.throws(() => matcher.restore(position.subarray(0, length)), ArgumentError);
  }
});

test("objects of another kind, and those disposed of", () => {
  errorOf(() => Grammar.open(data("tiny-person.gmask"), person), ArgumentError, "argument");
  errorOf(() => Grammar.open(data("tiny-person.gmask"), {}), ArgumentError, "argument");
  errorOf(() => new Splitter({}), ArgumentError, "argument");
  errorOf(() => new Splitter(), ArgumentError, "argument");
  errorOf(() => Vocabulary.open("text"), ArgumentError, "argument");
  errorOf(() => Vocabulary.open(undefined), ArgumentError, "argument");
  const gone = Vocabulary.open(data("tiny.gvocab"));
  gone.dispose();
  assert.equal(errorOf(() => gone.tokenBytes(1), ArgumentError, "disposed").message, "the vocabulary was disposed of");
  errorOf(() => Grammar.open(data("tiny-person.gmask"), gone), ArgumentError, "disposed");
  const matcher = person.matcher();
  matcher.dispose();
  errorOf(() => matcher.accept(1), ArgumentError, "disposed");
  errorOf(() => matcher.mask, ArgumentError, "disposed");
});

test("files over the network", async () => {
  const bytes = data("tiny.gvocab");
  const told = new Response(bytes, { headers: { "content-length": `${bytes.length}` } });
  const steps = [];
  const opened = await Vocabulary.fetch(told, { onProgress: (read, total) => steps.push([read, total]) });
  assert.equal(opened.fingerprint, vocabulary.fingerprint);
  assert.deepEqual(steps.at(-1), [bytes.length, bytes.length]);
  const grammar = await Grammar.fetch(new Response(data("tiny-person.gmask")), opened);
  assert.equal(grammar.digest, person.digest);
  const packed = new Response(bytes).body.pipeThrough(new CompressionStream("gzip"));
  assert.equal((await Vocabulary.fetch(new Response(packed), { gzip: true })).size, 268);
  const fails = async (promise, Class, code) => {
    const error = await promise.then(() => assert.fail("no error"), (error) => error);
    assert.equal(error.constructor, Class, error.stack);
    if (code !== undefined) assert.equal(error.code, code);
    return error;
  };
  await fails(Vocabulary.fetch(new Response("gone", { status: 404 })), LoadError, "io");
  const short = new Response(bytes.subarray(0, 10), { headers: { "content-length": "20" } });
  assert.equal((await fails(Vocabulary.fetch(short), LoadError, "io")).message, "10 of 20 bytes arrived");
  const long = new Response(bytes.subarray(0, 30), { headers: { "content-length": "20" } });
  await fails(Vocabulary.fetch(long), LoadError, "io");
  await fails(Vocabulary.fetch(new Response(bytes.subarray(0, 1000))), ArtifactError, "format");
  const stop = AbortSignal.abort();
  assert.equal((await fails(Vocabulary.fetch(new Response(bytes), { signal: stop }), DOMException)).name, "AbortError");
  const huge = new Response("x", { headers: { "content-length": "4200000000" } });
  assert.equal((await fails(Vocabulary.fetch(huge), LimitError, "limit")).limit, "memory");
});

test("a cache is asked first, and keeps what was fetched", async () => {
  const kept = new Map([["v", new Response(data("tiny.gvocab"))]]);
  const cache = { match: async (key) => kept.get(key), put: async (key, value) => kept.set(key, value) };
  assert.equal((await Vocabulary.fetch("v", { cache })).size, 268);
  assert.equal(GrammarcError.name, "GrammarcError");
});

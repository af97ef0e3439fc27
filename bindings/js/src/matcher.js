// Matchers.

import { ArgumentError } from "./errors.js";
import { HANDLE, Owner } from "./handle.js";
import { describe, bytesOf } from "./instance.js";
import { applyWords, rowOf } from "./rows.js";
import { NO_TOKEN, refused, token, tokens } from "./tokens.js";
import { wholeNumber } from "./vocabulary.js";

/** The greatest number of 32 bits. */
const FLOAT_MAX = 3.4028234663852886e38;

/** Returns a token that the module chose. */
const chosen = (token) => (token < 0 ? undefined : token);

/** One sequence of tokens under one grammar. */
export class Matcher extends Owner {
  #exports;
  #maskWords;

  /** @internal */
  constructor(inside, address) {
    super(inside, address, "matcher");
    this.#exports = inside.exports;
    this.logitWidth = inside.exports.grammarc_matcher_facts(address) >>> 0;
    this.endTokens = Object.freeze([...inside.words()]);
    this.#maskWords = Math.ceil(this.logitWidth / 32);
    Object.freeze(this);
  }

  /** @internal */
  static start(inside, grammar, { endTokens, logitWidth, rollbackWindow } = {}) {
    const width = logitWidth === undefined ? -1 : wholeNumber("logitWidth", logitWidth, NO_TOKEN - 1);
    const window = rollbackWindow === undefined ? -1 : wholeNumber("rollbackWindow", rollbackWindow);
    let ends = -1;
    if (endTokens !== undefined) {
      const given = [...endTokens];
      const ids = tokens(given);
      const wrong = ids.indexOf(NO_TOKEN);
      if (wrong >= 0) throw new ArgumentError("argument", `${given[wrong]} is no token's id`);
      ends = inside.put(Uint32Array, ids);
    }
    return new Matcher(inside, inside.exports.grammarc_matcher_new(grammar, ends, width, window));
  }

  #fail() {
    return this[HANDLE].instance.error();
  }

  /** Computes the mask, and returns whether it forbids anything. */
  #mask() {
    return this.#exports.grammarc_matcher_mask(this[HANDLE].address) !== 0;
  }

  fill(words) {
    if (!(words instanceof Uint32Array || words instanceof Int32Array)) {
      throw new ArgumentError("argument", `a Uint32Array or an Int32Array is expected, not ${describe(words)}`);
    }
    const needed = this.#maskWords;
    if (words.length < needed) {
      throw new ArgumentError("argument", `the buffer holds ${words.length} words, the logit width needs ${needed}`);
    }
    const restricts = this.#mask();
    words.set(this[HANDLE].instance.words());
    if (words.length > needed) words.fill(0, needed);
    return restricts;
  }

  get mask() {
    this.#mask();
    return this[HANDLE].instance.words();
  }

  apply(logits, type) {
    const { row, infinity, kind } = rowOf(logits, type);
    this.#checkRow(row);
    const { instance: inside, address } = this[HANDLE];
    if (row.buffer === inside.memory.buffer) {
      if (this.#exports.grammarc_matcher_apply(address, row.byteOffset, kind, row.length) !== 0) throw this.#fail();
    } else if (this.#mask()) {
      applyWords(inside.words(), row, infinity);
    }
  }

  #checkRow(row) {
    if (row.length === this.logitWidth) return;
    throw new ArgumentError("argument", `the buffer holds ${row.length} logits, the logit width needs ${this.logitWidth}`);
  }

  row() {
    return this[HANDLE].instance.room(Float32Array, this.logitWidth);
  }

  allows(id) {
    return this.#exports.grammarc_matcher_allows(this[HANDLE].address, token(id)) !== 0;
  }

  allowed(most = this.logitWidth) {
    this.#exports.grammarc_matcher_allowed(this[HANDLE].address, wholeNumber("most", most));
    return this[HANDLE].instance.words().slice();
  }

  count() {
    return this.#exports.grammarc_matcher_count(this[HANDLE].address) >>> 0;
  }

  only() {
    return chosen(this.#exports.grammarc_matcher_only(this[HANDLE].address));
  }

  argmax(logits) {
    const { address } = this[HANDLE];
    return chosen(this.#exports.grammarc_matcher_argmax(address, this.#put(logits)));
  }

  sample(logits, temperature, uniform) {
    const { address } = this[HANDLE];
    const count = this.#put(logits);
    if (!(temperature >= 0 && temperature <= FLOAT_MAX)) {
      throw new ArgumentError("argument", `a temperature of ${temperature} is not in 0.0..=340282350000000000000000000000000000000`);
    }
    if (!(uniform >= 0 && uniform < 1)) {
      throw new ArgumentError("argument", `the random number ${uniform} is not in 0.0..1.0`);
    }
    return chosen(this.#exports.grammarc_matcher_sample(address, count, temperature, uniform));
  }

  /** Writes logits to the room, unless they are there. */
  #put(logits) {
    if (!(logits instanceof Float32Array)) {
      throw new ArgumentError("argument", `a Float32Array is expected, not ${describe(logits)}`);
    }
    this.#checkRow(logits);
    const room = this.row();
    if (logits.buffer !== room.buffer || logits.byteOffset !== room.byteOffset) room.set(logits);
    return logits.length;
  }

  accept(id) {
    const result = this.#exports.grammarc_matcher_accept(this[HANDLE].address, token(id));
    if (result !== 0) throw result < 0 ? this.#fail() : refused(id, result);
  }

  tryAccept(id) {
    const result = this.#exports.grammarc_matcher_accept(this[HANDLE].address, token(id));
    if (result < 0) throw this.#fail();
    return result === 0;
  }

  acceptMany(ids) {
    const { instance: inside, address } = this[HANDLE];
    return this.#exports.grammarc_matcher_accept_many(address, inside.put(Uint32Array, tokens(ids)));
  }

  acceptText(text) {
    const { instance: inside, address } = this[HANDLE];
    if (this.#exports.grammarc_matcher_accept_text(address, inside.putText(text)) !== 0) throw this.#fail();
  }

  validate(ids) {
    const { instance: inside, address } = this[HANDLE];
    return this.#exports.grammarc_matcher_validate(address, inside.put(Uint32Array, tokens(ids)));
  }

  fillDrafts(ids, words) {
    const { instance: inside, address } = this[HANDLE];
    const drafts = tokens(ids);
    const [rows, wide] = [Math.floor(words.length / this.#maskWords), this.#maskWords];
    if (rows * wide !== words.length) {
      throw new ArgumentError("argument", `${words.length} elements are not a whole number of rows of ${wide}`);
    }
    const count = inside.put(Uint32Array, drafts);
    const allowed = this.#exports.grammarc_matcher_fill_drafts(address, count, rows, wide);
    if (allowed < 0) throw this.#fail();
    words.set(inside.words());
    return allowed;
  }

  rollback(count = 1) {
    const back = wholeNumber("the number of tokens", count);
    if (this.#exports.grammarc_matcher_rollback(this[HANDLE].address, back) !== 0) throw this.#fail();
  }

  get rollbackDepth() {
    return this.#exports.grammarc_matcher_rollback_depth(this[HANDLE].address);
  }

  fork() {
    const { instance: inside, address } = this[HANDLE];
    return new Matcher(inside, this.#exports.grammarc_matcher_fork(address));
  }

  reset() {
    this.#exports.grammarc_matcher_reset(this[HANDLE].address);
  }

  forcedTokens() {
    this.#exports.grammarc_matcher_forced_tokens(this[HANDLE].address);
    return this[HANDLE].instance.words().slice();
  }

  forcedBytes() {
    this.#exports.grammarc_matcher_forced_bytes(this[HANDLE].address);
    return this[HANDLE].instance.bytes();
  }

  ending() {
    if (this.#exports.grammarc_matcher_ending(this[HANDLE].address) !== 0) throw this.#fail();
    return this[HANDLE].instance.words().slice();
  }

  explain(id) {
    this.#exports.grammarc_matcher_explain(this[HANDLE].address, token(id));
    const { next, byte, completion, ...rest } = JSON.parse(this[HANDLE].instance.text());
    return {
      ...rest,
      byte: byte ?? undefined,
      next: Uint8Array.from(next),
      completion: completion === null ? undefined : Uint8Array.from(completion),
    };
  }

  get isAccepting() {
    return this.#exports.grammarc_matcher_is_accepting(this[HANDLE].address) !== 0;
  }

  get isFinished() {
    return this.#exports.grammarc_matcher_is_finished(this[HANDLE].address) !== 0;
  }

  get mustEnd() {
    return this.#exports.grammarc_matcher_must_end(this[HANDLE].address) !== 0;
  }

  export() {
    this.#exports.grammarc_matcher_export(this[HANDLE].address);
    return this[HANDLE].instance.bytes();
  }

  restore(position) {
    const { instance: inside, address } = this[HANDLE];
    if (this.#exports.grammarc_matcher_restore(address, inside.put(Uint8Array, bytesOf(position))) !== 0) throw this.#fail();
  }
}

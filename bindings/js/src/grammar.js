// Grammars.

import { ArgumentError, TextRefused } from "./errors.js";
import { HANDLE, Owner, addressIn } from "./handle.js";
import { instance } from "./instance.js";
import { bufferFrom, bufferOf } from "./load.js";
import { Matcher } from "./matcher.js";
import { Vocabulary, hex } from "./vocabulary.js";

const encoder = new TextEncoder();

/** A compiled grammar with all its masks. */
export class Grammar extends Owner {
  #vocabulary;
  #report;

  /** @internal */
  constructor(inside, address, vocabulary) {
    super(inside, address, "grammar");
    this.#vocabulary = vocabulary;
  }

  static open(bytes, vocabulary) {
    const inside = instance();
    const given = vocabulary === undefined ? 0 : addressIn(inside, vocabulary, Vocabulary);
    const buffer = bufferOf(inside, bytes);
    return new Grammar(inside, inside.exports.grammarc_grammar_open(buffer.address, given), vocabulary);
  }

  static async fetch(source, vocabulary, options) {
    const inside = instance();
    if (vocabulary !== undefined) addressIn(inside, vocabulary, Vocabulary);
    const buffer = await bufferFrom(inside, source, options);
    let given = 0;
    try {
      // The vocabulary may have been disposed of meanwhile.
      given = vocabulary === undefined ? 0 : addressIn(inside, vocabulary, Vocabulary);
    } catch (error) {
      buffer.free();
      throw error;
    }
    return new Grammar(inside, inside.exports.grammarc_grammar_open(buffer.address, given), vocabulary);
  }

  get vocabulary() {
    const { instance: inside, address } = this[HANDLE];
    this.#vocabulary ??= new Vocabulary(inside, inside.exports.grammarc_grammar_vocabulary(address));
    return this.#vocabulary;
  }

  matcher(options) {
    const { instance: inside, address } = this[HANDLE];
    return Matcher.start(inside, address, options);
  }

  check(text) {
    if (typeof text === "string") refuseLoneSurrogates(text);
    const { instance: inside, address } = this[HANDLE];
    if (inside.exports.grammarc_grammar_check(address, inside.putText(text)) !== 0) throw inside.error();
  }

  parse(text) {
    if (typeof text !== "string") throw new ArgumentError("argument", "parse takes a string");
    this.check(text);
    return JSON.parse(text);
  }

  #read() {
    if (this.#report === undefined) {
      const { instance: inside, address } = this[HANDLE];
      inside.exports.grammarc_grammar_report(address);
      const { language, keywords, bound } = JSON.parse(inside.text());
      const verdicts = keywords.map(([pointer, keyword, verdict, reason]) => Object.freeze({ pointer, keyword, verdict, reason }));
      this.#report = { language, keywords: Object.freeze(verdicts), bound: Object.freeze(bound) };
    }
    return this.#report;
  }

  get report() {
    return this.#read().keywords;
  }

  get bound() {
    return this.#read().bound;
  }

  get language() {
    return this.#read().language;
  }

  get digest() {
    const { instance: inside, address } = this[HANDLE];
    inside.exports.grammarc_grammar_digest(address);
    return hex(inside.bytes());
  }

  toBytes() {
    const { instance: inside, address } = this[HANDLE];
    const at = inside.exports.grammarc_grammar_bytes(address);
    return inside.view(at, inside.exports.grammarc_number()).slice();
  }
}

/** Throws where a string has half of a pair of surrogates, which has no bytes in UTF-8. */
export function refuseLoneSurrogates(text) {
  const lone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.exec(text);
  if (lone === null) return;
  const offset = encoder.encode(text.slice(0, lone.index)).length;
  throw new TextRefused(`the text has a lone surrogate at index ${lone.index}`, offset);
}

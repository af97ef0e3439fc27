// Vocabularies.

import { ArgumentError } from "./errors.js";
import { HANDLE, Owner } from "./handle.js";
import { describe, instance } from "./instance.js";
import { bufferFrom, bufferOf } from "./load.js";
import { token } from "./tokens.js";

const KINDS = ["text", "special", "unused"];

/** The tokens of one tokenizer, and the masks that all its grammars share. */
export class Vocabulary extends Owner {
  /** @internal */
  constructor(inside, address) {
    super(inside, address, "vocabulary");
    this.logitWidth = inside.exports.grammarc_vocabulary_facts(this[HANDLE].address) >>> 0;
    this.name = inside.text();
    this.size = inside.exports.grammarc_number();
    this.endTokens = Object.freeze([...inside.words()]);
    this.fingerprint = hex(inside.bytes());
    Object.freeze(this);
  }

  static open(bytes) {
    const inside = instance();
    const buffer = bufferOf(inside, bytes);
    return new Vocabulary(inside, inside.exports.grammarc_vocabulary_open(buffer.address));
  }

  static async fetch(source, options) {
    const inside = instance();
    const buffer = await bufferFrom(inside, source, options);
    return new Vocabulary(inside, inside.exports.grammarc_vocabulary_open(buffer.address));
  }

  tokenBytes(id) {
    const inside = this.#read(id);
    return inside.bytes();
  }

  tokenKind(id) {
    this.#read(id);
    return KINDS[this.#kind(id)];
  }

  #kind(id) {
    const { instance: inside, address } = this[HANDLE];
    return inside.exports.grammarc_vocabulary_token(address, token(id));
  }

  #read(id) {
    if (token(id) >= this.size) throw new ArgumentError("argument", `no token ${id}; there are ${this.size}`);
    this.#kind(id);
    return this[HANDLE].instance;
  }

  lookup(bytes) {
    const { instance: inside, address } = this[HANDLE];
    inside.exports.grammarc_vocabulary_lookup(address, inside.putText(bytes));
    return inside.words()[0];
  }

  toBytes() {
    const { instance: inside, address } = this[HANDLE];
    const at = inside.exports.grammarc_vocabulary_bytes(address);
    return inside.view(at, inside.exports.grammarc_number()).slice();
  }
}

/** Returns bytes in hexadecimal. */
export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Throws where an argument is no whole number in a range. */
export function wholeNumber(name, value, most = 0xffffffff) {
  if (Number.isInteger(value) && value >= 0 && value <= most) return value;
  const given = typeof value === "number" ? value : describe(value);
  throw new ArgumentError("argument", `${name} must be a whole number in 0..=${most}, not ${given}`);
}

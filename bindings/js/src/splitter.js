// Splitters: the parts of an output.

import { HANDLE, Owner, addressIn } from "./handle.js";
import { Grammar, refuseLoneSurrogates } from "./grammar.js";
import { refused, token } from "./tokens.js";

/** Splits one output of a grammar while it is generated. */
export class Splitter extends Owner {
  constructor(grammar) {
    const inside = grammar instanceof Grammar ? grammar[HANDLE].instance : undefined;
    const address = addressIn(inside, grammar, Grammar);
    super(inside, inside.exports.grammarc_splitter_new(address), "splitter");
  }

  #pieces(result) {
    const { instance: inside } = this[HANDLE];
    if (result !== 0) throw inside.error();
    const bytes = inside.bytes();
    let at = 0;
    return JSON.parse(inside.text()).map(({ call, length, ...piece }) => {
      at += length;
      return { ...piece, call: call ?? undefined, bytes: bytes.slice(at - length, at) };
    });
  }

  push(id) {
    const { instance: inside, address } = this[HANDLE];
    const result = inside.exports.grammarc_splitter_push(address, token(id));
    if (result > 0) throw refused(id, result);
    return this.#pieces(result);
  }

  pushBytes(bytes) {
    return this.#push(bytes, 0);
  }

  pushText(text) {
    if (typeof text === "string") refuseLoneSurrogates(text);
    return this.#push(text, 1);
  }

  #push(input, isSpelled) {
    const { instance: inside, address } = this[HANDLE];
    return this.#pieces(inside.exports.grammarc_splitter_push_bytes(address, inside.putText(input), isSpelled));
  }

  finish() {
    const { instance: inside, address } = this[HANDLE];
    return this.#pieces(inside.exports.grammarc_splitter_finish(address));
  }

  get calls() {
    const { instance: inside, address } = this[HANDLE];
    inside.exports.grammarc_splitter_calls(address);
    return JSON.parse(inside.text());
  }

  get isAccepting() {
    const { instance: inside, address } = this[HANDLE];
    return inside.exports.grammarc_splitter_is_accepting(address) !== 0;
  }

  get isFinished() {
    const { instance: inside, address } = this[HANDLE];
    return inside.exports.grammarc_splitter_is_finished(address) !== 0;
  }
}

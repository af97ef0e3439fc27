// Ids of tokens, as hosts have them: numbers of any kind, and bigints.

import { ArgumentError, TokenRefused } from "./errors.js";
import { describe } from "./instance.js";

/** The id of no token. No row is so long. */
export const NO_TOKEN = 0xffffffff;

/** Returns an id as the module takes it. An id that is negative, fractional or too large is that of no token. */
export function token(id) {
  if (typeof id === "number") return Number.isInteger(id) && id >= 0 && id < NO_TOKEN ? id : NO_TOKEN;
  if (typeof id === "bigint") return id >= 0n && id < BigInt(NO_TOKEN) ? Number(id) : NO_TOKEN;
  throw new ArgumentError("argument", `the id of a token is expected, not ${describe(id)}`);
}

/** Returns a list of ids as the module takes it. */
export function tokens(ids) {
  if (ids instanceof Uint32Array) return ids;
  if (typeof ids === "string" || typeof ids?.[Symbol.iterator] !== "function") {
    throw new ArgumentError("argument", `token ids are expected, not ${describe(ids)}`);
  }
  return Array.from(ids, token);
}

/** Returns the error of a token that was not accepted. */
export function refused(id, result) {
  const [code, words] = {
    1: ["refused", "is not allowed here"],
    2: ["finished", "follows the end of the sequence"],
    3: ["refused", "is outside of the logit row"],
  }[result];
  return new TokenRefused(code, `token ${id} ${words}`, id);
}

// grammarc: token masks of compiled grammars. docs/javascript.md has examples.

/** What the module is made of: a compiled module, its bytes, an address, or a response with its bytes. */
export type ModuleSource = WebAssembly.Module | BufferSource | Response | URL | Promise<WebAssembly.Module | BufferSource | Response | URL>;

/**
 * Loads the module, by default the file beside this package. Later calls do nothing. `fresh` replaces an instance that has
 * failed; objects of the old one throw `InternalError` from then on.
 *
 * @throws UnsupportedError if the engine lacks a feature of WebAssembly that the module needs.
 */
export function init(from?: { module?: ModuleSource; fresh?: boolean }): Promise<void>;
/**
 * Loads the module without waiting. Chrome's main thread compiles up to 8 MB so. `module` may be left out at the edge, with
 * `grammarc/inline`, and after `init`.
 */
export function initSync(from?: { module?: WebAssembly.Module | BufferSource; fresh?: boolean }): void;
/** Returns the versions of the package and of the artifacts' format. Needs `init`. */
export function versions(): { version: string; formatVersion: string };

/** Base of all errors of this package. */
export class GrammarcError extends Error {
  constructor(code: string, message: string, options?: ErrorOptions);
  /** A stable identifier: `argument`, `disposed`, `format`, `vocabulary-mismatch`, `refused`, `finished`, `limit`, `io`, ... */
  readonly code: string;
}
/** An argument is invalid. */
export class ArgumentError extends GrammarcError {}
/** A file could not be read. */
export class LoadError extends GrammarcError {}
/** The engine lacks a feature of WebAssembly. */
export class UnsupportedError extends GrammarcError {}
/** A limit was met. */
export class LimitError extends GrammarcError {
  constructor(message: string, limit: string);
  readonly limit: "matcher" | "ending" | "memory";
}
/** A file is not a whole and valid artifact. */
export class ArtifactError extends GrammarcError {}
/** An artifact belongs to another vocabulary. The message names the first token that differs. */
export class VocabularyMismatch extends ArtifactError {}
/** A token is not allowed. The matcher did not move. */
export class TokenRefused extends GrammarcError {
  constructor(code: string, message: string, token: number | bigint);
  readonly token: number | bigint;
}
/** A text is not one of the grammar. */
export class TextRefused extends GrammarcError {
  constructor(message: string, offset: number);
  /** Offset in bytes of the first byte that is wrong: the length of the text where more would have to follow. */
  readonly offset: number;
}
/** A defect of grammarc. Every later call of the instance throws one; `init({ fresh: true })` makes a new instance. */
export class InternalError extends GrammarcError {}

/** An object in the module's memory, freed by `dispose`, by `using`, or when it is collected. */
interface Owned {
  /** Frees the memory. Later calls do nothing. Other objects keep what they need of this one. */
  dispose(): void;
  [Symbol.dispose](): void;
}

export interface FetchOptions {
  /** A cache of the Cache API, or its name: asked first, and given what was fetched. */
  cache?: string | Pick<Cache, "match" | "put">;
  /** Whether the file is packed with gzip, apart from any `Content-Encoding`. */
  gzip?: boolean;
  signal?: AbortSignal;
  onProgress?(read: number, total?: number): void;
}

/** The tokens of one tokenizer, and the masks that all its grammars share. Immutable: one serves all grammars of a model. */
export class Vocabulary implements Owned {
  private constructor();
  /** Opens a `.gvocab` file. The bytes are copied and checked as a whole. @throws ArtifactError */
  static open(bytes: ArrayBuffer | ArrayBufferView): Vocabulary;
  /** Fetches and opens a `.gvocab` file. @throws LoadError, ArtifactError */
  static fetch(source: string | URL | Response, options?: FetchOptions): Promise<Vocabulary>;
  readonly name: string;
  /** Number of token ids. */
  readonly size: number;
  /** Length of the model's row of logits. */
  readonly logitWidth: number;
  readonly endTokens: readonly number[];
  /** Identity, in hexadecimal: token bytes and kinds by id, end tokens, logit width. */
  readonly fingerprint: string;
  /** Returns the bytes of a token, or the name of a special one. */
  tokenBytes(id: number | bigint): Uint8Array;
  tokenKind(id: number | bigint): "text" | "special" | "unused";
  /** Returns the lowest text token with these bytes, or else the special token of that name. */
  lookup(bytes: string | ArrayBuffer | ArrayBufferView): number | undefined;
  /** Returns a copy of the file. */
  toBytes(): Uint8Array;
  dispose(): void;
  [Symbol.dispose](): void;
}

export interface KeywordVerdict {
  readonly pointer: string;
  readonly keyword: string;
  readonly verdict: "exact" | "annotation" | "narrower" | "approximate";
  /** Why the verdict is not exact. */
  readonly reason: string;
}

/** Bounds on the work of a step. `null` is unbounded. */
export interface WorkBound {
  readonly longestChain: number | null;
  readonly mostConfigurations: number | null;
  readonly stateBytes: number;
}

export interface MatcherOptions {
  /** Ids that end the sequence. Default: those of the vocabulary. */
  endTokens?: Iterable<number | bigint>;
  /** Length of the host's row of logits, at least the vocabulary's. */
  logitWidth?: number;
  /** Number of tokens that can be taken back. Default: 1024. */
  rollbackWindow?: number;
}

/** A compiled grammar with all its masks. `T` is the type of its values. */
export class Grammar<T = unknown> implements Owned {
  private constructor();
  /** Opens a `.gmask` file, with the vocabulary that it was compiled for or the one in it. @throws ArtifactError */
  static open<T = unknown>(bytes: ArrayBuffer | ArrayBufferView, vocabulary?: Vocabulary): Grammar<T>;
  /** Fetches and opens a `.gmask` file. @throws LoadError, ArtifactError */
  static fetch<T = unknown>(source: string | URL | Response, vocabulary?: Vocabulary, options?: FetchOptions): Promise<Grammar<T>>;
  readonly vocabulary: Vocabulary;
  /** Returns a matcher at the start of a sequence. */
  matcher(options?: MatcherOptions): Matcher;
  /** Throws `TextRefused` unless the text is one of the grammar. */
  check(text: string | ArrayBuffer | ArrayBufferView): void;
  /** Checks a text, and returns its value by `JSON.parse`. */
  parse(text: string): T;
  /** What the grammar makes of each keyword of its source. */
  readonly report: readonly KeywordVerdict[];
  readonly bound: WorkBound;
  /** Language of the source, such as `json-schema`. */
  readonly language: string;
  /** Checksum of the artifact, in hexadecimal. */
  readonly digest: string;
  /** Returns a copy of the file. */
  toBytes(): Uint8Array;
  dispose(): void;
  [Symbol.dispose](): void;
}

/** Why a token is allowed or refused. It has no text of an output. */
export interface Explanation {
  isAllowed: boolean;
  /** Number of bytes of the token that are allowed. */
  accepted: number;
  /** The byte that is refused, where one is. */
  byte: number | undefined;
  /** JSON pointers to the schemas that say what comes there. */
  places: string[];
  /** Names of rules, the innermost first. */
  rules: string[];
  /** The bytes that may come there. */
  next: Uint8Array;
  mayEnd: boolean;
  /** The shortest bytes from there to an end of the text. */
  completion: Uint8Array | undefined;
}

/** A row of logits. The type of a `Uint16Array` has to be said. */
export type Logits = Float32Array | Uint16Array | { readonly [Symbol.toStringTag]: "Float16Array"; [index: number]: number };

/** One sequence of tokens under one grammar. A call that fails does not move it. Ids that are no tokens are refused. */
export class Matcher implements Owned {
  private constructor();
  readonly logitWidth: number;
  readonly endTokens: readonly number[];
  /** Writes the mask, a bit for each token, 32 in a word; further words become zero. Returns whether any token is forbidden. */
  fill(words: Uint32Array | Int32Array): boolean;
  /** The mask in the module's memory, valid until the next call of this package. */
  readonly mask: Uint32Array;
  /** Sets the logits of forbidden tokens to negative infinity, in place. */
  apply(logits: Float32Array): void;
  apply(logits: Logits, type?: "float16" | "bfloat16"): void;
  /** A row of logits in the module's memory, for `apply`, `argmax` and `sample` without a copy. Valid until the next call that takes a list or a text. */
  row(): Float32Array;
  allows(token: number | bigint): boolean;
  /** Returns the allowed tokens, ascending, at most `most`. */
  allowed(most?: number): Uint32Array;
  count(): number;
  /** Returns the only allowed token. `undefined` if several or none are allowed. */
  only(): number | undefined;
  /** Returns the allowed token with the greatest logit. `undefined` if none is allowed. */
  argmax(logits: Float32Array): number | undefined;
  /** Draws an allowed token. `uniform` is a random number of the host in 0..1. */
  sample(logits: Float32Array, temperature: number, uniform: number): number | undefined;
  /** @throws TokenRefused, LimitError */
  accept(token: number | bigint): void;
  /** Accepts a token if it is allowed, and returns whether it was. @throws LimitError */
  tryAccept(token: number | bigint): boolean;
  /** Accepts tokens up to the first that is not allowed, and returns their number. */
  acceptMany(tokens: Iterable<number | bigint>): number;
  /** Accepts a text, whatever its tokens, as one step for `rollback`. @throws TextRefused, LimitError */
  acceptText(text: string | ArrayBuffer | ArrayBufferView): void;
  /** Returns how many of the tokens could be accepted in a row. */
  validate(tokens: Iterable<number | bigint>): number;
  /** Fills a row with the mask of the next token, and one after each draft that is allowed; returns how many are. */
  fillDrafts(tokens: Iterable<number | bigint>, words: Uint32Array | Int32Array): number;
  rollback(tokens?: number): void;
  readonly rollbackDepth: number;
  fork(): Matcher;
  reset(): void;
  /** Returns the longest run of tokens in which each is the only one allowed. */
  forcedTokens(): Uint32Array;
  /** Returns the longest run of bytes that every continuation begins with. */
  forcedBytes(): Uint8Array;
  /** Returns the tokens of a shortest text after which the sequence may end. @throws LimitError */
  ending(): Uint32Array;
  explain(token: number | bigint): Explanation;
  readonly isAccepting: boolean;
  readonly isFinished: boolean;
  /** Whether only an end token may follow. */
  readonly mustEnd: boolean;
  /** Returns the position, for `restore` by any matcher of the same grammar. */
  export(): Uint8Array;
  restore(position: ArrayBuffer | ArrayBufferView): void;
  dispose(): void;
  [Symbol.dispose](): void;
}

/** A piece of an output. */
export interface Piece {
  kind: "markup" | "text" | "reasoning" | "json" | "xml" | "grammar" | "pattern";
  /** Index of the call of a tool that the piece belongs to. */
  call: number | undefined;
  /** Name of the called tool. */
  name?: string;
  /** Whether a part of the output begins with the piece. */
  begins: boolean;
  /** Whether the piece is in the arguments of a call. */
  isArguments: boolean;
  bytes: Uint8Array;
}

/** Splits one output of a grammar while it is generated. A piece is returned once no further input can change it. */
export class Splitter implements Owned {
  constructor(grammar: Grammar<unknown>);
  /** @throws TokenRefused */
  push(token: number | bigint): Piece[];
  /** @throws TextRefused; the bytes before the offset were read. */
  pushBytes(bytes: ArrayBuffer | ArrayBufferView): Piece[];
  /** Reads text in which special tokens are spelled. @throws TextRefused */
  pushText(text: string | ArrayBuffer | ArrayBufferView): Piece[];
  finish(): Piece[];
  /** Names of the tools that were called so far. */
  readonly calls: string[];
  readonly isAccepting: boolean;
  readonly isFinished: boolean;
  dispose(): void;
  [Symbol.dispose](): void;
}

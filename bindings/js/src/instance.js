// The module: loaded once, and what crosses its border.

import { GrammarcError, InternalError, LimitError, LoadError, UnsupportedError, errorOf } from "./errors.js";

// A text may begin with U+FEFF, which is no mark of its encoding.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** The smallest modules that use each feature the module needs. */
const FEATURES = {
  "SIMD128": "AGFzbQEAAAABBQFgAAF7AwIBAAoKAQgAQQD9D/1iCw==",
  "bulk memory": "AGFzbQEAAAABBAFgAAADAgEABQMBAAEKDgEMAEEAQQBBAPwKAAAL",
  "saturating conversion": "AGFzbQEAAAABBAFgAAADAgEACgwBCgBDAAAAAPwAGgs=",
  "sign extension": "AGFzbQEAAAABBAFgAAADAgEACggBBgBBAMAaCw==",
};

/** One instance of the module. A trap ends it, since its memory may be in any state then. */
export class Instance {
  constructor(module) {
    const { exports } = new WebAssembly.Instance(module, {});
    this.memory = exports.memory;
    /** The error that ended the instance. */
    this.death = undefined;
    const call = (work) => (a, b, c, d, e) => {
      if (this.death !== undefined) throw this.#dead();
      try {
        return work(a, b, c, d, e);
      } catch (error) {
        throw this.#die(error, exports);
      }
    };
    /** The exported functions, which end the instance when they trap. */
    this.exports = {};
    for (const [name, work] of Object.entries(exports)) {
      if (typeof work === "function") this.exports[name] = call(work);
    }
    this.exports.grammarc_start();
    this.#words = new Uint32Array(this.memory.buffer, 0, 0);
  }

  #words;

  #die(cause, exports) {
    let message = "";
    try {
      const at = exports.grammarc_panic_message();
      const length = new DataView(this.memory.buffer).getUint32(at, true);
      message = decoder.decode(this.view(at + 4, length));
    } catch {
      // The trap may have left no stack for a call.
    }
    if (message === "") message = `this is a defect of grammarc: ${cause?.message ?? cause}`;
    this.death = new InternalError("internal", message, { cause });
    return this.death;
  }

  #dead() {
    const message = `the module has failed before (${this.death.message}); init({ fresh: true }) makes a new one`;
    return new InternalError("internal", message, { cause: this.death });
  }

  /** Returns a view of bytes of the module, valid until the next call. */
  view(at, length) {
    return new Uint8Array(this.memory.buffer, at >>> 0, length);
  }

  /** Returns a view of the words that the last call left, valid until the next call. */
  words() {
    const at = this.exports.grammarc_words() >>> 0;
    const length = this.exports.grammarc_words_length();
    const { buffer } = this.memory;
    const kept = this.#words;
    if (kept.buffer === buffer && kept.byteOffset === at && kept.length === length) return kept;
    return (this.#words = new Uint32Array(buffer, at, length));
  }

  /** Returns a copy of the bytes that the last call left. */
  bytes() {
    return this.view(this.exports.grammarc_bytes(), this.exports.grammarc_bytes_length()).slice();
  }

  /** Returns the text that the last call left. */
  text() {
    return decoder.decode(this.view(this.exports.grammarc_text(), this.exports.grammarc_text_length()));
  }

  /** Returns the error of the last call. */
  error() {
    const [code, ...message] = this.text().split("\n");
    return errorOf(code, message.join("\n"), this.exports.grammarc_number());
  }

  /** Returns the room for arguments, as a view of `length` elements of a class. */
  room(View, length) {
    const at = this.exports.grammarc_room(length * View.BYTES_PER_ELEMENT) >>> 0;
    return new View(this.memory.buffer, at, length);
  }

  /** Writes elements to the room, and returns their number. */
  put(View, elements) {
    this.room(View, elements.length).set(elements);
    return elements.length;
  }

  /** Writes a text or bytes to the room, and returns the length in bytes. */
  putText(text) {
    if (typeof text !== "string") return this.put(Uint8Array, bytesOf(text));
    // A unit of UTF-16 has at most three bytes in UTF-8.
    return encoder.encodeInto(text, this.room(Uint8Array, text.length * 3)).written;
  }

  /** Makes a buffer for a file. The call that opens the file takes it over. */
  buffer(length) {
    const address = this.exports.grammarc_buffer_new(length);
    if (address === 0) throw new LimitError(`there is no memory for a file of ${length} bytes`, "memory");
    return { address, at: () => this.exports.grammarc_buffer_bytes(address), free: () => this.exports.grammarc_buffer_free(address) };
  }
}

/** Returns the bytes of a buffer or a view. */
export function bytesOf(source) {
  if (source instanceof Uint8Array) return source;
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (source instanceof ArrayBuffer || Object.prototype.toString.call(source) === "[object SharedArrayBuffer]") {
    return new Uint8Array(source);
  }
  throw errorOf("argument", `bytes are expected, not ${describe(source)}`, 0);
}

/** Returns what a wrong argument is, for messages. */
export function describe(value) {
  if (value === null || value === undefined) return String(value);
  return typeof value === "object" ? `a ${value.constructor?.name ?? "object"}` : `a ${typeof value}`;
}

let current;
let loaded;
let pending;
let load;
let loadNow;

/** Sets how the module of this package is read, and how it is read without waiting where that is possible. */
export function readModuleBy(work, now) {
  load = work;
  loadNow = now;
}

/** Returns the instance, made by `init` or `initSync`. */
export function instance() {
  if (current === undefined) throw new GrammarcError("argument", "call and await init() first, or call initSync()");
  return current;
}

function unsupported(cause) {
  const missing = Object.keys(FEATURES).filter((name) => {
    const bytes = Uint8Array.from(atob(FEATURES[name]), (character) => character.charCodeAt(0));
    return !WebAssembly.validate(bytes);
  });
  if (missing.length === 0) return cause;
  return new UnsupportedError("unsupported", `this engine's WebAssembly lacks ${missing.join(", ")}`, { cause });
}

async function compiled(source) {
  source = await source;
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof URL) source = await fetch(source);
  if (typeof Response !== "undefined" && source instanceof Response) {
    if (!source.ok) throw new LoadError("io", `${source.url} answered ${source.status}`);
    source = await source.arrayBuffer();
  }
  return WebAssembly.compile(bytesOf(source));
}

/** Loads the module. Later calls do nothing, but for `fresh`, which replaces the instance. */
export function init(from = {}) {
  if (from.fresh) current = undefined;
  if (current !== undefined) return Promise.resolve();
  const source = from.module ?? loaded;
  pending ??= (async () => {
    try {
      const module = await compiled(source ?? load());
      // A call of initSync may have come first.
      current ??= new Instance(module);
      loaded = module;
    } catch (error) {
      throw error instanceof WebAssembly.CompileError ? unsupported(error) : error;
    } finally {
      pending = undefined;
    }
  })();
  return pending;
}

/** Loads the module without waiting: from bytes or a compiled module, or that of the package where it is at hand. */
export function initSync(from = {}) {
  if (from.fresh) current = undefined;
  if (current !== undefined) return;
  const source = from.module ?? loaded ?? loadNow?.();
  try {
    const module = source instanceof WebAssembly.Module ? source : new WebAssembly.Module(bytesOf(source));
    current = new Instance(module);
    loaded = module;
  } catch (error) {
    throw error instanceof WebAssembly.CompileError ? unsupported(error) : error;
  }
}

/** Returns the versions of the package and of the artifacts' format. */
export function versions() {
  const { exports } = instance();
  exports.grammarc_version();
  const [version, formatVersion] = instance().text().split("\n");
  return { version, formatVersion };
}

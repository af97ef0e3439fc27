// Handles: objects of the module, each freed once.

import { ArgumentError } from "./errors.js";

/** The property of an object that has its handle. */
export const HANDLE = Symbol("grammarc handle");

/** The symbol of `using`, or a stand-in where the engine has none. */
export const DISPOSE = Symbol.dispose ?? Symbol.for("Symbol.dispose");

// Workers with an old compatibility date have none. Their objects are freed by `dispose`, and with the worker.
const registry =
  typeof FinalizationRegistry === "undefined" ? undefined : new FinalizationRegistry((handle) => handle.release());

/** The address of an object in an instance. */
class Handle {
  #address;

  constructor(instance, address, what) {
    this.instance = instance;
    this.what = what;
    this.#address = address;
  }

  get address() {
    if (this.#address === 0) throw new ArgumentError("disposed", `the ${this.what} was disposed of`);
    return this.#address;
  }

  release() {
    const address = this.#address;
    this.#address = 0;
    // The memory of an instance that has failed goes as a whole.
    if (address === 0 || this.instance.death !== undefined) return;
    this.instance.exports[`grammarc_${this.what}_free`](address);
  }
}

/** An object with a handle. */
export class Owner {
  constructor(instance, address, what) {
    if (address === 0) throw instance.error();
    const handle = new Handle(instance, address, what);
    Object.defineProperty(this, HANDLE, { value: handle });
    registry?.register(this, handle, handle);
  }

  /** Frees the object's memory. Later calls do nothing. */
  dispose() {
    registry?.unregister(this[HANDLE]);
    this[HANDLE].release();
  }

  [DISPOSE]() {
    this.dispose();
  }
}

/** Returns the address of an argument that has to be of a class, in an instance. */
export function addressIn(instance, object, Class) {
  if (!(object instanceof Class)) throw new ArgumentError("argument", `a ${Class.name} is expected`);
  const handle = object[HANDLE];
  const { address } = handle;
  if (handle.instance !== instance) {
    throw new ArgumentError("argument", `the ${handle.what} belongs to an instance of the module that was replaced`);
  }
  return address;
}

// The package at the edge, where no code is compiled at run time: the host imports the module as a `WebAssembly.Module`.

import module from "./runtime.wasm?module";

import { readModuleBy } from "./instance.js";

const read = () => module;
readModuleBy(read, read);

export * from "./api.js";

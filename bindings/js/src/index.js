// The package where modules are loaded by URL: browsers and bundlers.

import { readModuleBy } from "./instance.js";

readModuleBy(() => fetch(new URL("./runtime.wasm", import.meta.url)));

export * from "./api.js";

// The package in Node, whose `fetch` takes no URL of a file. Deno and Bun take this one, too.

import { readFile } from "node:fs/promises";

import { readModuleBy } from "./instance.js";

readModuleBy(() => readFile(new URL("./runtime.wasm", import.meta.url)));

export * from "./api.js";

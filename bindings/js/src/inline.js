// The package where files beside the code cannot be loaded: the module is part of the code.

import { readModuleBy } from "./instance.js";
import text from "./runtime.inline.js";

const read = () => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
readModuleBy(read, read);

export * from "./api.js";

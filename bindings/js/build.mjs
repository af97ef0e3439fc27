// Builds the module beside the package's sources, also as JavaScript, and prints its sizes.
//
//     node build.mjs            # release: `wasm-opt` where it is installed
//     node build.mjs --no-opt

import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("../../", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? `${root}target`;
const module = fileURLToPath(new URL("src/runtime.wasm", import.meta.url));
const FEATURES = ["simd128", "bulk-memory", "sign-ext", "nontrapping-fptoint"];

const env = { ...process.env, RUSTFLAGS: `-C target-feature=+${FEATURES.join(",+")}` };
const cargo = ["build", "--locked", "-p", "grammarc-wasm", "--profile", "wasm", "--target", "wasm32-unknown-unknown"];
execFileSync("cargo", cargo, { cwd: root, env, stdio: "inherit" });
copyFileSync(`${target}/wasm32-unknown-unknown/wasm/grammarc_wasm.wasm`, module);

/** `wasm-opt`, of the system or of the package `binaryen`. */
const TOOLS = ["wasm-opt", fileURLToPath(new URL("node_modules/.bin/wasm-opt", import.meta.url))];
const isThere = (tool) => spawnSync(tool, ["--version"]).status === 0;
// Passes over the flat form find more, and a second run finds what the first has left. The first kilobyte of the memory is
// the end of the stack, so an offset may be a part of an instruction.
const PASSES = ["--flatten", "--rereloop", "-Oz", "--low-memory-unused", "-Oz"];

if (!process.argv.includes("--no-opt")) {
  const enabled = ["simd", "bulk-memory", "sign-ext", "nontrapping-float-to-int"].map((name) => `--enable-${name}`);
  const words = [...enabled, ...PASSES, "--strip-producers", "--strip-target-features", module, "-o", module];
  const result = spawnSync(TOOLS.find(isThere) ?? TOOLS[0], words, { stdio: "inherit" });
  if (result.error?.code === "ENOENT") console.log("wasm-opt is not installed: the module is a twelfth larger");
  else if (result.status !== 0) process.exit(1);
}

const bytes = readFileSync(module);
const inline = `// Made by build.mjs: runtime.wasm in base64.\nexport default "${bytes.toString("base64")}";\n`;
writeFileSync(new URL("src/runtime.inline.js", import.meta.url), inline);
console.log(`runtime.wasm: ${bytes.length} bytes, gzip ${gzipSync(bytes, { level: 9 }).length}, brotli ${brotliCompressSync(bytes).length}`);

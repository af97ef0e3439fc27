// Builds the module beside the package's sources, and prints its sizes.
//
//     node build.mjs            # release: `wasm-opt` where it is installed
//     node build.mjs --no-opt

import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
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

if (!process.argv.includes("--no-opt")) {
  const enabled = ["simd", "bulk-memory", "sign-ext", "nontrapping-float-to-int"].map((name) => `--enable-${name}`);
  const { error, status } = spawnSync("wasm-opt", ["-Oz", ...enabled, module, "-o", module], { stdio: "inherit" });
  if (error?.code === "ENOENT") console.log("wasm-opt is not installed: the module is some percent larger");
  else if (status !== 0) process.exit(1);
}

const bytes = readFileSync(module);
console.log(`runtime.wasm: ${bytes.length} bytes, gzip ${gzipSync(bytes, { level: 9 }).length}, brotli ${brotliCompressSync(bytes).length}`);

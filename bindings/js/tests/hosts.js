// Runs the tests in other hosts: Deno, Bun and Node 22. Each file has a process of its own, as in Node.
//
// DENO, BUN and NODE_22 name the commands. A host that is not there is skipped.

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("./", import.meta.url));
const root = fileURLToPath(new URL("../", import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith(".test.js"));

const HOSTS = [
  { name: "Node 22", command: process.env.NODE_22 ?? "node22", flags: ["--expose-gc", "--test"] },
  { name: "Deno", command: process.env.DENO ?? "deno", flags: ["test", "--allow-all", "--no-check", "--v8-flags=--expose-gc"] },
  { name: "Bun", command: process.env.BUN ?? "bun", flags: ["test", "--timeout", "600000"] },
];

let failed = false;
for (const { name, command, flags } of HOSTS) {
  const { status, stdout } = spawnSync(command, ["--version"], { encoding: "utf8" });
  if (status !== 0) {
    console.log(`${name}: skipped, there is no ${command}`);
    continue;
  }
  const wrong = files.filter((file) => {
    const run = spawnSync(command, [...flags, `tests/${file}`], { cwd: root, encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } });
    if (run.status !== 0) console.log(run.stdout + run.stderr);
    return run.status !== 0;
  });
  failed ||= wrong.length > 0;
  const result = wrong.length === 0 ? `${files.length} files of tests passed` : `failed: ${wrong.join(", ")}`;
  console.log(`${name} (${stdout.trim().split("\n")[0]}): ${result}`);
}
process.exit(failed ? 1 : 0);

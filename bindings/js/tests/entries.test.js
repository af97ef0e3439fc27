// The entries besides those of Node and of browsers: under the conditions of edge hosts, within the code, and in workerd.
//
// WORKERD names the command. Without one its test is skipped.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { DATA } from "./support.js";

const FOLDER = fileURLToPath(new URL("entries/", import.meta.url));
const SOURCES = fileURLToPath(new URL("../src/", import.meta.url));
const PACKAGE = JSON.parse(readFileSync(new URL("../package.json", import.meta.url)));

const CASES = [
  ["grammarc", "edge.js", "workerd"],
  ["grammarc", "edge.js", "edge-light"],
  ["grammarc/inline", "inline.js", undefined],
  ["grammarc/inline", "inline.js", "workerd"],
];

// Other hosts have no hooks for modules.
const isNode = process.versions.bun === undefined && process.versions.deno === undefined;

for (const [entry, file, condition] of CASES) {
  const skip = !isNode && condition !== undefined && "needs Node's hooks";
  test(`${entry} under ${condition ?? "no condition"}`, { skip }, () => {
    const flags = condition === undefined ? [] : [`--conditions=${condition}`];
    const said = JSON.parse(execFileSync(process.execPath, [...flags, `${FOLDER}conditions.js`, entry], { encoding: "utf8" }));
    assert.ok(said.resolved.endsWith(`/src/${file}`), said.resolved);
    for (const { masks, wrong } of [said.first, said.second]) {
      assert.equal(wrong, 0);
      assert.ok(masks > 1000, `${masks}`);
    }
  });
}

/** A text of a configuration of workerd: a worker with the package's sources as modules. */
function configuration(date) {
  const entry = PACKAGE.exports["."].workerd.replace("./src/", "");
  const sources = readdirSync(SOURCES).filter((name) => name.endsWith(".js") && name !== "runtime.inline.js");
  const modules = [
    ["worker", `${FOLDER}worker.js`, "esModule"],
    ["walk.js", `${FOLDER}walk.js`, "esModule"],
    // The names are paths, so that the package finds its own files.
    ...sources.map((name) => [name === entry ? "grammarc" : name, SOURCES + name, "esModule"]),
    ["runtime.wasm?module", `${SOURCES}runtime.wasm`, "wasm"],
    ["data/vocabulary", `${DATA}tiny.gvocab`, "data"],
    ["data/grammar", `${DATA}tiny-person.gmask`, "data"],
    ["data/trace", `${DATA}tiny-person.trace`, "data"],
  ];
  // workerd takes paths from the configuration on.
  const lines = modules.map(([name, path, kind]) => `(name = ${JSON.stringify(name)}, ${kind} = embed ${JSON.stringify(relative(DATA, path))})`);
  return `using Workerd = import "/workerd/workerd.capnp";
const unit :Workerd.Config = (services = [(name = "test", worker = .tested)]);
const tested :Workerd.Worker = (modules = [${lines.join(", ")}], compatibilityDate = "${date}");
`;
}

const WORKERD = process.env.WORKERD ?? fileURLToPath(new URL("../node_modules/.bin/workerd", import.meta.url));
const isThere = spawnSync(WORKERD, ["--version"]).status === 0;

// Before and after workerd had a FinalizationRegistry.
for (const date of ["2024-01-01", "2026-01-01"]) {
  test(`workerd of ${date}`, { skip: !isThere && "there is no workerd" }, () => {
    const file = `${DATA}workerd-${date}.capnp`;
    writeFileSync(file, configuration(date));
    const { status, stdout, stderr } = spawnSync(WORKERD, ["test", file, "--verbose"], { encoding: "utf8" });
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout + stderr, /\d+ masks are equal/);
  });
}

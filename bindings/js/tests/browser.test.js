// The package in headless Chromium, under a strict policy: no request but the page's own, nothing on the console.
//
// CHROMIUM names the browser. Without one the test is skipped.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const CHROMIUM = process.env.CHROMIUM ?? "chromium";
const isThere = spawnSync(CHROMIUM, ["--version"]).status === 0;
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--enable-logging=stderr",
  // A request to any other host fails.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; img-src data:";
const TYPES = { js: "text/javascript", html: "text/html", wasm: "application/wasm", json: "application/json" };
const FOLDERS = { package: "../src/", data: "data/" };

/** Serves the page, and resolves with what it posts. */
function serve() {
  const asked = [];
  let server;
  const result = new Promise((resolve) => {
    server = createServer((request, response) => {
      asked.push(request.url);
      if (request.url === "/result") {
        let text = "";
        request.on("data", (part) => (text += part));
        request.on("end", () => {
          response.end();
          resolve(JSON.parse(text));
        });
        return;
      }
      const [, folder, name] = /^\/(?:(package|data)\/)?([\w.-]+)$/.exec(request.url) ?? [];
      const place = name && new URL(`${FOLDERS[folder] ?? "browser/"}${name}`, import.meta.url);
      try {
        const body = readFileSync(place);
        const type = TYPES[name.split(".").at(-1)] ?? "application/octet-stream";
        response.writeHead(200, { "content-type": type, "content-security-policy": POLICY, "content-length": body.length });
        response.end(body);
      } catch {
        response.writeHead(404).end();
      }
    });
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve({ server, asked, result, port: server.address().port }));
  });
}

test("a page under a strict policy", { skip: !isThere && "there is no Chromium", timeout: 240_000 }, async (context) => {
  const { server, asked, result, port } = await serve();
  const profile = mkdtempSync(join(tmpdir(), "grammarc-chromium-"));
  const origin = `http://127.0.0.1:${port}`;
  const browser = spawn(CHROMIUM, [...FLAGS, `--user-data-dir=${profile}`, "--remote-debugging-port=0", `${origin}/page.html`], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  browser.stderr.on("data", (part) => (log += part));
  let seen;
  try {
    seen = await result;
  } finally {
    const ended = new Promise((resolve) => browser.on("exit", resolve));
    browser.kill();
    await ended;
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
  assert.equal(seen.error, undefined);
  context.diagnostic(`${seen.masks} masks are equal in Chromium`);
  assert.deepEqual(seen.violations, []);
  const said = log.split("\n").filter((line) => line.includes("CONSOLE"));
  // The page says one thing, so that what is said is known to arrive here. The browser says that a file is not there.
  const [own, others] = [said.filter((line) => line.includes("the page is done")), said.filter((line) => !/the page is done|absent\.gvocab/.test(line))];
  assert.equal(own.length, 1, log);
  assert.deepEqual(others, []);
  assert.equal(seen.wrong, 0);
  assert.ok(seen.masks > 10_000, `${seen.masks}`);
  assert.equal(seen.refused, "token -1 is outside of the logit row");
  assert.equal(seen.missing, "io");
  assert.ok(seen.same && seen.kept === seen.count && seen.count > 0);
  assert.ok(seen.asked.length > 10 && seen.asked.every((url) => url.startsWith(`${origin}/`)), `${seen.asked}`);
  // The second vocabulary came from the cache.
  assert.equal(asked.filter((url) => url === "/data/tiny.gvocab").length, 1);
  assert.equal(asked.filter((url) => url.endsWith(".wasm")).length, 1);
});

// What the package does in a browser: the page posts the results to the test's server.

import { Grammar, TokenRefused, Vocabulary, init, versions } from "/package/index.js";

const violations = [];
document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
  violations.push(`${violatedDirective} ${blockedURI}`);
});

function hash(words, basis) {
  let hash = basis;
  for (const word of words) hash = Math.imul(hash ^ word, 0x01000193);
  return hash >>> 0;
}

async function replay(vocabulary, name) {
  const grammar = await Grammar.fetch(`/data/${name}.gmask`, vocabulary);
  const steps = new Uint32Array(await (await fetch(`/data/${name}.trace`)).arrayBuffer());
  let [matcher, masks, wrong] = [grammar.matcher(), 0, 0];
  for (let at = 0; at < steps.length; at += 3) {
    const { mask } = matcher;
    if (hash(mask, 0x811c9dc5) !== steps[at + 1] || hash(mask, 0x9e3779b9) !== steps[at + 2]) wrong += 1;
    masks += 1;
    if (steps[at] !== 0xffffffff) matcher.accept(steps[at]);
    else matcher = grammar.matcher();
  }
  return { masks, wrong };
}

async function work() {
  await init();
  const cache = window.caches === undefined ? undefined : "grammarc-test";
  const vocabulary = await Vocabulary.fetch("/data/tiny.gvocab", { cache });
  const again = await Vocabulary.fetch("/data/tiny.gvocab", { cache });
  const counts = { masks: 0, wrong: 0 };
  for (const [of, name] of await (await fetch("/data/traces.json")).json()) {
    if (of !== "tiny") continue;
    const { masks, wrong } = await replay(vocabulary, name);
    counts.masks += masks;
    counts.wrong += wrong;
  }
  const person = await Grammar.fetch("/data/tiny-person.gmask", vocabulary);
  const matcher = person.matcher();
  const row = new Float32Array(vocabulary.logitWidth);
  matcher.apply(row);
  let refused;
  try {
    matcher.accept(-1);
  } catch (error) {
    refused = error instanceof TokenRefused && error.message;
  }
  const missing = await Vocabulary.fetch("/data/absent.gvocab").catch((error) => error.code);
  return {
    ...versions(),
    ...counts,
    refused,
    missing,
    same: again.fingerprint === vocabulary.fingerprint,
    kept: row.filter((logit) => logit === 0).length,
    count: matcher.count(),
  };
}

const result = await work().catch((error) => ({ error: `${error.stack}` }));
console.info("the page is done");
const asked = performance.getEntriesByType("resource").map(({ name }) => name);
await fetch("/result", { method: "POST", body: JSON.stringify({ ...result, violations, asked }) });

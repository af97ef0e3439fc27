// What an entry has to do, in any host: replay recorded walks of a small vocabulary.

/** Returns the FNV-1a hash of words, as `examples/record.rs` has it. */
function hash(words, basis) {
  let hash = basis;
  for (const word of words) hash = Math.imul(hash ^ word, 0x01000193);
  return hash >>> 0;
}

/** Replays a walk over the bytes of a trace, and returns the numbers of its masks and of those that differ. */
export function replay({ Grammar, Vocabulary }, vocabulary, grammar, trace) {
  const opened = Grammar.open(grammar, Vocabulary.open(vocabulary));
  const steps = new Uint32Array(new Uint8Array(trace).buffer);
  let [matcher, masks, wrong] = [opened.matcher(), 0, 0];
  for (let at = 0; at < steps.length; at += 3) {
    const { mask } = matcher;
    if (hash(mask, 0x811c9dc5) !== steps[at + 1] || hash(mask, 0x9e3779b9) !== steps[at + 2]) wrong += 1;
    masks += 1;
    if (steps[at] !== 0xffffffff) matcher.accept(steps[at]);
    else matcher = opened.matcher();
  }
  return { masks, wrong };
}

// A test of workerd: the package under its own condition, with everything as modules of the configuration.

import * as grammarc from "grammarc";
import grammar from "data/grammar";
import trace from "data/trace";
import vocabulary from "data/vocabulary";

import { replay } from "./walk.js";

export default {
  async test() {
    await grammarc.init();
    const { masks, wrong } = replay(grammarc, vocabulary, grammar, trace);
    if (wrong !== 0 || masks < 1000) throw new Error(`${wrong} of ${masks} masks differ`);
    console.log(`${masks} masks are equal`);
  },
};

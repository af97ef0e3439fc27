//! Repetitions: which are unrolled into copies, which share rules, and which count in a register.
//!
//! Let `L` be the most repetitions of a body that one token can begin. While more than `L` remain,
//! a mask cannot depend on how many. So a large bound becomes a *loop* rule that counts down in a
//! register, followed by a *chain* of rules. Each rule of a chain is the body and then a call of
//! the next rule. A bound sets the initial countdown or the point of entry into the chain. One set
//! of rules serves every bound, and the vocabulary artifact can hold it for the bodies that many
//! grammars repeat.
//!
//! The repetitions that remain at some point are a [`Run`](rule::Run): at least one required
//! repetition, then the optional ones. Each rule accepts a whole run, and calls the rule of the
//! remaining run in tail position. So no rule returns between two repetitions, where many tokens
//! continue:
//!
//! ```text
//! chain 1, no more       body
//! chain 1, upto k        body (1, upto k-1)?
//! chain 1, any           body+
//! chain m, more          body (m-1, more)
//! loop of the optional   body{m-1} body loop{countdown} (1, upto L-1)?
//! loop of the required   body loop{countdown} (L, more)
//! ```
//!
//! A countdown needs the end of a body to be unambiguous. So a body that is not prefix-free is
//! called as a rule instead of being embedded in the loop. Its end is then the return from that
//! rule, and the parse position holds all parses of the body.
//!
//! | file | content |
//! | --- | --- |
//! | `rule` | the rules made for repetitions, and which calls which |
//! | `automata` | their automata |
//! | `bounded_tail` | bounded runs of bytes that end in a byte of their own |
//! | `bodies` | the repeated expressions |
//!
//! Tests: `tests/tests/suite/{bounds,counters}.rs`.

pub(super) mod automata;
pub(super) mod bodies;
pub(super) mod bounded_tail;
pub(super) mod rule;

//! Repetition: what is unrolled, what is shared, and what is counted in a register.
//!
//! Let `L` be the most repetitions of a body that one token can begin. While more than `L` remain, a mask cannot depend
//! on how many. So a large bound is a *loop* rule that counts down in a register, followed by a *chain*: each rule of a
//! chain is the body and then a call of the next. A bound sets the initial countdown or the point of entry into the
//! chain. One set of rules serves every bound, and the vocabulary artifact can hold it for the bodies that many
//! grammars repeat.
//!
//! The rest of a repetition is a [`Run`](rule::Run): at least one required repetition, then the optional ones. Each
//! rule is a whole run and calls the rest in tail position, so that none returns between two repetitions, where many
//! tokens continue:
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
//! A countdown needs the end of a body to be unambiguous. So a body that is not prefix-free is called as a rule instead
//! of being embedded in the loop: its end is the return, and the parse position holds all readings of it.
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

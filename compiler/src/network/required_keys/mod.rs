//! Graphs with required keys: the keys that are still missing are a set in a register of the frame.
//!
//! An object with 30 required keys in any order has 2^30 sets of missing keys. Unrolled, each set is a state. But while
//! two keys are missing, the next byte does not depend on which: the object must continue. So the rule of such a graph
//! has two copies of it: one that *waits* and never ends, and one that is *done*. The register of an activation begins
//! with all required keys. Arriving at the state after a required key clears its bit, and at the last bit the
//! activation continues in the copy that is done. The rule is linear in the graph whatever the number of keys.
//!
//! ```text
//! waiting:   "a" [clear a] :1 , "b" [clear b] :2 , ...        at the last bit, on to the copy that is done
//! done:      "a"           :1 , "b"           :2 , ... }
//! ```
//!
//! Masks are computed without the register: a token that writes a required key is taken to leave others missing. This
//! is right unless a token writes the last key and continues to where the copies is_distinguished, such as `b":2}`. No
//! vocabulary we know has one. [`is_distinguished`] looks for one, and then the sets are unrolled into states.
//!
//! The end of a required key must be unambiguous. So an expression that leads to one is called as a rule if it is not
//! prefix-free. The sets are unrolled as well if a key is still one of several readings of the same bytes, if some
//! state reaches some of the keys and not all, or if bytes of the rule are no tokens by themselves. In the last case it
//! would depend on the missing keys whether a token may end in a state.
//!
//! Tests: `tests/tests/suite/members.rs`.

mod automaton;
mod distinguish;

pub(super) use automaton::{automaton, may_wait};
pub(super) use distinguish::is_distinguished;

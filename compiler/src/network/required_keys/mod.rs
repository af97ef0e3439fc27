//! Graphs with required keys. The keys that are still missing are a bit set in a register of the
//! activation (the call in progress).
//!
//! An object with 30 required keys in any order has 2^30 sets of missing keys. Unrolled, each set
//! is a state. But while at least two keys are missing, the next byte does not depend on which: the
//! object must continue. So the rule of such a graph has two copies of the graph: the *waiting*
//! copy, which never ends, and the *done* copy. The register of an activation begins with all
//! required keys. Arriving at the state after a required key clears the key's bit. At the last bit,
//! the activation continues in the done copy. The size of the rule is linear in the graph, whatever
//! the number of keys.
//!
//! ```text
//! waiting:   "a" [clear a] :1 , "b" [clear b] :2 , ...        at the last bit, on to the copy that is done
//! done:      "a"           :1 , "b"           :2 , ... }
//! ```
//!
//! Masks are computed without the register: after a token that writes a required key, other keys
//! are assumed to be missing. This is right unless a token writes the last key and continues with
//! text that distinguishes the copies, such as `b":2}`. No vocabulary we know has such a token.
//! [`is_distinguished`] looks for one. If it finds one, the sets are unrolled into states.
//!
//! The end of a required key must be unambiguous. So an expression that leads to a required key is
//! called as a rule if it is not prefix-free. The sets are also
//! unrolled in three cases. First, a key may be one of several parses of the same bytes. Second,
//! some state may reach some of the keys and not all. Third, some byte of the rule may be no token by
//! itself. The missing keys would then decide whether a token may end in a state.
//!
//! Tests: `tests/tests/suite/members.rs`.

mod automaton;
mod distinguish;

pub(super) use automaton::{automaton, may_wait};
pub(super) use distinguish::is_distinguished;

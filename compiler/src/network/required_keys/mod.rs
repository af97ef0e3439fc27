//! Graphs with marks: the marks still to come are a set in a register of the frame.
//!
//! An object with 30 required members in any order has 2^30 sets of members that may be missing. Written out they would
//! be states. But while two marks are missing, what may come next does not depend on which: the object goes on. So the
//! rule of such a graph has two copies of it, one that *waits* and never ends, one that is *done*. The register of an
//! activation begins with all marks; arriving at a marked state clears its bit, and when none is left the activation
//! goes on in the other copy. The rule is linear in the graph whatever the number of marks.
//!
//! ```text
//! waiting:   "a" [clear a] :1 , "b" [clear b] :2 , ...        at the last bit, on to the copy that is done
//! done:      "a"           :1 , "b"           :2 , ... }
//! ```
//!
//! Masks are computed without the register: a token that passes a mark is taken to leave other marks behind. That is
//! right unless a token passes the last mark and goes on to where the copies differ, such as `b":2}`. No vocabulary we
//! know has one; [`differ`] looks, and where there is one the sets are written out as states.
//!
//! A mark must be unmistakable when it is passed, so an expression that leads to a marked state is called as a rule
//! where some string of it is a prefix of another. The sets are written out too where a mark is still one of several
//! ways to read the same bytes, or some state leads to some marks and not to all, or bytes of the rule are no tokens by
//! themselves (so that a state cannot be known to rest whatever is missing).

mod automaton;
mod distinguish;

pub(super) use automaton::{automaton, may_wait};
pub(super) use distinguish::differ;

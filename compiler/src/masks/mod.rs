//! All masks of a grammar: the automata of its rules, which call each other, times the token trie (see
//! ARCHITECTURE.md).
//!
//! 1. **Walk.** For each state `q`, run the token trie against `q`'s rule, with the stack below unknown. The tokens
//!    consumed within the rule are `base(q)`. The trie nodes at which the rule returns to its caller are `exits(q)`.
//! 2. **Interning.** Equal exit sets are one exit class.
//! 3. **Summary edges to a fixpoint.** A rule may return through the class `X`. Then `X` meets every return state `r`
//!    of the rule's calls. `follow(r, X)` is the outcome of `r` below the nodes of `X`, and its exits are the next
//!    class. Pairs are processed until none is new.
//! 4. **Encoding.** A set of tokens is an id list, a bit row, or a delta to a stored row. Equal records are stored
//!    once.
//! 5. **Bounds.** The longest chain of follow entries is computed. If the vocabulary lacks bytes, a least fixpoint
//!    finds the states in which no token may end, before all other steps.
//!
//! Steps 1 to 3 are `fixpoint`. Most of the other code saves walks, and could be left out without a change of any set.
//! A walk is saved in one way: **an outcome is that of a reference, without some subtrees of the trie, plus an own
//! outcome there**. If no subtree is left out, the two states are equivalent. If a few are left out, they are the
//! *difference* of the two states. If the subtrees are not known, the state is walked. `shortcuts` lists all ways to
//! save a walk, and each can be left out.
//!
//! Tests: `tests/tests/suite/{masks,shortcuts,counters}.rs`.
//!
//! | room | what | may use |
//! | --- | --- | --- |
//! | `trie` | indexes over tokens, no automaton | |
//! | `outcome` | results of strings: spans of ranks, exit nodes; memo | trie |
//! | `shared` | facts of the vocabulary's rules | trie, outcome |
//! | `equivalence` | equivalent states, and references | the above |
//! | `encode` | token sets as mask records | trie, outcome, shared |
//! | `walk` | one state over the trie | all above but encode |
//! | `derive` | many states from their references at once | all above |
//! | `fixpoint` | the computation, and its threads | all |

pub(crate) mod bits;
pub(crate) mod derive;
pub(crate) mod encode;
pub(crate) mod equivalence;
pub(crate) mod fixpoint;
mod limits;
pub(crate) mod outcome;
pub(crate) mod shared;
mod shortcuts;
#[cfg(test)]
mod testing;
pub(crate) mod trie;
pub(crate) mod walk;

pub use fixpoint::Masks;
pub use fixpoint::high_fanout::HighFanoutMasks;
pub(crate) use fixpoint::inputs::Inputs;
pub(crate) use fixpoint::{UnmaskedTables, compute, without_masks};
pub use limits::{MaskError, MaskLimits};
#[doc(hidden)]
pub use shortcuts::{Shortcut, ShortcutCounts, Shortcuts};

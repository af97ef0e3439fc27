//! All shortcuts of the computation, by name: each saves work and changes no set of tokens.
//!
//! Masks are defined by walks of every state over the whole trie and of every return state over its exit classes. A set
//! that follows from something known is not walked for, and each way to know one is a [`Shortcut`]. Any of them can be
//! [left out](Shortcuts::without), to be measured or to be ruled out where a mask is wrong; the artifact is the same,
//! byte for byte. How often each took effect is [counted](ShortcutCounts).
//!
//! Invariant: no shortcut calls the walk. The part of a subtree that is left goes on the walk's
//! [worklist](super::walk::worklist).

use std::fmt;

/// A way to save a walk, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shortcut {
    /// Memoised residuals: outcomes below the root are found once for a class of equivalent states
    /// (`outcome/memo.rs`).
    Memo,
    /// All nodes of an exit class go on together: subset construction on the side of the trie (`walk/node_sets.rs`).
    NodeSets,
    /// Wide states as a table with byte classes, scanned in preorder; subtrees that loop are skipped
    /// (`equivalence/transition_table.rs`, `walk/scan.rs`).
    TransitionTable,
    /// States that differ from the target of their widest edge in no token (`equivalence/default_transitions.rs`).
    DefaultTransitions,
    /// States that do the same with every factor of a token (`equivalence/token_bisimulation.rs`).
    TokenBisimulation,
    /// States from which no token leaves a literal (`equivalence/literals.rs`).
    Literals,
    /// Counter abstraction: rules before a countdown have the masks of rules without one
    /// (`equivalence/uncounted.rs`).
    Uncounted,
    /// States are derived from equivalent ones for `k` bytes (`equivalence/reference.rs`, `derive/batch.rs`).
    References,
    /// Outcomes are stored ones but for the subtrees on which a pair walk differs (`walk/take_over.rs`).
    SharedReferences,
    /// Tokens of one character class by their length (`derive/char_runs.rs`).
    CharRuns,
    /// Sets are encoded by the thread that finds them, before they are numbered (`encode/encoder.rs`).
    EncodeAhead,
}

impl Shortcut {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Memo,
        Self::NodeSets,
        Self::TransitionTable,
        Self::DefaultTransitions,
        Self::TokenBisimulation,
        Self::Literals,
        Self::Uncounted,
        Self::References,
        Self::SharedReferences,
        Self::CharRuns,
        Self::EncodeAhead,
    ];
}

/// The shortcuts that a computation takes: all of them, unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shortcuts(u32);

impl Default for Shortcuts {
    fn default() -> Self {
        Self(u32::MAX)
    }
}

impl Shortcuts {
    /// The same without one of them.
    #[must_use]
    pub fn without(self, shortcut: Shortcut) -> Self {
        Self(self.0 & !(1 << shortcut as u32))
    }

    /// Whether a shortcut is taken.
    #[inline]
    pub fn has(self, shortcut: Shortcut) -> bool {
        self.0 >> shortcut as u32 & 1 == 1
    }
}

/// How often each shortcut took effect. The numbers depend on time, as does the thread that finds an outcome first.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct ShortcutCounts([u64; Shortcut::ALL.len()]);

impl ShortcutCounts {
    /// A shortcut took effect so many times.
    #[inline]
    pub(crate) fn add(&mut self, shortcut: Shortcut, times: usize) {
        self.0[shortcut as usize] += times as u64;
    }

    /// Adds the numbers of another computation, or part of one.
    pub fn append(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(count, more)| *count += more);
    }

    /// How often a shortcut took effect.
    pub fn of(&self, shortcut: Shortcut) -> u64 {
        self.0[shortcut as usize]
    }
}

impl fmt::Debug for ShortcutCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(Shortcut::ALL.map(|shortcut| (shortcut, self.of(shortcut)))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_left_out_and_counted_by_itself() {
        let mut counts = ShortcutCounts::default();
        for (times, shortcut) in (1..).zip(Shortcut::ALL) {
            let rest = Shortcuts::default().without(shortcut);
            let taken = Shortcut::ALL.into_iter().filter(|&other| rest.has(other));
            assert_eq!(taken.count(), Shortcut::ALL.len() - 1);
            assert!(!rest.has(shortcut));
            counts.add(shortcut, times);
        }
        assert!((1..).zip(Shortcut::ALL).all(|(times, shortcut)| counts.of(shortcut) == times));
    }
}

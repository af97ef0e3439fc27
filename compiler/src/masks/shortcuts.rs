//! All shortcuts of the computation of masks, by name. Each saves work and changes no set of tokens.
//!
//! Masks are defined by walks of every state over the whole trie, and of every return state over the nodes at which its
//! callees return. A set that can be derived from known sets needs no walk. Each way to derive one is a [`Shortcut`].
//! Any shortcut can be [switched off](Shortcuts::without), to measure its effect or to find the cause of a wrong mask.
//! The artifact is the same, byte for byte. [`ShortcutCounts`] counts how often each took effect.
//!
//! Invariant: no shortcut calls the walk. The remaining part of a subtree is put on the walk's
//! [worklist](super::walk::worklist).

use std::fmt;

/// A way to save a walk of a state over the token trie, or a part of one. No shortcut changes a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shortcut {
    /// Memoised outcomes. The consumed tokens and exits (nodes where the rule returns) below a trie node are computed
    /// once for each class of equivalent states (`outcome/memo.rs`).
    Memo,
    /// All trie nodes at which a callee returns are walked together: subset construction on the trie
    /// (`walk/node_sets.rs`).
    NodeSets,
    /// States with many outgoing bytes are kept as a table with byte classes and scanned in preorder. Subtrees in which
    /// a state loops are skipped (`equivalence/transition_table.rs`, `walk/scan.rs`).
    TransitionTable,
    /// A state that is equivalent to the target of its widest edge on every token gets the target's mask
    /// (`equivalence/default_transitions.rs`).
    DefaultTransitions,
    /// States that are equivalent on every factor (substring) of a token share one mask
    /// (`equivalence/token_bisimulation.rs`).
    TokenBisimulation,
    /// States within literals that no token leaves share a mask if their literals lead to one trie node
    /// (`equivalence/literals.rs`).
    Literals,
    /// Counter abstraction: rules before a countdown (register of repetitions left) get the masks of equal rules
    /// without one (`equivalence/uncounted.rs`).
    Uncounted,
    /// Masks of states are derived from the masks of other states that are equivalent on strings of `k` bytes
    /// (`equivalence/reference.rs`, `derive/batch.rs`).
    References,
    /// Outcomes (consumed tokens and exit nodes) stored in the vocabulary are taken over for a similar state. The
    /// subtrees of the trie in which the two states are not equivalent are left out (`walk/take_over.rs`).
    SharedReferences,
    /// Tokens whose characters are all of one class are added by their length, without a walk (`derive/char_runs.rs`).
    CharRuns,
    /// Token sets are encoded by the thread that finds them, before they get their indexes (`encode/encoder.rs`).
    EncodeAhead,
}

impl Shortcut {
    /// All shortcuts, in the order of their declaration.
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

/// The set of shortcuts (savings in trie walks) that a computation of masks uses. The default has all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shortcuts(u32);

impl Default for Shortcuts {
    fn default() -> Self {
        Self(u32::MAX)
    }
}

impl Shortcuts {
    /// Returns this set of shortcuts without `shortcut`.
    #[must_use]
    pub fn without(self, shortcut: Shortcut) -> Self {
        Self(self.0 & !(1 << shortcut as u32))
    }

    /// Whether a computation with this set uses the shortcut.
    #[inline]
    pub fn has(self, shortcut: Shortcut) -> bool {
        self.0 >> shortcut as u32 & 1 == 1
    }
}

/// How often each shortcut took effect. The numbers may differ between runs, because they depend on which thread finds
/// an outcome (consumed tokens and exit nodes) first.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct ShortcutCounts([u64; Shortcut::ALL.len()]);

impl ShortcutCounts {
    /// Records that the shortcut `shortcut` took effect `times` more times.
    #[inline]
    pub(crate) fn add(&mut self, shortcut: Shortcut, times: usize) {
        self.0[shortcut as usize] += times as u64;
    }

    /// Adds the counts of another computation, or of a part of one, to these.
    pub fn append(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(count, more)| *count += more);
    }

    /// Returns how often the shortcut `shortcut` took effect.
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

//! The rules of a grammar after they are built, and before they are merged and laid out.

use super::content_hash::Digest;
use super::rule::{Labels, NetworkRule};

/// The rules and labels (calls or token sets) of a grammar, before they are merged and laid out.
#[derive(Clone, Debug)]
pub struct Built {
    /// The rules by number.
    pub rules: Vec<NetworkRule>,
    /// The labels on the edges of the rules: calls and token sets.
    pub labels: Labels,
    /// The numbers of the rules to start from.
    pub roots: Vec<usize>,
    /// Pairs of the digest of an expression, and the number of the rule built from it. Only for a
    /// vocabulary; empty for a grammar.
    pub(super) sources: Vec<(Digest, usize)>,
}

impl Built {
    /// Whether some rule was taken from the vocabulary, without building it, and its id there is
    /// among `shared`.
    pub(super) fn takes(&self, shared: &[u32]) -> bool {
        let stored = self.rules.iter().filter_map(|rule| rule.stored);
        stored.into_iter().any(|(_, rule)| shared.contains(&rule))
    }
}

//! The rules of a grammar as they are built, before the normal form.

use super::content_hash::Digest;
use super::rule::{Labels, NetworkRule};

/// Rules and labels, before the normal form.
#[derive(Clone, Debug)]
pub struct Built {
    /// The rules.
    pub rules: Vec<NetworkRule>,
    /// The labels on their edges.
    pub labels: Labels,
    /// The rules to start from.
    pub roots: Vec<usize>,
    /// The expressions that a vocabulary's rules were built from, by their digests, with the numbers of the rules.
    /// Empty for a grammar.
    pub(super) sources: Vec<(Digest, usize)>,
}

impl Built {
    /// Whether one of these rules of the vocabulary was taken without building it.
    pub(super) fn takes(&self, shared: &[u32]) -> bool {
        let stored = self.rules.iter().filter_map(|rule| rule.stored);
        stored.into_iter().any(|(_, rule)| shared.contains(&rule))
    }
}

//! The questions of the network to a vocabulary, as a trait, so that this room does not depend on the vocabulary's.

use std::sync::Arc;

use grammarc_artifacts::sections::vocabulary::Trie;

use super::ir::{ByteSet, TokenRef};

/// The network's view of a vocabulary.
pub trait Lexicon {
    /// Ids of the tokens that a reference names, ascending; empty where there is none. Several tokens may have the
    /// same bytes.
    fn resolve(&self, token: &TokenRef) -> Vec<u32>;

    /// All ids that a negated token set ranges over, ascending: text and special tokens, without the vocabulary's
    /// end-of-sequence tokens.
    fn all(&self) -> Vec<u32>;

    /// An upper bound, at least 1, on how many repetitions one token can begin of a body whose strings begin with a
    /// byte of `first`, consist of bytes of `alphabet`, and are at least `shortest` bytes long.
    fn most_repetitions(&self, first: ByteSet, alphabet: ByteSet, shortest: u32) -> u32;

    /// Bytes that are tokens by themselves.
    fn single_bytes(&self) -> ByteSet;

    /// Proper suffixes of text tokens that begin with a byte of `first` and have a byte of `with`: in ascending order,
    /// without repetition.
    fn tails(&self, first: ByteSet, with: ByteSet) -> Arc<[Box<[u8]>]>;

    /// All text tokens.
    fn trie(&self) -> Trie<'_>;
}

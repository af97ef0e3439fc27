//! The queries of the network to a vocabulary, as a trait. So this crate does not depend on the
//! vocabulary's crate.

use std::sync::Arc;

use grammarc_artifacts::sections::vocabulary::Trie;

use crate::ir::{ByteSet, TokenRef};

/// The queries to a vocabulary that the construction of the network needs.
pub trait Lexicon {
    /// Returns the ids of the tokens that a reference names, ascending. Empty if there is no such token. Several
    /// tokens may have the same bytes.
    fn resolve(&self, token: &TokenRef) -> Vec<u32>;

    /// Returns the ids of all tokens that a negated token set ranges over, ascending: text and special tokens, without
    /// the vocabulary's end-of-sequence tokens.
    fn all(&self) -> Vec<u32>;

    /// Returns an upper bound, at least 1, on the number of repetitions of an expression that can begin within one
    /// token. The strings of the expression begin with a byte of `first`, consist of bytes of `alphabet`, and have at
    /// least `shortest` bytes.
    fn most_repetitions(&self, first: ByteSet, alphabet: ByteSet, shortest: u32) -> u32;

    /// Returns the set of bytes that are the whole text of some token.
    fn single_bytes(&self) -> ByteSet;

    /// Returns the proper suffixes of text tokens that begin with a byte of `first` and contain a byte of `with`. They
    /// ascend, without repetition.
    fn tails(&self, first: ByteSet, with: ByteSet) -> Arc<[Box<[u8]>]>;

    /// Returns the trie of all text tokens.
    fn trie(&self) -> Trie<'_>;
}

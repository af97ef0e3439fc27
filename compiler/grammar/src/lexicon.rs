//! The queries of the network to a vocabulary, as a trait. So this crate does not depend on the
//! vocabulary's crate.

use std::sync::Arc;

use grammarc_artifacts::sections::vocabulary::Trie;

use crate::ir::{ByteSet, TokenRef};

/// The parts of a vocabulary that the network uses.
pub trait Lexicon {
    /// Returns the ids of the tokens that a reference names, ascending. Empty if there is no such token. Several
    /// tokens may have the same bytes.
    fn resolve(&self, token: &TokenRef) -> Vec<u32>;

    /// Returns all ids that a negated token set ranges over, ascending: text and special tokens, without the
    /// vocabulary's end-of-sequence tokens.
    fn all(&self) -> Vec<u32>;

    /// Returns an upper bound, at least 1, on the repetitions of a body that one token can begin. The strings of the
    /// body begin with a byte of `first`, consist of bytes of `alphabet`, and have at least `shortest` bytes.
    fn most_repetitions(&self, first: ByteSet, alphabet: ByteSet, shortest: u32) -> u32;

    /// Returns the bytes that are tokens by themselves.
    fn single_bytes(&self) -> ByteSet;

    /// Returns the proper suffixes of text tokens that begin with a byte of `first` and contain a byte of `with`: in
    /// ascending order, without repetition.
    fn tails(&self, first: ByteSet, with: ByteSet) -> Arc<[Box<[u8]>]>;

    /// Returns the trie of all text tokens.
    fn trie(&self) -> Trie<'_>;
}

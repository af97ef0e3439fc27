//! Indexes over the token trie, without any automaton.
//!
//! | file | what |
//! | --- | --- |
//! | [`children`] | the children of a node by their bytes |
//! | [`subtrees`] | height and end of the subtree of a node, and its bytes |
//! | [`byte_bits`] | sets of bytes as words of 128 bits |
//! | [`factors`] | Bloom filter of the factors (contiguous parts) of tokens |
//! | [`char_classes`] | tokens grouped by the kinds of their characters and by length |
//!
//! Tests: unit tests in each file.

pub(crate) mod byte_bits;
pub(crate) mod char_classes;
pub(crate) mod children;
pub(crate) mod factors;
pub(crate) mod subtrees;

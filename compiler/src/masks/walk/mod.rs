//! The automaton run over the token trie: outcomes of one state at a time.
//!
//! | file | what |
//! | --- | --- |
//! | [`walker`] | the walk and its memo |
//! | [`take_over`] | outcomes taken over from a shared reference |
//! | [`returns`] | continuations from return states |
//! | [`worklist`] | nodes and subtrees that a walk has still to visit |
//! | [`cursor`] | the lazily determinised automaton under a walk |
//! | [`scan`] | whole subtrees in preorder, for wide states |
//! | [`node_sets`] | all nodes of an exit class at once |
//! | [`moves`] | transitions of a configuration by single bytes |
//! | [`pair_table`] | pairs of a grammar's and a vocabulary's configuration: the bytes on which they differ |
//! | [`distinguishing`] | bytes one of which is in every short string on which a pair differs |
//! | [`pair_walk`] | the subtrees on which a pair differs |
//! | [`shared_reference`] | the vocabulary state whose stored mask an outcome is derived from |
//!
//! Tests: unit tests in `node_sets` and `take_over`; `tests/tests/suite/{masks,shortcuts}.rs`.

pub(crate) mod cursor;
pub(crate) mod distinguishing;
pub(crate) mod moves;
pub(crate) mod node_sets;
pub(crate) mod pair_table;
pub(crate) mod pair_walk;
pub(crate) mod returns;
pub(crate) mod scan;
pub(crate) mod shared_reference;
pub(crate) mod take_over;
pub(crate) mod walker;
pub(crate) mod worklist;

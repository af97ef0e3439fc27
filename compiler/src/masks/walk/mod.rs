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
//! | [`pair_table`] | pairs of a grammar's configuration and a shared state: the bytes with different transitions |
//! | [`distinguishing`] | bytes one of which is in every short string that distinguishes a pair |
//! | [`pair_walk`] | the subtrees in which a pair is not equivalent |
//! | [`shared_reference`] | the search for a vocabulary state with a stored mask to derive from |
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

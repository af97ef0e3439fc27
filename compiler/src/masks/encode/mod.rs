//! Token sets as mask records: id lists, bit rows, and deltas to another row.
//!
//! A record depends on the set and on the sets before it, never on how the set was found. Sets are brought into their
//! forms first, by any thread. They become masks in the order of the states.
//!
//! | file | what |
//! | --- | --- |
//! | [`form`] | the words that represent a set |
//! | [`encoder`] | encodes the sets of outcomes as forms, on any thread |
//! | [`lengths`] | limits on the lengths of lists |
//! | [`nearest_row`] | the stored row that differs least from a set |
//! | [`pool`] | interns sets by their forms; gives ids to masks |
//! | [`exit_classes`] | interns sets of exits, the trie nodes at which a rule returns |
//! | [`sort_ids`] | sorts token ids |
//!
//! Tests: unit tests in `encoder`, `form` and `sort_ids`; `tests/tests/suite/{masks,digests}.rs`.

pub(crate) mod encoder;
pub(crate) mod exit_classes;
pub(crate) mod form;
pub(crate) mod lengths;
pub(crate) mod nearest_row;
pub(crate) mod pool;
pub(crate) mod sort_ids;

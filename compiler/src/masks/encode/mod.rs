//! Token sets as mask records: id lists, bit rows, and deltas to another row.
//!
//! A record is a function of the set and of the sets numbered before it, never of how the set was found: sets are
//! brought into their forms first, by any thread, and become masks in the order of the states.
//!
//! | file | what |
//! | --- | --- |
//! | [`form`] | the words that encode a set |
//! | [`encoder`] | outcomes in their sets' forms, on any thread |
//! | [`lengths`] | how long lists may be |
//! | [`nearest_row`] | the stored row that differs least from a set |
//! | [`pool`] | sets by their forms; numbers masks |
//! | [`exit_classes`] | numbers exit classes |
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

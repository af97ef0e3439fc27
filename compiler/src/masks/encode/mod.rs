//! Token sets as mask records: id lists, bit rows, and deltas to another row.
//!
//! | file | what |
//! | --- | --- |
//! | [`encoder`] | encodes a set, on any thread, before masks are numbered |
//! | [`lengths`] | how long lists may be |
//! | [`nearest_row`] | the stored row that differs least from a set |
//! | [`pool`] | numbers masks; equal records once |
//! | [`exit_classes`] | numbers exit classes |
//! | [`sort_ids`] | sorts token ids |

pub(crate) mod encoder;
pub(crate) mod exit_classes;
pub(crate) mod lengths;
pub(crate) mod nearest_row;
pub(crate) mod pool;
pub(crate) mod sort_ids;

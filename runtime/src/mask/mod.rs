//! The mask of a position: a union of stored masks, of tokens found by walks, and of end tokens.
//!
//! | file | content |
//! | --- | --- |
//! | `union` | the mask that hosts hold |
//! | `chains` | the stored masks that a position allows |
//! | `parts` | the list of these stored masks |
//! | `pool` | one stored mask, as words or by token |
//! | `lists` | sparse masks as sorted lists of tokens |
//!
//! Tests: unit tests in `lists`, `parts` and `pool`; `src/tests/definition.rs` holds masks against an oracle.

pub(crate) mod chains;
pub(crate) mod lists;
pub(crate) mod parts;
pub(crate) mod pool;
pub(crate) mod union;

//! Steps: the position after a byte, some bytes or a token.
//!
//! ```text
//! token ─► texts: its bytes ─► run: one configuration, one move a byte ─► the position after it
//!                                      │ several moves
//!                                      ▼
//!                              machine: sets of configurations, by the artifact's tables
//! ```
//!
//! | file | content |
//! | --- | --- |
//! | `sequence` | one sequence: its frames and positions, advanced by bytes or a token |
//! | `input` | the input of one advance |
//! | `run` | one configuration without alternatives: the way of nearly all tokens |
//! | `moves` | the effect of each byte in each state, derived when a token is first read |
//! | `machine` | the simulation of all configurations, by the tables: the definition of a step, with which `run` agrees
//! |
//! | `buffers` | the buffers of a simulation over several bytes |
//! | `byte_set` | sets of bytes |
//! | `first_bytes` | the first set of a position |
//! | `texts` | the bytes of each token in one word |
//!
//! Tests: `src/tests/definition.rs` and `src/tests/directed.rs` against `src/testing/reference.rs`; unit tests in
//! `moves`.

pub(crate) mod buffers;
pub(crate) mod byte_set;
pub(crate) mod first_bytes;
pub(crate) mod input;
pub(crate) mod machine;
pub(crate) mod moves;
pub(crate) mod run;
pub(crate) mod sequence;
pub(crate) mod texts;

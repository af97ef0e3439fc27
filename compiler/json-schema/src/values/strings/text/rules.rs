//! The parameters of a set's text form: escapes, key or value, and the shared rules that are called.

use crate::values::pieces::Piece;
use grammarc_grammar::ir::Expr;

/// Whether a string is a key or a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Before a colon. Keys of several sets are read in parallel, and the set of a key is known at its end.
    Key,
    /// Elsewhere.
    Value,
}

/// The shared rules that the text form of a set calls.
pub(crate) trait StringRules {
    /// A rule of the prelude; see [`Piece::StringTail`] and its neighbours.
    fn piece(&mut self, piece: Piece) -> Expr;

    /// Any string of `min` to `max` characters after its opening quote, with the closing quote.
    fn counted_tail(&mut self, min: u32, max: Option<u32>) -> Expr;

    /// Any `min` to `max` characters.
    fn characters(&mut self, min: u32, max: u32) -> Expr;

    /// Returns the result of `content` as a rule of this name. The rule has the strings of a format after the opening
    /// quote, or the rest of a string, with the closing quote, in the shortest form.
    fn named_tail(&mut self, name: &'static str, content: impl FnOnce(&mut Self) -> Expr) -> Expr;
}

/// Why a set has no text form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TextError {
    /// Bounds on the length would have to be counted in too many states.
    #[error("counting up to {count} characters takes more than {limit} states of an automaton")]
    Counting {
        /// The highest bound.
        count: u32,
        /// The most that is allowed.
        limit: usize,
    },
}

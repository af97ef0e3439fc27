//! The parameters of the text form of strings: key or value, and the shared rules that are called.

use crate::values::pieces::Piece;
use grammarc_grammar::ir::Expr;

/// Whether a set of strings is written as keys or as values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A key of an object. Keys of several sets are read in parallel, and the set of a key is known only at its end.
    Key,
    /// A string that is a value and not a key.
    Value,
}

/// The shared rules that the grammar expressions of strings call. Each method returns a call of a rule.
pub(crate) trait StringRules {
    /// Returns a call of a rule of the prelude (the rules of JSON that every grammar may call); see
    /// [`Piece::StringTail`] and its neighbours.
    fn piece(&mut self, piece: Piece) -> Expr;

    /// Returns an expression of all strings of `min` to `max` characters (inclusive): their text after the opening
    /// quote, with the closing quote.
    fn counted_tail(&mut self, min: u32, max: Option<u32>) -> Expr;

    /// Returns an expression of all runs of `min` to `max` characters (inclusive), without quotes.
    fn characters(&mut self, min: u32, max: u32) -> Expr;

    /// Returns a call of the rule `name`, which has the result of `content` on first use. The rule has the rest of a
    /// string after the opening quote, with the closing quote and the shortest escapes.
    fn named_tail(&mut self, name: &'static str, content: impl FnOnce(&mut Self) -> Expr) -> Expr;
}

/// The reason why a set of strings cannot be written as a grammar expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TextError {
    /// To check the bounds on the length, characters would have to be counted in too many states.
    #[error("counting up to {count} characters takes more than {limit} states of an automaton")]
    Counting {
        /// The highest bound on the length, in characters.
        count: u32,
        /// The most automaton states that are allowed for counting.
        limit: usize,
    },
}

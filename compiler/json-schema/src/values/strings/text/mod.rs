//! The text form of a set of strings: what stands in a document between the opening quote, which is not part of it,
//! and the closing quote, which is.
//!
//! A language becomes a graph over its states between characters, with the texts of a class of characters on each edge
//! (`characters`, `spell`, `graph`). It ends in a call of a shared rule from where on any rest of the string will do, so a set
//! that excludes a thousand names is as large as the names, and its masks are computed once for a vocabulary. Bounds on the length that the language does not imply are counted by repetitions, or by a product with
//! the count where its shape leaves no other way and that is small (`counted`), and by a counter else (`bounded`). A pattern that
//! itself counts far keeps its counts as counters, beside that of the length (`counted_pattern`).

mod all_but;
mod alphabets;
mod bounded;
mod characters;
mod counted;
mod counted_pattern;
mod graph;
mod spell;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

pub(crate) use alphabets::Alphabet;
use smallvec::smallvec;

use super::escaped::escape;
use super::{Band, StringSet};
use crate::Piece;
use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::ir::{Counter, Expr};
use grammarc_patterns::ecma::CountedPattern;

/// Pairs of a state and a count up to which bounds are counted in states.
const FEW_PAIRS: usize = 1 << 7;

/// States, with the counts of a bound, from which on a pattern keeps its own counts as counters.
const MANY_PAIRS: usize = 1 << 10;

/// Which texts of a character are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Escapes {
    /// One: the character itself, or the shortest escape where it needs one.
    #[default]
    Shortest,
    /// Every text that JSON allows.
    Any,
}

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

/// This character.
pub(crate) fn one_character(c: char, escapes: Escapes) -> Expr {
    spell::Speller::new(escapes).expr(&smallvec![(c, c)])
}

/// One character.
pub(crate) fn character(escapes: Escapes) -> Expr {
    static CHARACTERS: [OnceLock<Expr>; 2] = [OnceLock::new(), OnceLock::new()];
    let made = || spell::Speller::new(escapes).expr(&smallvec![('\0', char::MAX)]);
    CHARACTERS[usize::from(escapes == Escapes::Any)].get_or_init(made).clone()
}

/// The texts of the strings of a set, from after the opening quote to the closing one. No more states than
/// `limit` allows are made of a count.
///
/// # Errors
///
/// See [`TextError`].
pub(crate) fn tail(
    rules: &mut impl StringRules,
    set: &StringSet,
    (place, escapes): (Place, Escapes),
    limit: StateBudget<'_>,
) -> Result<Expr, TextError> {
    // Parts that are read side by side are written into one rule, if that is one automaton.
    let bands = set.bands_to_write(limit);
    let is_alone = place == Place::Value && bands.len() == 1;
    let alphabets = is_alone && escapes == Escapes::Shortest;
    let mut choices = Vec::new();
    for band in &bands {
        choices.push(if band.language.is_all() {
            match (band.min, band.max) {
                (0, None) => rules.piece(Piece::StringTail),
                (1, None) => rules.piece(Piece::NonEmptyStringTail),
                (min, max) => rules.counted_tail(min, max),
            }
        } else if let Some(text) = listed(rules, band, (place, escapes)) {
            text
        } else if let Some(pattern) = counting(band) {
            let bounds = Counter { min: band.min, max: band.max };
            let bounds = (!band.is_implied()).then_some(bounds);
            let mut speller = spell::Speller::new(escapes);
            counted_pattern::written(pattern, bounds, |ranges| speller.expr(ranges))
        } else if band.is_implied() {
            let language = &band.language;
            let text = |rules: &mut _, alphabets| {
                graph::Plain::new(rules, language, escapes, alphabets).finish()
            };
            match (escapes, language.format()) {
                (Escapes::Shortest, Some(format)) => {
                    rules.named_tail(format, |rules| language.written(false, || text(rules, false)))
                }
                (Escapes::Shortest, None) => language.written(alphabets, || text(rules, alphabets)),
                (Escapes::Any, _) => text(rules, false),
            }
        } else {
            let few = if is_nearly_implied(band) { MANY_PAIRS } else { FEW_PAIRS };
            let few = limit.states(limit.states.min(few));
            match counted::counted(rules, band, (escapes, alphabets), few) {
                Err(_) if limit.spend(1).is_ok() => {
                    let bounds = Counter { min: band.min, max: band.max };
                    let mut speller = spell::Speller::new(escapes);
                    bounded::bounded(band.language.dfa(), bounds, |ranges| speller.expr(ranges))
                }
                counted => counted?,
            }
        });
    }
    Ok(Expr::alt(choices))
}

/// The pattern of a band, where its counts are to stay counters: its automaton has many states, or has with the counts of the
/// length.
fn counting(band: &Band) -> Option<&CountedPattern> {
    let pattern = band.language.counted_pattern()?;
    if is_nearly_implied(band) {
        return None;
    }
    if band.language.counted_form().is_some() {
        return Some(pattern);
    }
    let states = band.language.dfa().states.len();
    let counts = if band.is_implied() { 1 } else { band.max.unwrap_or(band.min) };
    (states.saturating_mul(counts as usize) > MANY_PAIRS).then_some(pattern)
}

/// Whether few counts of characters are told apart, since nearly all texts have a length within the bounds: those that are left are
/// counted in states. A counter would be near its bound all the time.
fn is_nearly_implied(band: &Band) -> bool {
    let language = &band.language;
    let (Some(longest), false) = (language.longest(), band.is_implied()) else { return false };
    let above = longest.saturating_sub(band.max.unwrap_or(longest));
    let below = band.min.saturating_sub(language.shortest());
    let counts = above.saturating_add(below) as usize;
    language.size().saturating_mul(counts + 1) <= MANY_PAIRS && language.small_dfa().is_some()
}

/// The text form of some texts, or of all but some, which needs no automaton: the network makes one of the rule that it
/// stands in. Many texts are a set, but for keys, which are read beside others.
fn listed(
    rules: &mut impl StringRules,
    band: &Band,
    (place, escapes): (Place, Escapes),
) -> Option<Expr> {
    if escapes != Escapes::Shortest {
        return None;
    }
    let written = |text: &str| format!("{}\"", escape(text));
    if let (Some(texts), Place::Value) = (band.language.many(), place) {
        let within = texts.iter().filter(|text| band.has_length_of(text));
        return Some(Expr::any_of(within.map(written).collect()));
    }
    if !band.is_implied() {
        return None;
    }
    if let Some(texts) = band.language.few() {
        let literal = |text: &str| match text.is_empty() {
            true => Expr::byte(b'"'),
            false => Expr::literal(written(text)),
        };
        return Some(Expr::alt(texts.iter().map(literal)));
    }
    band.language.left_out().map(|texts| all_but::tail(rules, texts))
}

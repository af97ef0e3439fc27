//! The text form of a whole set, band by band.

use super::rules::{Place, StringRules, TextError};
use super::{all_but, bounded, counted, counted_pattern, graph, spell};
use crate::options::Escapes;
use crate::values::pieces::Piece;
use crate::values::strings::band::Band;
use crate::values::strings::escaped::escape;
use crate::values::strings::set::StringSet;
use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::ir::{Counter, Expr};
use grammarc_patterns::ecma::CountedPattern;

/// Greatest number of pairs of a state and a count for which bounds are counted in states.
const FEW_PAIRS: usize = 1 << 7;

/// Number of pairs of a state and a count of the bounds from which a pattern keeps its own counts as counters.
const MANY_PAIRS: usize = 1 << 10;

/// The texts of the strings of a set, from after the opening quote to the closing one. No more states than
/// `limit` allows are made of a count.
///
/// # Errors
///
/// See [`TextError`].
pub(crate) fn tail(
    rules: &mut impl StringRules,
    set: &StringSet,
    place: Place,
    escapes: Escapes,
    limit: StateBudget<'_>,
) -> Result<Expr, TextError> {
    // Parts that are read in parallel are written into one rule, if that is one automaton.
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
        } else if let Some(text) = listed(rules, band, place, escapes) {
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
            match counted::counted(rules, band, escapes, alphabets, few) {
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

/// Returns the pattern of a band if its counts should stay counters: its automaton has many states, alone or
/// multiplied by the counts of the length.
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

/// Whether the bounds exclude few lengths of the language. Then the lengths are counted in states, because a counter
/// would be near its bound all the time.
fn is_nearly_implied(band: &Band) -> bool {
    let language = &band.language;
    let (Some(longest), false) = (language.longest(), band.is_implied()) else { return false };
    let above = longest.saturating_sub(band.max.unwrap_or(longest));
    let below = band.min.saturating_sub(language.shortest());
    let counts = above.saturating_add(below) as usize;
    language.size().saturating_mul(counts + 1) <= MANY_PAIRS && language.small_dfa().is_some()
}

/// The text form of a list of texts, or of its complement. It needs no automaton, because the network builds that of
/// the whole rule. Long lists are sets, except for keys, which are read together with others.
fn listed(
    rules: &mut impl StringRules,
    band: &Band,
    place: Place,
    escapes: Escapes,
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

//! The text form of a whole set of strings, band by band. A band is a language with bounds on the length.

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

/// Most pairs of an automaton state and a number of characters for which bounds on the length are counted in states.
/// Beyond, a counter checks the bounds.
const FEW_PAIRS: usize = 1 << 7;

/// Number of pairs of an automaton state and a number of characters above which a pattern keeps its own repetition
/// counts as counters.
const MANY_PAIRS: usize = 1 << 10;

/// Returns the grammar expression of the JSON texts of a set of strings, after the opening quote and with the closing
/// one. Counting a length takes at most as many states as `limit` allows.
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
    // Keys of several sets are read in parallel, and so are several bands. Shared rules for classes of characters are
    // used only for a value in a single band.
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

/// Returns the pattern of a band if its repetition counts should stay counters. This is so if the pattern's automaton
/// has many states, alone or multiplied by the bound on the length.
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

/// Returns whether the bounds of a band exclude few lengths of its language. Then lengths are counted in states,
/// because a counter would always be near its bound, where masks depend on the count.
fn is_nearly_implied(band: &Band) -> bool {
    let language = &band.language;
    let (Some(longest), false) = (language.longest(), band.is_implied()) else { return false };
    let above = longest.saturating_sub(band.max.unwrap_or(longest));
    let below = band.min.saturating_sub(language.shortest());
    let counts = above.saturating_add(below) as usize;
    language.size().saturating_mul(counts + 1) <= MANY_PAIRS && language.small_dfa().is_some()
}

/// Returns the grammar expression of a list of texts, or of the complement of a list. No automaton is needed, because
/// the network builds that of the whole rule. A long list becomes a set of literals, unless it has keys, which are read
/// together with others. Returns `None` for other languages, and if a character may have several escapes.
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

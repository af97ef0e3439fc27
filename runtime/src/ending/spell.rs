//! Tokens that spell a text under the masks of a matcher: depth-first search with memoized failures.
//!
//! The longest token is tried first, and the search backtracks if it cannot continue. An offset that failed once is not
//! tried again, since the rest of the text does not depend on the tokens before it.
//!
//! Cost: O(text x longest token) look-ups.

use super::route::Unit;
use crate::mask::pool;
use crate::matcher::Matcher;

/// Longest token that is tried, in bytes. Longer tokens are runs of blanks and the like. They are not used.
const LONGEST: usize = 64;

/// Returns the bytes of a text as units, one for each byte.
pub fn units_of(text: &[u8]) -> Vec<Unit> {
    text.iter().copied().map(Unit::Byte).collect()
}

/// Finds allowed tokens that spell the units, accepts them and returns them. `None` if no tokens spell the units. The
/// matcher is at its old position then.
///
/// The rollback window of the matcher must have room for the tokens that the search takes back, nearly always none. If
/// it has not, the result is `None`, and some tokens stay accepted.
pub fn spell(matcher: &mut Matcher, units: &[Unit]) -> Option<Vec<u32>> {
    let mut tokens: Vec<u32> = Vec::new();
    // For each accepted token, the index of its first unit and its number of units.
    let mut taken: Vec<(usize, usize)> = Vec::new();
    let mut failed = vec![false; units.len() + 1];
    let (mut at, mut longest) = (0, LONGEST);
    while at < units.len() {
        let step = (!failed[at]).then(|| next_token(matcher, &units[at..], longest)).flatten();
        if let Some((token, len)) = step
            && matcher.accept(token).is_ok()
        {
            tokens.push(token);
            taken.push((at, len));
            (at, longest) = (at + len, LONGEST);
            continue;
        }
        failed[at] = true;
        let (from, len) = taken.pop()?;
        if matcher.rollback(1).is_err() {
            return None;
        }
        tokens.pop();
        (at, longest) = (from, len - 1);
        // Shorter tokens from this offset are still to be tried.
        failed[at] = longest == 0;
    }
    Some(tokens)
}

/// Returns the allowed token that spells the most of the first `longest` units, and the number of these units. `None`
/// if no allowed token spells any.
pub fn next_token(matcher: &mut Matcher, units: &[Unit], longest: usize) -> Option<(u32, usize)> {
    let grammar = matcher.grammar().clone();
    let mask = matcher.mask();
    if let (Some(&Unit::Token(set)), 1..) = (units.first(), longest) {
        let token = pool::least(grammar.pool().mask(set))?;
        return mask.contains(token).then_some((token, 1));
    }
    let bytes: Vec<u8> = units
        .iter()
        .take(longest)
        .map_while(|unit| match unit {
            Unit::Byte(byte) => Some(*byte),
            Unit::Token(_) => None,
        })
        .collect();
    let vocabulary = grammar.vocabulary().artifact();
    (1..=bytes.len()).rev().find_map(|len| {
        let spelled = vocabulary.lookup(&bytes[..len]);
        spelled.iter().find(|&&token| mask.contains(token)).map(|&token| (token, len))
    })
}

//! From text to tokens, under the masks of a matcher: how a text is reached in a grammar that is driven by tokens.
//!
//! The longest token comes first, and where that leads nowhere the search steps back. A position in the text that was
//! left in vain once is not tried again, because what follows it does not depend on how it was reached: the search is
//! linear in the text, times the length of the longest token.

use super::route::Unit;
use crate::matcher::Matcher;
use crate::pool;

/// Longer tokens are not looked for: they are runs of blanks and the like.
const LONGEST: usize = 64;

/// Text as units.
pub fn units_of(text: &[u8]) -> Vec<Unit> {
    text.iter().copied().map(Unit::Byte).collect()
}

/// Accepts tokens that spell the units, and returns them. The matcher is left as it was where there are none.
///
/// The matcher has to be able to take back as many tokens as the search steps back, nearly always none.
pub fn spell(matcher: &mut Matcher, units: &[Unit]) -> Option<Vec<u32>> {
    let mut tokens: Vec<u32> = Vec::new();
    // For each token accepted: where it begins, and how many units it took.
    let mut taken: Vec<(usize, usize)> = Vec::new();
    let mut in_vain = vec![false; units.len() + 1];
    let (mut at, mut longest) = (0, LONGEST);
    while at < units.len() {
        let step = (!in_vain[at]).then(|| next_token(matcher, &units[at..], longest)).flatten();
        if let Some((token, len)) = step
            && matcher.accept(token).is_ok()
        {
            tokens.push(token);
            taken.push((at, len));
            (at, longest) = (at + len, LONGEST);
            continue;
        }
        in_vain[at] = true;
        let (from, len) = taken.pop()?;
        if matcher.rollback(1).is_err() {
            return None;
        }
        tokens.pop();
        (at, longest) = (from, len - 1);
        // Its shorter tokens are still to be tried.
        in_vain[at] = longest == 0;
    }
    Some(tokens)
}

/// The allowed token that spells the most of the first `longest` units, and how many.
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

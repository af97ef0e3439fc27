//! The ending of a position, as tokens. A route is planned first, then its tokens are tried on a fork.

use super::route::Unit;
use super::{costs, fewest, route};
use crate::error::EndingError;
use crate::matcher::Matcher;

/// Largest number of units (bytes, or tokens of token edges) of an ending: a megabyte of text. Beyond it, the search
/// returns an error.
const LONGEST: usize = 1 << 20;
/// Largest number of rounds of a search. Each round ends at a token that is refused. Beyond it, the search returns an
/// error.
const DETOURS: usize = 256;
/// Largest number of allowed tokens that are tried for the one nearest an end. Further tokens are not considered.
const LOOKED_AT: usize = 1024;

impl Matcher {
    /// Returns the first `most` units of the shortest text from here to a position where the sequence may end. A unit
    /// is a byte or a token of a token edge. Empty if the sequence may end here, `None` if no end can be reached. The
    /// matcher does not move.
    ///
    /// The text is the shortest in bytes by the states and stacks alone. It may repeat an item that must differ, and
    /// the vocabulary may be unable to spell it. [`Matcher::ending`] respects both.
    ///
    /// O(states of the grammar) on the first call for a grammar, then O(`most`) table reads and the depth of the
    /// stacks.
    pub fn route(&self, most: usize) -> Option<Vec<Unit>> {
        let position = self.sequence().history.current();
        if position.is_empty() {
            return Some(Vec::new());
        }
        let (tables, costs) = (self.grammar().tables(), self.grammar().costs());
        route::shortest(tables, costs, &self.sequence().frames, position, most)
    }

    /// Writes to `tokens` the tokens of a shortest text from here to a position where the sequence may end. `tokens` is
    /// cleared first. It stays empty if the sequence may end here or has ended. No end token is written. The matcher
    /// does not move.
    ///
    /// The text is the shortest in bytes, and its tokens are the fewest that spell it. Such a text may repeat an item
    /// that must differ, or the vocabulary may be unable to spell it. The tokens are those of another short text then.
    ///
    /// # Errors
    ///
    /// The ending has more than a megabyte, no tokens were found that spell one, or a limit of the matcher was met.
    /// `tokens` is empty then.
    pub fn ending(&mut self, tokens: &mut Vec<u32>) -> Result<(), EndingError> {
        tokens.clear();
        let mut ahead = self.fork();
        let mut found = Vec::new();
        for _ in 0..DETOURS {
            if ahead.is_accepting() || ahead.is_finished() {
                tokens.append(&mut found);
                return Ok(());
            }
            let units = ahead.route(LONGEST).ok_or(EndingError::NotFound)?;
            if units.len() == LONGEST {
                return Err(EndingError::TooLong { limit: LONGEST });
            }
            let plan = fewest::of(&ahead, &units);
            let end = plan.map(|plan| follow(&mut ahead, &plan, &mut found));
            if end != Some(true) && !ahead.is_accepting() {
                let nearest = nearest(&mut ahead).ok_or(EndingError::NotFound)?;
                ahead.accept(nearest).map_err(|_| EndingError::NotFound)?;
                found.push(nearest);
            }
        }
        Err(EndingError::NotFound)
    }
}

/// Accepts the tokens of `plan` up to the first that is refused, and appends them to `found`. Returns whether all were
/// accepted.
fn follow(matcher: &mut Matcher, plan: &[u32], found: &mut Vec<u32>) -> bool {
    let taken = matcher.accept_many(plan);
    let taken = taken.map_or_else(|error| error.accepted, |()| plan.len());
    found.extend_from_slice(&plan[..taken]);
    taken == plan.len()
}

/// Returns the allowed token after which an end is nearest, in bytes. Tries the first [`LOOKED_AT`] allowed tokens.
/// `None` if no tried token leads to an end.
fn nearest(matcher: &mut Matcher) -> Option<u32> {
    let allowed: Vec<u32> = matcher.mask().iter().take(LOOKED_AT).collect();
    let mut best: Option<(u64, u32)> = None;
    for token in allowed {
        let mut after = matcher.fork();
        if after.accept(token).is_err() {
            continue;
        }
        let bytes = matcher.grammar().vocabulary().token_bytes(token).len() as u64;
        let cost = distance(&after).saturating_add(bytes);
        if best.is_none_or(|best| (cost, token) < best) {
            best = Some((cost, token));
        }
    }
    best.filter(|best| best.0 != costs::NEVER).map(|best| best.1)
}

/// Returns the number of units of the shortest text from a matcher's position to an end.
fn distance(matcher: &Matcher) -> u64 {
    let position = matcher.sequence().history.current();
    let (tables, costs) = (matcher.grammar().tables(), matcher.grammar().costs());
    route::distance(tables, costs, &matcher.sequence().frames, position)
}

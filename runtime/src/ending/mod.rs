//! The shortest way from a position to an end: what a host appends to a text that was cut off.
//!
//! ```text
//! position ─ costs ─► route: the shortest text, in bytes ─► fewest: its tokens ─► accept, on a fork
//!                        ▲                                                           │ refused
//!                        └──────── a token that the mask has, nearest an end ◄───────┘
//! ```
//!
//! - [`costs`]: for every state the least that it takes to leave its rule, once for a grammar;
//! - [`text_costs`]: the same for the nodes of catalogues;
//! - [`route`]: the shortest text that ends a position;
//! - [`fewest`]: the fewest tokens that spell a text;
//! - [`spell`]: tokens of a text under the masks, with steps back.
//!
//! A route knows states and stacks, not what a vocabulary can spell and not which items were there before. So its tokens
//! are tried on a fork, and where one is refused (the route would repeat an item where items differ) the search takes
//! the token of the mask that is nearest an end, and goes on from there.
//!
//! Cost: linear in the text of the ending, times the length of the longest token; one pass over the mask for each
//! detour.

pub(crate) mod costs;
mod fewest;
mod route;
mod spell;
mod text_costs;

pub use self::route::Unit;
pub use self::spell::{next_token, spell, units_of};

use crate::error::EndingError;
use crate::matcher::Matcher;

/// Units of the longest ending: a megabyte of text.
const LONGEST: usize = 1 << 20;
/// Most refused tokens of a search for an ending. Beyond, the search gives up.
const DETOURS: usize = 256;

impl Matcher {
    /// The shortest text from here to where the sequence may end, the first `most` units of it: empty where it may end
    /// here, `None` where no end can be reached. The matcher does not move.
    ///
    /// It is the shortest by bytes for what states can know: where items have to differ from those before them it may
    /// repeat one, and a vocabulary may be unable to spell it. [`Matcher::ending`] heeds both.
    ///
    /// O(states of the grammar) on the first call for a grammar; then O(`most`) table reads, and the depth of the stacks.
    pub fn route(&self, most: usize) -> Option<Vec<Unit>> {
        let position = self.sequence.trail.current();
        if position.is_empty() {
            return Some(Vec::new());
        }
        let (tables, costs) = (self.grammar.tables(), self.grammar.costs());
        route::shortest(tables, costs, &self.sequence.frames, position, most)
    }

    /// Writes the tokens of a shortest text from here to where the sequence may end: none where it may end here or has
    /// ended. No end token is among them. The buffer is emptied first; the matcher does not move.
    ///
    /// The text is the shortest by bytes, and its tokens are the fewest that spell it, except where items have to differ
    /// or the vocabulary cannot spell that text: then it is a short one.
    ///
    /// # Errors
    ///
    /// The ending has more than a megabyte, or none was found that the tokens spell, or a limit of the matcher was met.
    /// Then the buffer is empty.
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

/// Accepts the tokens of a plan up to the first that is refused. Returns whether all were accepted.
fn follow(matcher: &mut Matcher, plan: &[u32], found: &mut Vec<u32>) -> bool {
    let taken = matcher.accept_many(plan);
    let taken = taken.map_or_else(|error| error.accepted, |()| plan.len());
    found.extend_from_slice(&plan[..taken]);
    taken == plan.len()
}

/// Most tokens of a mask that are tried for the one nearest an end.
const LOOKED_AT: usize = 1024;

/// The token of the mask after which the way to an end is the shortest.
fn nearest(matcher: &mut Matcher) -> Option<u32> {
    let allowed: Vec<u32> = matcher.mask().iter().take(LOOKED_AT).collect();
    let mut best: Option<(u64, u32)> = None;
    for token in allowed {
        let mut after = matcher.fork();
        if after.accept(token).is_err() {
            continue;
        }
        let bytes = matcher.grammar().vocabulary().token_bytes(token).len() as u64;
        let cost = after.distance().saturating_add(bytes);
        if best.is_none_or(|best| (cost, token) < best) {
            best = Some((cost, token));
        }
    }
    best.filter(|best| best.0 != costs::NEVER).map(|best| best.1)
}

impl Matcher {
    /// Units of the shortest way to an end.
    fn distance(&self) -> u64 {
        let position = self.sequence.trail.current();
        let (tables, costs) = (self.grammar.tables(), self.grammar.costs());
        route::distance(tables, costs, &self.sequence.frames, position)
    }
}

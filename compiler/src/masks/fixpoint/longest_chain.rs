//! A bound on the number of returns that one token makes: the longest chain of stored masks that the runtime reads for
//! one mask. The masks are those of tokens after a return, of the vocabulary and of the grammar.
//!
//! Cost: as [`ChainLinks`] of the grammar's own rules, and O(masks after returns from rules of the vocabulary).

use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::TablesData;

use crate::masks::shared::chains::{ChainLinks, SharedChains};
use crate::network::follow::Follow;

/// Returns a bound on the number of returns that one token makes, each to another stack frame. The runtime reads one
/// stored mask for each of them. The error is a state after a call at which the number is unbounded: it grows with the
/// stack. `own` has the masks of the grammar, and `shared` the bounds for the vocabulary's rules alone.
pub(crate) fn longest_chain(
    own: &TablesData,
    shared: &SharedChains,
    follow: &Follow<'_>,
) -> Result<u32, u32> {
    let own = own.as_tables();
    let within = shared.longest.unwrap_or(Ok(0))?;
    let ways = ChainLinks::new(own, |state| follow.rule_of(state), |rule| follow.own_returns(rule));
    let lengths = ways.lengths()?;
    let any = !own.follows.is_empty();
    let mut longest = lengths.iter().copied().max().unwrap_or(u32::from(any)).max(within);
    for callee in follow.shared_callees() {
        let through = &shared.through[callee as usize];
        if through.is_empty() {
            continue;
        }
        for ret in follow.own_returns(callee) {
            for entry in own.follows_of((ret - own.bases.states) as usize) {
                let Ok(at) = through.binary_search_by_key(&entry.class, |(class, _)| *class) else {
                    continue;
                };
                let on = match entry.next {
                    NONE => 1,
                    next => ways.length(&lengths, (follow.rule_of(ret), next)),
                };
                longest = longest.max(through[at].1 + on);
            }
        }
    }
    Ok(longest)
}

//! Checks of the numbering: bases, totals, and the ranges of states and rules.

use super::violation::{Check, Invariant, at};
use crate::sections::kinds::SectionKind;
use crate::sections::network::{NONE, StateRecord, rule_flags};
use crate::tables::{Bases, Tables};

/// Checks that the numbering continues `before`, and that ids stay below 2^32 - 1. `row_words` is the expected width of
/// a dense row.
pub(super) fn bases(own: &Tables<'_>, before: Bases, row_words: u32) -> Check {
    let place = at(SectionKind::Tables, 0);
    let numbered = [
        (own.bases.rules, before.rules, own.rules.len()),
        (own.bases.states, before.states, own.states.len()),
        (own.bases.masks, before.masks, own.masks.len()),
        (own.bases.rows, before.rows, own.rows.len()),
        (own.bases.classes, before.classes, own.classes.len()),
    ];
    for (base, before, count) in numbered {
        place.equal(Invariant::Bases, base as usize, before as usize)?;
        let total = u64::from(base) + count as u64;
        place.require(Invariant::Totals, total < u64::from(NONE), base)?;
    }
    place.equal(Invariant::RowWords, own.row_words as usize, row_words as usize)?;
    let rest = own.rows.len().checked_rem(row_words as usize).unwrap_or(own.rows.len());
    at(SectionKind::Rows, own.rows.len()).equal(Invariant::RowWords, rest, 0)
}

/// Checks that the ranges of the states partition the edge tables, and that the ranges of the rules partition the
/// states. `regions` is the number of regions.
pub(super) fn check(own: &Tables<'_>, regions: usize) -> Check {
    sentinel(own)?;
    state_ranges(own)?;
    rules(own, regions)
}

/// Checks that the state table ends with a sentinel, which holds the lengths of the edge tables and of the follow
/// entries.
fn sentinel(own: &Tables<'_>) -> Check {
    let place = at(SectionKind::States, own.state_count() as usize);
    let Some(last) = own.states.last() else {
        return place.at_least(Invariant::Sentinel, 0, 1);
    };
    let ends = [
        (last.byte_edges, own.byte_edges.len()),
        (last.call_edges, own.call_edges.len()),
        (last.token_edges, own.token_edges.len()),
        (last.follows, own.follows.len()),
    ];
    for (found, expected) in ends {
        place.equal(Invariant::Sentinel, found as usize, expected)?;
    }
    let sentinel = StateRecord::sentinel(ends.map(|(found, _)| found));
    place.require(Invariant::Sentinel, *last == sentinel, last.flags)
}

/// Checks that the edge ranges of the states ascend.
fn state_ranges(own: &Tables<'_>) -> Check {
    let starts = |state: &StateRecord| {
        [state.byte_edges, state.call_edges, state.token_edges, state.follows]
    };
    let mut least = [0; 4];
    for (index, state) in own.states.iter().enumerate() {
        let found = starts(state);
        for (found, least) in found.into_iter().zip(least) {
            let place = at(SectionKind::States, index);
            place.at_least(Invariant::StateRanges, found, least)?;
            if index == 0 {
                place.equal(Invariant::StateRanges, found as usize, 0)?;
            }
        }
        least = found;
    }
    Ok(())
}

/// Checks that the rules partition the states, have known flags, and name one of `regions` regions or none.
fn rules(own: &Tables<'_>, regions: usize) -> Check {
    let known = rule_flags::COUNTED
        | rule_flags::MONOTONE
        | rule_flags::DISTINCT
        | rule_flags::ITEM
        | rule_flags::PACKED_STRINGS
        | rule_flags::MOST_REGIONS << rule_flags::REGION;
    let mut next = own.bases.states;
    let end = own.bases.states + own.state_count();
    for (index, rule) in own.rules.iter().enumerate() {
        let place = at(SectionKind::Rules, index);
        place.equal(Invariant::RuleStates, rule.first_state as usize, next as usize)?;
        place.at_least(Invariant::RuleStates, rule.state_count, 1)?;
        place.below(Invariant::RuleStates, rule.state_count - 1, end - next)?;
        next += rule.state_count;
        let flags = rule.flags;
        let counted = flags & rule_flags::MONOTONE == 0 || flags & rule_flags::COUNTED != 0;
        let register = rule_flags::COUNTED | rule_flags::DISTINCT;
        let is_known = rule.region().is_none_or(|region| (region as usize) < regions);
        let holds = flags & !known == 0 && counted && flags & register != register && is_known;
        place.require(Invariant::RuleFlags, holds, flags)?;
    }
    at(SectionKind::Rules, own.rules.len()).equal(
        Invariant::RuleStates,
        next as usize,
        end as usize,
    )
}

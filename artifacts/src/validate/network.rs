//! Checks of the states' fields, of edges and of follow entries.

use super::arrivals;
use super::context::{Context, rules_of};
use super::violation::{Check, Invariant, at};
use crate::sections::kinds::SectionKind;
use crate::sections::network::{NONE, StateRecord, rule_flags, state_flags};

pub(super) fn check(context: &Context<'_>) -> Check {
    let own = &context.joined.own;
    arrivals::check(context)?;
    let mut returned_to = vec![false; own.state_count() as usize];
    for (rule, first, end) in rules_of(own) {
        let states = (own.bases.states + first as u32)..(own.bases.states + end as u32);
        for index in first..end {
            state(context, index)?;
            byte_edges(context, index, &states)?;
            token_edges(context, index, &states)?;
            call_edges(context, rule, index, &states, &mut returned_to)?;
        }
    }
    for (index, returned_to) in returned_to.into_iter().enumerate() {
        follows(context, index, returned_to)?;
    }
    Ok(())
}

type States = std::ops::Range<u32>;

/// Whether a state is marked as pop-only: final, without edges and without a counter.
fn is_pop_only(state: &StateRecord) -> bool {
    state.flags & state_flags::POP_ONLY != 0
}

/// Checks that a state's record has known flags, and names existing masks and exit classes.
fn state(context: &Context<'_>, index: usize) -> Check {
    let own = &context.joined.own;
    let state = &own.states[index];
    let place = at(SectionKind::States, index);
    place.below(Invariant::StateBase, state.base, context.totals.masks)?;
    if state.exits != NONE {
        place.below(Invariant::StateExits, state.exits, context.totals.classes)?;
    }
    let plain =
        state_flags::FINAL | state_flags::POP_ONLY | state_flags::RESTS | state_flags::ABSORBING;
    let count_dependent =
        if context.start_rule.is_some() { state_flags::COUNT_DEPENDENT } else { 0 };
    let known = plain | count_dependent | arrivals::known_flags(state);
    let edges = own.byte_edges_of(index).len()
        + own.call_edges_of(index).len()
        + own.token_edges_of(index).len();
    let only_returns =
        state.flags & state_flags::FINAL != 0 && edges == 0 && state.count_exit == NONE;
    let holds = state.flags & !known == 0 && is_pop_only(state) == only_returns;
    place.require(Invariant::StateFlags, holds, state.flags)
}

/// Checks that the byte edges of a state are sorted, disjoint and lead to states of the rule.
fn byte_edges(context: &Context<'_>, index: usize, states: &States) -> Check {
    let own = &context.joined.own;
    let first = own.states[index].byte_edges as usize;
    let mut least = 0;
    for (offset, edge) in own.byte_edges_of(index).iter().enumerate() {
        let place = at(SectionKind::ByteEdges, first + offset);
        let (lo, hi) = (edge.lo(), edge.hi());
        place.require(Invariant::ByteRange, edge.range >> 16 == 0 && lo <= hi, edge.range)?;
        place.at_least(Invariant::ByteOrder, lo.into(), least)?;
        place.require(Invariant::EdgeTarget, states.contains(&edge.target), edge.target)?;
        least = u32::from(hi) + 1;
    }
    Ok(())
}

/// Checks that the token edges of a state have an existing mask and lead to states of the rule.
fn token_edges(context: &Context<'_>, index: usize, states: &States) -> Check {
    let own = &context.joined.own;
    let first = own.states[index].token_edges as usize;
    for (offset, edge) in own.token_edges_of(index).iter().enumerate() {
        let place = at(SectionKind::TokenEdges, first + offset);
        place.below(Invariant::TokenSet, edge.tokens, context.totals.masks)?;
        place.require(Invariant::EdgeTarget, states.contains(&edge.target), edge.target)?;
    }
    Ok(())
}

/// Checks that the call edges of a state call existing rules and return within the state's own rule. A call of an item
/// must not be a tail call. Marks the return states in `returned_to`.
fn call_edges(
    context: &Context<'_>,
    rule: usize,
    index: usize,
    states: &States,
    returned_to: &mut [bool],
) -> Check {
    let own = &context.joined.own;
    let first = own.states[index].call_edges as usize;
    for (offset, edge) in own.call_edges_of(index).iter().enumerate() {
        let place = at(SectionKind::CallEdges, first + offset);
        place.below(Invariant::CallTarget, edge.callee, context.totals.rules)?;
        let callee = context.joined.rule(edge.callee).flags;
        let counted = callee & rule_flags::COUNTED != 0;
        place.require(Invariant::CallCount, counted == (edge.count > 0), edge.count)?;
        if callee & rule_flags::ITEM != 0 {
            let distinct = own.rules[rule].flags & rule_flags::DISTINCT != 0;
            place.require(Invariant::CallItem, distinct && edge.ret != NONE, edge.callee)?;
        }
        if edge.ret == NONE {
            let is_region = own.rules[rule].region().is_some();
            place.require(Invariant::TailCall, !is_region, edge.callee)?;
        } else {
            place.require(Invariant::CallReturn, states.contains(&edge.ret), edge.ret)?;
            let ret = (edge.ret - own.bases.states) as usize;
            // The frame of a region says that what it calls is in it.
            let may_be_tail = own.rules[rule].region().is_none();
            let holds = !may_be_tail || !is_pop_only(&own.states[ret]);
            place.require(Invariant::TailCall, holds, edge.ret)?;
            // When a counter becomes zero, the count exit is returned to instead.
            returned_to[ret] = true;
            if own.states[ret].count_exit != NONE {
                for state in context.joined.arrivals(edge.ret) {
                    returned_to[(state - own.bases.states) as usize] = true;
                }
            }
        }
    }
    Ok(())
}

/// Checks the follow entries of a state. Only a return state may have any. They are sorted by exit class, and name
/// existing classes and masks.
fn follows(context: &Context<'_>, index: usize, returned_to: bool) -> Check {
    let own = &context.joined.own;
    let entries = own.follows_of(index);
    let holds = returned_to || entries.is_empty();
    at(SectionKind::States, index).require(Invariant::FollowState, holds, entries.len() as u32)?;
    let first = own.states[index].follows as usize;
    let mut least = 0;
    for (offset, entry) in entries.iter().enumerate() {
        let place = at(SectionKind::Follows, first + offset);
        place.below(Invariant::FollowIds, entry.class, context.totals.classes)?;
        place.at_least(Invariant::FollowOrder, entry.class, least)?;
        place.below(Invariant::FollowIds, entry.mask, context.totals.masks)?;
        if entry.next != NONE {
            place.below(Invariant::FollowIds, entry.next, context.totals.classes)?;
        }
        least = entry.class + 1;
    }
    Ok(())
}

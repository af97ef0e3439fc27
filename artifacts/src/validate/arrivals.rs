//! Checks of the register updates that arrivals at states make.
//!
//! An arrival may continue from a state with THEN to the next state, and from a counter at zero to the count exit. Each
//! may update another counter. Such chains must be acyclic and have fewer than [`MOST_STEPS`] steps. The longest chain
//! from each state is computed once, by depth-first search. O(states).

use super::context::{Context, rules_of};
use super::violation::{Check, Invariant, at};
use crate::sections::kinds::SectionKind;
use crate::sections::network::{MOST_STEPS, NONE, StateRecord, rule_flags, state_flags};

/// Returns the flag bits that a state may have for its register update. 0 for a state without a counter.
pub(super) fn known_flags(state: &StateRecord) -> u32 {
    if state.count_exit == NONE {
        return 0;
    }
    match state.flags & (state_flags::CLEARS | state_flags::LOADS) {
        state_flags::CLEARS => state_flags::CLEARS | 31 << state_flags::CLEARED,
        state_flags::LOADS => state_flags::LOADS | state_flags::THEN | fields(),
        _ if state.flags >> state_flags::WIDTH & 31 == 0 => 0,
        _ => state_flags::THEN | fields(),
    }
}

/// Returns the flag bits that hold the place and the width of a register's field.
fn fields() -> u32 {
    31 << state_flags::SHIFT | 31 << state_flags::WIDTH
}

/// Checks the register update of each state of these tables. Count exits stay in the rule, fields fit into the
/// register, and chains of updates end.
pub(super) fn check(context: &Context<'_>) -> Check {
    let own = &context.joined.own;
    let mut steps = vec![0u8; own.state_count() as usize];
    let mut stack: Vec<u32> = Vec::new();
    for (rule, first, end) in rules_of(own) {
        let counted = own.rules[rule].flags & rule_flags::COUNTED != 0;
        for index in first..end {
            let state = &own.states[index];
            let place = at(SectionKind::States, index);
            if state.count_exit == NONE {
                continue;
            }
            let local = |state: u32| state.checked_sub(own.bases.states).map(|at| at as usize);
            let within = |at: Option<usize>| at.is_some_and(|at| (first..end).contains(&at));
            let exits = state.exit().is_none_or(|exit| within(local(exit)));
            place.require(Invariant::CountExit, counted && exits, state.count_exit)?;
            let then = state.flags & state_flags::THEN != 0;
            let (shift, width) =
                (state.flags >> state_flags::SHIFT & 31, state.flags >> state_flags::WIDTH & 31);
            let loads = state.flags & state_flags::LOADS != 0;
            let fits = state.flags & state_flags::CLEARS != 0
                || shift + width <= 32 && (!loads || width > 0 && state.count_exit >> width == 0);
            place.require(Invariant::Field, fits, state.flags)?;
            place.require(Invariant::Field, !then || index + 1 < end, state.flags)?;
        }
        for index in first..end {
            stack.push(index as u32);
            longest(context, &mut stack, &mut steps)?;
        }
    }
    Ok(())
}

/// Value in `steps` of a state on the path of the search. If the search reaches such a state again, there is a cycle.
const OPEN: u8 = u8::MAX;

/// Computes the longest chain of register updates from the state on the stack, and from all states that it reaches.
/// Fails if there is a cycle, or if a chain has [`MOST_STEPS`] steps.
fn longest(context: &Context<'_>, stack: &mut Vec<u32>, steps: &mut [u8]) -> Check {
    let own = &context.joined.own;
    while let Some(&index) = stack.last() {
        let at_state = index as usize;
        let state = &own.states[at_state];
        if state.count_exit == NONE || !matches!(steps[at_state], 0 | OPEN) {
            stack.pop();
            continue;
        }
        let then = (state.flags & state_flags::THEN != 0).then_some(index + 1);
        let exit = state.exit().map(|exit| exit - own.bases.states);
        let next = [then, exit];
        let is_known = |&next: &u32| {
            own.states[next as usize].count_exit == NONE
                || !matches!(steps[next as usize], 0 | OPEN)
        };
        let place = at(SectionKind::States, at_state);
        let open: Vec<u32> = next.into_iter().flatten().filter(|next| !is_known(next)).collect();
        if let Some(&again) = open.iter().find(|&&next| steps[next as usize] == OPEN) {
            return place.require(Invariant::ArrivalEnds, false, again);
        }
        if !open.is_empty() {
            steps[at_state] = OPEN;
            stack.extend(open);
            continue;
        }
        let most = next.into_iter().flatten().map(|next| steps[next as usize]).max();
        let most = 1 + most.unwrap_or(0);
        place.require(Invariant::ArrivalEnds, usize::from(most) < MOST_STEPS, most.into())?;
        steps[at_state] = most;
        stack.pop();
    }
    Ok(())
}

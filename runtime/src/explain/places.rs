//! The rules of a position, and its places in the source.

use grammarc_artifacts::Places;
use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::tables::{Joined, Tables};

use crate::grammar::Grammar;
use crate::position::Configuration;
use crate::position::stack::{BOTTOM, Frames};

/// Most places, rules and configurations of a position, and most callers of a rule. Further ones are left out.
const MOST: usize = 8;

/// Returns the places of a position as JSON pointers, and the names of its rules, the innermost first. Both lists are
/// free of duplicates.
pub(super) fn of(
    grammar: &Grammar,
    frames: &Frames,
    position: &[Configuration],
) -> (Vec<String>, Vec<String>) {
    let (tables, artifact) = (grammar.tables(), grammar.artifact());
    let (places, names) = (artifact.places(), &artifact.meta().rule_names);
    let (mut pointers, mut rules): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for &at in position.iter().take(MOST) {
        for at in with_returns(tables, frames, at) {
            if let Some(places) = places {
                of_configuration(tables, frames, places, at)
                    .into_iter()
                    .for_each(|pointer| add(&mut pointers, pointer));
            }
        }
        let (mut state, mut frame) = (at.state, at.frame);
        loop {
            if let Some(rule) = own_rule(&tables.own, state)
                && let Some(name) = names.get(rule)
            {
                add(&mut rules, name);
            }
            if frame == BOTTOM {
                break;
            }
            let top = frames.get(frame);
            (state, frame) = (top.ret, top.parent);
        }
    }
    (pointers, rules)
}

/// Returns a configuration, and all that follow by returns from rules in a final state. Configurations without any move
/// but a return are left out.
fn with_returns(tables: Joined<'_>, frames: &Frames, at: Configuration) -> Vec<Configuration> {
    let mut all = vec![at];
    let mut last = at;
    while all.len() < MOST
        && tables.state(last.state).flags & state_flags::FINAL != 0
        && last.frame != BOTTOM
    {
        last = frames.returned(last.frame);
        all.push(last);
    }
    let is_last = |at: &Configuration| at.frame == BOTTOM;
    all.retain(|at| is_last(at) || tables.state(at.state).flags & state_flags::POP_ONLY == 0);
    all
}

/// Returns the places of a configuration. A state shared by several places is narrowed down to the places of its rule's
/// callers, or to places inside these.
fn of_configuration<'p>(
    tables: Joined<'_>,
    frames: &Frames,
    places: &'p Places,
    at: Configuration,
) -> Vec<&'p str> {
    let own = tables.own;
    let of = |state: u32| places.of((state - own.bases.states) as usize);
    let called = || callers(tables, frames, at).into_iter().flat_map(of).collect::<Vec<_>>();
    if at.state < own.bases.states {
        return called();
    }
    let all: Vec<&str> = of(at.state).collect();
    if all.len() < 2 {
        return all;
    }
    let called = called();
    let is_within = |place: &str, of: &str| {
        place.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    for is_chosen in [|a: &str, b: &str| a == b, is_within] {
        let chosen = all.iter().filter(|place| called.iter().any(|of| is_chosen(place, of)));
        let chosen: Vec<&str> = chosen.copied().collect();
        if !chosen.is_empty() {
            return chosen;
        }
    }
    all
}

fn add(list: &mut Vec<String>, text: &str) {
    if list.len() < MOST && !list.iter().any(|known| known == text) {
        list.push(text.to_owned());
    }
}

/// Returns the index of a state's rule among the grammar's own rules. `None` for a state of the vocabulary's shared
/// rules.
fn own_rule(own: &Tables<'_>, state: u32) -> Option<usize> {
    (state >= own.bases.states)
        .then(|| own.rules.partition_point(|rule| rule.first_state <= state).saturating_sub(1))
}

/// Returns the grammar's own states that may have called the rule of a configuration. Calls by shared rules are
/// followed up to an own state.
///
/// A call without a state to return to ends its own rule, which has callers in turn. Such calls count if they lead from a
/// call that returns to the frame's state. The states with the innermost calls come first.
fn callers(tables: Joined<'_>, frames: &Frames, at: Configuration) -> Vec<u32> {
    let own = tables.own;
    let (mut state, mut frame, mut after) = (at.state, at.frame, NONE);
    while frame != BOTTOM {
        let top = frames.get(frame);
        if top.ret >= own.bases.states {
            after = top.ret;
            break;
        }
        (state, frame) = (top.ret, top.parent);
    }
    let called = rule_of(tables, state);
    // The calls that may be open: of which rule, and by which state.
    let mut last: Vec<(u32, u32)> = Vec::new();
    let mut returning: Vec<(u32, u32)> = Vec::new();
    let mut collect = |part: &Tables<'_>| {
        for index in 0..part.state_count() {
            let state = part.bases.states + index;
            for edge in part.call_edges_of(index as usize) {
                match edge.ret {
                    NONE => last.push((edge.callee, state)),
                    ret if ret == after => returning.push((edge.callee, state)),
                    _ => {}
                }
            }
        }
    };
    collect(&own);
    if state < own.bases.states {
        collect(&tables.shared);
    }
    // The rules from which last calls lead to the called one.
    let (mut before, mut at) = (vec![called], 0);
    while let Some(&rule) = before.get(at) {
        at += 1;
        for &(_, state) in last.iter().filter(|&&(callee, _)| callee == rule) {
            let of = rule_of(tables, state);
            if !before.contains(&of) {
                before.push(of);
            }
        }
    }
    // Of these, the rules that are called by a state that returns to the frame's. At the bottom, all.
    returning.retain(|(callee, _)| before.contains(callee));
    let mut open: Vec<u32> = match after {
        NONE => before.clone(),
        _ => returning.iter().map(|&(callee, _)| callee).collect(),
    };
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(&rule) = open.get(at) {
        at += 1;
        let calls = last
            .iter()
            .filter(|&&(callee, state)| before.contains(&callee) && rule_of(tables, state) == rule);
        for &(callee, state) in calls {
            found.push(state);
            if !open.contains(&callee) {
                open.push(callee);
            }
        }
    }
    found.reverse();
    found.extend(returning.into_iter().map(|(_, state)| state));
    found.retain(|&state| state >= own.bases.states);
    found.truncate(MOST);
    found
}

/// Returns the rule of a state.
fn rule_of(tables: Joined<'_>, state: u32) -> u32 {
    let part = if state < tables.own.bases.states { tables.shared } else { tables.own };
    let after = part.rules.partition_point(|rule| rule.first_state <= state);
    part.bases.rules + (after as u32).saturating_sub(1)
}

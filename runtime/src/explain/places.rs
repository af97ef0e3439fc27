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
    // The rule that an own state has called.
    let part = if state < own.bases.states { tables.shared } else { own };
    let called = part.rules.partition_point(|rule| rule.first_state <= state);
    let called = part.bases.rules + (called as u32).saturating_sub(1);
    let calls = |index: usize| {
        let mut edges = own.call_edges_of(index).iter();
        edges.any(|edge| edge.callee == called && (edge.ret == after || edge.ret == NONE))
    };
    let states = (0..own.state_count()).filter(|&index| calls(index as usize));
    states.take(MOST).map(|index| own.bases.states + index).collect()
}

//! The partition refinement of states by their transitions. After each round of a [`Refinement`], the states of a class
//! are equivalent on all strings of one byte more.
//!
//! The first state of a callee is refined before the states that call it: a callee reads as many bytes as its caller.
//!
//! Cost: O(edges of the visited states).

use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::Joined;

use super::own_transitions::{DEEPEST, OwnTransitionLists};
use crate::automata::{ALONE, Classes, Levels, Refinement};
use crate::budget::{Budget, Spent};
use crate::graph::Lists;

/// Steps of the budget that are charged for each state: an estimate.
const STEPS_A_STATE: usize = 1 << 5;

/// Returns a partition refinement of the grammar's states. It begins with the given equivalence class of each state, by
/// index among the grammar's states. Only the `active` states are refined. Every other state has to be alone in its
/// class.
pub(crate) fn refinement(
    transitions: &OwnTransitionLists,
    network: Joined<'_>,
    active: &[u32],
    classes: Vec<u32>,
    budget: &Budget,
) -> Refinement {
    let base = network.own.bases.states;
    let states = classes.len();
    let mut nesting = vec![0; states];
    for &index in active {
        if budget.spend(STEPS_A_STATE).is_err() {
            break;
        }
        nesting[index as usize] = transitions.nesting(network, index, DEEPEST) as u32;
    }
    let of = |index: u32| transitions.of(network, base + index);
    let targets = active.iter().flat_map(|&index| {
        let returns = of(index).calls.iter().map(|call| call.ret).filter(|&ret| ret != NONE);
        let targets = of(index).edges.iter().map(|edge| edge.target).chain(returns);
        targets.map(move |target| (target - base, index))
    });
    let calls = active.iter().flat_map(|&index| {
        let firsts = of(index).calls.iter();
        let firsts = firsts.filter_map(|call| transitions.first_of(network, call.callee));
        firsts.map(move |first| (first, index))
    });
    let levels = Levels { of: nesting, dependents: Lists::of_pairs(states, calls) };
    Refinement::with_levels(classes, Lists::of_pairs(states, targets), levels)
}

/// Refines the equivalence classes by one byte: states that are not equivalent on strings of one byte more are
/// separated. Returns the number of edges looked at.
///
/// # Errors
///
/// The budget is spent.
pub(crate) fn round(
    refinement: &mut Refinement,
    transitions: &OwnTransitionLists,
    network: Joined<'_>,
    budget: &Budget,
) -> Result<usize, Spent> {
    let base = network.own.bases.states;
    let mut work = 0;
    refinement.round(|index, classes: Classes<'_>, words| {
        let of = |state: u32| if state == NONE { NONE } else { classes.before(state - base) };
        let moves = transitions.of(network, base + index);
        work += moves.edges.len() + moves.calls.len();
        words.push(moves.edges.len() as u32);
        words.extend(moves.edges.iter().flat_map(|edge| [edge.range, of(edge.target)]));
        // No mask depends on the register that a call begins with.
        words.extend(moves.calls.iter().flat_map(|call| {
            let (is_own, callee) = match transitions.first_of(network, call.callee) {
                None => (0, call.callee),
                Some(first) => (1, classes.after(first).unwrap_or(ALONE | first)),
            };
            [is_own, callee, of(call.ret)]
        }));
        budget.spend(STEPS_A_STATE)
    })?;
    Ok(work)
}

#[cfg(test)]
mod tests {
    use super::super::k_equivalence::KEquivalence;
    use std::collections::BTreeMap;

    use super::super::representatives::Representatives;
    use super::*;
    use crate::compile::Compiler;
    use crate::frontend::FrontEnd;
    use crate::frontend::json_schema::JsonSchemaOptions;
    use crate::masks::shared::facts::{VocabularyFacts, vocabulary};
    use crate::network::follow::Follow;
    use crate::samples;
    use crate::threads::Context;

    /// Compares the classes of each round with the transitions by the classes of the round before. Returns the number
    /// of rounds in which some states shared a class.
    fn rounds(compiler: &Compiler, schema: &str) -> usize {
        let front_end = FrontEnd::JsonSchema(JsonSchemaOptions::default());
        let network = samples::network(compiler, &front_end, schema);
        let known = VocabularyFacts::new(compiler.vocabulary());
        let joined = network.joined(compiler.vocabulary().tables());
        let follow = Follow::new(joined, known.rules(), &network.open);
        let equivalence = KEquivalence::new(
            &follow,
            Representatives::default,
            known.nodes().height(0),
            Context::unlimited(),
        );
        let base = joined.own.bases.states;
        let states: Vec<u32> = (0..joined.own.state_count()).map(|index| base + index).collect();
        let class = |state: u32, round: usize| match state {
            NONE => NONE,
            state => equivalence.class(state, round),
        };
        let mut round = 0;
        while states.iter().any(|&state| equivalence.histories().rounds(state) > round + 1) {
            let mut by_moves: BTreeMap<_, Vec<u32>> = BTreeMap::new();
            for &state in
                states.iter().filter(|&&state| equivalence.histories().rounds(state) > round)
            {
                let moves = equivalence.transitions().of(joined, state);
                let edges = moves.edges.iter().map(|e| (e.range, class(e.target, round)));
                let calls = moves.calls.iter().map(|call| {
                    let first = equivalence.transitions().first_of(joined, call.callee);
                    let what = first.map(|first| equivalence.class(base + first, round + 1));
                    (what.unwrap_or(call.callee), class(call.ret, round))
                });
                let moves = (edges.collect::<Vec<_>>(), calls.collect::<Vec<_>>());
                by_moves.entry((class(state, round), moves)).or_default().push(state);
            }
            let mut classes: Vec<u32> = Vec::new();
            for group in by_moves.values() {
                let next = equivalence.class(group[0], round + 1);
                assert!(group.iter().all(|&state| equivalence.class(state, round + 1) == next));
                classes.push(next);
            }
            classes.sort_unstable();
            assert!(classes.windows(2).all(|pair| pair[0] != pair[1]), "{schema}: {classes:?}");
            round += 1;
        }
        round
    }

    #[test]
    fn each_round_splits_states_that_one_more_byte_distinguishes() {
        let compiler = Compiler::new(vocabulary(5));
        for schema in [
            r#"{"type": "string", "pattern": "^[0-9u,-]+0?$", "maxLength": 40}"#,
            r#"{"type": "string", "pattern": "^([a-z]{3,9}[0-9]){2,30}$"}"#,
            r#"{"type": "string", "pattern": "^([a-u]|[0-9]{2}){1,20}-([a-u]|[0-9]{2}){1,20}$"}"#,
            r#"{"properties": {"u": {"pattern": "u0[a-z]{1,30}$"}, "v": {"minLength": 12}}}"#,
        ] {
            let found = rounds(&compiler, schema);
            assert!(found > 2, "{found} rounds for {schema}");
        }
    }
}

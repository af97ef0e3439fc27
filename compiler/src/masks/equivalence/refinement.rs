//! Partition refinement: the classes of states that are equal for some bytes, one byte more in each round.
//!
//! Consider the states of a class without a transition to a state with a new class. They stay equal to each other for
//! one byte more, and differ from the others of the class. So only the others are visited. They leave the class in
//! groups of equal states with new numbers. If all would leave, the largest group keeps the old number, and its
//! predecessors need not be visited. The same is done in A. Valmari and P. Lehtinen, "Efficient Minimization of DFAs
//! with Partial Transition Functions", 2008. Here a round ends before the next begins, because the rounds are the
//! result.
//!
//! The first state of a callee comes before the states that call it: a callee has as many bytes as its caller.
//!
//! Cost: O(edges of the visited states).

use std::hash::Hasher;

use grammarc_artifacts::sections::network::{CallEdge, NONE};
use grammarc_artifacts::tables::Joined;
use rustc_hash::{FxHashMap, FxHasher};

use super::class_history::ALONE;
use super::own_transitions::{DEEPEST, OwnTransitionLists};
use crate::budget::Budget;
use crate::graph::Lists;

/// The classes after some round.
pub(crate) struct Refinement {
    base: u32,
    /// By index of the state.
    classes: Vec<u32>,
    /// By index of the state, its class after the round that is under way, or [`NONE`]; and the states that have one.
    next: Vec<u32>,
    moved: Vec<u32>,
    /// States whose class the last round changed.
    changed: Vec<u32>,
    /// By class.
    members: Vec<Members>,
    /// States that leave their class in the round that is under way, in groups: the new classes after all others.
    groups: Vec<Group>,
    by_hash: FxHashMap<(u32, u64), u32>,
    /// By index of the state, those that have it on their ways.
    on_way: Lists,
    /// By index of the state, those that begin a call with it.
    begin: Lists,
    open: OpenStates,
}

/// The states to visit in the next round.
struct OpenStates {
    /// By index of the state, how deep its calls are nested.
    nesting: Vec<u32>,
    /// The states, by how deep their calls are nested.
    by_nesting: Vec<Vec<u32>>,
    /// By index of the state, whether it is to be visited.
    is_open: Vec<bool>,
}

impl OpenStates {
    /// Returns an empty worklist.
    fn new(nesting: Vec<u32>) -> Self {
        let deepest = nesting.iter().max().map_or(0, |&most| most as usize);
        let is_open = vec![false; nesting.len()];
        Self { nesting, by_nesting: vec![Vec::new(); deepest + 1], is_open }
    }

    /// Adds a state.
    fn add(&mut self, index: u32) {
        if !std::mem::replace(&mut self.is_open[index as usize], true) {
            self.by_nesting[self.nesting[index as usize] as usize].push(index);
        }
    }
}

/// How many states are in a class. In the round that is under way, how many would leave it, and where all would, the
/// largest group, or [`NONE`].
#[derive(Clone, Copy)]
struct Members {
    count: u32,
    leaving: u32,
    largest: u32,
}

impl Members {
    fn new(count: u32) -> Self {
        Self { count, leaving: 0, largest: NONE }
    }
}

/// Steps of a budget that it takes to look at a state, about.
const STEPS_A_STATE: usize = 1 << 5;

/// States that leave a class for another: the first of them, and how many.
struct Group {
    from: u32,
    first: u32,
    count: u32,
}

impl Refinement {
    /// The first classes of the `active` states, numbered from 0: the other states are alone.
    pub(crate) fn new(
        transitions: &OwnTransitionLists,
        network: Joined<'_>,
        active: &[u32],
        classes: Vec<u32>,
        budget: &Budget,
    ) -> Self {
        let base = network.own.bases.states;
        let states = classes.len();
        let count = active.iter().map(|&index| classes[index as usize] + 1).max().unwrap_or(0);
        let mut members = vec![Members::new(0); count as usize];
        let mut nesting = vec![0; states];
        for &index in active {
            members[classes[index as usize] as usize].count += 1;
            if budget.spend(STEPS_A_STATE).is_err() {
                continue;
            }
            nesting[index as usize] = transitions.nesting(network, index, DEEPEST) as u32;
        }
        let of = |index: u32| transitions.of(network, base + index);
        let ways = active.iter().flat_map(|&index| {
            let returns = of(index).calls.iter().map(|call| call.ret).filter(|&ret| ret != NONE);
            let targets = of(index).edges.iter().map(|edge| edge.target).chain(returns);
            targets.map(move |target| (target - base, index))
        });
        let calls = active.iter().flat_map(|&index| {
            let firsts = of(index).calls.iter();
            let firsts = firsts.filter_map(|call| transitions.first_of(network, call.callee));
            firsts.map(move |first| (first, index))
        });
        let mut open = OpenStates::new(nesting);
        active.iter().for_each(|&index| open.add(index));
        Self {
            base,
            classes,
            next: vec![NONE; states],
            moved: Vec::new(),
            changed: Vec::new(),
            members,
            groups: Vec::new(),
            by_hash: FxHashMap::default(),
            on_way: Lists::of_pairs(states, ways),
            begin: Lists::of_pairs(states, calls),
            open,
        }
    }

    /// The class of a state, by its index; one with [`ALONE`] in it is no other's.
    pub(crate) fn class(&self, index: u32) -> u32 {
        self.classes[index as usize]
    }

    /// The states whose class the last round changed, by their indices.
    pub(crate) fn changed(&self) -> &[u32] {
        &self.changed
    }

    /// Whether no later round changes anything.
    pub(crate) fn is_stable(&self) -> bool {
        self.open.by_nesting.iter().all(Vec::is_empty)
    }

    /// Finds the classes for one byte more. Returns how many edges were looked at.
    /// A round that outlasts the budget is broken off.
    pub(crate) fn round(
        &mut self,
        transitions: &OwnTransitionLists,
        network: Joined<'_>,
        budget: &Budget,
    ) -> usize {
        let mut work = 0;
        self.groups.clear();
        self.by_hash.clear();
        for depth in 0..self.open.by_nesting.len() {
            let mut open = std::mem::take(&mut self.open.by_nesting[depth]);
            open.sort_unstable();
            for &index in &open {
                if budget.spend(STEPS_A_STATE).is_err() {
                    break;
                }
                self.open.is_open[index as usize] = false;
                let class = self.class(index);
                if class & ALONE != 0 {
                    continue;
                }
                let (hash, edges) = self.hash(transitions, network, index);
                work += edges;
                let new = self.groups.len() as u32;
                let at = *self.by_hash.entry((class, hash)).or_insert(new);
                if at == new {
                    self.groups.push(Group { from: class, first: index, count: 0 });
                }
                let first = self.groups[at as usize].first;
                let fits = at == new || self.are_same(transitions, network, first, index);
                self.next[index as usize] = match fits {
                    true => self.members.len() as u32 + at,
                    false => ALONE | index,
                };
                self.groups[at as usize].count += u32::from(fits);
                self.moved.push(index);
                for &caller in self.begin.of(index as usize) {
                    if self.open.nesting[caller as usize] as usize > depth {
                        self.open.add(caller);
                    }
                }
            }
            open.clear();
            self.open.by_nesting[depth] = open;
        }
        self.settle();
        work
    }

    /// Gives the states their new classes, and opens those that lead to them.
    fn settle(&mut self) {
        let new = self.members.len();
        for &index in &self.moved {
            self.members[self.classes[index as usize] as usize].leaving += 1;
        }
        for (at, group) in (0..).zip(&self.groups) {
            let Members { count, leaving, largest } = &mut self.members[group.from as usize];
            let is_larger = *largest == NONE || self.groups[*largest as usize].count < group.count;
            if leaving == count && group.count > 1 && is_larger {
                *largest = at;
            }
        }
        self.changed.clear();
        let mut moved = std::mem::take(&mut self.moved);
        for index in moved.drain(..) {
            let next = std::mem::replace(&mut self.next[index as usize], NONE);
            let group = (next as usize).checked_sub(new);
            let next = match group.and_then(|at| Some((at, self.groups.get(at)?))) {
                Some((at, group)) if self.members[group.from as usize].largest as usize == at => {
                    group.from
                }
                Some((_, group)) if group.count == 1 => ALONE | index,
                _ => next,
            };
            let before = std::mem::replace(&mut self.classes[index as usize], next);
            if before == next {
                continue;
            }
            self.changed.push(index);
            self.members[before as usize].count -= 1;
            self.on_way.of(index as usize).iter().for_each(|&state| self.open.add(state));
        }
        self.moved = moved;
        for group in &self.groups {
            let Members { leaving, largest, .. } = &mut self.members[group.from as usize];
            (*leaving, *largest) = (0, NONE);
        }
        self.members.extend(self.groups.iter().map(|group| Members::new(group.count)));
    }

    fn of(&self, state: u32) -> u32 {
        match state {
            NONE => NONE,
            state => self.class(state - self.base),
        }
    }

    /// A call as words: the class of its first state, for the same number of bytes as the calling state, and the class
    /// of its return state. No mask depends on the register that it begins with.
    fn call(
        &self,
        transitions: &OwnTransitionLists,
        network: Joined<'_>,
        depth: u32,
        call: &CallEdge,
    ) -> (bool, u32, u32) {
        let first = transitions.first_of(network, call.callee);
        let what = match first {
            None => call.callee,
            Some(first) if self.open.nesting[first as usize] >= depth => ALONE | first,
            Some(first) => match self.next[first as usize] {
                NONE => self.class(first),
                next => next,
            },
        };
        (first.is_some(), what, self.of(call.ret))
    }

    /// A hash of what a state does, and the number of its edges.
    fn hash(
        &self,
        transitions: &OwnTransitionLists,
        network: Joined<'_>,
        index: u32,
    ) -> (u64, usize) {
        let moves = transitions.of(network, self.base + index);
        let mut hasher = FxHasher::default();
        for edge in moves.edges {
            hasher.write_u64(u64::from(edge.range) << 32 | u64::from(self.of(edge.target)));
        }
        for call in moves.calls {
            let depth = self.open.nesting[index as usize];
            let (_, what, ret) = self.call(transitions, network, depth, call);
            hasher.write_u64(u64::from(what) << 32 | u64::from(ret));
        }
        (hasher.finish(), moves.edges.len() + moves.calls.len())
    }

    fn are_same(
        &self,
        transitions: &OwnTransitionLists,
        network: Joined<'_>,
        one: u32,
        other: u32,
    ) -> bool {
        let [a, b] = [one, other].map(|index| transitions.of(network, self.base + index));
        let [depth, below] = [one, other].map(|index| self.open.nesting[index as usize]);
        let edges = a.edges.iter().map(|edge| (edge.range, self.of(edge.target)));
        let calls = a.calls.iter().map(|call| self.call(transitions, network, depth, call));
        let others = b.calls.iter().map(|call| self.call(transitions, network, below, call));
        edges.eq(b.edges.iter().map(|edge| (edge.range, self.of(edge.target)))) && calls.eq(others)
    }
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

    /// Holds each round's classes against the moves by the classes of the round before. Returns how many rounds some
    /// states shared a class in.
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
    fn each_round_tells_apart_what_one_more_byte_does() {
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

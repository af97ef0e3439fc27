//! Masks of graded states: by the number of ticks that a counter has left, where a token can make more.
//!
//! Walks ignore registers, so what they find at a graded state holds while more ticks are left than a token makes. With
//! `left` ticks the outcome is that one without the subtrees at which the tick number `left` is made, where the activation
//! gives way to the exit, and with what is found there from the exit on. So all masks of a state take one walk, which
//! notes by tick the nodes at which it is made: their number is a sum over the ticks where states that spell counts would
//! multiply by them.
//!
//! States that do the same from the first byte on share what is found below it, a *part*.
//!
//! Cost: O(trie nodes that a text of the rule leads to, times the ticks behind an exit) for each state and first byte that no other
//! shares, and O(tokens that differ) for each mask.

use std::collections::hash_map::Entry;
use std::ops::Range;
use std::rc::Rc;

use grammarc_artifacts::sections::masks::GradeRecord;
use grammarc_artifacts::sections::network::{NONE, StateRecord, state_flags};
use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::Tables;
use rustc_hash::FxHashMap;

use super::inputs::Inputs;
use super::interning::Interning;
use crate::budget::Budget;
use crate::ir::ByteSet;
use crate::masks::encode::encoder::{Computed, Encoder, Scratch};
use crate::masks::limits::MaskError;
use crate::masks::outcome::builder::OutcomeBuilder;
use crate::masks::outcome::{Delta, Outcome};
use crate::network::{Field, GradedStates};

/// Steps of a walk between two looks at the budget.
const STEPS: usize = 1 << 12;

/// The masks of all graded states, ascending by state and ticks, where `masks` are those with many ticks left.
pub(super) fn masks<'a>(
    inputs: Inputs<'a>,
    encoder: &mut Encoder<'a>,
    interning: &mut Interning<'a>,
    masks: &[(u32, u32)],
    budget: &Budget,
) -> Result<Vec<GradeRecord>, MaskError> {
    let mut grades: Vec<GradeRecord> = Vec::new();
    let mut scratch = Scratch::new(encoder.lengths().row_words);
    for graded in &inputs.network.graded {
        let mut along = Along::new(inputs, graded, budget);
        let mut known: FxHashMap<(u32, u32, Vec<Beginning>), Vec<(u32, u32)>> =
            FxHashMap::default();
        for group in &graded.states {
            let state = group[0];
            let beginnings = along.beginnings(state);
            let parts: Vec<Rc<Part>> =
                beginnings.iter().map(|&beginning| along.part(beginning)).collect();
            let spent = |_| MaskError::Spent { states: 0, total: graded.states.len(), state };
            budget.check().map_err(spent)?;
            // States that go on alike where their counter does may differ elsewhere.
            let (set, exits) = interning.found(state);
            let found = match known.entry((set, exits, beginnings)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    encoder.add_reference(state, interning.pool.reference(set, None));
                    let exits = interning.exits_of(exits).to_vec();
                    let mut found = Vec::with_capacity(graded.most as usize);
                    for left in 1..=graded.most {
                        let outcome = at_tick(inputs.trie, (state, &exits), &parts, left);
                        let mut computed = Computed::from(outcome);
                        encoder.encode_new(&mut computed, &mut scratch);
                        let base = interning.mask(encoder, state, &computed)?;
                        found.push((base, interning.classes.intern(&computed.outcome.exits)));
                    }
                    new.insert(found)
                }
            };
            for &state in group {
                let far = masks[(state - inputs.first_state()) as usize];
                let field = u32::from(graded.field.shift) | u32::from(graded.field.width) << 8;
                let next = |at: usize| found.get(at + 1).copied().unwrap_or(far);
                let differing = (0..found.len()).filter(|&at| found[at] != next(at));
                grades.extend(differing.map(|at| {
                    let (base, exits) = found[at];
                    GradeRecord { state, most: at as u32 + 1, field, base, exits }
                }));
            }
        }
    }
    grades.sort_unstable_by_key(|grade| (grade.state, grade.most));
    Ok(grades)
}

/// The classes through which rules are left with few ticks left, each with a state of the rule.
pub(super) fn classes(grades: &[GradeRecord]) -> impl Iterator<Item = (u32, u32)> + '_ {
    grades.iter().map(|grade| (grade.state, grade.exits))
}

/// The outcome of a state with `left` ticks left, by that with many left, which leaves its rule at `exits`.
fn at_tick(
    trie: Trie<'_>,
    (state, exits): (u32, &[u32]),
    parts: &[Rc<Part>],
    left: u32,
) -> Outcome {
    let mut excluded: Vec<Range<u32>> = Vec::new();
    let mut outcome = Outcome::default();
    let mut rest = exits;
    for given_way in parts.iter().filter_map(|part| part.ticks.get(left as usize - 1)) {
        for nodes in &given_way.subtrees {
            let ranks = trie.rank[nodes.start as usize]..trie.rank[nodes.end as usize];
            match excluded.last_mut() {
                Some(last) if last.end == ranks.start => last.end = ranks.end,
                _ if ranks.is_empty() => {}
                _ => excluded.push(ranks),
            }
            let before = rest.partition_point(|&exit| exit < nodes.start);
            outcome.exits.extend_from_slice(&rest[..before]);
            rest = &rest[before..];
            rest = &rest[rest.partition_point(|&exit| exit < nodes.end)..];
        }
        given_way.behind.spans.iter().for_each(|span| outcome.add_span(span.clone()));
        outcome.exits.extend_from_slice(&given_way.behind.exits);
    }
    outcome.exits.extend_from_slice(rest);
    outcome.normalize();
    outcome.delta = Some(Delta { reference: state, excluded });
    outcome
}

/// What a state does on the first byte of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Beginning {
    /// The root's child.
    child: u32,
    /// The state behind it.
    state: u32,
    /// The exit of the tick on the way there, if there is one.
    exit: Option<u32>,
}

/// The subtrees at which one tick is made, and the outcome of the exits below them.
#[derive(Debug, Default)]
struct GivenWay {
    /// Ranges of nodes, ascending.
    subtrees: Vec<Range<u32>>,
    behind: Outcome,
}

/// All ticks from a state and a node on: the first of them at the node itself, where the way there made one.
#[derive(Debug, Default)]
struct Part {
    ticks: Vec<GivenWay>,
}

/// An arrival with many ticks left.
struct Arrived {
    state: u32,
    /// The exit of its tick, where it makes one.
    exit: Option<u32>,
    /// Whether the counter was set: however few ticks were left before, there are many now.
    is_set: bool,
}

/// The walk along the states of one rule.
struct Along<'a> {
    own: Tables<'a>,
    trie: Trie<'a>,
    builder: OutcomeBuilder<'a>,
    field: Field,
    budget: &'a Budget,
    parts: FxHashMap<Beginning, Rc<Part>>,
    /// Nodes that are open, with the state there and the ticks before.
    open: Vec<(u32, u32, u32)>,
    behind: Vec<(u32, u32)>,
}

impl<'a> Along<'a> {
    fn new(inputs: Inputs<'a>, graded: &GradedStates, budget: &'a Budget) -> Self {
        let follow = inputs.follow;
        let after: ByteSet = follow.bytes(follow.rule_of(graded.states[0][0]));
        Self {
            own: inputs.network.tables.as_tables(),
            trie: inputs.trie,
            builder: OutcomeBuilder::new(Outcome::default(), after, inputs.facts.children()),
            field: graded.field,
            budget,
            parts: FxHashMap::default(),
            open: Vec::new(),
            behind: Vec::new(),
        }
    }

    fn record(&self, state: u32) -> &'a StateRecord {
        &self.own.states[(state - self.own.bases.states) as usize]
    }

    /// The target of a state's edge on a byte.
    fn on(&self, state: u32, byte: u8) -> Option<u32> {
        let edges = self.own.byte_edges_of((state - self.own.bases.states) as usize);
        let edge = edges.get(edges.partition_point(|edge| edge.hi() < byte))?;
        (edge.lo() <= byte).then_some(edge.target)
    }

    /// The arrival at a state, with many ticks of all counters left.
    fn arrive(&self, mut state: u32) -> Arrived {
        let (mut exit, mut is_set) = (None, false);
        loop {
            let record = self.record(state);
            if record.count_exit == NONE {
                return Arrived { state, exit, is_set };
            }
            if record.flags >> state_flags::SHIFT & 31 == u32::from(self.field.shift) {
                match record.exit() {
                    Some(to) => exit = Some(to),
                    None => is_set = true,
                }
            }
            if record.flags & state_flags::THEN == 0 {
                return Arrived { state, exit, is_set };
            }
            state += 1;
        }
    }

    /// What a graded state does on each first byte, where its counter goes on.
    fn beginnings(&self, state: u32) -> Vec<Beginning> {
        let children = self.trie.children(0).filter_map(|child| {
            let at = self.arrive(self.on(state, self.trie.byte[child as usize])?);
            let goes_on = self.record(at.state).flags & state_flags::GRADED != 0;
            let beginning = Beginning { child, state: at.state, exit: at.exit };
            (!at.is_set && (goes_on || at.exit.is_some())).then_some(beginning)
        });
        children.collect()
    }

    /// The ticks below a beginning, which many states may share.
    fn part(&mut self, beginning: Beginning) -> Rc<Part> {
        if let Some(part) = self.parts.get(&beginning) {
            return Rc::clone(part);
        }
        let mut part = Part::default();
        let Beginning { child, state, exit } = beginning;
        if let Some(exit) = exit {
            self.give_way(&mut part, 0, child, exit);
        }
        let mut steps = 0;
        self.open.push((child, state, part.ticks.len() as u32));
        while let Some((node, state, ticks)) = self.open.pop() {
            if self.record(state).flags & state_flags::GRADED == 0 {
                continue;
            }
            let from = self.open.len();
            for child in self.trie.children(node) {
                steps += 1;
                let Some(target) = self.on(state, self.trie.byte[child as usize]) else { continue };
                let at = self.arrive(target);
                if at.is_set {
                    continue;
                }
                let mut ticks = ticks;
                if let Some(exit) = at.exit {
                    self.give_way(&mut part, ticks as usize, child, exit);
                    ticks += 1;
                }
                if !self.trie.is_leaf(child) {
                    self.open.push((child, at.state, ticks));
                }
            }
            self.open[from..].reverse();
            // Whoever asks for the parts sees that the budget is spent.
            if steps > STEPS && self.budget.spend(std::mem::take(&mut steps)).is_err() {
                self.open.clear();
            }
        }
        let part = Rc::new(part);
        self.parts.insert(beginning, Rc::clone(&part));
        part
    }

    /// Notes that a tick is made at a node, and what its exit does from there on.
    fn give_way(&mut self, part: &mut Part, tick: usize, node: u32, exit: u32) {
        if part.ticks.len() <= tick {
            part.ticks.resize_with(tick + 1, GivenWay::default);
        }
        let trie = self.trie;
        let given_way = &mut part.ticks[tick];
        given_way.subtrees.push(node..trie.end[node as usize]);
        self.builder.outcome = std::mem::take(&mut given_way.behind);
        let mut steps = 0;
        self.behind.push((node, self.arrive(exit).state));
        while let Some((node, state)) = self.behind.pop() {
            steps += 1;
            self.builder.outcome.add_span(trie.tokens_at(node));
            if trie.is_leaf(node) {
                continue;
            }
            if self.record(state).flags & state_flags::FINAL != 0 {
                self.builder.leave(node);
            }
            let from = self.behind.len();
            for child in trie.children(node) {
                if let Some(target) = self.on(state, trie.byte[child as usize]) {
                    self.behind.push((child, self.arrive(target).state));
                }
            }
            self.behind[from..].reverse();
        }
        _ = self.budget.spend(steps);
        given_way.behind = std::mem::take(&mut self.builder.outcome);
    }
}

//! The activations of a network, its states with their registers, and the steps between them.
//!
//! A state of a rule with counters, required keys or packed strings behaves differently for each
//! value of its register. So the search for short texts runs over pairs of a state and a register.
//! The pairs are discovered breadth-first. The number of pairs of a rule is limited, since a counter
//! may have millions of values. A step to a pair beyond the limit is left out.
//!
//! Cost: O(pairs and their steps).

use grammarc_artifacts::sections::network::{ByteEdge, NONE, rule_flags, state_flags};
use grammarc_artifacts::tables::Joined;
use grammarc_runtime::ending::Unit;
use indexmap::IndexSet;

/// Least number of pairs that a rule may have. A rule with more states may have twice as many pairs
/// as states.
const MOST_OF_RULE: u32 = 10_000;

/// A step from one activation to another. Activations are denoted by their indices.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A unit is read.
    Read { unit: Unit, to: usize },
    /// A rule is called. Without a return (a tail call), the caller ends with the callee.
    Call { callee: usize, ret: Option<usize> },
}

/// All activations that a text can reach, within the limits.
#[derive(Debug)]
pub(super) struct Activations {
    /// Pairs of a state and a register, in breadth-first order. The first is the initial one.
    pairs: IndexSet<(u32, u32)>,
    /// For each activation, the steps from it, the most readable first.
    steps: Vec<Vec<Step>>,
    /// For each activation, whether its rule may end there.
    ends: Vec<bool>,
    /// For each activation, whether it belongs to an item that must differ from other items.
    items: Vec<bool>,
}

impl Activations {
    pub(super) fn of(joined: &Joined<'_>, start_rule: u32) -> Self {
        let mut discovery = Discovery::new(*joined);
        discovery.add(joined.rule(start_rule).first_state, 0);
        let (mut steps, mut ends, mut items) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(&(state, register)) = discovery.pairs.get_index(steps.len()) {
            steps.push(discovery.steps(state, register));
            ends.push(joined.state(state).flags & state_flags::FINAL != 0);
            let rule = joined.rule(discovery.rule_of(state) as u32);
            items.push(rule.flags & rule_flags::ITEM != 0);
        }
        Self { pairs: discovery.pairs, steps, ends, items }
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns the state of an activation.
    pub(super) fn state(&self, index: usize) -> u32 {
        self.pairs[index].0
    }

    pub(super) fn steps(&self, index: usize) -> &[Step] {
        &self.steps[index]
    }

    /// Whether the rule of an activation may end there.
    pub(super) fn ends(&self, index: usize) -> bool {
        self.ends[index]
    }

    /// Whether an activation belongs to an item that must differ from other items of its caller.
    pub(super) fn is_item(&self, index: usize) -> bool {
        self.items[index]
    }
}

/// The activations found so far.
struct Discovery<'a> {
    joined: Joined<'a>,
    pairs: IndexSet<(u32, u32)>,
    /// First states of all rules, shared and own, ascending.
    first_states: Vec<u32>,
    /// For each rule, the number of pairs that it may still get.
    left: Vec<u32>,
}

impl<'a> Discovery<'a> {
    fn new(joined: Joined<'a>) -> Self {
        let rules = || joined.shared.rules.iter().chain(joined.own.rules);
        Self {
            joined,
            pairs: IndexSet::new(),
            first_states: rules().map(|rule| rule.first_state).collect(),
            left: rules().map(|rule| MOST_OF_RULE.max(rule.state_count * 2)).collect(),
        }
    }

    /// Returns the index of the rule that a state belongs to.
    fn rule_of(&self, state: u32) -> usize {
        self.first_states.partition_point(|&first| first <= state).saturating_sub(1)
    }

    /// Returns the index of an activation. `None` if it is new and its rule has no room.
    fn add(&mut self, state: u32, register: u32) -> Option<usize> {
        if let Some(index) = self.pairs.get_index_of(&(state, register)) {
            return Some(index);
        }
        let rule = self.rule_of(state);
        self.left[rule] = self.left[rule].checked_sub(1)?;
        Some(self.pairs.insert_full((state, register)).0)
    }

    /// Returns the activation after an arrival at a state, with updated counters. `None` if it is
    /// new and its rule has no room.
    fn arrive(&mut self, target: u32, register: u32) -> Option<usize> {
        let (state, register) = self.joined.arrival(target, register);
        self.add(state, register)
    }

    fn steps(&mut self, state: u32, register: u32) -> Vec<Step> {
        let joined = self.joined;
        let rule = joined.rule(self.rule_of(state) as u32);
        if rule.flags & rule_flags::PACKED_STRINGS != 0 {
            return self.packed_steps(rule.first_state, register);
        }
        let (tables, index) = joined.locate(state);
        let tables = *tables;
        let mut steps = Vec::new();
        let mut edges: Vec<(u8, ByteEdge)> =
            tables.byte_edges_of(index).iter().map(|edge| (readable(*edge), *edge)).collect();
        edges.sort_by_key(|(byte, _)| strangeness(*byte));
        for (byte, edge) in edges {
            let to = self.arrive(edge.target, register);
            steps.extend(to.map(|to| Step::Read { unit: Unit::Byte(byte), to }));
        }
        for edge in tables.call_edges_of(index) {
            let Some(callee) = self.add(joined.rule(edge.callee).first_state, edge.count) else {
                continue;
            };
            if edge.ret == NONE {
                steps.push(Step::Call { callee, ret: None });
            } else if let Some(ret) = self.arrive(edge.ret, register) {
                steps.push(Step::Call { callee, ret: Some(ret) });
            }
        }
        for edge in tables.token_edges_of(index) {
            let to = self.arrive(edge.target, register);
            steps.extend(to.map(|to| Step::Read { unit: Unit::Token(edge.tokens), to }));
        }
        steps
    }

    /// Returns the steps of a packed string set, whose register is the address of a node.
    fn packed_steps(&mut self, first_state: u32, address: u32) -> Vec<Step> {
        let strings = self.joined.packed_strings();
        let node = strings.node(address);
        let targets = node.labels().iter().enumerate();
        let steps = targets.filter_map(|(index, &byte)| {
            let target = node.target(index);
            let to = self.add(first_state + strings.node(target).state(), target)?;
            Some(Step::Read { unit: Unit::Byte(byte), to })
        });
        steps.collect()
    }
}

/// Returns the byte in the range of an edge that is easiest to read.
fn readable(edge: ByteEdge) -> u8 {
    (edge.lo()..=edge.hi()).min_by_key(|&byte| strangeness(byte)).unwrap_or(edge.lo())
}

/// Ranks a byte by readability, from 0: letters and digits, other printable characters, the space,
/// all other bytes.
fn strangeness(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => 0,
        b'!'..=b'~' => 1,
        b' ' => 2,
        _ => 3,
    }
}

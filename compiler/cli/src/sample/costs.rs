//! For every state, the least number of bytes and token edges that it takes to the end of its rule.
//!
//! In a counted rule the number depends on the countdown, and has a closed form: such a rule has one head, which every
//! repetition arrives at, and one exit, where the countdown leads at zero. With the least cost `plain` of a way that
//! does not arrive at the head, and `to_head` of one up to the next arrival, a state costs
//! `min(plain, to_head + arrival(countdown))`, and each further arrival costs one round of the head.
//!
//! Computed once for a grammar, by sweeps over its states until nothing changes. States are numbered from the start of
//! their rule on, so a sweep from the last to the first settles nearly all of them.

use grammarc_artifacts::sections::network::{CallEdge, NONE, state_flags};
use grammarc_artifacts::tables::Joined;

/// The cost of what cannot be done.
pub const NEVER: u64 = u64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StateCost {
    /// To the end of the rule, without arriving at its head.
    plain: u64,
    /// To the next arrival at the head of the rule.
    to_head: u64,
}

/// Head and exit of a counted rule.
#[derive(Clone, Copy, Debug)]
struct Loop {
    head: u32,
    exit: u32,
}

/// The costs of all states of a grammar.
#[derive(Clone, Debug)]
pub struct Costs {
    states: Vec<StateCost>,
    /// Index into `loops` of the state's rule, [`NONE`] for rules that are not counted.
    loop_of: Vec<u32>,
    loops: Vec<Loop>,
}

impl Costs {
    /// The costs over the joined tables of a grammar.
    pub fn new(tables: Joined<'_>) -> Self {
        let count = tables.own.bases.states + tables.own.state_count();
        let unknown = StateCost { plain: NEVER, to_head: NEVER };
        let mut costs = Self {
            states: vec![unknown; count as usize],
            loop_of: vec![NONE; count as usize],
            loops: Vec::new(),
        };
        for rule in tables.shared.rules.iter().chain(tables.own.rules) {
            let states = rule.first_state..rule.first_state + rule.state_count;
            let head = states.clone().find(|&state| tables.state(state).count_exit != NONE);
            if let Some(head) = head {
                let number = costs.loops.len() as u32;
                costs.loops.push(Loop { head, exit: tables.state(head).count_exit });
                states.for_each(|state| costs.loop_of[state as usize] = number);
            }
        }
        // Shared rules call no others, so they are settled first.
        let border = tables.own.bases.states;
        for states in [0..border, border..count] {
            while states
                .clone()
                .rev()
                .fold(false, |changed, state| costs.settle(tables, state) | changed)
            {}
        }
        costs
    }

    /// The cost of leaving the rule from a state with this countdown.
    pub fn of(&self, state: u32, count: u32) -> u64 {
        let StateCost { plain, to_head } = self.states[state as usize];
        match self.loops.get(self.loop_of[state as usize] as usize) {
            Some(&rule) => plain.min(to_head.saturating_add(self.arrival(rule, count))),
            None => plain,
        }
    }

    /// The cost of a call up to its return.
    pub fn of_call(&self, tables: Joined<'_>, edge: &CallEdge) -> u64 {
        self.of(tables.rule(edge.callee).first_state, edge.count)
    }

    /// The cost from an arrival at the head, where the countdown goes down by one first.
    fn arrival(&self, rule: Loop, count: u32) -> u64 {
        let head = self.states[rule.head as usize];
        let last = self.states[rule.exit as usize].plain;
        match count.saturating_sub(1) {
            0 => last,
            left => head.plain.min(head.to_head.saturating_mul(left.into()).saturating_add(last)),
        }
    }

    /// Recomputes one state from those it leads to, and says whether it changed.
    fn settle(&mut self, tables: Joined<'_>, state: u32) -> bool {
        let head = self.loops.get(self.loop_of[state as usize] as usize).map(|rule| rule.head);
        let (part, index) = tables.locate(state);
        let accepts = part.states[index].flags & state_flags::FINAL != 0;
        let mut cost = StateCost { plain: if accepts { 0 } else { NEVER }, to_head: NEVER };
        let mut lead = |weight: u64, target: u32| {
            let (plain, to_head) = match self.states[target as usize] {
                _ if Some(target) == head => (NEVER, 0),
                StateCost { plain, to_head } => (plain, to_head),
            };
            cost.plain = cost.plain.min(weight.saturating_add(plain));
            cost.to_head = cost.to_head.min(weight.saturating_add(to_head));
        };
        part.byte_edges_of(index).iter().for_each(|edge| lead(1, edge.target));
        part.token_edges_of(index).iter().for_each(|edge| lead(1, edge.target));
        let calls = part.call_edges_of(index);
        calls
            .iter()
            .filter(|edge| edge.ret != NONE)
            .for_each(|edge| lead(self.of_call(tables, edge), edge.ret));
        let tails = calls.iter().filter(|edge| edge.ret == NONE);
        let tail = tails.map(|edge| self.of_call(tables, edge)).min().unwrap_or(NEVER);
        cost.plain = cost.plain.min(tail);
        std::mem::replace(&mut self.states[state as usize], cost) != cost
    }
}

/// Where a transition to a state with this countdown arrives: the countdown goes down, and at zero leads elsewhere.
pub fn enter(tables: Joined<'_>, state: u32, count: u32) -> (u32, u32) {
    match (tables.state(state).count_exit, count.saturating_sub(1)) {
        (NONE, _) => (state, count),
        (exit, 0) => (exit, 0),
        (_, left) => (state, left),
    }
}

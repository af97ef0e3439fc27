//! For every state, the least number of bytes and token edges up to the end of its rule: shortest paths (Bellman-Ford).
//!
//! In a rule with a register, which holds counters, the cost depends on the register. A path passes *counted states*,
//! whose arrival updates the register, and ends after the register is zero. So a state of such a rule has two costs.
//! `ahead` is the least cost up to the next arrival at each counted state. `plain` is the least cost of a path to the
//! end without such an arrival.
//!
//! - A countdown takes one round for each repetition that is left. The last rounds are computed one by one. Each round
//!   before them costs as much as the dearest round.
//! - A set of required keys takes one round for each bit, in ascending order. A round costs as much as the dearest from
//!   any counted state.
//! - A register with fields has one for each of several counters, and need not be zero at the end of most paths.
//!   `plain` is the cost then. Below a minimum there is no plain path. Each increment that is left then costs as much
//!   as the dearest round, and the exit as much as the dearest exit.
//!
//! Invariant: the cost never grows along a cheapest path. It is an upper bound if there are several counted states, so
//! an ending is short but not always the shortest.
//!
//! Cost: sweeps over all states of a grammar until a fixpoint, once. States are numbered from the start of their rule,
//! so a sweep from the last to the first nearly always suffices.
//!
//! Tests: `src/tests/endings.rs`.

use grammarc_artifacts::sections::network::{CallEdge, NONE, RuleRecord, rule_flags, state_flags};
use grammarc_artifacts::tables::{Joined, Tables};

use super::text_costs::TextCosts;
use crate::position::state_ranges::StateRanges;

/// Cost of a state from which no path leads to the end of its rule.
pub(crate) const NEVER: u64 = u64::MAX;

/// A call of a rule in progress: a state with its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Activation {
    pub(super) state: u32,
    pub(super) count: u32,
}

/// A state whose arrival updates the register of its rule.
#[derive(Clone, Copy, Debug)]
struct CountedState {
    state: u32,
    /// Id of the state that is entered instead once the counter is zero.
    exit: u32,
    /// Number of the register's bit that an arrival clears. 0 for a countdown.
    bit: u32,
}

/// A field of a register: the bits of one of several counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    /// Number of the field's lowest bit.
    shift: u32,
    /// Number of bits of the field.
    width: u32,
}

/// The register of a rule, with the costs that depend on it.
#[derive(Clone, Debug)]
struct Register {
    counted: Vec<CountedState>,
    /// Whether the register is a set of required keys, one bit each. If `false`, it is a countdown or has fields.
    is_set: bool,
    /// Fields of a register with several counters, or with a counter that is set during the rule. Otherwise empty.
    fields: Vec<Field>,
    first_state: u32,
    /// Costs of the rule's states, state by state. Without fields, each state has one cost for each counted state: that
    /// of the way to the next arrival there. With fields, each state has one cost: that of the way to the next arrival
    /// at any counted state.
    ahead: Vec<u64>,
}

/// A transition within a rule: its cost in bytes and token edges, and the state after it. [`NONE`] for a tail call.
#[derive(Clone, Copy)]
struct Transition {
    cost: u64,
    target: u32,
}

impl Register {
    /// Returns the register of a rule, with all costs still unknown. `None` for a rule without counted states.
    fn new(tables: Joined<'_>, rule: &RuleRecord) -> Option<Self> {
        let states = rule.first_state..rule.first_state + rule.state_count;
        let counted = states.clone().filter_map(|state| {
            let record = tables.state(state);
            let bit = record.flags >> state_flags::CLEARED & 31;
            record.exit().map(|exit| CountedState { state, exit, bit })
        });
        let counted: Vec<CountedState> = counted.collect();
        let first = counted.first()?.state;
        let mut fields: Vec<Field> = Vec::new();
        for state in states {
            let record = tables.state(state);
            let of = |place: u32| record.flags >> place & 31;
            let field = Field { shift: of(state_flags::SHIFT), width: of(state_flags::WIDTH) };
            // A register has a few fields.
            if record.has_field() && !fields.contains(&field) {
                fields.push(field);
            }
        }
        let costs_a_state = if fields.is_empty() { counted.len() } else { 1 };
        Some(Self {
            is_set: tables.state(first).flags & state_flags::CLEARS != 0,
            first_state: rule.first_state,
            ahead: vec![NEVER; rule.state_count as usize * costs_a_state],
            counted,
            fields,
        })
    }

    /// Returns the index in `ahead` of a state's first cost.
    fn at(&self, state: u32) -> usize {
        let costs_a_state = if self.fields.is_empty() { self.counted.len() } else { 1 };
        (state - self.first_state) as usize * costs_a_state
    }

    /// Returns the sum of all counters in the value of a register with fields.
    fn left(&self, register: u32) -> u64 {
        let of = |field: &Field| u64::from(register >> field.shift & ((1 << field.width) - 1));
        self.fields.iter().map(of).sum()
    }

    /// Returns the costs from a state to the next arrival at each counted state, for a register without fields.
    fn ahead(&self, state: u32) -> &[u64] {
        &self.ahead[self.at(state)..][..self.counted.len()]
    }

    /// Returns the cost from a state to the nearest counted state that clears a bit. [`NEVER`] if none can be reached.
    fn to_bit(&self, state: u32, bit: u32) -> u64 {
        let ahead = self.counted.iter().zip(self.ahead(state));
        let of_bit = ahead.filter(|(counted, _)| counted.bit == bit);
        of_bit.map(|(_, &ahead)| ahead).min().unwrap_or(NEVER)
    }

    /// Returns the largest cost from a counted state to the nearest counted state that clears a bit.
    fn round(&self, bit: u32) -> u64 {
        let rounds = self.counted.iter().map(|counted| self.to_bit(counted.state, bit));
        rounds.max().unwrap_or(NEVER)
    }
}

/// The costs of all states of a grammar, in bytes and token edges.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    /// For each state, the cost to the end of its rule without an arrival at a counted state.
    plain: Vec<u64>,
    /// For each state, the index in `registers` of its rule's register. [`NONE`] for a rule without counted states.
    register_of: Vec<u32>,
    registers: Vec<Register>,
    /// States of rules that are packed string sets.
    packed: StateRanges,
    /// Costs of the nodes of packed string sets.
    texts: TextCosts,
}

impl Costs {
    /// Computes the costs of all states of a grammar and its vocabulary. O(states and edges) for each sweep, nearly
    /// always one.
    pub(crate) fn new(tables: Joined<'_>) -> Self {
        let count = tables.own.bases.states + tables.own.state_count();
        let mut costs = Self {
            plain: vec![NEVER; count as usize],
            register_of: vec![NONE; count as usize],
            registers: Vec::new(),
            packed: StateRanges::of_rules(tables.own.rules, rule_flags::PACKED_STRINGS),
            texts: TextCosts::new(tables.packed_strings()),
        };
        for rule in tables.shared.rules.iter().chain(tables.own.rules) {
            if let Some(register) = Register::new(tables, rule) {
                let states = rule.first_state..rule.first_state + rule.state_count;
                let number = costs.registers.len() as u32;
                states.for_each(|state| costs.register_of[state as usize] = number);
                costs.registers.push(register);
            }
        }
        // Shared rules call no own rules, so they reach their fixpoint first.
        let border = tables.own.bases.states;
        for states in [0..border, border..count] {
            while states
                .clone()
                .rev()
                .fold(false, |changed, state| costs.relax(tables, state) | changed)
            {}
        }
        costs
    }

    /// Returns the first state of the rule to which `state` belongs, if the rule is a packed string set. `None` for
    /// other rules.
    pub(super) fn packed_rule_of(&self, state: u32) -> Option<u32> {
        self.packed.first_of(state)
    }

    /// Returns the cost to leave the rule from a state with a register value. [`NEVER`] if no path leads to its end.
    pub(super) fn of(&self, tables: Joined<'_>, at: Activation) -> u64 {
        if self.packed.contains(at.state) {
            return self.texts.of(tables.packed_strings(), at.count).map_or(NEVER, u64::from);
        }
        let plain = self.plain[at.state as usize];
        match self.register(at.state) {
            Some(register) if at.count > 0 => plain.min(self.through_counted(register, at)),
            _ => plain,
        }
    }

    /// Returns the cost from a call of a rule to its return.
    pub(super) fn of_call(&self, tables: Joined<'_>, edge: &CallEdge) -> u64 {
        let state = tables.rule(edge.callee).first_state;
        self.of(tables, Activation { state, count: edge.count })
    }

    /// Returns the register of a state's rule. `None` for a rule without counted states.
    fn register(&self, state: u32) -> Option<&Register> {
        self.registers.get(self.register_of[state as usize] as usize)
    }

    /// Returns the cost to the end of the rule by a path through counted states, for a register with fields. An upper
    /// bound.
    fn through_fields(&self, register: &Register, at: Activation) -> u64 {
        let plain = |state: u32| self.plain[state as usize];
        let to_next = |state: u32| register.ahead[register.at(state)];
        let known = |cost: &u64| *cost != NEVER;
        let (mut round, mut last) = (0, 0);
        for counted in register.counted.iter().filter(|counted| plain(counted.state) == NEVER) {
            round = Some(to_next(counted.state)).filter(known).unwrap_or(0).max(round);
            last = Some(plain(counted.exit)).filter(known).unwrap_or(0).max(last);
        }
        let rounds = register.left(at.count).saturating_sub(1).saturating_mul(round);
        to_next(at.state).saturating_add(rounds).saturating_add(last)
    }

    /// Returns the cost to the end of the rule by a path through counted states. The value of the register is not zero.
    fn through_counted(&self, register: &Register, at: Activation) -> u64 {
        if !register.fields.is_empty() {
            let plain = self.plain[at.state as usize];
            return if plain == NEVER { self.through_fields(register, at) } else { plain };
        }
        let exits = register.counted.iter().map(|counted| self.plain[counted.exit as usize]);
        let last = exits.max().unwrap_or(NEVER);
        if register.is_set {
            let (first, rest) = (at.count.trailing_zeros(), at.count & (at.count - 1));
            let rest = (0..u32::BITS).filter(|bit| rest >> bit & 1 != 0);
            let to_first = register.to_bit(at.state, first).saturating_add(last);
            return rest.fold(to_first, |cost, bit| cost.saturating_add(register.round(bit)));
        }
        // With more rounds than counted states, a path passes one of them again.
        let left = at.count - 1;
        let one_by_one = left.min(register.counted.len() as u32);
        let mut after: Vec<u64> = match left - one_by_one {
            0 => register.counted.iter().map(|counted| self.plain[counted.exit as usize]).collect(),
            before => {
                let rounds = register.round(0).saturating_mul(before.into());
                vec![rounds.saturating_add(last); register.counted.len()]
            }
        };
        let onward = |state: u32, after: &[u64]| {
            let paths = register.ahead(state).iter().zip(after);
            paths.map(|(ahead, after)| ahead.saturating_add(*after)).min().unwrap_or(NEVER)
        };
        for _ in 0..one_by_one {
            let states = register.counted.iter().map(|counted| counted.state);
            after = states.map(|at| self.plain[at as usize].min(onward(at, &after))).collect();
        }
        onward(at.state, &after)
    }

    /// Recomputes the costs of one state from those of its successors. Returns whether a cost changed.
    fn relax(&mut self, tables: Joined<'_>, state: u32) -> bool {
        let (part, index) = tables.locate(state);
        let transitions = self.transitions(tables, part, index);
        let number = self.register_of[state as usize] as usize;
        let with_fields =
            self.registers.get(number).is_some_and(|register| !register.fields.is_empty());
        let is_counted = |target: u32| !with_fields && tables.state(target).count_exit != NONE;
        let accepts = part.states[index].flags & state_flags::FINAL != 0;
        let mut plain = if accepts { 0 } else { NEVER };
        for next in
            transitions.iter().filter(|next| next.target == NONE || !is_counted(next.target))
        {
            let rest = if next.target == NONE { 0 } else { self.plain[next.target as usize] };
            plain = plain.min(next.cost.saturating_add(rest));
        }
        let mut changed = std::mem::replace(&mut self.plain[state as usize], plain) != plain;
        let Some(register) = self.registers.get_mut(number) else {
            return changed;
        };
        let within = || transitions.iter().filter(|next| next.target != NONE);
        if with_fields {
            let to_next = |next: &Transition| match tables.state(next.target).exit() {
                Some(_) => next.cost,
                None => next.cost.saturating_add(register.ahead[register.at(next.target)]),
            };
            let ahead = within().map(to_next).min().unwrap_or(NEVER);
            let at = register.at(state);
            return changed | (std::mem::replace(&mut register.ahead[at], ahead) != ahead);
        }
        for number in 0..register.counted.len() {
            let counted = register.counted[number].state;
            let mut ahead = NEVER;
            for next in within() {
                let rest = match next.target == counted {
                    true => 0,
                    // After another counted state the countdown is a lower one.
                    false if is_counted(next.target) && !register.is_set => NEVER,
                    false => register.ahead(next.target)[number],
                };
                ahead = ahead.min(next.cost.saturating_add(rest));
            }
            let at = register.at(state) + number;
            changed |= std::mem::replace(&mut register.ahead[at], ahead) != ahead;
        }
        changed
    }

    /// Returns the transitions of a state within its rule. A call costs as much as the callee up to its return.
    fn transitions(&self, tables: Joined<'_>, part: &Tables<'_>, index: usize) -> Vec<Transition> {
        let read = |target: u32| Transition { cost: 1, target };
        let bytes = part.byte_edges_of(index).iter().map(|edge| read(edge.target));
        let tokens = part.token_edges_of(index).iter().map(|edge| read(edge.target));
        let calls = part.call_edges_of(index).iter();
        let calls =
            calls.map(|edge| Transition { cost: self.of_call(tables, edge), target: edge.ret });
        bytes.chain(tokens).chain(calls).collect()
    }
}

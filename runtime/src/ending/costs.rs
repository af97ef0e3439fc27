//! For every state, the least number of bytes and token edges up to the end of its rule: a shortest path.
//!
//! In a rule with a register the number depends on it. A way leads past *heads*, the states whose arrival lowers the
//! register, and ends once it is zero. So a state of such a rule has, for each head, the least cost `ahead` up to the next
//! arrival at it, and the least cost `plain` of a way to the end that passes no head. A countdown then takes one round for
//! each repetition left, or fewer where a head can end: the last rounds are gone through head by head, and those before
//! them are of one cost, that of the dearest. A set of bits is gone through in ascending order, at a round for each bit
//! that suffices from every head. So the cost never grows along the way: it is an upper bound where there are several
//! heads, and the way is short though not always the shortest.
//!
//! In a rule whose register has fields, no bound is near while a counter runs: a way to the end that passes heads as if
//! they were no heads is open. Below a minimum there is none, and every round that is left is taken to cost as much as the
//! dearest, up to the dearest exit.
//!
//! Computed once for a grammar, by sweeps over its states until nothing changes. States are numbered from the start of
//! their rule on, so a sweep from the last to the first settles nearly all of them.

use grammarc_artifacts::sections::network::{CallEdge, NONE, RuleRecord, rule_flags, state_flags};
use grammarc_artifacts::tables::Joined;

use super::text_costs::TextCosts;
use crate::state_ranges::StateRanges;

/// The cost if there is no path.
pub(crate) const NEVER: u64 = u64::MAX;

/// The facts of a rule with a register.
#[derive(Clone, Debug)]
struct Register {
    /// The heads: state, exit and the bit that an arrival clears, 0 for a countdown.
    heads: Vec<(u32, u32, u32)>,
    /// Whether it is a set of bits, not a countdown.
    is_set: bool,
    /// The fields of a register with several counters, or with one that is set on the way: lowest bit and width.
    fields: Vec<(u32, u32)>,
    first_state: u32,
    /// By state of the rule and head, the cost up to the next arrival at it; of a register with fields one a state, up to
    /// the next arrival at any.
    ahead: Vec<u64>,
}

impl Register {
    fn new(tables: Joined<'_>, rule: &RuleRecord) -> Option<Self> {
        let states = rule.first_state..rule.first_state + rule.state_count;
        let heads = states.clone().filter_map(|state| {
            let record = tables.state(state);
            let bit = record.flags >> state_flags::CLEARED & 31;
            record.exit().map(|exit| (state, exit, bit))
        });
        let heads: Vec<_> = heads.collect();
        let &(head, ..) = heads.first()?;
        let fields = states.filter_map(|state| {
            let record = tables.state(state);
            let of = |place: u32| record.flags >> place & 31;
            record.has_field().then(|| (of(state_flags::SHIFT), of(state_flags::WIDTH)))
        });
        let mut fields: Vec<(u32, u32)> = fields.collect();
        fields.sort_unstable();
        fields.dedup();
        let costs_a_state = if fields.is_empty() { heads.len() } else { 1 };
        Some(Self {
            is_set: tables.state(head).flags & state_flags::CLEARS != 0,
            first_state: rule.first_state,
            ahead: vec![NEVER; rule.state_count as usize * costs_a_state],
            heads,
            fields,
        })
    }

    /// Index of a state's costs in `ahead`.
    fn at(&self, state: u32) -> usize {
        let costs_a_state = if self.fields.is_empty() { self.heads.len() } else { 1 };
        (state - self.first_state) as usize * costs_a_state
    }

    /// The sum of all counters of a register.
    fn left(&self, register: u32) -> u64 {
        let of = |&(shift, width): &(u32, u32)| u64::from(register >> shift & ((1 << width) - 1));
        self.fields.iter().map(of).sum()
    }

    /// The costs from a state up to each head.
    fn ahead(&self, state: u32) -> &[u64] {
        &self.ahead[self.at(state)..][..self.heads.len()]
    }

    /// The cost from a state up to the nearest head of a bit.
    fn to_bit(&self, state: u32, bit: u32) -> u64 {
        let of_bit = self.heads.iter().zip(self.ahead(state)).filter(|(head, _)| head.2 == bit);
        of_bit.map(|(_, &ahead)| ahead).min().unwrap_or(NEVER)
    }

    /// The largest cost from a head to the nearest head of a bit.
    fn round(&self, bit: u32) -> u64 {
        self.heads.iter().map(|head| self.to_bit(head.0, bit)).max().unwrap_or(NEVER)
    }
}

/// The costs of all states of a grammar.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    /// By state, the cost to the end of the rule without arriving at a head.
    plain: Vec<u64>,
    /// Index into `registers` of the state's rule, [`NONE`] for rules without one.
    register_of: Vec<u32>,
    registers: Vec<Register>,
    /// The states of rules that are catalogues, and the costs of these.
    catalogues: StateRanges,
    texts: TextCosts,
}

impl Costs {
    /// The costs over the joined tables of a grammar.
    pub(crate) fn new(tables: Joined<'_>) -> Self {
        let count = tables.own.bases.states + tables.own.state_count();
        let mut costs = Self {
            plain: vec![NEVER; count as usize],
            register_of: vec![NONE; count as usize],
            registers: Vec::new(),
            catalogues: StateRanges::of_rules(tables.own.rules, rule_flags::CATALOGUE),
            texts: TextCosts::new(tables.catalogue()),
        };
        for rule in tables.shared.rules.iter().chain(tables.own.rules) {
            if let Some(register) = Register::new(tables, rule) {
                let states = rule.first_state..rule.first_state + rule.state_count;
                let number = costs.registers.len() as u32;
                states.for_each(|state| costs.register_of[state as usize] = number);
                costs.registers.push(register);
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

    /// The first state of the rule of a state, where that is a catalogue.
    pub(super) fn catalogue_of(&self, state: u32) -> Option<u32> {
        self.catalogues.first_of(state)
    }

    /// The cost of leaving the rule from a state with this register.
    pub(super) fn of(&self, tables: Joined<'_>, state: u32, count: u32) -> u64 {
        if self.catalogues.contains(state) {
            return self.texts.of(tables.catalogue(), count).map_or(NEVER, u64::from);
        }
        let plain = self.plain[state as usize];
        match self.register(state) {
            Some(register) if count > 0 => plain.min(self.with(register, state, count)),
            _ => plain,
        }
    }

    /// The cost of a call up to its return.
    pub(super) fn of_call(&self, tables: Joined<'_>, edge: &CallEdge) -> u64 {
        self.of(tables, tables.rule(edge.callee).first_state, edge.count)
    }

    fn register(&self, state: u32) -> Option<&Register> {
        self.registers.get(self.register_of[state as usize] as usize)
    }

    /// The cost of a path through the heads of a register with fields.
    fn with_fields(&self, register: &Register, state: u32, count: u32) -> u64 {
        let plain = |state: u32| self.plain[state as usize];
        let to_next = |state: u32| register.ahead[register.at(state)];
        let known = |cost: &u64| *cost != NEVER;
        let must = register.heads.iter().filter(|head| plain(head.0) == NEVER);
        let (mut round, mut last) = (0, 0);
        for &(head, exit, _) in must {
            round = Some(to_next(head)).filter(known).unwrap_or(0).max(round);
            last = Some(plain(exit)).filter(known).unwrap_or(0).max(last);
        }
        let rounds = register.left(count).saturating_sub(1).saturating_mul(round);
        to_next(state).saturating_add(rounds).saturating_add(last)
    }

    /// The cost of a path through heads.
    fn with(&self, register: &Register, state: u32, count: u32) -> u64 {
        if !register.fields.is_empty() {
            let plain = self.plain[state as usize];
            return if plain == NEVER { self.with_fields(register, state, count) } else { plain };
        }
        let exits = register.heads.iter().map(|head| self.plain[head.1 as usize]);
        let last = exits.max().unwrap_or(NEVER);
        if register.is_set {
            let (first, rest) = (count.trailing_zeros(), count & (count - 1));
            let rest = (0..u32::BITS).filter(|bit| rest >> bit & 1 != 0);
            let to_first = register.to_bit(state, first).saturating_add(last);
            return rest.fold(to_first, |cost, bit| cost.saturating_add(register.round(bit)));
        }
        // More rounds than there are heads go through one of them again.
        let left = count - 1;
        let one_by_one = left.min(register.heads.len() as u32);
        let mut after: Vec<u64> = match left - one_by_one {
            0 => register.heads.iter().map(|head| self.plain[head.1 as usize]).collect(),
            before => {
                let rounds = register.round(0).saturating_mul(before.into());
                vec![rounds.saturating_add(last); register.heads.len()]
            }
        };
        let onward = |state: u32, after: &[u64]| {
            let ways = register.ahead(state).iter().zip(after);
            ways.map(|(ahead, after)| ahead.saturating_add(*after)).min().unwrap_or(NEVER)
        };
        for _ in 0..one_by_one {
            let heads = register.heads.iter().map(|head| head.0);
            after = heads.map(|head| self.plain[head as usize].min(onward(head, &after))).collect();
        }
        onward(state, &after)
    }

    /// Recomputes the cost of one state from its successors, and returns whether it changed.
    fn settle(&mut self, tables: Joined<'_>, state: u32) -> bool {
        let (part, index) = tables.locate(state);
        let accepts = part.states[index].flags & state_flags::FINAL != 0;
        let edges = part.byte_edges_of(index).iter().map(|edge| (1, edge.target));
        let edges = edges.chain(part.token_edges_of(index).iter().map(|edge| (1, edge.target)));
        let calls = part.call_edges_of(index).iter();
        let calls = calls.map(|edge| (self.of_call(tables, edge), edge.ret));
        let ways: Vec<(u64, u32)> = edges.chain(calls).collect();
        let number = self.register_of[state as usize] as usize;
        let with_fields =
            self.registers.get(number).is_some_and(|register| !register.fields.is_empty());
        let is_head = |target: u32| !with_fields && tables.state(target).count_exit != NONE;
        let mut plain = if accepts { 0 } else { NEVER };
        for &(weight, target) in ways.iter().filter(|way| way.1 == NONE || !is_head(way.1)) {
            let rest = if target == NONE { 0 } else { self.plain[target as usize] };
            plain = plain.min(weight.saturating_add(rest));
        }
        let mut changed = std::mem::replace(&mut self.plain[state as usize], plain) != plain;
        let Some(register) = self.registers.get_mut(number) else {
            return changed;
        };
        if with_fields {
            let to_next = |&(weight, target): &(u64, u32)| match tables.state(target).exit() {
                Some(_) => weight,
                None => weight.saturating_add(register.ahead[register.at(target)]),
            };
            let ways = ways.iter().filter(|way| way.1 != NONE);
            let ahead = ways.map(to_next).min().unwrap_or(NEVER);
            let at = register.at(state);
            return changed | (std::mem::replace(&mut register.ahead[at], ahead) != ahead);
        }
        for number in 0..register.heads.len() {
            let head = register.heads[number].0;
            let mut ahead = NEVER;
            for &(weight, target) in ways.iter().filter(|way| way.1 != NONE) {
                let rest = match target == head {
                    true => 0,
                    // Behind another the countdown is a lower one.
                    false if is_head(target) && !register.is_set => NEVER,
                    false => register.ahead(target)[number],
                };
                ahead = ahead.min(weight.saturating_add(rest));
            }
            let at = register.at(state) + number;
            changed |= std::mem::replace(&mut register.ahead[at], ahead) != ahead;
        }
        changed
    }
}

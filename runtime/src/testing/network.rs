//! Networks as lists of rules with local state numbers, and the tables that artifacts store for them.

use grammarc_artifacts::sections::network::{
    ByteEdge, CallEdge, NONE, RuleRecord, StateRecord, TokenEdge, rule_flags, state_flags,
};
use grammarc_artifacts::tables::{Bases, TablesData};

use grammarc_test_data::Rng;

/// A call edge: number of the called rule, local return state (`None` for a tail call), initial register of the callee.
pub(crate) type Call = (usize, Option<usize>, u32);

#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) bytes: Vec<(u8, usize)>,
    pub(crate) calls: Vec<Call>,
    pub(crate) tokens: Vec<(Vec<u32>, usize)>,
    pub(crate) is_final: bool,
    pub(crate) count_exit: Option<usize>,
    /// Number of the register's bit that an arrival clears. `None` if an arrival lowers a countdown, or does not update
    /// anything.
    pub(crate) clears: Option<u32>,
    pub(crate) absorbing: bool,
    pub(crate) stuck: bool,
}

impl State {
    pub(crate) fn returns_only(&self) -> bool {
        self.is_final
            && self.count_exit.is_none()
            && self.bytes.is_empty()
            && self.calls.is_empty()
            && self.tokens.is_empty()
    }

    pub(crate) fn on(mut self, bytes: &[u8], target: usize) -> Self {
        self.bytes.extend(bytes.iter().map(|&byte| (byte, target)));
        self.bytes.sort_unstable();
        self
    }

    pub(crate) fn call(mut self, callee: usize, ret: Option<usize>, count: u32) -> Self {
        self.calls.push((callee, ret, count));
        self
    }

    pub(crate) fn ending(mut self) -> Self {
        self.is_final = true;
        self
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Rule {
    pub(crate) states: Vec<State>,
    pub(crate) counted: bool,
    pub(crate) monotone: bool,
    /// [Flags](rule_flags) of the rule besides those of its counter.
    pub(crate) flags: u32,
}

impl Rule {
    pub(crate) fn new(states: impl IntoIterator<Item = State>) -> Self {
        Self { states: states.into_iter().collect(), counted: false, monotone: false, flags: 0 }
    }

    /// Returns the rule with more [flags](rule_flags).
    pub(crate) fn with(mut self, flags: u32) -> Self {
        self.flags |= flags;
        self
    }

    /// Returns a counted rule for `byte` once or more, at most as often as the countdown of the call. With `exact`,
    /// exactly as often.
    pub(crate) fn repeat(byte: u8, exact: bool) -> Self {
        let again = State { is_final: !exact, count_exit: Some(2), ..State::default() };
        let states =
            [State::default().on(&[byte], 1), again.on(&[byte], 1), State::default().ending()];
        Self { states: states.to_vec(), counted: true, monotone: !exact, flags: 0 }
    }

    /// Returns a counted rule for texts of `callee`, which repeats them as [`Rule::repeat`] repeats a byte.
    pub(crate) fn repeat_call(callee: usize, exact: bool) -> Self {
        let again = State { is_final: !exact, count_exit: Some(2), ..State::default() };
        let body = |state: State| state.call(callee, Some(1), 0);
        let states = [body(State::default()), body(again), State::default().ending()];
        Self { states: states.to_vec(), counted: true, monotone: !exact, flags: 0 }
    }

    /// Returns a counted rule for any number of the first `letters` letters. Each letter whose bit is set in the call's
    /// register has to occur.
    pub(crate) fn each(letters: u8) -> Self {
        let all = |next: usize| {
            (0..letters).fold(State::default(), |state, at| {
                state.on(&[b'a' + at], if next == 0 { 1 + usize::from(at) } else { next })
            })
        };
        let done = 1 + usize::from(letters);
        let heads = (0..letters).map(|at| State {
            count_exit: Some(done),
            clears: Some(at.into()),
            ..all(0)
        });
        let states = [all(0)].into_iter().chain(heads).chain([all(done).ending()]);
        Self { states: states.collect(), counted: true, monotone: false, flags: 0 }
    }
}

/// A network of rules. The first `shared` rules belong to the vocabulary. The last rule is the start rule.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    pub(crate) rules: Vec<Rule>,
    pub(crate) shared: usize,
}

impl Network {
    pub(crate) fn start(&self) -> usize {
        self.rules.len() - 1
    }

    /// Returns the id of each rule's first state, and the number of all states at the end.
    pub(crate) fn offsets(&self) -> Vec<usize> {
        let mut offsets = vec![0];
        for rule in &self.rules {
            offsets.push(offsets[offsets.len() - 1] + rule.states.len());
        }
        offsets
    }

    /// Returns all states in the order of their ids, each with the number of its rule.
    pub(crate) fn states(&self) -> impl Iterator<Item = (usize, &State)> {
        self.rules
            .iter()
            .enumerate()
            .flat_map(|(at, rule)| rule.states.iter().map(move |s| (at, s)))
    }

    /// For each rule, returns the set of bytes with which it can begin, and whether it can begin with a token edge.
    /// Initial states call only rules with smaller numbers.
    pub(crate) fn first(&self) -> Vec<([u32; 8], bool)> {
        let mut first: Vec<([u32; 8], bool)> = Vec::new();
        for rule in &self.rules {
            let initial = &rule.states[0];
            let mut bytes = [0u32; 8];
            let mut tokens = !initial.tokens.is_empty();
            for &(byte, _) in &initial.bytes {
                bytes[usize::from(byte / 32)] |= 1 << (byte % 32);
            }
            for &(callee, ..) in &initial.calls {
                bytes.iter_mut().zip(first[callee].0).for_each(|(word, more)| *word |= more);
                tokens |= first[callee].1;
            }
            first.push((bytes, tokens));
        }
        first
    }

    /// Returns the tables of the shared rules and of the own rules, without masks. `words` is the length of a dense row
    /// in 32-bit words.
    pub(crate) fn tables(&self, words: u32) -> [TablesData; 2] {
        let offsets = self.offsets();
        let first = self.first();
        [0..self.shared, self.shared..self.rules.len()].map(|range| {
            let bases = Bases {
                rules: range.start as u32,
                states: offsets[range.start] as u32,
                ..Bases::default()
            };
            let mut tables = TablesData { bases, row_words: words, ..TablesData::default() };
            for at in range {
                let rule = &self.rules[at];
                let flag = |set, flag| if set { flag } else { 0 };
                tables.rules.push(RuleRecord {
                    first_state: offsets[at] as u32,
                    state_count: rule.states.len() as u32,
                    flags: flag(rule.counted, rule_flags::COUNTED)
                        | flag(rule.monotone, rule_flags::MONOTONE)
                        | rule.flags,
                    first_bytes: first[at].0,
                    first_tokens: u32::from(first[at].1),
                    after_bytes: [u32::MAX; 8],
                    hash: [0; 4],
                });
                for state in &rule.states {
                    push_state(&mut tables, state, offsets[at]);
                }
            }
            tables.states.push(StateRecord::sentinel([
                tables.byte_edges.len() as u32,
                tables.call_edges.len() as u32,
                tables.token_edges.len() as u32,
                0,
            ]));
            tables
        })
    }

    /// Draws a network in normal form. Initial states are not final and call only rules with smaller numbers. Every
    /// state reaches a final state, and no call returns to a state that can only return.
    pub(crate) fn random(random: &mut Rng, shape: Shape) -> Self {
        loop {
            let count = 2 + random.below(5);
            let mut rules: Vec<Rule> = Vec::new();
            for at in 0..count {
                let repeats = shape.counts && at + 1 < count;
                rules.push(match random.below(7) {
                    0 if repeats => Rule::repeat(b'a' + random.below(3) as u8, random.one_in(2)),
                    1 if repeats && at > 0 => Rule::repeat_call(random.below(at), random.one_in(2)),
                    2 => loop_rule(random, at),
                    3 if repeats => Rule::each(1 + random.below(3) as u8),
                    _ => general_rule(random, at, count, shape),
                });
            }
            let mut network = Self { rules, shared: 0 };
            network.normalize_calls(random);
            network.shared = if random.one_in(3) { 0 } else { network.shareable(count - 1) };
            if network.is_alive() {
                return network;
            }
        }
    }

    /// Whether every state reaches a final state of its rule.
    fn is_alive(&self) -> bool {
        let mut alive: Vec<Vec<bool>> =
            self.rules.iter().map(|rule| vec![false; rule.states.len()]).collect();
        loop {
            let before = alive.clone();
            for (at, rule) in self.rules.iter().enumerate() {
                for (number, state) in rule.states.iter().enumerate() {
                    let mut targets =
                        state.bytes.iter().map(|e| e.1).chain(state.tokens.iter().map(|e| e.1));
                    let called = |&(callee, ret, _): &Call| {
                        alive[callee][0] && ret.is_none_or(|ret| alive[at][ret])
                    };
                    let reaches = state.is_final
                        || targets.any(|target| alive[at][target])
                        || state.calls.iter().any(called);
                    alive[at][number] |= reaches;
                }
            }
            if alive == before {
                return alive.iter().flatten().all(|&alive| alive);
            }
        }
    }

    /// Gives each call of a counted rule a register, and other calls none. Turns calls into tail calls where the return
    /// state can only return.
    fn normalize_calls(&mut self, random: &mut Rng) {
        let counted: Vec<bool> = self.rules.iter().map(|rule| rule.counted).collect();
        for rule in &mut self.rules {
            let returning: Vec<bool> = rule.states.iter().map(State::returns_only).collect();
            for call in rule.states.iter_mut().flat_map(|state| &mut state.calls) {
                call.2 = if counted[call.0] { 1 + random.below(4) as u32 } else { 0 };
                call.1 = call.1.filter(|&ret| !returning[ret]);
            }
        }
    }

    /// Returns the largest number of first rules, at most `wanted`, that call no rule after them.
    fn shareable(&self, wanted: usize) -> usize {
        let closed = |count: &usize| {
            let mut calls =
                self.rules[..*count].iter().flat_map(|rule| &rule.states).flat_map(|s| &s.calls);
            calls.all(|call| call.0 < *count)
        };
        (0..=wanted).rev().find(closed).unwrap_or(0)
    }
}

/// The features that a random network may have.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) counts: bool,
    /// Ids of tokens that token edges may have. If there are any, no token may end in some of the states.
    pub(crate) tokens: &'static [u32],
}

fn loop_rule(random: &mut Rng, at: usize) -> Rule {
    let letter = |random: &mut Rng| b'a' + random.below(4) as u8;
    let open = letter(random);
    let mut around = State { is_final: true, absorbing: true, ..State::default() };
    around = around.on(&[letter(random)], 1);
    if at > 0 {
        around = around.call(random.below(at + 1), Some(1), 0);
    }
    Rule::new([State::default().on(&[open], 1), around])
}

fn general_rule(random: &mut Rng, at: usize, rules: usize, shape: Shape) -> Rule {
    let count = 2 + random.below(4);
    let states = (0..count).map(|number| {
        let mut state = State::default();
        for byte in b'a'..b'e' {
            if random.one_in(3) {
                state = state.on(&[byte], random.below(count));
            }
        }
        let callees = if number == 0 { at } else { rules };
        let calls = [0, 1, 1, 1, 2][random.below(5)];
        for _ in 0..calls {
            if callees > 0 {
                let ret = (!random.one_in(3)).then(|| random.below(count));
                state = state.call(random.below(callees), ret, 0);
            }
        }
        if !shape.tokens.is_empty() {
            if random.one_in(4) {
                let mut tokens = shape.tokens.to_vec();
                tokens.retain(|_| !random.one_in(2));
                if !tokens.is_empty() {
                    state.tokens.push((tokens, random.below(count)));
                }
            }
            state.stuck = number > 0 && random.one_in(12);
        }
        state.is_final = number > 0 && random.one_in(2);
        state
    });
    let mut rule = Rule::new(states);
    let last = rule.states.len() - 1;
    rule.states[last].is_final = true;
    rule.states[last].stuck = false;
    rule
}

fn push_state(tables: &mut TablesData, state: &State, offset: usize) {
    let record = record(tables, offset, state);
    tables.states.push(record);
    for &(byte, target) in &state.bytes {
        tables.byte_edges.push(ByteEdge::new(byte, byte, (offset + target) as u32));
    }
    for &(callee, ret, count) in &state.calls {
        let ret = ret.map_or(NONE, |ret| (offset + ret) as u32);
        tables.call_edges.push(CallEdge { callee: callee as u32, ret, count });
    }
    for (_, target) in &state.tokens {
        tables.token_edges.push(TokenEdge { tokens: 0, target: (offset + target) as u32 });
    }
}

/// Returns the record of a state. The state's edges are the next that are added to `tables`.
fn record(tables: &TablesData, offset: usize, state: &State) -> StateRecord {
    let flag = |set, flag| if set { flag } else { 0 };
    StateRecord {
        byte_edges: tables.byte_edges.len() as u32,
        call_edges: tables.call_edges.len() as u32,
        token_edges: tables.token_edges.len() as u32,
        follows: 0,
        base: 0,
        exits: NONE,
        count_exit: state.count_exit.map_or(NONE, |exit| (offset + exit) as u32),
        flags: flag(state.is_final, state_flags::FINAL)
            | flag(state.returns_only(), state_flags::POP_ONLY)
            | flag(state.absorbing, state_flags::ABSORBING)
            | flag(!state.stuck || state.returns_only(), state_flags::RESTS)
            | state.clears.map_or(0, |bit| state_flags::CLEARS | bit << state_flags::CLEARED),
    }
}

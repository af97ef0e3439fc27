//! The exploration of sets of configurations: from every state alone, and from what these lead to, up to its bounds.
//!
//! The edges and calls that a step looks at do not depend on the byte that it reads. So the bytes that follow it are
//! read alike up to where one of these begins or ends, and are only counted.
//!
//! Cost: at most [`MOST_MOVES`] moves of at most [`MOST_CONFIGURATIONS`] configurations.

use std::sync::Arc;

use grammarc_artifacts::sections::network::{
    ByteEdge, CallEdge, NONE, TokenEdge, rule_flags, state_flags,
};
use grammarc_artifacts::tables::Joined;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::packed::Packed;
use super::position::{Configuration, Spelling, leave_each_once, normalize, over};
use super::register::Register;
use super::stacks::{Frame, Stack, Stacks};
use crate::budget::Budget;
use crate::ir::ByteSet;
use crate::network::follow::Follow;
use crate::network::shared::cuts;
use crate::sequences::Sequences;

/// Sets explored before giving up.
const MOST_SETS: usize = 4_000;
/// Configurations of a set before giving up.
const MOST_CONFIGURATIONS: usize = 64;
/// Return states put below a set before giving up.
const MOST_CONTEXT: usize = 6;
/// Moves tried before giving up.
const MOST_MOVES: usize = 50_000;

/// Steps of a budget that a move takes for each configuration, about.
const STEPS_A_MOVE: usize = 1 << 4;

/// A symbol that a step reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Byte(u8),
    /// Any token, as a whole.
    Token,
}

/// The own rules and those of the vocabulary that they call, directly or not, in ascending order.
fn reached(network: Joined<'_>) -> Vec<u32> {
    let rules = network.own.rule_ids();
    let mut is_reached = vec![false; rules.start as usize];
    let mut found = Vec::new();
    let mut work: Vec<u32> = rules.clone().collect();
    while let Some(id) = work.pop() {
        let rule = network.rule(id);
        for state in rule.first_state..rule.first_state + rule.state_count {
            let (tables, index) = network.locate(state);
            for callee in tables.call_edges_of(index).iter().map(|call| call.callee) {
                if let Some(is_reached) = is_reached.get_mut(callee as usize)
                    && !std::mem::replace(is_reached, true)
                {
                    found.push(callee);
                    work.push(callee);
                }
            }
        }
    }
    found.sort_unstable();
    found.extend(rules);
    found
}

/// The kinds of registers that activations of a rule have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    None,
    Count,
    Marks,
    Items,
}

/// Registers that began or changed in one step, of which two that come from the same are equal.
#[derive(Debug, Default)]
pub(super) struct Begun {
    /// Of calls, by callee and initial value.
    calls: Vec<((u32, u32), Register)>,
    /// Of distinct rules, by what they were before.
    items: Vec<(Register, Register)>,
}

impl Begun {
    fn clear(&mut self) {
        let Self { calls, items } = self;
        calls.clear();
        items.clear();
    }
}

/// The lists of one step. Steps are many and short, so that they take turns with one room.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// Configurations to go on from.
    work: Vec<Configuration>,
    /// Configurations that were gone on from.
    seen: Vec<Configuration>,
    /// Configurations behind the symbol.
    next: Vec<Configuration>,
    /// Frames in which configurations rest that returned into the unknown after the symbol, if that is the bottom of the
    /// stack.
    resting: Vec<Frame>,
    begun: Begun,
}

impl Room {
    /// Empty, but for what to go on from.
    fn start(&mut self, set: &[Configuration]) {
        let Self { work, seen, next, resting, begun } = self;
        work.clear();
        work.extend_from_slice(set);
        seen.clear();
        next.clear();
        resting.clear();
        begun.clear();
    }
}

/// An exploration so far.
pub(super) struct Exploration<'a> {
    pub(super) follow: &'a Follow<'a>,
    pub(super) packed: Packed<'a>,
    pub(super) budget: &'a Budget,
    /// By rule, the states that it may return to, as far as they were asked for.
    pub(super) returns: FxHashMap<u32, Arc<[u32]>>,
    /// By rule, its kind of register, as far as it was asked for.
    pub(super) kinds: FxHashMap<u32, Kind>,
    /// Sources of registers that were given out.
    pub(super) sources: u32,
    /// One byte of each class that the network's edges tell apart, and whole tokens where any are read.
    pub(super) symbols: Vec<Symbol>,
    /// By token set, whether text tokens are in it.
    pub(super) texts: Vec<bool>,
    /// Whether nothing reads whole tokens.
    pub(super) no_tokens: bool,
    pub(super) stacks: Stacks,
    pub(super) spelling: Spelling,
    pub(super) seen: Sequences<Configuration>,
    /// Numbers of sets to go on from.
    pub(super) work: Vec<u32>,
    pub(super) most: usize,
    pub(super) moves: usize,
    /// Configurations below, to which a set returns on a byte; the unknown is none.
    pub(super) below: Vec<Option<Configuration>>,
    pub(super) room: Room,
    /// The last byte, from the one that is read on, up to which all bytes are read alike.
    pub(super) same_until: u8,
}

impl<'a> Exploration<'a> {
    pub(super) fn new(
        follow: &'a Follow<'a>,
        packed: Packed<'a>,
        texts: Vec<bool>,
        budget: &'a Budget,
    ) -> Self {
        let network = follow.network();
        let cuts = ByteSet::range(0, 0)
            .union(follow.shared().cuts)
            .union(cuts(network.own))
            .union(packed.cuts());
        let no_tokens = !network.reads_tokens();
        let tokens = (!no_tokens).then_some(Symbol::Token);
        let symbols = cuts.iter().map(Symbol::Byte).chain(tokens).collect();
        let (seen, work) = (Sequences::default(), Vec::new());
        let returns = FxHashMap::default();
        Self {
            follow,
            packed,
            budget,
            returns,
            kinds: FxHashMap::default(),
            sources: 0,
            symbols,
            texts,
            no_tokens,
            stacks: Stacks::default(),
            spelling: Spelling::default(),
            seen,
            work,
            most: 1,
            moves: 0,
            below: Vec::new(),
            room: Room::default(),
            same_until: 0,
        }
    }

    pub(super) fn run(mut self) -> Result<u32, u32> {
        let network = self.follow.network();
        // Of the vocabulary's rules, those after which nothing new comes go on in one way in all states.
        let are_settled = self.no_tokens && self.follow.shared().are_deterministic;
        let rules = match are_settled {
            true => self.follow.widened().iter().copied().chain(network.own.rule_ids()).collect(),
            false => reached(network),
        };
        for rule in rules {
            let rule = network.rule(rule);
            if let Some(catalogue) = self.packed.of(rule.first_state) {
                self.meet_nodes(rule.first_state, catalogue)?;
                continue;
            }
            for state in rule.first_state..rule.first_state + rule.state_count {
                self.budget.spend(STEPS_A_MOVE).map_err(|_| state)?;
                let register = self.unknown(state);
                self.meet(&mut [Configuration { state, stack: Stack::EMPTY, register }])?;
            }
        }
        let mut set: Vec<Configuration> = Vec::new();
        while let Some(number) = self.work.pop() {
            set.clear();
            set.extend_from_slice(self.seen.get(number));
            let contested = self.contested(&set);
            let mut rest = 0;
            while let Some(&symbol) = self.symbols.get(rest) {
                if let Symbol::Byte(byte) = symbol
                    && !contested.contains(byte)
                {
                    self.count_move(&set)?;
                    rest += 1;
                    continue;
                }
                let before = self.moves;
                self.same_until = u8::MAX;
                self.step(&set, symbol, 0)?;
                rest += 1;
                // The bytes up to there would be read by the same edges. They count as what they would have cost.
                let cost = self.moves - before;
                while let (Symbol::Byte(_), Some(&Symbol::Byte(byte))) =
                    (symbol, self.symbols.get(rest))
                    && byte <= self.same_until
                {
                    self.count_moves(cost, &set)?;
                    rest += 1;
                }
            }
        }
        Ok(self.most as u32)
    }

    /// Notes that what is found for a byte depends on whether the byte is in a set.
    pub(super) fn depends(&mut self, byte: u8, set: ByteSet) {
        self.same_until = self.same_until.min(set.alike_until(byte));
    }

    /// Adds the successor of a set on a symbol, over every context that matters.
    pub(super) fn step(
        &mut self,
        set: &[Configuration],
        symbol: Symbol,
        context: usize,
    ) -> Result<(), u32> {
        self.count_move(set)?;
        if let Symbol::Byte(byte) = symbol
            && !self.is_contested(set, byte)
        {
            return Ok(());
        }
        let mut room = std::mem::take(&mut self.room);
        room.start(set);
        let Room { work, seen, next, resting, begun } = &mut room;
        let mut leaves = None;
        // A configuration that returned into the unknown after the symbol: it matters where it is not alone.
        let mut returned = None;
        // Whether bytes may be read, and a state that may read text tokens as wholes.
        let (mut bytes, mut text) = (false, None);
        while let Some(at) = work.pop() {
            if seen.contains(&at) {
                continue;
            }
            seen.push(at);
            let state = at.state;
            let network = self.follow.network();
            let (tables, index) = network.locate(state);
            let byte_edges = tables.byte_edges_of(index);
            let token_edges = tables.token_edges_of(index);
            bytes |= !byte_edges.is_empty();
            if token_edges.iter().any(|edge| self.reads_text(state, edge)) {
                text = Some(state);
            }
            let register = self.going_on(at.register, begun);
            let mut reached: SmallVec<[Result<Configuration, Frame>; 1]> = SmallVec::new();
            match (self.node(at), symbol) {
                (Some(node), _) => reached.extend(self.read_node((at, node), symbol)),
                (None, Symbol::Byte(byte)) => {
                    let target = self.read(byte_edges, byte);
                    reached
                        .extend(target.into_iter().flat_map(|to| self.arrived(to, register, at)));
                }
                (None, Symbol::Token) => {
                    let targets = token_edges.iter().map(|edge| edge.target);
                    reached.extend(targets.flat_map(|to| self.arrived(to, register, at)));
                }
            }
            for reached in reached {
                match reached {
                    Ok(configuration) => next.push(configuration),
                    Err(last) => {
                        returned = Some(state);
                        if !resting.contains(&last) {
                            resting.push(last);
                        }
                    }
                }
            }
            for call in tables.call_edges_of(index) {
                let callee = network.rule(call.callee);
                let begins = match symbol {
                    Symbol::Byte(byte) => {
                        let first = ByteSet::from_words(callee.first_bytes);
                        self.depends(byte, first);
                        first.contains(byte)
                    }
                    Symbol::Token => callee.first_tokens != 0,
                };
                bytes |= callee.first_bytes != [0; 8];
                if !begins {
                    continue;
                }
                let (state, own) = (callee.first_state, self.begin(call, begun));
                let mut enter = |stack| work.push(Configuration { state, stack, register: own });
                if call.ret == NONE {
                    enter(at.stack);
                    continue;
                }
                for (ret, register) in self.arrivals(call.ret, register) {
                    enter(self.pushed((ret, register), at.stack));
                }
            }
            if self.may_return(at) {
                match self.stacks.pop(at.stack) {
                    Some((stack, (state, register))) => {
                        work.push(Configuration { state, stack, register });
                    }
                    None => leaves = Some(state),
                }
            }
        }
        if let (Symbol::Token, true, Some(state)) = (symbol, bytes, text) {
            return Err(state);
        }
        let (follow, sources) = (self.follow, &mut self.sources);
        let is_monotone = |state| {
            let rule = follow.network().rule(follow.rule_of(state));
            rule.flags & rule_flags::MONOTONE != 0
        };
        leave_each_once(next, is_monotone, || {
            *sources += 1;
            *sources
        });
        self.most = self.most.max(next.len() + resting.len());
        let alone = next.is_empty();
        // If the stack ends here, the ways within the rule are all there is.
        self.meet(next)?;
        self.room = room;
        let Some(state) = leaves.or(returned.filter(|_| !alone)) else { return Ok(()) };
        if context == MOST_CONTEXT {
            return if alone { Ok(()) } else { Err(state) };
        }
        for &ret in self.returns(state).iter() {
            if returned.is_none() && self.goes_nowhere(ret, symbol) {
                self.count_move(set)?;
                continue;
            }
            let register = self.unknown(ret);
            let set = over((ret, register), set, &mut self.stacks);
            self.step(&set, symbol, context + 1)?;
        }
        Ok(())
    }

    /// Whether a state neither reads a symbol nor returns, so that over it a set goes on as it does within its rule.
    pub(super) fn goes_nowhere(&mut self, ret: u32, symbol: Symbol) -> bool {
        let Symbol::Byte(byte) = symbol else { return false };
        let (first, _) = self.follow.first(ret);
        self.depends(byte, first);
        !first.contains(byte) && !self.follow.is_final(ret)
    }

    pub(super) fn count_move(&mut self, set: &[Configuration]) -> Result<(), u32> {
        self.count_moves(1, set)
    }

    pub(super) fn count_moves(&mut self, count: usize, set: &[Configuration]) -> Result<(), u32> {
        self.moves += count;
        let is_spent = self.budget.spend(STEPS_A_MOVE * set.len()).is_err();
        if self.moves > MOST_MOVES || is_spent { Err(set[0].state) } else { Ok(()) }
    }

    /// The target of the state's edge that reads a byte.
    pub(super) fn read(&mut self, edges: &[ByteEdge], byte: u8) -> Option<u32> {
        let at = edges.partition_point(|edge| edge.hi() < byte);
        let edge = edges.get(at);
        let last = edge.map_or(u8::MAX, |edge| match edge.lo() <= byte {
            true => edge.hi(),
            false => edge.lo() - 1,
        });
        self.same_until = self.same_until.min(last);
        edge.filter(|edge| edge.lo() <= byte).map(|edge| edge.target)
    }

    /// The states that the rule of a state may return to.
    pub(super) fn returns(&mut self, state: u32) -> Arc<[u32]> {
        let rule = self.follow.rule_of(state);
        let returns = || self.follow.returns(rule).into_iter().collect();
        Arc::clone(self.returns.entry(rule).or_insert_with(returns))
    }

    /// Whether the set of a state's token edge has text tokens in it. Of the vocabulary's rules that is not known here.
    pub(super) fn reads_text(&self, state: u32, edge: &TokenEdge) -> bool {
        let own = state >= self.follow.network().own.bases.states;
        !own || self.texts[edge.tokens as usize]
    }

    /// A stack with one more frame, or itself where another frame of an absorbing state would change nothing.
    pub(super) fn pushed(&mut self, frame: Frame, stack: Stack) -> Stack {
        let flags = self.follow.network().state(frame.0).flags;
        let is_absorbed = flags & state_flags::ABSORBING != 0
            && self.stacks.pop(stack).is_some_and(|(_, top)| top == frame);
        if is_absorbed { stack } else { self.stacks.push(stack, frame) }
    }

    /// The configuration after immediate returns; the last state of those where it returns into the unknown.
    pub(super) fn settle(
        &self,
        mut state: u32,
        mut register: Register,
        mut stack: Stack,
    ) -> Result<Configuration, Frame> {
        while self.follow.network().state(state).flags & state_flags::POP_ONLY != 0 {
            let below = self.stacks.pop(stack).ok_or((state, register))?;
            (stack, (state, register)) = below;
        }
        Ok(Configuration { state, stack, register })
    }

    /// The configurations after an arrival at a state from another, each as it [settles](Self::settle).
    pub(super) fn arrived(
        &self,
        target: u32,
        register: Register,
        from: Configuration,
    ) -> impl Iterator<Item = Result<Configuration, Frame>> + use<'_, 'a> {
        let arrivals = self.arrivals(target, register);
        arrivals.map(move |(state, register)| self.settle(state, register, from.stack))
    }

    /// The configurations of an arrival at a state: the state with the register lowered, or another state that it goes on
    /// to, by its value.
    pub(super) fn arrivals(
        &self,
        state: u32,
        register: Register,
    ) -> impl Iterator<Item = (u32, Register)> + use<> {
        let network = self.follow.network();
        let record = network.state(state);
        let counted = record.count_exit != NONE;
        let cleared = 1 << (record.flags >> state_flags::CLEARED & 31);
        let lowered = match register {
            Register::Count { source, lowered } if counted => {
                Register::Count { source, lowered: lowered + 1 }
            }
            Register::Marks { source, met } if counted => {
                Register::Marks { source, met: met | cleared }
            }
            other => other,
        };
        // The other fields of a register stay when one is zero.
        let after = if record.has_field() { lowered } else { Register::None };
        let others = match counted {
            true => network.arrivals(state).split_off(1),
            false => Vec::new(),
        };
        let others = others.into_iter().map(move |state| (state, after));
        [(state, lowered)].into_iter().chain(others)
    }

    /// The kind of register of a state's rule.
    pub(super) fn kind(&mut self, state: u32) -> Kind {
        let (follow, network) = (self.follow, self.follow.network());
        let rule = follow.rule_of(state);
        *self.kinds.entry(rule).or_insert_with(|| {
            let record = network.rule(rule);
            let states = record.first_state..record.first_state + record.state_count;
            let mut states = states.map(|state| network.state(state));
            match states.find(|state| state.count_exit != NONE) {
                _ if record.flags & rule_flags::DISTINCT != 0 => Kind::Items,
                None => Kind::None,
                Some(state) if state.flags & state_flags::CLEARS != 0 => Kind::Marks,
                Some(_) => Kind::Count,
            }
        })
    }

    /// A register of a state's rule of which nothing is known.
    pub(super) fn unknown(&mut self, state: u32) -> Register {
        let kind = self.kind(state);
        self.sources += u32::from(kind != Kind::None);
        let source = self.sources;
        match kind {
            Kind::None => Register::None,
            Kind::Count => Register::Count { source, lowered: 0 },
            Kind::Marks => Register::Marks { source, met: 0 },
            Kind::Items => Register::Items { source },
        }
    }

    /// The register of an activation that begins with a call.
    pub(super) fn begin(&mut self, call: &CallEdge, begun: &mut Begun) -> Register {
        let key = (call.callee, call.count);
        if let Some((_, known)) = begun.calls.iter().find(|(of, _)| *of == key) {
            return *known;
        }
        let first = self.follow.network().rule(call.callee).first_state;
        let new = match self.packed.of(first) {
            Some(catalogue) => Register::Node(catalogue.root),
            None => self.unknown(first),
        };
        begun.calls.push((key, new));
        new
    }

    /// The register of a configuration that reads on: the items of a distinct rule are other ones then.
    pub(super) fn going_on(&mut self, register: Register, begun: &mut Begun) -> Register {
        if !matches!(register, Register::Items { .. }) {
            return register;
        }
        if let Some((_, known)) = begun.items.iter().find(|(of, _)| *of == register) {
            return *known;
        }
        self.sources += 1;
        let new = Register::Items { source: self.sources };
        begun.items.push((register, new));
        new
    }

    /// Notes a set, cut down to what its members do not share.
    pub(super) fn meet(&mut self, set: &mut [Configuration]) -> Result<(), u32> {
        match set {
            [] => return Ok(()),
            // From a deterministic state alone one state leads on, and all states are begun with.
            [at] if self.is_alone(*at) => return Ok(()),
            _ => {}
        }
        normalize(set, &mut self.stacks, &mut self.spelling);
        self.most = self.most.max(set.len());
        if set.len() > MOST_CONFIGURATIONS || self.seen.len() > MOST_SETS {
            return Err(set[0].state);
        }
        let known = self.seen.len();
        let number = self.seen.number(set);
        if self.seen.len() > known {
            self.work.push(number);
        }
        Ok(())
    }
}

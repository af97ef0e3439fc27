//! The exploration of sets of configurations (one parse each): from every state alone, to the
//! successors of these sets, within limits.
//!
//! Bytes for which a step has the same result are counted, but not computed again (see
//! [`ByteRange`]).
//!
//! Cost: at most [`MOST_MOVES`] moves. A move steps one set of configurations on one symbol.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::byte_range::ByteRange;
use super::conflicting_bytes::{Below, SetContinuations};
use super::packed::Packed;
use super::position::{Configuration, leave_each_once, over};
use super::registers::Registers;
use super::sets::Sets;
use super::stacks::{Frame, Stack, Stacks};
use super::step::{Buffers, Leaving, Step, Symbol};
use super::view::View;
use crate::budget::Budget;
use crate::ir::ByteSet;
use crate::network::follow::Follow;
use crate::network::shared::byte_bounds;

/// The most return states that are put below the stacks of a set, to try its returns. Beyond that,
/// the exploration gives up and reports no bound.
const MOST_CONTEXT: usize = 6;
/// The most moves: steps of one set on one symbol. Beyond that, the exploration gives up and
/// reports no bound.
const MOST_MOVES: usize = 50_000;

/// Steps of a budget that a move costs for each configuration (one parse) of its set, about.
const STEPS_A_MOVE: usize = 1 << 4;

/// The state of an exploration.
pub(super) struct Exploration<'a> {
    /// The network with its FOLLOW sets and packed string sets (texts as a packed automaton).
    view: View<'a>,
    /// The budget, of which each move spends some steps.
    budget: &'a Budget,
    /// For each token set of the network, whether it contains text tokens (tokens that may also be
    /// read byte by byte).
    texts: Vec<bool>,
    /// The symbols to try: one byte of each class that the network's edges distinguish, and the
    /// whole token if any state reads tokens.
    symbols: Vec<Symbol>,
    /// Maps each rule that was asked for to the states that it may return to.
    returns: FxHashMap<u32, Arc<[u32]>>,
    /// The allocator of sources, which are numbers for the unknown values of registers.
    registers: Registers,
    /// The interner of stacks.
    stacks: Stacks,
    /// The sets found so far, with the worklist.
    sets: Sets,
    /// Number of moves so far.
    moves: usize,
    /// A buffer for the configurations (parses) that a set returns to.
    below: Below,
    /// Buffers for a step.
    buffers: Buffers,
    /// The bytes, from the byte of the current step on, for which the step has the same result.
    range: ByteRange,
}

impl<'a> Exploration<'a> {
    /// Prepares an exploration. `texts` says for each token set whether it contains text tokens.
    pub(super) fn new(
        follow: &'a Follow<'a>,
        packed: Packed<'a>,
        texts: Vec<bool>,
        budget: &'a Budget,
    ) -> Self {
        let bounds = ByteSet::range(0, 0)
            .union(follow.shared().byte_bounds)
            .union(byte_bounds(follow.network().own))
            .union(packed.byte_bounds());
        let view = View::new(follow, packed);
        let tokens = (!view.no_tokens).then_some(Symbol::Token);
        Self {
            view,
            budget,
            texts,
            symbols: bounds.iter().map(Symbol::Byte).chain(tokens).collect(),
            returns: FxHashMap::default(),
            registers: Registers::default(),
            stacks: Stacks::default(),
            sets: Sets::new(),
            moves: 0,
            below: Below::new(),
            buffers: Buffers::default(),
            range: ByteRange::all(),
        }
    }

    /// Explores all reachable sets and returns the most configurations (parses) of a position.
    ///
    /// # Errors
    ///
    /// A state at which no bound was found.
    pub(super) fn run(mut self) -> Result<u32, u32> {
        self.begin()?;
        let mut set: Vec<Configuration> = Vec::new();
        while self.sets.take(&mut set) {
            self.explore(&set)?;
        }
        Ok(self.sets.most() as u32)
    }

    /// Adds each state that may have several successors to the worklist, as a set of its own.
    fn begin(&mut self) -> Result<(), u32> {
        let follow = self.view.follow;
        let network = follow.network();
        // The vocabulary's rules whose FOLLOW sets the grammar does not widen are deterministic in
        // all states.
        let are_resolved = self.view.no_tokens && follow.shared().are_deterministic;
        let rules = match are_resolved {
            true => follow.widened().iter().copied().chain(network.own.rule_ids()).collect(),
            false => self.view.reached(),
        };
        for rule in rules {
            let rule = network.rule(rule);
            if let Some(set) = self.view.packed.of(rule.first_state) {
                for address in self.view.open_nodes(rule.first_state, set) {
                    let mut alone = [Configuration::within(rule.first_state, address)];
                    self.sets.meet(&self.view, &mut self.stacks, &mut alone)?;
                }
                continue;
            }
            for state in rule.first_state..rule.first_state + rule.state_count {
                self.budget.spend(STEPS_A_MOVE).map_err(|_| state)?;
                let register = self.registers.unknown(&self.view, state);
                let mut alone = [Configuration { state, stack: Stack::EMPTY, register }];
                self.sets.meet(&self.view, &mut self.stacks, &mut alone)?;
            }
        }
        Ok(())
    }

    /// Adds the successors of a set on all symbols to the worklist.
    fn explore(&mut self, set: &[Configuration]) -> Result<(), u32> {
        let Self { view, stacks, below, .. } = self;
        let conflicting = SetContinuations { view, stacks, set, below }.conflicting();
        let mut rest = 0;
        while let Some(&symbol) = self.symbols.get(rest) {
            rest += 1;
            if let Symbol::Byte(byte) = symbol
                && !conflicting.contains(byte)
            {
                self.count_moves(1, set)?;
                continue;
            }
            let before = self.moves;
            self.range = ByteRange::all();
            self.step(set, symbol, 0)?;
            // Bytes with the same result count as many moves as the computed byte.
            let cost = self.moves - before;
            while let (Symbol::Byte(_), Some(&Symbol::Byte(byte))) =
                (symbol, self.symbols.get(rest))
                && self.range.contains(byte)
            {
                self.count_moves(cost, set)?;
                rest += 1;
            }
        }
        Ok(())
    }

    /// Adds the successors of a set on one symbol, also over each return state that matters.
    /// `context` is the number of return states below the set so far.
    fn step(&mut self, set: &[Configuration], symbol: Symbol, context: usize) -> Result<(), u32> {
        self.count_moves(1, set)?;
        if let Symbol::Byte(byte) = symbol {
            let Self { view, stacks, below, range, .. } = self;
            if !(SetContinuations { view, stacks, set, below }).is_conflicting(byte, range) {
                return Ok(());
            }
        }
        let mut buffers = std::mem::take(&mut self.buffers);
        let step = Step {
            view: &self.view,
            stacks: &mut self.stacks,
            registers: &mut self.registers,
            texts: &self.texts,
            symbol,
            range: &mut self.range,
        };
        let leaving = step.run(set, &mut buffers)?;
        let is_empty = self.meet_next(&mut buffers)?;
        self.buffers = buffers;
        self.step_over_returns(set, symbol, context, &leaving, is_empty)
    }

    /// Adds the successors of a step to the worklist, as one set. Returns whether there are none.
    fn meet_next(&mut self, Buffers { next, resting, .. }: &mut Buffers) -> Result<bool, u32> {
        let (view, registers) = (&self.view, &mut self.registers);
        leave_each_once(next, |state| view.is_monotone(state), || registers.source());
        self.sets.note_size(next.len() + resting.len());
        let is_empty = next.is_empty();
        // If the stack ends here, only the transitions within the rule exist.
        self.sets.meet(&self.view, &mut self.stacks, next)?;
        Ok(is_empty)
    }

    /// Repeats a step of a set that leaves its rule, once over each state that the rule may return
    /// to.
    fn step_over_returns(
        &mut self,
        set: &[Configuration],
        symbol: Symbol,
        context: usize,
        leaving: &Leaving,
        is_empty: bool,
    ) -> Result<(), u32> {
        let Some(state) = leaving.before.or(leaving.after.filter(|_| !is_empty)) else {
            return Ok(());
        };
        if context == MOST_CONTEXT {
            return if is_empty { Ok(()) } else { Err(state) };
        }
        for &ret in self.returns(state).iter() {
            if leaving.after.is_none() && self.is_stuck(ret, symbol) {
                self.count_moves(1, set)?;
                continue;
            }
            let register = self.registers.unknown(&self.view, ret);
            let set = over(Frame { state: ret, register }, set, &mut self.stacks);
            self.step(&set, symbol, context + 1)?;
        }
        Ok(())
    }

    /// Whether a state neither reads the symbol nor returns. Over such a return state, a set has
    /// only the successors within its rule.
    fn is_stuck(&mut self, ret: u32, symbol: Symbol) -> bool {
        let Symbol::Byte(byte) = symbol else { return false };
        let (first, _) = self.view.follow.first(ret);
        self.range.depends_on(byte, first);
        !first.contains(byte) && !self.view.follow.is_final(ret)
    }

    /// Counts moves of a set.
    ///
    /// # Errors
    ///
    /// A state of the set, if there are too many moves or the budget is spent.
    fn count_moves(&mut self, count: usize, set: &[Configuration]) -> Result<(), u32> {
        self.moves += count;
        let is_spent = self.budget.spend(STEPS_A_MOVE * set.len()).is_err();
        if self.moves > MOST_MOVES || is_spent { Err(set[0].state) } else { Ok(()) }
    }

    /// Returns the states that the rule of `state` may return to.
    fn returns(&mut self, state: u32) -> Arc<[u32]> {
        let rule = self.view.follow.rule_of(state);
        let returns = || self.view.follow.returns(rule).into_iter().collect();
        Arc::clone(self.returns.entry(rule).or_insert_with(returns))
    }
}

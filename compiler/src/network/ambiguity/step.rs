//! The successor of one set of configurations on one symbol, within the rules that the set knows of.

use grammarc_artifacts::sections::network::{CallEdge, NONE, TokenEdge, state_flags};
use smallvec::SmallVec;

use super::byte_range::ByteRange;
use super::packed::labels;
use super::position::Configuration;
use super::register::Register;
use super::registers::{Begun, Registers};
use super::stacks::{Frame, Stack, Stacks};
use super::view::View;
use crate::ir::ByteSet;

/// A symbol that a step reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Byte(u8),
    /// Any token, as a whole.
    Token,
}

/// Configurations after a symbol. `Err` has the frame of one that returned into the unknown.
type Reached = SmallVec<[Result<Configuration, Frame>; 1]>;

/// The lists of one step. Steps are many and short, so they take turns with one set of buffers.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// Configurations to continue from.
    work: Vec<Configuration>,
    /// Configurations that were continued from.
    seen: Vec<Configuration>,
    /// Configurations after the symbol.
    pub(super) next: Vec<Configuration>,
    /// Frames of configurations that returned into the unknown after the symbol. They rest if that is the bottom of the
    /// stack.
    pub(super) resting: Vec<Frame>,
    begun: Begun,
}

impl Buffers {
    /// Empties all lists and begins with a set.
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

/// The ways in which a set leaves its rules in a step, each with an example state.
#[derive(Default)]
pub(super) struct Leaving {
    /// A configuration returned into the unknown before the symbol.
    pub(super) before: Option<u32>,
    /// A configuration returned into the unknown after the symbol, which matters if it is not alone.
    pub(super) after: Option<u32>,
    /// Whether bytes may be read.
    reads_bytes: bool,
    /// A state that may read text tokens as wholes.
    reads_text: Option<u32>,
}

/// One step from a set.
pub(super) struct Step<'s, 'a> {
    pub(super) view: &'s View<'a>,
    pub(super) stacks: &'s mut Stacks,
    pub(super) registers: &'s mut Registers,
    /// By token set, whether text tokens are in it.
    pub(super) texts: &'s [bool],
    pub(super) symbol: Symbol,
    pub(super) range: &'s mut ByteRange,
}

impl<'a> Step<'_, 'a> {
    /// Fills `buffers` with the successors of a set. `Err` has a state that may read a text token as a whole and byte
    /// by byte: the number of configurations then depends on the token.
    pub(super) fn run(
        mut self,
        set: &[Configuration],
        buffers: &mut Buffers,
    ) -> Result<Leaving, u32> {
        buffers.start(set);
        let mut leaving = Leaving::default();
        while let Some(at) = buffers.work.pop() {
            if buffers.seen.contains(&at) {
                continue;
            }
            buffers.seen.push(at);
            let register = self.registers.after_reading(at.register, &mut buffers.begun);
            self.read(at, register, buffers, &mut leaving);
            let network = self.view.follow.network();
            let (tables, index) = network.locate(at.state);
            for call in tables.call_edges_of(index) {
                self.enter(call, at, register, buffers, &mut leaving);
            }
            self.leave(at, buffers, &mut leaving);
        }
        match leaving {
            Leaving { reads_bytes: true, reads_text: Some(state), .. }
                if self.symbol == Symbol::Token =>
            {
                Err(state)
            }
            _ => Ok(leaving),
        }
    }

    /// Reads the symbol by the edges of a configuration.
    fn read(
        &mut self,
        at: Configuration,
        register: Register,
        buffers: &mut Buffers,
        leaving: &mut Leaving,
    ) {
        let network = self.view.follow.network();
        let (tables, index) = network.locate(at.state);
        let byte_edges = tables.byte_edges_of(index);
        let token_edges = tables.token_edges_of(index);
        leaving.reads_bytes |= !byte_edges.is_empty();
        if token_edges.iter().any(|edge| self.reads_text(at.state, edge)) {
            leaving.reads_text = Some(at.state);
        }
        let mut reached = Reached::new();
        match (self.view.node(at), self.symbol) {
            (Some(_), _) => reached.extend(self.read_node(at)),
            (None, Symbol::Byte(byte)) => {
                let target = self.range.read(byte_edges, byte);
                target.into_iter().for_each(|to| self.arrive(to, register, at, &mut reached));
            }
            (None, Symbol::Token) => {
                let targets = token_edges.iter().map(|edge| edge.target);
                targets.for_each(|to| self.arrive(to, register, at, &mut reached));
            }
        }
        for reached in reached {
            match reached {
                Ok(configuration) => buffers.next.push(configuration),
                Err(last) => {
                    leaving.after = Some(at.state);
                    if !buffers.resting.contains(&last) {
                        buffers.resting.push(last);
                    }
                }
            }
        }
    }

    /// Returns the successor of a configuration at a packed node: the next node, or the configuration that the rule
    /// returns to if texts only end there.
    fn read_node(&mut self, at: Configuration) -> Option<Result<Configuration, Frame>> {
        let (node, Symbol::Byte(byte)) = (self.view.node(at)?, self.symbol) else { return None };
        match labels(node).contains(byte) {
            // The next byte leads to another node.
            true => self.range.only(byte),
            false => self.range.depends_on(byte, labels(node)),
        }
        let address = node.on(byte)?;
        let register = Register::Node(address);
        let next = Configuration { register, ..at };
        if !self.view.node(next)?.is_end() {
            return Some(Ok(next));
        }
        let Some((stack, below)) = self.stacks.pop(at.stack) else {
            return Some(Err(Frame { state: at.state, register }));
        };
        Some(self.view.returned(below, stack, self.stacks))
    }

    /// Adds the configurations after an arrival at a state from another, each after its immediate returns.
    fn arrive(&self, target: u32, register: Register, from: Configuration, reached: &mut Reached) {
        let arrivals = self.view.arrivals(target, register);
        reached.extend(arrivals.map(|frame| self.view.returned(frame, from.stack, self.stacks)));
    }

    /// Enters the callee of a call if its strings may begin with the symbol.
    fn enter(
        &mut self,
        call: &CallEdge,
        at: Configuration,
        register: Register,
        buffers: &mut Buffers,
        leaving: &mut Leaving,
    ) {
        let network = self.view.follow.network();
        let callee = network.rule(call.callee);
        let begins = match self.symbol {
            Symbol::Byte(byte) => {
                let first = ByteSet::from_words(callee.first_bytes);
                self.range.depends_on(byte, first);
                first.contains(byte)
            }
            Symbol::Token => callee.first_tokens != 0,
        };
        leaving.reads_bytes |= callee.first_bytes != [0; 8];
        if !begins {
            return;
        }
        let own = self.registers.begin(self.view, call, &mut buffers.begun);
        let state = callee.first_state;
        let mut enter = |stack| buffers.work.push(Configuration { state, stack, register: own });
        if call.ret == NONE {
            enter(at.stack);
            return;
        }
        for frame in self.view.arrivals(call.ret, register) {
            enter(self.pushed(frame, at.stack));
        }
    }

    /// Returns from the rule of a configuration, if it may.
    fn leave(&self, at: Configuration, buffers: &mut Buffers, leaving: &mut Leaving) {
        if !self.view.may_return(at) {
            return;
        }
        match self.stacks.pop(at.stack) {
            Some((stack, Frame { state, register })) => {
                buffers.work.push(Configuration { state, stack, register });
            }
            None => leaving.before = Some(at.state),
        }
    }

    /// Returns a stack with one more frame, or the stack itself if another frame of an absorbing state changes nothing.
    fn pushed(&mut self, frame: Frame, stack: Stack) -> Stack {
        let flags = self.view.follow.network().state(frame.state).flags;
        let is_absorbed = flags & state_flags::ABSORBING != 0
            && self.stacks.pop(stack).is_some_and(|(_, top)| top == frame);
        if is_absorbed { stack } else { self.stacks.push(stack, frame) }
    }

    /// Whether the set of a state's token edge has text tokens. Unknown, and taken to be so, for the vocabulary's
    /// rules.
    fn reads_text(&self, state: u32, edge: &TokenEdge) -> bool {
        let own = state >= self.view.follow.network().own.bases.states;
        !own || self.texts[edge.tokens as usize]
    }
}

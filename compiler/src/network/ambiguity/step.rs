//! The successors of one set of configurations on one symbol, as far as the known parts of the
//! stacks reach.

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

/// A symbol that a step reads: a byte or a whole token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    /// One byte.
    Byte(u8),
    /// Some token, read as a whole.
    Token,
}

/// The configurations (parses) after a symbol. `Err` holds the last frame of a configuration that
/// returned from the bottom of its stack, to an unknown caller.
type Reached = SmallVec<[Result<Configuration, Frame>; 1]>;

/// The lists of one step. Steps are many and short, so all share one set of buffers.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// The configurations (parses) that are still to be processed.
    work: Vec<Configuration>,
    /// The configurations (parses) that have been processed.
    seen: Vec<Configuration>,
    /// The configurations (parses) after the symbol.
    pub(super) next: Vec<Configuration>,
    /// The last frames of configurations that returned from the bottom of the stack after the
    /// symbol. If nothing is below, the parse rests there.
    pub(super) resting: Vec<Frame>,
    /// The registers that began or changed in this step.
    begun: Begun,
}

impl Buffers {
    /// Empties all lists, and puts the configurations (parses) of `set` on the worklist.
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

/// The ways in which a set leaves its rules in a step, each with a state for which it happens.
#[derive(Default)]
pub(super) struct Leaving {
    /// A state whose configuration (one parse) returned from the bottom of its stack before the
    /// symbol.
    pub(super) before: Option<u32>,
    /// A state whose configuration (one parse) returned from the bottom of its stack after the
    /// symbol. This matters only if the step has other successors.
    pub(super) after: Option<u32>,
    /// Whether some configuration (one parse) of the step may read bytes.
    reads_bytes: bool,
    /// A state that may read text tokens as wholes.
    reads_text: Option<u32>,
}

/// One step of a set of configurations (parses) on one symbol.
pub(super) struct Step<'s, 'a> {
    /// The network with its FOLLOW sets and packed string sets (texts as a packed automaton).
    pub(super) view: &'s View<'a>,
    /// The interner of stacks.
    pub(super) stacks: &'s mut Stacks,
    /// The allocator of sources, which are numbers for the unknown values of registers.
    pub(super) registers: &'s mut Registers,
    /// For each token set, whether it contains text tokens (tokens that may also be read byte by
    /// byte).
    pub(super) texts: &'s [bool],
    /// The symbol to read.
    pub(super) symbol: Symbol,
    /// The bytes, from the symbol on, for which the step has the same result.
    pub(super) range: &'s mut ByteRange,
}

impl<'a> Step<'_, 'a> {
    /// Fills `buffers` with the successors of a set. Returns how the set leaves its rules.
    ///
    /// # Errors
    ///
    /// A state that may read a text token as a whole, if bytes may be read as well. The number of
    /// configurations then depends on the token.
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

    /// Reads the symbol by the edges of a configuration (one parse). `register` is the
    /// configuration's register after the symbol.
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

    /// Returns the successor of a configuration (one parse) at a packed node: the next node, or, if
    /// no text continues there, the configuration after the return. Returns `None` if the node has
    /// no transition on the symbol.
    fn read_node(&mut self, at: Configuration) -> Option<Result<Configuration, Frame>> {
        let (node, Symbol::Byte(byte)) = (self.view.node(at)?, self.symbol) else { return None };
        match labels(node).contains(byte) {
            // The next byte value leads to another node.
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

    /// Adds the configurations (parses) after the arrival of `from` at the state `target`, each
    /// after its immediate returns.
    fn arrive(&self, target: u32, register: Register, from: Configuration, reached: &mut Reached) {
        let arrivals = self.view.arrivals(target, register);
        reached.extend(arrivals.map(|frame| self.view.returned(frame, from.stack, self.stacks)));
    }

    /// Enters the callee of a call, if a string of the callee may begin with the symbol.
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

    /// Returns from the rule of a configuration (one parse) to the frame on its stack, if the
    /// configuration is at a possible end of its rule.
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

    /// Returns a stack with one more frame on top. Returns the stack itself if the frame repeats
    /// the top frame of an absorbing state, which changes nothing.
    fn pushed(&mut self, frame: Frame, stack: Stack) -> Stack {
        let flags = self.view.follow.network().state(frame.state).flags;
        let is_absorbed = flags & state_flags::ABSORBING != 0
            && self.stacks.pop(stack).is_some_and(|(_, top)| top == frame);
        if is_absorbed { stack } else { self.stacks.push(stack, frame) }
    }

    /// Whether the token set of a state's edge contains text tokens. For the vocabulary's rules
    /// this is unknown, and assumed.
    fn reads_text(&self, state: u32, edge: &TokenEdge) -> bool {
        let own = state >= self.view.follow.network().own.bases.states;
        !own || self.texts[edge.tokens as usize]
    }
}

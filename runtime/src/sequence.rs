//! One sequence: its frames, its trail of positions, and the advance by one token.
//!
//! A sequence is what forks share. The buffers that an advance needs besides lie in a [`Scratch`], which belongs to
//! one matcher and keeps its buffers, so a step allocates nothing once they have grown.

use crate::distinct::alive::Search;
use crate::distinct::excluded::Walk;
use crate::error::LimitError;
use crate::grammar::Grammar;
use crate::parts::PartList;
use crate::position::{Configuration, Configurations};
use crate::run::{Run, Runner};
use crate::stack::Frames;
use crate::step::{Calls, Limits, Machine};
use crate::texts::Text;
use crate::trail::Trail;

/// The state of one sequence.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    pub(crate) frames: Frames,
    pub(crate) trail: Trail,
}

/// Buffers of one matcher.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// The position that is being advanced.
    pub(crate) position: Vec<Configuration>,
    /// The stored masks of a position.
    pub(crate) parts: PartList,
    pub(crate) closure: Configurations,
    next: Configurations,
    spare: Configurations,
    /// Tokens that the stored masks of a position have and its items exclude.
    pub(crate) excluded: Vec<u32>,
    pub(crate) distinct: Box<Distinct>,
}

/// Buffers for sequences of grammars with distinct rules.
#[derive(Debug, Default)]
pub(crate) struct Distinct {
    pub(crate) walk: Walk,
    search: Search,
    /// The position before what is read.
    before: Vec<Configuration>,
}

impl Scratch {
    /// Makes those of the next configurations that may stay the position, and says whether there are any; if not,
    /// the position stays.
    fn take_next(&mut self, stays: impl Fn(Configuration) -> bool) -> bool {
        let mut staying = self.next.as_slice().iter().copied().filter(|&at| stays(at)).peekable();
        let any = staying.peek().is_some();
        if any {
            self.position.clear();
            self.position.extend(staying);
        }
        any
    }
}

/// The input of a step: one byte, some bytes, or one token with its text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input<'t> {
    /// One byte, after which no token need follow.
    Byte(&'t [u8; 1]),
    /// At least one byte, after which a token may follow.
    Bytes(&'t [u8]),
    /// One whole token.
    Token(u32, &'t Text),
}

impl<'t> Input<'t> {
    #[inline]
    fn bytes(self, grammar: &'t Grammar) -> &'t [u8] {
        match self {
            Self::Byte(byte) => byte,
            Self::Bytes(bytes) => bytes,
            Self::Token(token, text) => text.bytes(grammar.vocabulary().artifact(), token),
        }
    }

    #[inline]
    fn is_plain(self) -> bool {
        matches!(self, Self::Token(_, text) if text.is_plain())
    }

    /// Whether a token must be able to follow the input, unless the sequence may end there.
    #[inline]
    fn must_rest(self) -> bool {
        !matches!(self, Self::Byte(_))
    }

    /// Whether a token edge carries it.
    #[inline]
    fn may_be_edge(self, grammar: &Grammar) -> bool {
        matches!(self, Self::Token(token, _) if grammar.has_edge_on(token))
    }
}

impl Sequence {
    /// A sequence that begins at a configuration.
    pub(crate) fn new(first: Configuration, window: usize) -> Self {
        Self { frames: Frames::new(), trail: Trail::new(&[first], window) }
    }

    /// Makes the newest position the one that [`advance`](Self::advance) works on.
    #[inline]
    pub(crate) fn load(&mut self, scratch: &mut Scratch) {
        self.frames.items.rewind();
        scratch.position.clear();
        scratch.position.extend_from_slice(self.trail.current());
    }

    /// Advances `scratch.position` over the input and says whether it was allowed; if not, or on an error, the
    /// position stays. The trail is not touched.
    ///
    /// Frames that nothing reaches any more are collected before the input is read, when a collection is due, and
    /// once more when the limit on frames is met, so that the limit speaks of frames that are alive.
    pub(crate) fn advance(
        &mut self,
        grammar: &Grammar,
        limits: Limits,
        scratch: &mut Scratch,
        input: Input<'_>,
    ) -> Result<bool, LimitError> {
        if self.frames.collection_is_due() {
            self.collect(scratch);
        }
        if grammar.distinct().is_empty() {
            self.read_or_collect(grammar, limits, scratch, input)
        } else {
            self.read_distinct(grammar, limits, scratch, input)
        }
    }

    /// Reads an input that items must differ in: what is not alive after it is dropped.
    #[inline(never)]
    fn read_distinct(
        &mut self,
        grammar: &Grammar,
        limits: Limits,
        scratch: &mut Scratch,
        input: Input<'_>,
    ) -> Result<bool, LimitError> {
        let len = self.frames.items.text().len();
        self.frames.items.push(input.bytes(grammar));
        scratch.distinct.before.clone_from(&scratch.position);
        let machine = grammar.machine(limits);
        let read = self.read_or_collect(grammar, limits, scratch, input).and_then(|read| {
            self.frames.items.leave(0);
            let mut alive = Ok(());
            scratch.position.retain(|&at| {
                let search = &mut scratch.distinct.search;
                search.is_alive(&machine, &mut self.frames, at).unwrap_or_else(|limit| {
                    alive = Err(limit);
                    true
                })
            });
            alive.map(|()| read && !scratch.position.is_empty())
        });
        if read != Ok(true) {
            std::mem::swap(&mut scratch.position, &mut scratch.distinct.before);
            self.frames.items.truncate(len);
        }
        read
    }

    fn read_or_collect(
        &mut self,
        grammar: &Grammar,
        limits: Limits,
        scratch: &mut Scratch,
        input: Input<'_>,
    ) -> Result<bool, LimitError> {
        match self.read(grammar, limits, scratch, input) {
            Err(LimitError::Frames { .. }) if self.collect(scratch) > 0 => {
                self.read(grammar, limits, scratch, input)
            }
            result => result,
        }
    }

    #[cold]
    fn collect(&mut self, scratch: &mut Scratch) -> usize {
        self.frames.collect(&mut [self.trail.configurations_mut(), &mut scratch.position])
    }

    #[inline]
    fn read(
        &mut self,
        grammar: &Grammar,
        limits: Limits,
        scratch: &mut Scratch,
        input: Input<'_>,
    ) -> Result<bool, LimitError> {
        if let &[at] = scratch.position.as_slice()
            && !input.may_be_edge(grammar)
        {
            return match self.run(grammar, limits, at, input) {
                (Run::Read, at) => {
                    scratch.position[0] = at;
                    Ok(true)
                }
                (Run::Refused, _) => Ok(false),
                (Run::Full, _) => Err(LimitError::Frames { limit: limits.frames }),
                (Run::Open(read), at) => {
                    self.read_set(grammar, limits, scratch, input, Some((at, read)))
                }
            };
        }
        self.read_set(grammar, limits, scratch, input, None)
    }

    /// Runs over an input that no token edge carries. [`Run::Read`] says that the sequence can go on from there.
    #[inline(always)]
    fn run(
        &mut self,
        grammar: &Grammar,
        limits: Limits,
        mut at: Configuration,
        input: Input<'_>,
    ) -> (Run, Configuration) {
        let runner = grammar.runner();
        let (run, some) = if input.is_plain() && runner.loops(at.state) {
            (Run::Read, true)
        } else {
            let bytes = input.bytes(grammar);
            (runner.run(&mut self.frames, &mut at, bytes, limits.frames), !bytes.is_empty())
        };
        let stays = !input.must_rest() || (some && runner.rests(&self.frames, at));
        (if run == Run::Read && !stays { Run::Refused } else { run }, at)
    }

    /// Advances over a token where that takes no more than a run, and the position is to be kept. False where it
    /// takes more, or the token is refused: then nothing has changed.
    #[inline]
    pub(crate) fn advance_by_run(
        &mut self,
        grammar: &Grammar,
        limits: Limits,
        token: u32,
        text: &Text,
    ) -> bool {
        let &[at] = self.trail.current() else { return false };
        let open = grammar.has_edge_on(token) || !grammar.distinct().is_empty();
        if open || self.frames.collection_is_due() {
            return false;
        }
        let (run, at) = self.run(grammar, limits, at, Input::Token(token, text));
        if run == Run::Read {
            self.trail.push_one(at);
        }
        run == Run::Read
    }

    /// Reads the input from `scratch.position`, or what is left of it after some bytes from one configuration.
    #[inline(never)]
    fn read_set(
        &mut self,
        grammar: &Grammar,
        limits: Limits,
        scratch: &mut Scratch,
        input: Input<'_>,
        from: Option<(Configuration, usize)>,
    ) -> Result<bool, LimitError> {
        let machine = grammar.machine(limits);
        let runner = grammar.runner();
        let frames = &mut self.frames;
        let Scratch { position, next, .. } = scratch;
        let (from, read) = match &from {
            Some((at, read)) => (std::slice::from_ref(at), *read),
            None => (position.as_slice(), 0),
        };
        next.clear();
        let bytes = &input.bytes(grammar)[read..];
        if !bytes.is_empty() {
            from.iter().try_for_each(|&at| machine.add(next, at))?;
            let Scratch { closure, next, spare, .. } = scratch;
            spell(&machine, &runner, frames, (closure, next, spare), bytes)?;
        }
        if let Input::Token(token, _) = input
            && grammar.has_edge_on(token)
        {
            let Scratch { position, closure, next, .. } = scratch;
            machine.step_token(frames, position, token, closure, next)?;
        }
        Ok(scratch.take_next(|at| !input.must_rest() || runner.rests(frames, at)))
    }

    /// Whether the input may end at a position.
    #[inline]
    pub(crate) fn is_accepting(&self, grammar: &Grammar, position: &[Configuration]) -> bool {
        let chains = grammar.chains();
        position.iter().any(|&at| chains.is_accepting(&self.frames, at))
    }

    /// The bytes that may follow `scratch.position`, and whether token edges leave it as well.
    pub(crate) fn first_bytes(
        &mut self,
        grammar: &Grammar,
        limits: Limits,
        scratch: &mut Scratch,
    ) -> Result<FirstBytes, LimitError> {
        let machine = grammar.machine(limits);
        let Scratch { position, closure, .. } = scratch;
        let mut first = FirstBytes::of(&machine, &mut self.frames, position, closure)?;
        if grammar.distinct().is_empty() {
            return Ok(first);
        }
        let position = scratch.position.clone();
        let len = self.frames.items.text().len();
        for byte in first.iter() {
            if !self.read_distinct(grammar, limits, scratch, Input::Byte(&[byte]))? {
                first.remove(byte);
            }
            scratch.position.clone_from(&position);
            self.frames.items.truncate(len);
        }
        Ok(first)
    }
}

/// Makes `next` the configurations after some bytes, from those that it holds; the others are buffers.
pub(crate) fn spell(
    machine: &Machine<'_>,
    runner: &Runner<'_>,
    frames: &mut Frames,
    (closure, next, spare): (&mut Configurations, &mut Configurations, &mut Configurations),
    mut bytes: &[u8],
) -> Result<(), LimitError> {
    while !bytes.is_empty() && !next.as_slice().is_empty() {
        if let &[mut at] = next.as_slice() {
            let limit = machine.limits.frames;
            let run = runner.run(frames, &mut at, bytes, limit);
            next.clear();
            match run {
                Run::Read => return machine.add(next, at),
                Run::Refused => return Ok(()),
                Run::Full => return Err(LimitError::Frames { limit }),
                Run::Open(read) => bytes = &bytes[read..],
            }
            machine.add(next, at)?;
        }
        let Some((&byte, rest)) = bytes.split_first() else { break };
        std::mem::swap(next, spare);
        // A machine that compares no items reads bytes that their text does not have.
        if !machine.distinct.is_empty() {
            frames.items.leave(bytes.len());
        }
        machine.step(frames, spare.as_slice(), byte, closure, next)?;
        bytes = rest;
    }
    Ok(())
}

/// A set of bytes, and whether tokens that are not text may stand in their place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FirstBytes {
    bytes: [u32; 8],
    pub(crate) tokens: bool,
}

impl FirstBytes {
    /// The bytes that a position takes next, whatever items were there before.
    pub(crate) fn of(
        machine: &Machine<'_>,
        frames: &mut Frames,
        position: &[Configuration],
        closure: &mut Configurations,
    ) -> Result<Self, LimitError> {
        let mut first = Self::default();
        machine.close(frames, position, closure, Calls::Never, |_, at| {
            if machine.catalogues.contains(at.state) {
                let node = machine.tables.catalogue().node(at.count);
                node.labels().iter().for_each(|&byte| first.add(byte));
                return Ok(());
            }
            let (tables, index) = machine.tables.locate(at.state);
            for edge in tables.byte_edges_of(index) {
                (edge.lo()..=edge.hi()).for_each(|byte| first.add(byte));
            }
            first.tokens |= !tables.token_edges_of(index).is_empty();
            for edge in tables.call_edges_of(index) {
                let callee = machine.tables.rule(edge.callee);
                for (word, more) in first.bytes.iter_mut().zip(callee.first_bytes) {
                    *word |= more;
                }
                first.tokens |= callee.first_tokens != 0;
            }
            Ok(())
        })?;
        Ok(first)
    }

    pub(crate) fn add(&mut self, byte: u8) {
        self.bytes[usize::from(byte / 32)] |= 1 << (byte % 32);
    }

    fn remove(&mut self, byte: u8) {
        self.bytes[usize::from(byte / 32)] &= !(1 << (byte % 32));
    }

    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.bytes[usize::from(byte / 32)] >> (byte % 32) & 1 != 0
    }

    /// The bytes in ascending order.
    pub(crate) fn iter(self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(move |&byte| self.contains(byte))
    }

    /// The byte that must follow, if there is one and no token can stand in its place.
    pub(crate) fn only(&self) -> Option<u8> {
        let total: u32 = self.bytes.iter().map(|word| word.count_ones()).sum();
        if total != 1 || self.tokens { None } else { self.iter().next() }
    }
}

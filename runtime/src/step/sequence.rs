//! One sequence: its frames, its positions, and the advance by bytes or a token.
//!
//! Forks share a [`Sequence`]. The buffers of an advance are in a [`Scratch`], which belongs to one matcher and keeps its
//! capacity. So a step allocates nothing once the buffers have grown.
//!
//! An advance runs along the [moves](crate::step::moves) while there is one configuration, and falls back to the
//! [machine](crate::step::machine). In a grammar with distinct rules, configurations that reach no new item are then removed.

use crate::distinct::viability::Search;
use crate::error::LimitError;
use crate::grammar::Grammar;
use crate::position::Configuration;
use crate::position::history::History;
use crate::position::stack::Frames;
use crate::step::buffers::StepBuffers;
use crate::step::first_bytes::FirstBytes;
use crate::step::input::Input;
use crate::step::machine::Limits;
use crate::step::run::Run;
use crate::step::texts::Text;

/// The state of one sequence.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    /// The frames of all its positions.
    pub(crate) frames: Frames,
    /// The newest position and those before it.
    pub(crate) history: History,
}

/// The buffers of an advance.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// The position that is advanced.
    pub(crate) position: Vec<Configuration>,
    /// The buffers of the simulation.
    steps: StepBuffers,
    /// The buffers for grammars with distinct rules.
    distinct: Box<Distinct>,
}

/// Buffers for grammars with distinct rules.
#[derive(Debug, Default)]
struct Distinct {
    search: Search,
    /// The position before the input.
    before: Vec<Configuration>,
}

impl Scratch {
    /// Makes those of the next configurations that satisfy `stays` the position, and returns whether there are any. If there
    /// are none, the position does not change.
    fn take_next(&mut self, stays: impl Fn(Configuration) -> bool) -> bool {
        let next = self.steps.next.as_slice().iter().copied();
        let mut staying = next.filter(|&at| stays(at)).peekable();
        let any = staying.peek().is_some();
        if any {
            self.position.clear();
            self.position.extend(staying);
        }
        any
    }
}

/// The rest of an input after a run.
#[derive(Clone, Copy)]
struct Rest {
    /// The configuration after the bytes that were read.
    at: Configuration,
    /// Number of bytes that were read.
    read: usize,
}

impl Sequence {
    /// Returns a sequence whose first position is one configuration.
    pub(crate) fn new(first: Configuration, window: usize) -> Self {
        Self { frames: Frames::new(), history: History::new(&[first], window) }
    }

    /// Copies the newest position to `scratch.position`, for [`advance`](Self::advance).
    #[inline]
    pub(crate) fn load(&mut self, scratch: &mut Scratch) {
        self.frames.items.rewind();
        scratch.position.clear();
        scratch.position.extend_from_slice(self.history.current());
    }

    /// Advances `scratch.position` over the input, and returns whether the input is allowed. If not, or on an error, the
    /// position does not change. The history never changes.
    ///
    /// Unreachable frames are collected before the input is read if a collection is due. They are collected once more if the
    /// limit on frames is met, so that the limit counts reachable frames alone.
    ///
    /// # Errors
    ///
    /// A limit was met.
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

    /// Advances in a grammar with distinct rules, and removes configurations that reach no new item.
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

    /// Advances, and once more after a collection if the limit on frames was met.
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

    /// Removes unreachable frames, and returns how many there were.
    #[cold]
    fn collect(&mut self, scratch: &mut Scratch) -> usize {
        self.frames.collect(&mut [self.history.configurations_mut(), &mut scratch.position])
    }

    /// Advances without comparing items: by a run if possible, otherwise by the machine.
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
                    self.read_set(grammar, limits, scratch, input, Some(Rest { at, read }))
                }
            };
        }
        self.read_set(grammar, limits, scratch, input, None)
    }

    /// Runs over an input that no token edge takes. [`Run::Read`] means that the sequence can continue after the input.
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

    /// Advances over a token by a run alone, and adds the position to the history. Returns `false`, without any change, if
    /// the token needs more than a run or is not allowed.
    #[inline]
    pub(crate) fn advance_by_run(
        &mut self,
        grammar: &Grammar,
        limits: Limits,
        token: u32,
        text: &Text,
    ) -> bool {
        let &[at] = self.history.current() else { return false };
        let open = grammar.has_edge_on(token) || !grammar.distinct().is_empty();
        if open || self.frames.collection_is_due() {
            return false;
        }
        let (run, at) = self.run(grammar, limits, at, Input::Token(token, text));
        if run == Run::Read {
            self.history.push_one(at);
        }
        run == Run::Read
    }

    /// Advances by the machine: from `scratch.position`, or from the configuration that a run left.
    #[inline(never)]
    fn read_set(
        &mut self,
        grammar: &Grammar,
        limits: Limits,
        scratch: &mut Scratch,
        input: Input<'_>,
        rest: Option<Rest>,
    ) -> Result<bool, LimitError> {
        let machine = grammar.machine(limits);
        let runner = grammar.runner();
        let frames = &mut self.frames;
        let Scratch { position, steps, .. } = scratch;
        let (from, read) = match &rest {
            Some(rest) => (std::slice::from_ref(&rest.at), rest.read),
            None => (position.as_slice(), 0),
        };
        steps.next.clear();
        let bytes = &input.bytes(grammar)[read..];
        if !bytes.is_empty() {
            from.iter().try_for_each(|&at| machine.add(&mut steps.next, at))?;
            steps.read_bytes(&machine, &runner, frames, bytes)?;
        }
        if let Input::Token(token, _) = input
            && grammar.has_edge_on(token)
        {
            machine.step_token(frames, position, token, &mut steps.closure, &mut steps.next)?;
        }
        Ok(scratch.take_next(|at| !input.must_rest() || runner.rests(frames, at)))
    }

    /// Whether the sequence may end at a position.
    #[inline]
    pub(crate) fn is_accepting(&self, grammar: &Grammar, position: &[Configuration]) -> bool {
        let chains = grammar.chains();
        position.iter().any(|&at| chains.is_accepting(&self.frames, at))
    }

    /// Computes the first set of `scratch.position`. In a grammar with distinct rules, bytes that lead to no new item are
    /// removed.
    ///
    /// # Errors
    ///
    /// A limit was met.
    pub(crate) fn first_bytes(
        &mut self,
        grammar: &Grammar,
        limits: Limits,
        scratch: &mut Scratch,
    ) -> Result<FirstBytes, LimitError> {
        let machine = grammar.machine(limits);
        let Scratch { position, steps, .. } = scratch;
        let closure = &mut steps.closure;
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

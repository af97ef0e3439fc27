//! One sequence: its frames, its positions, and the advance by bytes or a token.
//!
//! Forks share a [`Sequence`]. The buffers of an advance are in a [`Scratch`], which belongs to one matcher and keeps
//! its capacity. So a step allocates nothing once the buffers have grown.
//!
//! An advance runs along the [moves](crate::step::moves) while there is one configuration, and falls back to the
//! [machine](crate::step::machine). Under a grammar with distinct rules, it then removes configurations that can reach
//! only items equal to earlier ones.

use crate::distinct::viability::Search;
use crate::error::LimitError;
use crate::grammar::Grammar;
use crate::listed::subtree_walk::Walked;
use crate::position::Configuration;
use crate::position::history::History;
use crate::position::stack::Frames;
use crate::step::buffers::StepBuffers;
use crate::step::first_bytes::FirstBytes;
use crate::step::input::Input;
use crate::step::machine::Limits;
use crate::step::run::Run;
use crate::step::texts::Text;

/// One sequence: its stack frames and its positions.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    /// Frames of all positions of the sequence.
    pub(crate) frames: Frames,
    /// Newest position and earlier ones, as far back as the rollback window reaches.
    pub(crate) history: History,
}

/// Buffers of an advance, with the position that is advanced.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Position that is advanced. It is not part of the history yet.
    pub(crate) position: Vec<Configuration>,
    /// Buffers of the simulation over bytes.
    steps: StepBuffers,
    /// Buffers for grammars with distinct rules, whose items must differ.
    distinct: Box<Distinct>,
}

/// Buffers for grammars with distinct rules, whose items must differ.
#[derive(Debug, Default)]
struct Distinct {
    search: Search,
    /// Position before the input, to return to if the input is refused.
    before: Vec<Configuration>,
}

impl Scratch {
    /// Replaces the position with those of the next configurations that satisfy `stays`. Returns whether there are any.
    /// If not, the position does not change.
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

/// The state of an input that a run has read in part.
#[derive(Clone, Copy)]
struct Rest {
    /// Configuration after the bytes that were read.
    at: Configuration,
    /// Number of bytes of the input that were read.
    read: usize,
}

impl Sequence {
    /// Returns a sequence whose first position is one configuration. `window` is the number of tokens that can be taken
    /// back.
    pub(crate) fn new(first: Configuration, window: usize) -> Self {
        Self { frames: Frames::new(), history: History::new(&[first], window) }
    }

    /// Copies the newest position to `scratch.position`, from which [`advance`](Self::advance) starts.
    #[inline]
    pub(crate) fn load(&mut self, scratch: &mut Scratch) {
        self.frames.items.rewind();
        scratch.position.clear();
        scratch.position.extend_from_slice(self.history.current());
    }

    /// Advances `scratch.position` over the input, and returns whether the input is allowed. If the input is not
    /// allowed, or on an error, the position does not change. The history never changes.
    ///
    /// If a collection is due, unreachable frames are removed before the input is read. If the limit on frames is met,
    /// they are removed once more. So the limit counts reachable frames alone.
    ///
    /// # Errors
    ///
    /// The limit on configurations, on frames, or on the search for a new item was met.
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

    /// Advances under a grammar with distinct rules. Removes configurations that can reach only items equal to earlier
    /// ones.
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
        let read = self.read_or_collect(grammar, limits, scratch, input).and_then(|read| {
            self.frames.items.leave(0);
            let machine = grammar.machine(limits);
            let mut walked = Walked { grammar, machine, frames: &mut self.frames };
            let mut alive = Ok(());
            scratch.position.retain(|&at| {
                scratch.distinct.search.is_alive(&mut walked, at).unwrap_or_else(|limit| {
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

    /// Advances over an input. If the limit on frames is met, removes unreachable frames and tries once more.
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

    /// Removes unreachable frames, and returns their number.
    #[cold]
    fn collect(&mut self, scratch: &mut Scratch) -> usize {
        self.frames.collect(&mut [self.history.configurations_mut(), &mut scratch.position])
    }

    /// Advances over an input without comparing items: by a run if possible, otherwise by the machine.
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

    /// Runs over an input that no token edge reads. Returns the outcome and the configuration reached. [`Run::Read`]
    /// means that the sequence can also continue after the input.
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

    /// Advances over a token by a run alone, and adds the position to the history. Returns `false`, without any change
    /// to the position, if the token is not allowed or needs more than a run.
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

    /// Advances by the machine: from `scratch.position`, or from the configuration at which a run stopped.
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

    /// Whether the text may end at a position: in one of its configurations.
    #[inline]
    pub(crate) fn is_accepting(&self, grammar: &Grammar, position: &[Configuration]) -> bool {
        let chains = grammar.chains();
        position.iter().any(|&at| chains.is_accepting(&self.frames, at))
    }

    /// Computes the first set of `scratch.position`: the bytes that may come next. Under a grammar with distinct rules,
    /// bytes that lead only to items equal to earlier ones are removed.
    ///
    /// # Errors
    ///
    /// The limit on configurations, on frames, or on the search for a new item was met.
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
        for byte in first.bytes.iter() {
            if !self.read_distinct(grammar, limits, scratch, Input::Byte(&[byte]))? {
                first.bytes.remove(byte);
            }
            scratch.position.clone_from(&position);
            self.frames.items.truncate(len);
        }
        Ok(first)
    }
}

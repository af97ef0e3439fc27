//! The machine: what one byte does to a position, however many configurations it has.
//!
//! It reads what [`run`](crate::run) leaves open, from the tables of the artifacts alone, and is the definition that
//! the shorter way is held to. A byte is read from the closure of the position: a configuration, the initial states of the rules it may call for
//! this byte, and, where its state is final, the states it returns to. The closure is a worklist that is also the set
//! of what was visited, so ambiguous grammars visit each configuration once and nothing recurses.
//!
//! Cost: one visit for each configuration of the closure, with a search in its edges; nearly always one to three.

use grammarc_artifacts::MaskPool;
use grammarc_artifacts::sections::network::{
    ByteEdge, CallEdge, NONE, RuleRecord, StateRecord, rule_flags, state_flags,
};
use grammarc_artifacts::tables::Joined;

use crate::distinct::DistinctRules;
use crate::error::LimitError;
use crate::position::{Configuration, Configurations};
use crate::run::returned;
use crate::stack::{BOTTOM, Frames};
use crate::state_ranges::StateRanges;

/// Up to this many edges a scan costs less than a binary search.
const SCANNED_EDGES: usize = 8;

/// How much a sequence may hold at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Configurations of one position, and of the closure of one byte.
    pub(crate) configurations: usize,
    /// Frames in the arena.
    pub(crate) frames: usize,
}

/// The tables of a grammar, ready to be run.
#[derive(Clone, Copy)]
pub(crate) struct Machine<'g> {
    /// Shared and own tables.
    pub(crate) tables: Joined<'g>,
    /// States of rules with a monotone countdown.
    pub(crate) monotone: &'g StateRanges,
    /// States of rules that are catalogues.
    pub(crate) catalogues: &'g StateRanges,
    /// Rules whose items differ.
    pub(crate) distinct: &'g DistinctRules,
    /// The matcher's limits.
    pub(crate) limits: Limits,
}

/// In a closure every configuration counts, whatever its countdown: the larger one may be visited too late.
static EACH: StateRanges = StateRanges::none();

impl<'g> Machine<'g> {
    /// Record of a state.
    #[inline]
    pub(crate) fn state(&self, state: u32) -> &'g StateRecord {
        self.tables.state(state)
    }

    /// Number of states, shared and own.
    pub(crate) fn state_count(&self) -> u32 {
        self.tables.own.bases.states + self.tables.own.state_count()
    }

    /// Arrival at a state by a transition: counters are lowered or set, and at zero lead elsewhere.
    #[inline]
    pub(crate) fn enter(&self, state: u32, count: u32) -> (u32, u32) {
        self.tables.arrival(state, count)
    }

    /// A configuration that goes on, with its list of items settled where it is one of a distinct rule; `None` where it
    /// is at the end of an item that was there before.
    #[inline]
    fn settled(&self, frames: &mut Frames, at: Configuration) -> Option<Configuration> {
        if !self.distinct.contains(at.state) {
            return Some(at);
        }
        Some(Configuration { count: frames.items.settle(at.count)?, ..at })
    }

    /// Arrival of a configuration at the target of an edge. A state that can only return does so at once, down to the
    /// bottom, where there is nowhere to return to.
    #[inline]
    pub(crate) fn arrive(
        &self,
        frames: &Frames,
        from: Configuration,
        target: u32,
    ) -> Configuration {
        let (state, count) = self.enter(target, from.count);
        let mut at = Configuration { state, count, frame: from.frame };
        while at.frame != BOTTOM && self.state(at.state).flags & state_flags::POP_ONLY != 0 {
            at = returned(frames, at.frame);
        }
        at
    }

    /// The configuration that enters a callee: its frame is the caller's own for a tail call, and the parent itself
    /// where another frame of an absorbing state would change nothing.
    #[inline]
    pub(crate) fn call(
        &self,
        frames: &mut Frames,
        from: Configuration,
        edge: &CallEdge,
        callee: &RuleRecord,
    ) -> Result<Configuration, LimitError> {
        let mut frame = from.frame;
        if edge.ret != NONE {
            let is_item = callee.flags & rule_flags::ITEM != 0 && !self.distinct.is_empty();
            let register = if is_item { frames.items.open(from.count) } else { from.count };
            let (ret, count) = self.enter(edge.ret, register);
            let flags = self.state(ret).flags;
            let parent = frames.get(from.frame);
            let absorbed = flags & state_flags::ABSORBING != 0
                && from.frame != BOTTOM
                && parent.ret == ret
                && parent.count == count;
            if !absorbed {
                frame = frames.intern(ret, count, from.frame, flags, self.limits.frames)?;
            }
        }
        Ok(Configuration { state: callee.first_state, count: edge.count, frame })
    }

    /// Reads one byte: `next` becomes the position after it, empty where no configuration allows the byte.
    pub(crate) fn step(
        &self,
        frames: &mut Frames,
        from: &[Configuration],
        byte: u8,
        closure: &mut Configurations,
        next: &mut Configurations,
    ) -> Result<(), LimitError> {
        next.clear();
        self.close(frames, from, closure, Calls::On(byte), |frames, at| {
            let read = self.on_byte(at, byte);
            match read.and_then(|(target, at)| Some((target, self.settled(frames, at)?))) {
                Some((target, at)) => self.add(next, self.arrive(frames, at, target)),
                None => Ok(()),
            }
        })
    }

    /// The target of a configuration's own edge on a byte, and the configuration that arrives there. In a catalogue the
    /// register goes on, and the state follows from it.
    #[inline]
    pub(crate) fn on_byte(&self, at: Configuration, byte: u8) -> Option<(u32, Configuration)> {
        if let Some(first) = self.catalogues.first_of(at.state) {
            let catalogue = self.tables.catalogue();
            let count = catalogue.node(at.count).on(byte)?;
            return Some((first + catalogue.node(count).state(), Configuration { count, ..at }));
        }
        let (tables, index) = self.tables.locate(at.state);
        Some((target_on(tables.byte_edges_of(index), byte)?, at))
    }

    /// Adds a configuration to a position.
    #[inline]
    pub(crate) fn add(
        &self,
        position: &mut Configurations,
        new: Configuration,
    ) -> Result<(), LimitError> {
        position.insert(new, self.monotone, self.limits.configurations)
    }

    /// Takes the token edges that carry a token, from everywhere that is reached without input: adds to `next`.
    pub(crate) fn step_token(
        &self,
        frames: &mut Frames,
        from: &[Configuration],
        token: u32,
        closure: &mut Configurations,
        next: &mut Configurations,
    ) -> Result<(), LimitError> {
        let pool = MaskPool::from(&self.tables);
        self.close(frames, from, closure, Calls::OnTokens, |frames, at| {
            let (tables, index) = self.tables.locate(at.state);
            for edge in tables.token_edges_of(index) {
                if crate::pool::contains(pool.mask(edge.tokens), token) {
                    self.add(next, self.arrive(frames, at, edge.target))?;
                }
            }
            Ok(())
        })
    }

    /// Visits all that a position reaches without input: itself, the callees that `calls` admits, and what final
    /// states return to.
    pub(crate) fn close(
        &self,
        frames: &mut Frames,
        from: &[Configuration],
        closure: &mut Configurations,
        calls: Calls,
        mut visit: impl FnMut(&mut Frames, Configuration) -> Result<(), LimitError>,
    ) -> Result<(), LimitError> {
        let limit = self.limits.configurations;
        closure.clear();
        for &at in from {
            closure.insert(at, &EACH, limit)?;
        }
        let mut visited = 0;
        while let Some(&at) = closure.as_slice().get(visited) {
            visited += 1;
            visit(frames, at)?;
            let (tables, index) = self.tables.locate(at.state);
            for edge in tables.call_edges_of(index) {
                let callee = self.tables.rule(edge.callee);
                if calls.admit(callee)
                    && let Some(from) = self.settled(frames, at)
                {
                    closure.insert(self.call(frames, from, edge, callee)?, &EACH, limit)?;
                }
            }
            if at.frame != BOTTOM && tables.states[index].flags & state_flags::FINAL != 0 {
                closure.insert(returned(frames, at.frame), &EACH, limit)?;
            }
        }
        Ok(())
    }
}

/// The calls that a closure follows.
#[derive(Clone, Copy)]
pub(crate) enum Calls {
    /// The states of rules that can begin with this byte.
    On(u8),
    /// The states of rules that can begin with a token edge.
    OnTokens,
    /// None.
    Never,
}

impl Calls {
    #[inline]
    pub(crate) fn admit(self, callee: &RuleRecord) -> bool {
        match self {
            Self::On(byte) => callee.first_bytes[usize::from(byte / 32)] >> (byte % 32) & 1 != 0,
            Self::OnTokens => callee.first_tokens != 0,
            Self::Never => false,
        }
    }
}

/// Target of the edge on a byte, among sorted disjoint edges.
#[inline]
fn target_on(edges: &[ByteEdge], byte: u8) -> Option<u32> {
    let edge = if edges.len() <= SCANNED_EDGES {
        edges.iter().find(|edge| byte <= edge.hi())?
    } else {
        edges.get(edges.partition_point(|edge| edge.hi() < byte))?
    };
    (edge.lo() <= byte).then_some(edge.target)
}

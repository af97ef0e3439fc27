//! The machine: the simulation of a position over one byte, for any number of configurations.
//!
//! The machine reads the tables of the artifacts alone. It defines a step, and is the fallback of
//! [`run`](crate::step::run).
//!
//! A byte is read from the epsilon closure of the position: its configurations, the initial states of called rules, and
//! the return states of final states. The closure is both the worklist and the visited set. So each configuration is
//! visited once, and no function recurses.
//!
//! Cost: one visit for each configuration of the closure, nearly always one to three. A visit searches the edges of a
//! state.

use grammarc_artifacts::MaskPool;
use grammarc_artifacts::sections::network::{
    ByteEdge, CallEdge, NONE, RuleRecord, StateRecord, rule_flags, state_flags,
};
use grammarc_artifacts::tables::Joined;

use crate::distinct::rules::DistinctRules;
use crate::error::LimitError;
use crate::position::stack::{BOTTOM, Frames};
use crate::position::state_ranges::StateRanges;
use crate::position::{Configuration, Configurations};

/// Number of edges of a state up to which they are scanned, since a scan then costs less than a binary search. More
/// edges are searched.
const SCANNED_EDGES: usize = 8;

/// Limits on the memory of a sequence. An advance that exceeds one returns a [`LimitError`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Largest number of configurations of one position, and of one closure.
    pub(crate) configurations: usize,
    /// Largest number of stack frames in the arena.
    pub(crate) frames: usize,
}

/// The tables of a grammar, with the sets of states and the limits that a simulation needs.
#[derive(Clone, Copy)]
pub(crate) struct Machine<'g> {
    /// Tables of the vocabulary's shared rules and of the grammar's own rules.
    pub(crate) tables: Joined<'g>,
    /// States of rules with a monotone countdown: a larger count accepts all texts that a smaller one accepts.
    pub(crate) monotone: &'g StateRanges,
    /// States of rules that are packed string sets (finite sets of many strings).
    pub(crate) packed: &'g StateRanges,
    /// Distinct rules, whose items must differ. Empty if items are not compared.
    pub(crate) distinct: &'g DistinctRules,
    /// Limits of the matcher on configurations and frames.
    pub(crate) limits: Limits,
}

/// The empty set, as the set of monotone states for a closure. A closure keeps all countdowns, since the larger one may
/// be visited after the smaller.
static EACH: StateRanges = StateRanges::none();

impl<'g> Machine<'g> {
    /// Returns the record of a state.
    #[inline]
    pub(crate) fn state(&self, state: u32) -> &'g StateRecord {
        self.tables.state(state)
    }

    /// Returns the number of states, of the shared rules and the grammar's own.
    pub(crate) fn state_count(&self) -> u32 {
        self.tables.own.bases.states + self.tables.own.state_count()
    }

    /// Returns the state and the register after an arrival at `state`, which updates counters. See
    /// [`arrival`](grammarc_artifacts::sections::network::arrival).
    #[inline]
    pub(crate) fn enter(&self, state: u32, count: u32) -> (u32, u32) {
        self.tables.arrival(state, count)
    }

    /// Returns the configuration after the end of its open item, if its rule is a distinct rule. `None` if the item is
    /// equal to an earlier one.
    #[inline]
    fn with_item_ended(&self, frames: &mut Frames, at: Configuration) -> Option<Configuration> {
        let Some(rule) = self.distinct.index_of(at.state) else { return Some(at) };
        Some(Configuration { count: frames.items.end_item(at.count, rule)?, ..at })
    }

    /// Returns the configuration after an edge to `target`. A [pop-only](state_flags::POP_ONLY) state, which is final
    /// and has no edges, returns to its caller at once. This repeats frame by frame up to the bottom of the stack.
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
            at = frames.returned(at.frame);
        }
        at
    }

    /// Returns the configuration after a call. A tail call pushes no frame. A frame that returns to an
    /// [absorbing](state_flags::ABSORBING) state is not pushed on an equal frame.
    ///
    /// # Errors
    ///
    /// The frame is new and the limit on frames was met.
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

    /// Reads one byte from the position `from`. Sets `next` to the position after the byte, which is empty if the byte
    /// is not allowed.
    ///
    /// # Errors
    ///
    /// The limit on configurations or on frames was met.
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
            match read.and_then(|(target, at)| Some((target, self.with_item_ended(frames, at)?))) {
                Some((target, at)) => self.add(next, self.arrive(frames, at, target)),
                None => Ok(()),
            }
        })
    }

    /// Returns the target of a configuration's edge on a byte, and the configuration with the register before the
    /// arrival. `None` if no edge reads the byte. In a packed string set the register is the address of a node, and the
    /// byte moves it to the next node.
    #[inline]
    pub(crate) fn on_byte(&self, at: Configuration, byte: u8) -> Option<(u32, Configuration)> {
        if let Some(first) = self.packed.first_of(at.state) {
            let strings = self.tables.packed_strings();
            let count = strings.node(at.count).on(byte)?;
            return Some((first + strings.node(count).state(), Configuration { count, ..at }));
        }
        let (tables, index) = self.tables.locate(at.state);
        Some((target_on(tables.byte_edges_of(index), byte)?, at))
    }

    /// Adds a configuration to a position, unless the position has an equal one. Of two monotone countdowns the larger
    /// stays.
    ///
    /// # Errors
    ///
    /// The limit on configurations was met.
    #[inline]
    pub(crate) fn add(
        &self,
        position: &mut Configurations,
        new: Configuration,
    ) -> Result<(), LimitError> {
        position.insert(new, self.monotone, self.limits.configurations)
    }

    /// Adds to `next` the configurations after a token edge whose label contains `token`, from the closure of a
    /// position.
    ///
    /// # Errors
    ///
    /// The limit on configurations or on frames was met.
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
                if crate::mask::pool::contains(pool.mask(edge.tokens), token) {
                    self.add(next, self.arrive(frames, at, edge.target))?;
                }
            }
            Ok(())
        })
    }

    /// Calls `visit` with each configuration of a position's epsilon closure: its configurations, the callees that
    /// `calls` admits, and the return states of final states.
    ///
    /// # Errors
    ///
    /// The limit on configurations or on frames was met, or `visit` returned an error.
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
                    && let Some(from) = self.with_item_ended(frames, at)
                {
                    closure.insert(self.call(frames, from, edge, callee)?, &EACH, limit)?;
                }
            }
            if at.frame != BOTTOM && tables.states[index].flags & state_flags::FINAL != 0 {
                closure.insert(frames.returned(at.frame), &EACH, limit)?;
            }
        }
        Ok(())
    }
}

/// Selects the call edges that an epsilon closure follows.
#[derive(Clone, Copy)]
pub(crate) enum Calls {
    /// Calls of rules whose texts can begin with this byte.
    On(u8),
    /// Calls of rules that can begin with a token edge.
    OnTokens,
    /// The closure follows no call edges.
    Never,
}

impl Calls {
    /// Whether the closure follows calls of this rule.
    #[inline]
    pub(crate) fn admit(self, callee: &RuleRecord) -> bool {
        match self {
            Self::On(byte) => callee.first_bytes[usize::from(byte / 32)] >> (byte % 32) & 1 != 0,
            Self::OnTokens => callee.first_tokens != 0,
            Self::Never => false,
        }
    }
}

/// Returns the target of the edge on a byte, among sorted disjoint edges. `None` if no edge has the byte.
#[inline]
fn target_on(edges: &[ByteEdge], byte: u8) -> Option<u32> {
    let edge = if edges.len() <= SCANNED_EDGES {
        edges.iter().find(|edge| byte <= edge.hi())?
    } else {
        edges.get(edges.partition_point(|edge| edge.hi() < byte))?
    };
    (edge.lo() <= byte).then_some(edge.target)
}

//! Sets of configurations over an unknown stack, determinised as they are met.
//!
//! The masks ask what a state does with a byte string whatever lies below it on the stack. That is the runtime's
//! simulation with a *local* stack: it begins empty, calls push on it, and a return that finds it empty leaves the rule
//! the walk began in. Countdowns are taken as not running out: within one token they cannot (see `network::repeat`).
//!
//! Nearly always there is one configuration that goes on with few bytes, and its move is found from the tables each
//! time. If there are several configurations, or one goes on with many bytes, their set is interned, and its move on
//! each byte is found once: a lazily built automaton, like that of `regex-automata`'s hybrid engine. Such sets are few,
//! so nothing is ever evicted.

use grammarc_artifacts::sections::network::{CallEdge, NONE, StateRecord, state_flags};
use grammarc_artifacts::tables::Joined;
use rustc_hash::FxHashMap;

use crate::budget::Budget;
use crate::interner::Interner;

/// Number of an interned set.
type SetId = u32;

/// Rows of moves that there is room for at first: a large schema has a hundred, and to move them takes as long as to find
/// some of them.
const ROWS: usize = 120;

/// Steps of a budget that it takes to go on from a configuration among several, about.
const STEPS_A_CONFIGURATION: usize = 1 << 3;

/// A move not looked for yet.
const UNKNOWN: SetId = u32::MAX;

/// The local stack's bottom, below which nothing is known.
pub const BOTTOM: u32 = 0;

#[derive(Clone, Copy, Debug)]
struct Frame {
    ret: u32,
    parent: u32,
    /// Every return state from here to the bottom is final.
    nullable: bool,
    /// A token may end while this frame is on the stack.
    rests: bool,
}

/// The configurations that a walk has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Configurations {
    /// None: no string goes on from here within the rule.
    Nowhere,
    /// A state over a local frame. It does not only return.
    One(u32, u32),
    /// Several, or one that is worth it, interned.
    Set(SetId),
}

/// The set of configurations that a byte leads to, and what may happen there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The configurations.
    pub at: Configurations,
    /// Whether the rule the walk began in can be left here.
    pub exits: bool,
    /// Whether a token may end here.
    pub ends: bool,
}

impl Arrival {
    /// Nothing.
    pub const DEAD: Self = Self { at: Configurations::Nowhere, exits: false, ends: false };

    /// Whether there is no way on, not even out of the rule.
    #[inline]
    pub fn is_dead(&self) -> bool {
        self.at == Configurations::Nowhere && !self.exits
    }
}

/// The sets met so far, with their moves.
pub struct LazyDfa<'a> {
    network: Joined<'a>,
    frames: Vec<Frame>,
    frame_ids: FxHashMap<(u32, u32), u32>,
    /// Sorted configurations, state and frame of each.
    sets: Interner,
    /// By set, its row of moves, or [`UNKNOWN`] before the first is asked for.
    rows: Vec<u32>,
    /// By row and byte, an index into `reached`.
    moves: Vec<u32>,
    reached: Vec<Arrival>,
    work: Vec<(u32, u32)>,
    seen: Vec<(u32, u32)>,
    words: Vec<u32>,
    building: Building,
    /// Steps and time of walks, where they are limited.
    budget: Option<&'a Budget>,
}

impl<'a> LazyDfa<'a> {
    /// No sets, over this network.
    pub fn new(network: Joined<'a>) -> Self {
        let bottom = Frame { ret: NONE, parent: BOTTOM, nullable: true, rests: true };
        Self {
            network,
            frames: vec![bottom],
            frame_ids: FxHashMap::default(),
            sets: Interner::with_capacity(ROWS, 4 * ROWS),
            rows: Vec::with_capacity(ROWS),
            moves: Vec::with_capacity(ROWS << 8),
            reached: Vec::with_capacity(4 * ROWS),
            work: Vec::new(),
            seen: Vec::new(),
            words: Vec::new(),
            building: Building::default(),
            budget: None,
        }
    }

    /// The same, as long as a budget lasts: once it is spent, nothing goes on from several configurations.
    #[must_use]
    pub(crate) fn within(self, budget: &'a Budget) -> Self {
        Self { budget: Some(budget), ..self }
    }

    /// Whether the budget is spent, after so many steps.
    #[inline]
    pub(crate) fn is_late(&self, steps: usize) -> bool {
        self.budget.is_some_and(|budget| budget.spend(steps).is_err())
    }

    /// The network.
    pub fn network(&self) -> Joined<'a> {
        self.network
    }

    /// The arrival of resting in `state` over the local frame `frame`: a state that only returns does so.
    #[inline]
    pub fn settled(&self, mut state: u32, mut frame: u32) -> Arrival {
        loop {
            let record: &StateRecord = self.network.state(state);
            let below = self.frames[frame as usize];
            if record.flags & state_flags::POP_ONLY == 0 {
                return Arrival {
                    at: Configurations::One(state, frame),
                    exits: record.flags & state_flags::FINAL != 0 && below.nullable,
                    ends: record.flags & state_flags::RESTS != 0 && below.rests,
                };
            }
            if frame == BOTTOM {
                return Arrival { at: Configurations::Nowhere, exits: true, ends: true };
            }
            (state, frame) = (below.ret, below.parent);
        }
    }

    /// The transition of a set on a byte. From an interned set to an interned set, O(1) after the first time.
    #[inline]
    pub fn step(&mut self, at: Configurations, byte: u8) -> Arrival {
        match at {
            Configurations::Nowhere => Arrival::DEAD,
            Configurations::One(state, frame) => self.step_from(state, frame, byte),
            Configurations::Set(set) => {
                let row = self.rows[set as usize];
                let known = match row {
                    UNKNOWN => UNKNOWN,
                    row => self.moves[move_at(row, byte)],
                };
                if known != UNKNOWN {
                    return self.reached[known as usize];
                }
                self.work.extend(pairs(self.sets.get(set)));
                let mut reached = self.find(byte);
                reached.at = self.interned(reached.at);
                let row = &mut self.rows[set as usize];
                if *row == UNKNOWN {
                    *row = (self.moves.len() >> 8) as u32;
                    self.moves.resize(self.moves.len() + 256, UNKNOWN);
                }
                self.moves[move_at(*row, byte)] = self.reached.len() as u32;
                self.reached.push(reached);
                reached
            }
        }
    }

    /// The byte and what it leads to, where there is one configuration and it goes on with that byte alone.
    #[inline]
    pub fn only(&self, at: Configurations) -> Option<(u8, Arrival)> {
        let Configurations::One(state, frame) = at else { return None };
        let (tables, index) = self.network.locate(state);
        let [edge] = tables.byte_edges_of(index) else { return None };
        let returns = frame != BOTTOM && tables.states[index].flags & state_flags::FINAL != 0;
        if returns || edge.lo() != edge.hi() || !tables.call_edges_of(index).is_empty() {
            return None;
        }
        Some((edge.lo(), self.settled(edge.target, frame)))
    }

    /// The same configurations, with moves that are found once.
    pub fn interned(&mut self, at: Configurations) -> Configurations {
        let Configurations::One(state, frame) = at else { return at };
        Configurations::Set(self.intern(&[state, frame]))
    }

    /// The configuration, where there is just one.
    #[inline]
    pub fn one(&self, at: Configurations) -> Option<(u32, u32)> {
        match at {
            Configurations::Nowhere => None,
            Configurations::One(state, frame) => Some((state, frame)),
            Configurations::Set(set) => match *self.sets.get(set) {
                [state, frame] => Some((state, frame)),
                _ => None,
            },
        }
    }

    /// The configurations, in ascending order.
    pub fn configurations(&self, at: &Configurations) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (one, many) = match *at {
            Configurations::Nowhere => (None, None),
            Configurations::One(state, frame) => (Some((state, frame)), None),
            Configurations::Set(set) => (None, Some(self.sets.get(set))),
        };
        one.into_iter().chain(many.into_iter().flat_map(pairs))
    }

    /// Return state and parent of a local frame.
    #[inline]
    pub fn frame(&self, frame: u32) -> (u32, u32) {
        let frame = self.frames[frame as usize];
        (frame.ret, frame.parent)
    }

    /// Whether a token may end while this frame is on the stack.
    pub fn frame_rests(&self, frame: u32) -> bool {
        self.frames[frame as usize].rests
    }

    /// The frame that a call pushes: the parent itself where pushing would change nothing.
    pub fn push(&mut self, ret: u32, parent: u32) -> u32 {
        let record = *self.network.state(ret);
        let below = self.frames[parent as usize];
        if record.flags & state_flags::ABSORBING != 0 && below.ret == ret {
            return parent;
        }
        let next = self.frames.len() as u32;
        let id = *self.frame_ids.entry((ret, parent)).or_insert(next);
        if id == next {
            self.frames.push(Frame {
                ret,
                parent,
                nullable: below.nullable && record.flags & state_flags::FINAL != 0,
                rests: below.rests && record.flags & state_flags::RESTS != 0,
            });
        }
        id
    }

    /// The transition of one configuration on a byte.
    fn step_from(&mut self, mut state: u32, mut frame: u32, byte: u8) -> Arrival {
        let network = self.network;
        loop {
            let (tables, index) = network.locate(state);
            let may = |call: &&CallEdge| {
                let first = &network.rule(call.callee).first_bytes;
                first[usize::from(byte) / 32] >> (byte % 32) & 1 == 1
            };
            let mut calls = tables.call_edges_of(index).iter().filter(may);
            let call = calls.next();
            let edges = tables.byte_edges_of(index);
            let at = edges.partition_point(|edge| edge.hi() < byte);
            let edge = edges.get(at).filter(|edge| edge.lo() <= byte);
            let returns = frame != BOTTOM && tables.states[index].flags & state_flags::FINAL != 0;
            match (edge, call) {
                _ if returns || calls.next().is_some() => {}
                (Some(edge), None) => return self.settled(edge.target, frame),
                (None, None) => return Arrival::DEAD,
                (None, Some(call)) => {
                    if call.ret != NONE {
                        frame = self.push(call.ret, frame);
                    }
                    state = network.rule(call.callee).first_state;
                    continue;
                }
                (Some(_), Some(_)) => {}
            }
            self.work.push((state, frame));
            return self.find(byte);
        }
    }

    /// The transition of the configurations in `work` on a byte.
    fn find(&mut self, byte: u8) -> Arrival {
        let mut building = std::mem::take(&mut self.building);
        self.seen.clear();
        while let Some((state, frame)) = self.work.pop() {
            if self.seen.contains(&(state, frame)) {
                continue;
            }
            self.seen.push((state, frame));
            if self.is_late(STEPS_A_CONFIGURATION + self.seen.len()) {
                self.work.clear();
                return Arrival::DEAD;
            }
            let network = self.network;
            let (tables, index) = network.locate(state);
            let edges = tables.byte_edges_of(index);
            let at = edges.partition_point(|edge| edge.hi() < byte);
            if let Some(edge) = edges.get(at).filter(|edge| edge.lo() <= byte) {
                self.settle(edge.target, frame, &mut building);
            }
            for call in tables.call_edges_of(index) {
                let callee = network.rule(call.callee);
                if callee.first_bytes[usize::from(byte) / 32] >> (byte % 32) & 1 == 1 {
                    let frame = if call.ret == NONE { frame } else { self.push(call.ret, frame) };
                    self.work.push((callee.first_state, frame));
                }
            }
            if tables.states[index].flags & state_flags::FINAL != 0 && frame != BOTTOM {
                let Frame { ret, parent, .. } = self.frames[frame as usize];
                self.work.push((ret, parent));
            }
        }
        self.finish(building)
    }

    /// Adds a configuration to a set under construction. One that only returns does so at once.
    fn settle(&self, state: u32, frame: u32, building: &mut Building) {
        let Arrival { at, exits, ends } = self.settled(state, frame);
        building.exits |= exits;
        building.ends |= ends;
        if let Configurations::One(state, frame) = at {
            building.configurations.push((state, frame));
        }
    }

    fn finish(&mut self, mut building: Building) -> Arrival {
        let Building { configurations, exits, ends } = &mut building;
        let (exits, ends) = (std::mem::take(exits), std::mem::take(ends));
        if configurations.len() > 1 {
            configurations.sort_unstable();
            configurations.dedup();
        }
        let at = match configurations[..] {
            [] => Configurations::Nowhere,
            [(state, frame)] => Configurations::One(state, frame),
            _ => {
                let mut words = std::mem::take(&mut self.words);
                words.clear();
                words.extend(configurations.iter().flat_map(|&(state, frame)| [state, frame]));
                let set = self.intern(&words);
                self.words = words;
                Configurations::Set(set)
            }
        };
        configurations.clear();
        self.building = building;
        Arrival { at, exits, ends }
    }

    fn intern(&mut self, configurations: &[u32]) -> SetId {
        let id = self.sets.number(configurations);
        self.rows.resize(self.sets.len(), UNKNOWN);
        id
    }
}

/// Index of a row's transition on a byte.
fn move_at(row: u32, byte: u8) -> usize {
    (row as usize) << 8 | usize::from(byte)
}

/// The configurations of a set.
fn pairs(set: &[u32]) -> impl Iterator<Item = (u32, u32)> + '_ {
    set.as_chunks().0.iter().map(|&[state, frame]| (state, frame))
}

#[derive(Default)]
struct Building {
    configurations: Vec<(u32, u32)>,
    exits: bool,
    ends: bool,
}

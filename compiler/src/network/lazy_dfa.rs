//! A lazily determinized automaton of configurations (parses) over an unknown stack.
//!
//! The computation of masks needs the effect of a byte string on a state, whatever is below the
//! state on the stack. This module is the runtime's simulation with a *local* stack. The local
//! stack begins empty, and calls push on it. A return that finds it empty leaves the rule in which
//! the walk began. Counters are assumed not to run out, because within one token they cannot (see
//! `network::repeat` and `network::counting`).
//!
//! Nearly always there is one configuration with few outgoing bytes, whose transition is read from
//! the tables each time. Several configurations, or one with many outgoing bytes, are interned as a
//! set. The transition of a set on each byte is computed once. This is a lazy DFA, as in the hybrid
//! engine of `regex-automata`. Such sets are few, so nothing is ever evicted.
//!
//! Cost: O(1) for a known transition, otherwise O(configurations and their edges).

use grammarc_artifacts::sections::network::{CallEdge, NONE, StateRecord, state_flags};
use grammarc_artifacts::tables::Joined;
use rustc_hash::FxHashMap;

use crate::budget::Budget;
use crate::interner::Interner;

/// The number of an interned set of configurations (parses).
type SetId = u32;

/// Initial capacity of the table of transitions, in rows. A row has the transitions of one set. A
/// large schema needs about a hundred rows, and moving them costs as much as computing some.
const ROWS: usize = 120;

/// Steps of a budget that a transition costs for each of several configurations (parses), about.
const STEPS_A_CONFIGURATION: usize = 1 << 3;

/// The entry of a transition, or of a row, that has not been computed.
const UNKNOWN: SetId = u32::MAX;

/// The number of the frame at the bottom of the local stack. The stack below this frame is unknown.
pub const BOTTOM: u32 = 0;

/// A frame of the local stack.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The state to return to. `NONE` in the bottom frame.
    ret: u32,
    /// The number of the frame below.
    parent: u32,
    /// Whether every return state from this frame down to the bottom is final, so that the walk's
    /// rule can be left without reading a byte.
    nullable: bool,
    /// Whether a token may end while this frame is on the stack.
    rests: bool,
}

/// The configurations (parses) at one point of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Configurations {
    /// No parse is left: no string continues from here within the rule in which the walk began.
    Nowhere,
    /// One parse: a state, and the number of the local frame below. The state can do more than
    /// return.
    One(u32, u32),
    /// Several configurations (parses), or one with many outgoing bytes, interned as a set.
    Set(SetId),
}

/// The result of a transition on a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The configurations (parses) after the byte.
    pub at: Configurations,
    /// Whether the rule in which the walk began can be left after the byte.
    pub exits: bool,
    /// Whether a token may end after the byte.
    pub ends: bool,
}

impl Arrival {
    /// The arrival of a byte that no configuration (one parse) can read.
    pub const DEAD: Self = Self { at: Configurations::Nowhere, exits: false, ends: false };

    /// Whether no string continues from here, neither within the rule in which the walk began nor
    /// after leaving it.
    #[inline]
    pub fn is_dead(&self) -> bool {
        self.at == Configurations::Nowhere && !self.exits
    }
}

/// The sets of configurations (parses) found so far, with their transitions.
pub struct LazyDfa<'a> {
    /// The tables of the vocabulary and of the grammar.
    network: Joined<'a>,
    /// The local frames by number.
    frames: Vec<Frame>,
    /// Maps a return state and the number of the frame below to the number of the frame.
    frame_ids: FxHashMap<(u32, u32), u32>,
    /// An interner of sets: sorted configurations (parses), each as a state and the number of a
    /// frame.
    sets: Interner,
    /// For each set, the number of its row of transitions. [`UNKNOWN`] before its first transition
    /// is computed.
    rows: Vec<u32>,
    /// For each row and byte, an index into `reached`. [`UNKNOWN`] for a transition that has not
    /// been computed.
    moves: Vec<u32>,
    /// The results of the computed transitions.
    reached: Vec<Arrival>,
    /// The configurations (parses) that are still to be processed by [`Self::find`].
    work: Vec<(u32, u32)>,
    /// The configurations (parses) that [`Self::find`] has processed.
    seen: Vec<(u32, u32)>,
    /// A buffer for the configurations (parses) of a set, as words.
    words: Vec<u32>,
    /// A buffer for a set under construction.
    building: Building,
    /// The budget that limits the steps and the time of walks. `None` if walks are not limited.
    budget: Option<&'a Budget>,
}

impl<'a> LazyDfa<'a> {
    /// Returns an automaton over a network, without any sets.
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

    /// Limits the automaton by a budget. Once the budget is spent, transitions of several
    /// configurations (parses) are dead.
    #[must_use]
    pub(crate) fn within(self, budget: &'a Budget) -> Self {
        Self { budget: Some(budget), ..self }
    }

    /// Spends steps of the budget. Returns whether the budget is spent.
    #[inline]
    pub(crate) fn is_late(&self, steps: usize) -> bool {
        self.budget.is_some_and(|budget| budget.spend(steps).is_err())
    }

    /// Returns the tables of the vocabulary and of the grammar.
    pub fn network(&self) -> Joined<'a> {
        self.network
    }

    /// Returns the result of arriving at `state` over the local frame `frame`. States that can only
    /// return are left at once.
    #[inline]
    pub fn after_returns(&self, mut state: u32, mut frame: u32) -> Arrival {
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

    /// Returns the transition on a byte. For an interned set, O(1) after the first time.
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

    /// Returns the only byte that continues a configuration (one parse), with the result of reading
    /// it. Returns `None` for several configurations, or if another byte, a call or a return is
    /// possible.
    #[inline]
    pub fn only(&self, at: Configurations) -> Option<(u8, Arrival)> {
        let Configurations::One(state, frame) = at else { return None };
        let (tables, index) = self.network.locate(state);
        let [edge] = tables.byte_edges_of(index) else { return None };
        let returns = frame != BOTTOM && tables.states[index].flags & state_flags::FINAL != 0;
        if returns || edge.lo() != edge.hi() || !tables.call_edges_of(index).is_empty() {
            return None;
        }
        Some((edge.lo(), self.after_returns(edge.target, frame)))
    }

    /// Interns a single configuration (one parse) as a set, so that each of its transitions is
    /// computed once.
    pub fn interned(&mut self, at: Configurations) -> Configurations {
        let Configurations::One(state, frame) = at else { return at };
        Configurations::Set(self.intern(&[state, frame]))
    }

    /// Returns the state and the local frame of the configuration (one parse), if there is exactly
    /// one.
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

    /// Returns the configurations (parses) in ascending order, each as a state and the number of a
    /// local frame.
    pub fn configurations(&self, at: &Configurations) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (one, many) = match *at {
            Configurations::Nowhere => (None, None),
            Configurations::One(state, frame) => (Some((state, frame)), None),
            Configurations::Set(set) => (None, Some(self.sets.get(set))),
        };
        one.into_iter().chain(many.into_iter().flat_map(pairs))
    }

    /// Returns the return state of a local frame and the number of the frame below.
    #[inline]
    pub fn frame(&self, frame: u32) -> (u32, u32) {
        let frame = self.frames[frame as usize];
        (frame.ret, frame.parent)
    }

    /// Whether a token may end while the frame is on the stack.
    pub fn frame_rests(&self, frame: u32) -> bool {
        self.frames[frame as usize].rests
    }

    /// Returns the frame with the return state `ret` on top of the frame `parent`. Returns `parent`
    /// if it repeats the return state and pushing changes nothing.
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

    /// Returns the transition of one configuration (one parse) on a byte.
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
                (Some(edge), None) => return self.after_returns(edge.target, frame),
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

    /// Returns the transition on a byte of the configurations (parses) in `work`, which is emptied.
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
                self.add(edge.target, frame, &mut building);
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

    /// Adds a configuration (one parse) to a set under construction, after its immediate returns.
    fn add(&self, state: u32, frame: u32, building: &mut Building) {
        let Arrival { at, exits, ends } = self.after_returns(state, frame);
        building.exits |= exits;
        building.ends |= ends;
        if let Configurations::One(state, frame) = at {
            building.configurations.push((state, frame));
        }
    }

    /// Returns the result of a transition, and interns its set if there are several configurations
    /// (parses).
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

    /// Returns the number of a set, given as its sorted configurations (parses), and adds the set
    /// if it is new.
    fn intern(&mut self, configurations: &[u32]) -> SetId {
        let id = self.sets.number(configurations);
        self.rows.resize(self.sets.len(), UNKNOWN);
        id
    }
}

/// Returns the index in `moves` of a row's transition on a byte.
fn move_at(row: u32, byte: u8) -> usize {
    (row as usize) << 8 | usize::from(byte)
}

/// Returns the configurations (parses) of a set, each as a state and the number of a local frame.
fn pairs(set: &[u32]) -> impl Iterator<Item = (u32, u32)> + '_ {
    set.as_chunks().0.iter().map(|&[state, frame]| (state, frame))
}

/// The result of a transition while it is computed.
#[derive(Default)]
struct Building {
    /// The configurations (parses) found so far.
    configurations: Vec<(u32, u32)>,
    /// Whether the rule in which the walk began can be left here.
    exits: bool,
    /// Whether a token may end here.
    ends: bool,
}

//! Sets of configurations over an unknown stack, determinised as they are met.
//!
//! The masks ask what a state does with a byte string whatever lies below it on the stack. That is the runtime's
//! simulation with a *local* stack: it begins empty, calls push on it, and a return that finds it empty leaves the rule
//! the walk began in. Countdowns are taken as not running out: within one token they cannot (see `network::repeat`).
//!
//! A set of such configurations is interned, and its move on each byte is found once: a lazily built automaton, like
//! that of `regex-automata`'s hybrid engine. Sets are few (hundreds for a schema), so nothing is ever evicted.

use grammarc_artifacts::sections::network::{NONE, StateRecord, state_flags};
use grammarc_artifacts::tables::Joined;
use rustc_hash::FxHashMap;

/// Number of an interned set.
pub type SetId = u32;

/// The move of a set on a byte that no configuration can consume.
pub const DEAD: SetId = u32::MAX;

/// A move not looked for yet.
const UNKNOWN: SetId = u32::MAX - 1;

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

/// One interned set.
#[derive(Clone, Debug)]
pub struct LocalSet {
    /// State and local frame of each configuration, sorted. None of them only returns.
    pub configurations: Box<[(u32, u32)]>,
    /// Whether the rule the walk began in can be left here.
    pub exits: bool,
    /// Whether a token may end here.
    pub ends: bool,
}

/// The configurations of a set, and whether it exits and ends.
type SetKey = (Box<[(u32, u32)]>, bool, bool);

/// The sets met so far, with their moves.
pub struct LocalSets<'a> {
    network: Joined<'a>,
    frames: Vec<Frame>,
    frame_ids: FxHashMap<(u32, u32), u32>,
    sets: Vec<LocalSet>,
    set_ids: FxHashMap<SetKey, SetId>,
    moves: Vec<[SetId; 256]>,
    work: Vec<(u32, u32)>,
    seen: Vec<(u32, u32)>,
}

impl<'a> LocalSets<'a> {
    /// No sets, over this network.
    pub fn new(network: Joined<'a>) -> Self {
        let bottom = Frame { ret: NONE, parent: BOTTOM, nullable: true, rests: true };
        Self {
            network,
            frames: vec![bottom],
            frame_ids: FxHashMap::default(),
            sets: Vec::new(),
            set_ids: FxHashMap::default(),
            moves: Vec::new(),
            work: Vec::new(),
            seen: Vec::new(),
        }
    }

    /// The network.
    pub fn network(&self) -> Joined<'a> {
        self.network
    }

    /// Number of sets so far.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Whether no set was met so far.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// A set by its number.
    pub fn get(&self, set: SetId) -> &LocalSet {
        &self.sets[set as usize]
    }

    /// The set of one configuration that rests in `state` over the local frame `frame`.
    pub fn single(&mut self, state: u32, frame: u32) -> SetId {
        let mut building = Building::default();
        self.settle(state, frame, &mut building);
        self.intern(building)
    }

    /// The set of these configurations.
    pub fn of(&mut self, configurations: &[(u32, u32)]) -> SetId {
        let mut building = Building::default();
        configurations.iter().for_each(|&(state, frame)| self.settle(state, frame, &mut building));
        self.intern(building)
    }

    /// Return state and parent of a local frame.
    pub fn frame(&self, frame: u32) -> (u32, u32) {
        let frame = self.frames[frame as usize];
        (frame.ret, frame.parent)
    }

    /// Whether a token may end while this frame is on the stack.
    pub fn frame_rests(&self, frame: u32) -> bool {
        self.frames[frame as usize].rests
    }

    /// Where the set goes on a byte, or [`DEAD`]. O(1) after the first time.
    pub fn next(&mut self, set: SetId, byte: u8) -> SetId {
        match self.moves[set as usize][usize::from(byte)] {
            UNKNOWN => {
                let next = self.find(set, byte);
                self.moves[set as usize][usize::from(byte)] = next;
                next
            }
            next => next,
        }
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

    fn find(&mut self, set: SetId, byte: u8) -> SetId {
        let mut building = Building::default();
        self.seen.clear();
        self.work.clear();
        self.work.extend_from_slice(&self.sets[set as usize].configurations);
        while let Some((state, frame)) = self.work.pop() {
            if self.seen.contains(&(state, frame)) {
                continue;
            }
            self.seen.push((state, frame));
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
        if building.is_dead() { DEAD } else { self.intern(building) }
    }

    /// Adds a configuration to a set under construction. One that only returns does so at once.
    fn settle(&self, mut state: u32, mut frame: u32, building: &mut Building) {
        loop {
            let record: &StateRecord = self.network.state(state);
            let below = self.frames[frame as usize];
            if record.flags & state_flags::POP_ONLY == 0 {
                building.exits |= record.flags & state_flags::FINAL != 0 && below.nullable;
                building.ends |= record.flags & state_flags::RESTS != 0 && below.rests;
                building.configurations.push((state, frame));
                return;
            }
            if frame == BOTTOM {
                building.exits = true;
                building.ends = true;
                return;
            }
            (state, frame) = (below.ret, below.parent);
        }
    }

    fn intern(&mut self, mut building: Building) -> SetId {
        building.configurations.sort_unstable();
        building.configurations.dedup();
        let Building { configurations, exits, ends } = building;
        let key = (configurations.into_boxed_slice(), exits, ends);
        if let Some(&id) = self.set_ids.get(&key) {
            return id;
        }
        let id = self.sets.len() as SetId;
        self.sets.push(LocalSet { configurations: key.0.clone(), exits, ends });
        self.moves.push([UNKNOWN; 256]);
        self.set_ids.insert(key, id);
        id
    }
}

#[derive(Default)]
struct Building {
    configurations: Vec<(u32, u32)>,
    exits: bool,
    ends: bool,
}

impl Building {
    fn is_dead(&self) -> bool {
        self.configurations.is_empty() && !self.exits
    }
}

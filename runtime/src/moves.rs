//! What a byte does in a state, worked out when an artifact is opened.
//!
//! The tables of an artifact are made to be small: a byte's edge is searched among the edges of a state, and whether a
//! call may take a byte is asked of each callee. The moves answer both with one load. They are derived, so they are
//! no part of the format; an artifact of a usual schema takes a few kilobytes of them and some microseconds to make.
//!
//! Nine states of ten allow one byte, or one range of bytes with the same effect: such a state holds the range and the
//! move itself. Any other has a row with one move for each *byte class*, a set of bytes that no row tells apart.
//! Classes keep a row at some fifty moves, and the class of a byte does not depend on the state, so looking it up is
//! not on the path from one state to the next.
//!
//! A move is definite where the tables leave one way to read the byte within the state's rule and its callees.
//! Where there are several the move is [`Move::OPEN`] and the machine of [`step`](crate::step) decides.

use grammarc_artifacts::sections::network::{CallEdge, NONE, StateRecord, state_flags};
use grammarc_artifacts::tables::{Joined, Tables};

/// Flag of a state beside those of the artifact: it has a row of moves.
const ROW: u32 = 16;
/// Flag of a state beside those of the artifact: arriving there lowers a countdown.
const COUNTED: u32 = 32;

/// What a byte does in a state, in 32 bits: a kind and an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move(u32);

/// The kinds of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing: no edge and no callee takes the byte.
    Refused,
    /// It is read, and the state becomes the one with this index in the same tables.
    Go,
    /// As `Go`, to a state that counts or only returns.
    Arrive,
    /// A callee takes it: the call with this index.
    Call,
    /// There are several ways, or an index is too large to be stored.
    Open,
}

impl Move {
    const INDEX: u32 = (1 << 29) - 1;
    pub(crate) const REFUSED: Self = Self::new(Kind::Refused, 0);
    pub(crate) const OPEN: Self = Self::new(Kind::Open, 0);

    const fn new(kind: Kind, index: usize) -> Self {
        if index <= Self::INDEX as usize {
            Self((kind as u32) << 29 | index as u32)
        } else {
            Self((Kind::Open as u32) << 29)
        }
    }

    #[inline]
    pub(crate) fn is(self, kind: Kind) -> bool {
        self.0 >> 29 == kind as u32
    }

    #[inline]
    pub(crate) fn index(self) -> u32 {
        self.0 & Self::INDEX
    }
}

/// One state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    /// Lowest byte, highest byte, and from bit 16 on the flags. The range of a state that reads nothing is empty.
    word: u32,
    /// The move on the bytes of the range; where the state has a row, the index of its first move.
    next: Move,
}

impl State {
    /// The [flags](state_flags) of the state, and some that are for this module alone.
    #[inline]
    pub(crate) fn flags(self) -> u32 {
        self.word >> 16
    }

    /// Whether the state has one of these flags.
    #[inline]
    pub(crate) fn has(self, flags: u32) -> bool {
        self.flags() & flags != 0
    }
}

/// What a call does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// First state of the callee.
    pub(crate) first_state: u32,
    /// State in which the caller goes on, or [`NONE`].
    pub(crate) ret: u32,
    /// Countdown of the callee's activation.
    pub(crate) count: u32,
}

/// The moves of one artifact's states, by index: the state's id less the tables' base.
#[derive(Debug)]
pub(crate) struct Moves {
    states: Vec<State>,
    classes: [u8; 256],
    rows: Vec<Move>,
    calls: Vec<Call>,
    /// States whose arrival lowers a countdown, ascending, and where it leads at zero: indices.
    exits: Vec<(u32, u32)>,
}

impl Moves {
    /// The moves of `tables`, which are one half of `joined`.
    pub(crate) fn new(joined: &Joined<'_>, tables: &Tables<'_>) -> Self {
        let classes = classes(joined, tables);
        let count = usize::from(classes[255]) + 1;
        let mut moves = Self {
            states: Vec::new(),
            classes,
            rows: Vec::new(),
            calls: Vec::new(),
            exits: Vec::new(),
        };
        moves.calls = tables.call_edges.iter().map(|edge| call(joined, edge)).collect();
        moves.states.reserve_exact(tables.state_count() as usize);
        let mut row = vec![Move::REFUSED; count];
        for index in 0..tables.state_count() as usize {
            let record = &tables.states[index];
            if record.count_exit != NONE {
                moves.exits.push((index as u32, record.count_exit - tables.bases.states));
            }
            row.fill(Move::REFUSED);
            moves.fill_row(joined, tables, index, &mut row);
            let state = moves.store(flags(record), &row);
            moves.states.push(state);
        }
        moves
    }

    /// Writes the moves of a state by byte class.
    fn fill_row(&self, joined: &Joined<'_>, tables: &Tables<'_>, index: usize, row: &mut [Move]) {
        for edge in tables.byte_edges_of(index) {
            let target = (edge.target - tables.bases.states) as usize;
            let record = &tables.states[target];
            let plain = record.count_exit == NONE && record.flags & state_flags::POP_ONLY == 0;
            let go = Move::new(if plain { Kind::Go } else { Kind::Arrive }, target);
            let [lo, hi] =
                [edge.lo(), edge.hi()].map(|byte| usize::from(self.classes[usize::from(byte)]));
            row[lo..=hi].fill(go);
        }
        let first = tables.states[index].call_edges as usize;
        for (at, edge) in tables.call_edges_of(index).iter().enumerate() {
            let callee = joined.rule(edge.callee);
            let mut last = None;
            for byte in 0..=u8::MAX {
                let class = self.classes[usize::from(byte)];
                if last != Some(class) && has(&callee.first_bytes, byte) {
                    let cell = &mut row[usize::from(class)];
                    let free = *cell == Move::REFUSED;
                    *cell = if free { Move::new(Kind::Call, first + at) } else { Move::OPEN };
                }
                last = Some(class);
            }
        }
    }

    /// Keeps a row, as a range where one is enough.
    fn store(&mut self, flags: u32, row: &[Move]) -> State {
        let allowed = |stored: &Move| *stored != Move::REFUSED;
        let from = row.iter().position(allowed);
        let to = row.iter().rposition(allowed);
        let (Some(from), Some(to)) = (from, to) else {
            return State { word: 1 | flags << 16, next: Move::REFUSED };
        };
        if row[from..=to].iter().all(|stored| *stored == row[from]) {
            let in_class = |class: usize| move |found: &u8| usize::from(*found) == class;
            let lo = self.classes.iter().position(in_class(from)).unwrap_or(0) as u32;
            let hi = self.classes.iter().rposition(in_class(to)).unwrap_or(0) as u32;
            return State { word: lo | hi << 8 | flags << 16, next: row[from] };
        }
        let Ok(next) = u32::try_from(self.rows.len()) else {
            return State { word: 0xff00 | flags << 16, next: Move::OPEN };
        };
        self.rows.extend_from_slice(row);
        State { word: (flags | ROW) << 16, next: Move(next) }
    }

    /// The state with this index.
    #[inline]
    pub(crate) fn state(&self, index: u32) -> State {
        self.states[index as usize]
    }

    /// What a byte does in a state.
    #[inline]
    pub(crate) fn on(&self, State { word, next }: State, byte: u8) -> Move {
        if word >> 16 & ROW != 0 {
            self.rows[next.0 as usize + usize::from(self.classes[usize::from(byte)])]
        } else if (word & 0xff) as u8 <= byte && byte <= (word >> 8 & 0xff) as u8 {
            next
        } else {
            Move::REFUSED
        }
    }

    /// Arrival at a state by a transition: the countdown goes down, and at zero leads elsewhere.
    #[inline]
    pub(crate) fn enter(&self, index: u32, count: u32) -> (u32, u32) {
        if !self.state(index).has(COUNTED) {
            return (index, count);
        }
        match (count.saturating_sub(1), self.exits.binary_search_by_key(&index, |exit| exit.0)) {
            (0, Ok(at)) => (self.exits[at].1, 0),
            (left, _) => (index, left),
        }
    }

    /// The call with this index.
    #[inline]
    pub(crate) fn call(&self, index: u32) -> Call {
        self.calls[index as usize]
    }
}

fn flags(record: &StateRecord) -> u32 {
    let counted = if record.count_exit == NONE { 0 } else { COUNTED };
    record.flags & (ROW - 1) | counted
}

fn call(joined: &Joined<'_>, edge: &CallEdge) -> Call {
    let first_state = joined.rule(edge.callee).first_state;
    Call { first_state, ret: edge.ret, count: edge.count }
}

fn has(bytes: &[u32; 8], byte: u8) -> bool {
    bytes[usize::from(byte / 32)] >> (byte % 32) & 1 != 0
}

/// The byte classes of the tables: bytes between two places where some edge or some callee's first bytes begin or end
/// are of one class, numbered from 0 in the order of the bytes.
fn classes(joined: &Joined<'_>, tables: &Tables<'_>) -> [u8; 256] {
    let mut begins = [false; 257];
    for edge in tables.byte_edges {
        begins[usize::from(edge.lo())] = true;
        begins[usize::from(edge.hi()) + 1] = true;
    }
    for edge in tables.call_edges {
        let bytes = &joined.rule(edge.callee).first_bytes;
        for byte in 1..=u8::MAX {
            begins[usize::from(byte)] |= has(bytes, byte) != has(bytes, byte - 1);
        }
    }
    let mut class = 0;
    std::array::from_fn(|byte| {
        class += u8::from(byte > 0 && begins[byte]);
        class
    })
}

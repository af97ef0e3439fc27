//! Positions as plain bytes, so that a host can log, migrate or replay a sequence.
//!
//! # Layout
//!
//! All numbers are little-endian. A position of one configuration on a stack of two frames takes 68 bytes.
//!
//! | offset | size | field |
//! | --- | --- | --- |
//! | 0 | 4 | magic, `GMPO` |
//! | 4 | 2 | version of this layout, 1 |
//! | 6 | 2 | zero |
//! | 8 | 16 | first half of the grammar artifact's digest |
//! | 24 | 4 | number of frames, F |
//! | 28 | 4 | number of configurations, C; 0 in a finished sequence |
//! | 32 | 12 F | frames: return state, countdown, parent |
//! | 32 + 12 F | 12 C | configurations: state, countdown, frame |
//!
//! Under a grammar with distinct rules, the lists of their items follow:
//!
//! | size | field |
//! | --- | --- |
//! | 4 | number of lists, L |
//! | 4 | bytes of text, T |
//! | 12 L | lists: the list before, and the start and the end of its newest item in the text; the end of an open item is 2^32 - 1 |
//! | T | text, from the first item of a list on |
//!
//! The countdown of a distinct rule, whose items must differ, is the number of a list: 0 for the empty list, otherwise
//! one more than its index. A list comes after the list before it. In a rule that is a packed string set, the countdown
//! is the address of a node.
//!
//! A parent or a frame is 0 for the bottom of the stack, otherwise one more than the index of a frame. A parent comes
//! before its children. Frames are numbered in the order in which the configurations reach them. So equal positions
//! give equal bytes, whatever was tried and taken back before.
//!
//! Reading checks every number, since the bytes may come from anywhere. The tables can continue from a position that
//! passes, even if no input leads to it.

use crate::distinct::exported::{self, ExportedLists};
use crate::error::ImportError;
use crate::grammar::Grammar;
use crate::options::Settings;
use crate::position::history::History;
use crate::position::stack::{BOTTOM, Frames};
use crate::position::{Configuration, Configurations};
use crate::step::sequence::Sequence;

pub use crate::position::version::VERSION;

/// First four bytes of an exported position.
const MAGIC: [u8; 4] = *b"GMPO";
/// Length of the header in bytes. The frames follow it.
const HEADER: usize = 32;
/// Length in bytes of the record of a frame or a configuration: three 32-bit numbers.
const RECORD: usize = 12;
/// Number of bytes of the grammar's digest in the header. 16 of 32 identify a grammar well enough.
const IDENTITY: usize = 16;

/// Returns the newest position of a sequence as bytes, in the layout above.
pub(crate) fn write(grammar: &Grammar, sequence: &Sequence) -> Vec<u8> {
    let frames = &sequence.frames;
    let position = sequence.history.current();
    let mut number = vec![0u32; frames.len()];
    let mut order = Vec::new();
    for at in position {
        let mut frame = at.frame;
        let known = order.len();
        while frame != BOTTOM && number[frame as usize] == 0 {
            order.push(frame);
            number[frame as usize] = 1;
            frame = frames.get(frame).parent;
        }
        order[known..].reverse();
        for (index, &frame) in order.iter().enumerate().skip(known) {
            number[frame as usize] = index as u32 + 1;
        }
    }

    let mut bytes = Vec::with_capacity(HEADER + RECORD * (order.len() + position.len()));
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend([0, 0]);
    bytes.extend(identity(grammar.digest()));
    let mut put = |values: &[u32]| {
        values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    };
    put(&[order.len() as u32, position.len() as u32]);
    let mut lists = ExportedLists::new(&frames.items);
    let distinct = grammar.distinct();
    let mut register = |state: u32, count: u32| {
        if distinct.contains(state) { lists.number(count) } else { count }
    };
    for &frame in &order {
        let node = frames.get(frame);
        put(&[node.ret, register(node.ret, node.count), number[node.parent as usize]]);
    }
    for at in position {
        put(&[at.state, register(at.state, at.count), number[at.frame as usize]]);
    }
    if !distinct.is_empty() {
        lists.write(&mut bytes);
    }
    bytes
}

/// Returns a sequence that begins at an exported position. Nothing can be taken back in it.
///
/// # Errors
///
/// The bytes are not a position of `grammar`, or the position exceeds the limits in `settings`. See [`ImportError`].
pub(crate) fn read(
    grammar: &Grammar,
    settings: &Settings,
    bytes: &[u8],
) -> Result<Sequence, ImportError> {
    let (header, body) = bytes.split_at_checked(HEADER).ok_or(ImportError::Magic)?;
    if header[..4] != MAGIC || header[6..8] != [0, 0] {
        return Err(ImportError::Magic);
    }
    let found = u16::from_le_bytes([header[4], header[5]]);
    if found != VERSION {
        return Err(ImportError::Version { found });
    }
    let before = grammar.unmasked_digest().map(identity);
    let is_of = |identity: [u8; IDENTITY]| header[8..24] == identity;
    if !is_of(identity(grammar.digest())) && !before.is_some_and(is_of) {
        return Err(ImportError::Grammar);
    }
    let counts = record(&header[20..]);
    let (frame_count, configuration_count) = (u64::from(counts[1]), u64::from(counts[2]));
    let expected = HEADER as u64 + RECORD as u64 * (frame_count + configuration_count);
    let distinct = grammar.distinct();
    let found = bytes.len() as u64;
    if found < expected || distinct.is_empty() && found > expected {
        return Err(ImportError::Length { found: bytes.len(), expected });
    }

    let machine = grammar.machine(settings.limits);
    let states = machine.state_count();
    let (frame_bytes, body) = body.split_at(RECORD * frame_count as usize);
    let (configuration_bytes, list_bytes) = body.split_at(RECORD * configuration_count as usize);
    let mut frames = Frames::new();
    if !distinct.is_empty() {
        let lists = exported::read(list_bytes);
        frames.items = lists.map_err(|at| ImportError::Malformed { part: "list", at })?;
    }
    let lists = frames.items.len();
    let is_list = |state, count: u32| !distinct.contains(state) || (count as usize) < lists;
    for (at, bytes) in frame_bytes.chunks_exact(RECORD).enumerate() {
        let malformed = ImportError::Malformed { part: "frame", at };
        let [ret, count, parent] = record(bytes);
        // A packed string set calls no rule, so no frame returns to it.
        let is_return = ret < states && !machine.packed.contains(ret);
        if !is_return || parent as usize > at || !is_list(ret, count) {
            return Err(malformed);
        }
        let flags = machine.state(ret).flags;
        let frame = frames.intern(ret, count, parent, flags, settings.limits.frames)?;
        if frame as usize != at + 1 {
            return Err(malformed);
        }
    }
    let mut position = Configurations::default();
    for (at, bytes) in configuration_bytes.chunks_exact(RECORD).enumerate() {
        let malformed = ImportError::Malformed { part: "configuration", at };
        let [state, count, frame] = record(bytes);
        if state >= states || u64::from(frame) > frame_count || !is_list(state, count) {
            return Err(malformed);
        }
        let new = Configuration { state, count, frame };
        if let Some(first) = machine.packed.first_of(state) {
            let node = machine.tables.packed_strings().node(count);
            if first + node.state() != state || node.is_end() && !node.is_final() {
                return Err(malformed);
            }
        }
        if !grammar.runner().rests(&frames, new) {
            return Err(malformed);
        }
        position.insert(new, machine.monotone, settings.limits.configurations)?;
        if position.as_slice().len() != at + 1 {
            return Err(malformed);
        }
    }
    Ok(Sequence { frames, history: History::new(position.as_slice(), settings.window) })
}

/// Returns the first half of a digest, which identifies a grammar in the header.
fn identity(digest: [u8; 32]) -> [u8; IDENTITY] {
    std::array::from_fn(|at| digest[at])
}

/// Returns the three little-endian numbers at the start of a slice of at least [`RECORD`] bytes.
fn record(bytes: &[u8]) -> [u32; 3] {
    std::array::from_fn(|at| u32::from_le_bytes(std::array::from_fn(|byte| bytes[at * 4 + byte])))
}

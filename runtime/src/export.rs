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
//! Under a grammar with rules whose items differ, what these had follows:
//!
//! | size | field |
//! | --- | --- |
//! | 4 | number of lists, L |
//! | 4 | bytes of text, T |
//! | 12 L | lists: the list before, and where its newest item starts and ends in the text; the end is 2^32 - 1 while it is read |
//! | T | text, from the first item of a list on |
//!
//! A countdown of such a rule is a list, and a list is 0 where it has no items and otherwise one more than its index; the
//! list before comes first.
//!
//! In a rule that is a catalogue the countdown is the address of a node.
//!
//! A parent or a frame is 0 for the bottom of the stack and otherwise one more than the index of a frame; a parent
//! comes before its children. Frames are numbered in the order in which the configurations reach them, so equal
//! positions give equal bytes, whatever was tried and taken back before.
//!
//! Reading checks everything: the bytes may come from anywhere. Bytes that pass are a position that the grammar's
//! tables can go on from, which is not to say that some input leads to it.

use crate::distinct::exported::{self, Listed};
use crate::error::ImportError;
use crate::grammar::Grammar;
use crate::options::Settings;
use crate::position::{Configuration, Configurations};
use crate::sequence::Sequence;
use crate::stack::{BOTTOM, Frames};
use crate::trail::Trail;

pub use crate::version::VERSION;

const MAGIC: [u8; 4] = *b"GMPO";
const HEADER: usize = 32;
/// Bytes of a frame or a configuration: three numbers.
const RECORD: usize = 12;
/// The bytes of the grammar's digest that identify it here.
const IDENTITY: usize = 16;

/// The newest position of a sequence.
pub(crate) fn write(grammar: &Grammar, sequence: &Sequence) -> Vec<u8> {
    let frames = &sequence.frames;
    let position = sequence.trail.current();
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
    let mut lists = Listed::new(&frames.items);
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

/// A sequence that begins at an exported position.
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
    let before = grammar.digest_before().map(identity);
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
        // A catalogue calls nothing, so nothing returns to it.
        let is_return = ret < states && !machine.catalogues.contains(ret);
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
        if let Some(first) = machine.catalogues.first_of(state) {
            let node = machine.tables.catalogue().node(count);
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
    Ok(Sequence { frames, trail: Trail::new(position.as_slice(), settings.window) })
}

fn identity(digest: [u8; 32]) -> [u8; IDENTITY] {
    std::array::from_fn(|at| digest[at])
}

/// The three numbers at the start of a slice of at least [`RECORD`] bytes.
fn record(bytes: &[u8]) -> [u32; 3] {
    std::array::from_fn(|at| u32::from_le_bytes(std::array::from_fn(|byte| bytes[at * 4 + byte])))
}

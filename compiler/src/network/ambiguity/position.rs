//! Configurations over an unknown stack, and which of them are surely equal.
//!
//! The value of a register is unknown, but its *source* is known: the value in the set that the exploration began with,
//! or the call that the activation began with, together with the updates since. Registers of one source with the same
//! updates are equal. Any others are taken to differ, which can only count one configuration as two. Normal
//! form numbers the sources by first occurrence, and drops the updates that all registers of a source share. So two sets
//! that differ in nothing else are equal.
//!
//! Cost: O(n log n) comparisons of stacks for a set of n.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use super::register::Register;
use super::stacks::{Frame, Stack, Stacks};
use crate::interner::Word;

/// A configuration: one reading of the bytes so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Configuration {
    pub(super) state: u32,
    pub(super) stack: Stack,
    pub(super) register: Register,
}

impl Configuration {
    /// Returns the configuration of a node of a packed set alone.
    pub(super) fn within(state: u32, node: u32) -> Self {
        Self { state, stack: Stack::EMPTY, register: Register::Node(node) }
    }
}

/// A set that is used once. Most have a few members.
pub(super) type Set = SmallVec<[Configuration; 4]>;

impl Word for Configuration {
    fn hash(set: &[Self]) -> u64 {
        let mut hasher = FxHasher::default();
        Self::hash_slice(set, &mut hasher);
        hasher.finish()
    }
}

/// A configuration with the frames of its stack.
#[derive(Clone, Debug)]
struct Member {
    state: u32,
    /// The range of its frames, the top one last.
    frames: Range<usize>,
    register: Register,
}

/// A set with the frames of its stacks. Sets are many and small, so they take turns with one buffer.
#[derive(Debug, Default)]
pub(super) struct Unfolded {
    members: Vec<Member>,
    frames: Vec<Frame>,
    /// By source, its number, and the updates that all of its registers share.
    sources: FxHashMap<u32, (u32, u32)>,
}

impl Unfolded {
    /// Adds the frames of a stack, the top one last, and returns their range.
    fn frames_of(&mut self, stack: Stack, stacks: &Stacks) -> Range<usize> {
        let from = self.frames.len();
        self.frames.extend(stacks.frames(stack));
        self.frames[from..].reverse();
        from..self.frames.len()
    }
}

/// Puts one more frame below a set.
pub(super) fn over(below: Frame, set: &[Configuration], stacks: &mut Stacks) -> Set {
    let bottom = stacks.push(Stack::EMPTY, below);
    let mut frames = Vec::new();
    let mut over = |at: &Configuration| {
        stacks.list(at.stack, &mut frames);
        Configuration { stack: stacks.build(bottom, &frames), ..*at }
    };
    set.iter().map(&mut over).collect()
}

/// Sorts a set and removes repeated configurations. Configurations that differ only in the register of an `is_monotone`
/// rule are merged. The merged one has the new source `other` and denotes the largest value.
pub(super) fn leave_each_once(
    set: &mut Vec<Configuration>,
    is_monotone: impl Fn(u32) -> bool,
    mut other: impl FnMut() -> u32,
) {
    set.sort_unstable();
    set.dedup();
    set.dedup_by(|next, kept| {
        let alike = next.state == kept.state && next.stack == kept.stack;
        let merged = alike && is_monotone(next.state);
        if merged {
            kept.register = Register::Count { source: other(), decremented: 0 };
        }
        merged
    });
}

/// Brings a set into normal form, without what its members share.
pub(super) fn normalize(set: &mut [Configuration], stacks: &mut Stacks, unfolded: &mut Unfolded) {
    remove_shared(set, stacks, unfolded);
    let has_register = |at: &Configuration| {
        let mut frames = stacks.frames(at.stack);
        at.register != Register::None || frames.any(|frame| frame.register != Register::None)
    };
    if set.iter().any(has_register) {
        number_sources(set, stacks, unfolded);
    }
    set.sort_unstable();
}

/// Removes the lower part that all stacks share.
fn remove_shared(set: &mut [Configuration], stacks: &mut Stacks, unfolded: &mut Unfolded) {
    match set {
        [] => return,
        [at] => {
            at.stack = Stack::EMPTY;
            return;
        }
        _ if set.iter().any(|at| at.stack == Stack::EMPTY) => return,
        _ => {}
    }
    unfolded.frames.clear();
    let mut shared = unfolded.frames_of(set[0].stack, stacks).len();
    for at in &set[1..] {
        let of = unfolded.frames_of(at.stack, stacks);
        let (first, of) = unfolded.frames.split_at(of.start);
        shared = of.iter().zip(&first[..shared]).take_while(|(a, b)| a == b).count();
        let first = first.len();
        unfolded.frames.truncate(first);
    }
    if shared > 0 {
        for at in set {
            unfolded.frames.clear();
            unfolded.frames_of(at.stack, stacks);
            at.stack = stacks.build(Stack::EMPTY, &unfolded.frames[shared..]);
        }
    }
}

/// Numbers the sources of registers in the order of their first use. Removes the updates that all registers of a source
/// share.
fn number_sources(set: &mut [Configuration], stacks: &mut Stacks, unfolded: &mut Unfolded) {
    unfolded.frames.clear();
    unfolded.members.clear();
    unfolded.sources.clear();
    for &Configuration { state, stack, register } in &*set {
        let frames = unfolded.frames_of(stack, stacks);
        unfolded.members.push(Member { state, frames, register });
    }
    let Unfolded { members, frames, sources } = unfolded;
    let frames_of = |at: &Member| frames[at.frames.clone()].iter();
    // By the state and the return states, which do not depend on registers, and then by the registers.
    members.sort_unstable_by(|one, other| {
        let shape = |at: &Member| (at.state, at.frames.len());
        let returns = |at| frames_of(at).map(|frame| frame.state);
        let registers = |at| frames_of(at).map(|frame| frame.register);
        let by_shape = shape(one).cmp(&shape(other));
        let by_returns = || returns(one).cmp(returns(other));
        let by_registers = || registers(one).cmp(registers(other));
        let by_own = || one.register.cmp(&other.register);
        by_shape.then_with(by_returns).then_with(by_registers).then_with(by_own)
    });
    let registers = members.iter().flat_map(|at| {
        let of_stack = frames_of(at).map(|frame| frame.register);
        of_stack.chain([at.register])
    });
    for register in registers {
        let number = sources.len() as u32;
        let Some(source) = register.source() else { continue };
        let (_, shared) = sources.entry(source).or_insert((number, u32::MAX));
        match register {
            Register::Count { decremented, .. } => *shared = decremented.min(*shared),
            Register::RequiredKeys { written, .. } => *shared &= written,
            Register::Items { .. } | Register::Node(_) | Register::None => {}
        }
    }
    let renamed = |register: Register| {
        let known = register.source().and_then(|source| sources.get(&source));
        let Some(&(source, shared)) = known else { return register };
        match register {
            Register::Count { decremented, .. } => {
                Register::Count { source, decremented: decremented - shared }
            }
            Register::RequiredKeys { written, .. } => {
                Register::RequiredKeys { source, written: written & !shared }
            }
            Register::Items { .. } => Register::Items { source },
            Register::Node(_) | Register::None => register,
        }
    };
    frames.iter_mut().for_each(|frame| frame.register = renamed(frame.register));
    for (at, Member { state, frames: of, register }) in set.iter_mut().zip(&*members) {
        let stack = stacks.build(Stack::EMPTY, &frames[of.clone()]);
        *at = Configuration { state: *state, stack, register: renamed(*register) };
    }
}

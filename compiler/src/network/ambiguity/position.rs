//! Configurations over an unknown stack, of which it is known which are surely equal.
//!
//! The value of a register is not known, but its origin is: each has a *source*, which is the value that it had in
//! the set that the exploration began with, or the call that its activation began with, and what was taken from it
//! since. Registers of one source that lost the same are equal; any others are taken to differ, which can only count
//! configurations that are one as two. In sets that are written down, sources have the numbers in which they are met,
//! and what all registers of a source lost is left out, so that a set that differs from another in nothing else is
//! equal to it.
//!
//! Cost: O(n log n) comparisons of stacks for a set of n.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use super::register::Register;
use super::stacks::{Frame, Stack, Stacks};
use crate::interner::Word;

/// One way to read what was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Configuration {
    pub(super) state: u32,
    pub(super) stack: Stack,
    pub(super) register: Register,
}

impl Configuration {
    /// At a node of a packed set alone.
    pub(super) fn within(state: u32, node: u32) -> Self {
        Self { state, stack: Stack::EMPTY, register: Register::Node(node) }
    }
}

/// A set that is gone on from once and forgotten. Most have a few members.
pub(super) type Set = SmallVec<[Configuration; 4]>;

impl Word for Configuration {
    fn hash(set: &[Self]) -> u64 {
        let mut hasher = FxHasher::default();
        Self::hash_slice(set, &mut hasher);
        hasher.finish()
    }
}

/// A configuration spelled out.
#[derive(Clone, Debug)]
struct Spelled {
    state: u32,
    /// Range of the frames of its stack, the top one last.
    frames: Range<usize>,
    register: Register,
}

/// Room for a set spelled out. Sets are many and small, so that they take turns with it.
#[derive(Debug, Default)]
pub(super) struct Spelling {
    members: Vec<Spelled>,
    frames: Vec<Frame>,
    /// By source, its number, and what all of its registers lost.
    sources: FxHashMap<u32, (u32, u32)>,
}

impl Spelling {
    /// The frames of a stack, the top one last.
    fn frames_of(&mut self, stack: Stack, stacks: &Stacks) -> Range<usize> {
        let from = self.frames.len();
        self.frames.extend(stacks.frames(stack));
        self.frames[from..].reverse();
        from..self.frames.len()
    }
}

/// A set over one more return state with its register.
pub(super) fn over(below: Frame, set: &[Configuration], stacks: &mut Stacks) -> Set {
    let bottom = stacks.push(Stack::EMPTY, below);
    let mut frames = Vec::new();
    let mut over = |at: &Configuration| {
        stacks.list(at.stack, &mut frames);
        Configuration { stack: stacks.build(bottom, &frames), ..*at }
    };
    set.iter().map(&mut over).collect()
}

/// Leaves each configuration of a set once, in order. Of those that differ in the countdown of a monotone rule alone,
/// which `is_monotone` tells by a state of it, one stays, whose countdown is `other`: the larger one.
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
            kept.register = Register::Count { source: other(), lowered: 0 };
        }
        merged
    });
}

/// Cuts a set down to what its members do not share, and writes it down in the one way.
pub(super) fn normalize(set: &mut [Configuration], stacks: &mut Stacks, spelling: &mut Spelling) {
    cut(set, stacks, spelling);
    let has_register = |at: &Configuration| {
        let mut frames = stacks.frames(at.stack);
        at.register != Register::None || frames.any(|(_, register)| register != Register::None)
    };
    if set.iter().any(has_register) {
        number_sources(set, stacks, spelling);
    }
    set.sort_unstable();
}

/// Cuts off the lower part that all stacks share.
fn cut(set: &mut [Configuration], stacks: &mut Stacks, spelling: &mut Spelling) {
    match set {
        [] => return,
        [at] => {
            at.stack = Stack::EMPTY;
            return;
        }
        _ if set.iter().any(|at| at.stack == Stack::EMPTY) => return,
        _ => {}
    }
    spelling.frames.clear();
    let mut shared = spelling.frames_of(set[0].stack, stacks).len();
    for at in &set[1..] {
        let of = spelling.frames_of(at.stack, stacks);
        let (first, of) = spelling.frames.split_at(of.start);
        shared = of.iter().zip(&first[..shared]).take_while(|(a, b)| a == b).count();
        let first = first.len();
        spelling.frames.truncate(first);
    }
    if shared > 0 {
        for at in set {
            spelling.frames.clear();
            spelling.frames_of(at.stack, stacks);
            at.stack = stacks.build(Stack::EMPTY, &spelling.frames[shared..]);
        }
    }
}

/// Gives the sources of the registers the numbers in which they are met, and takes from the registers of each what all of
/// them lost.
fn number_sources(set: &mut [Configuration], stacks: &mut Stacks, spelling: &mut Spelling) {
    spelling.frames.clear();
    spelling.members.clear();
    spelling.sources.clear();
    for &Configuration { state, stack, register } in &*set {
        let frames = spelling.frames_of(stack, stacks);
        spelling.members.push(Spelled { state, frames, register });
    }
    let Spelling { members, frames, sources } = spelling;
    let frames_of = |at: &Spelled| frames[at.frames.clone()].iter();
    // By the state and the return states, which is what is said whatever the registers, and then by these.
    members.sort_unstable_by(|one, other| {
        let shape = |at: &Spelled| (at.state, at.frames.len());
        let returns = |at| frames_of(at).map(|&(ret, _)| ret);
        let registers = |at| frames_of(at).map(|&(_, register)| register);
        let by_shape = shape(one).cmp(&shape(other));
        let by_returns = || returns(one).cmp(returns(other));
        let by_registers = || registers(one).cmp(registers(other));
        let by_own = || one.register.cmp(&other.register);
        by_shape.then_with(by_returns).then_with(by_registers).then_with(by_own)
    });
    let registers = members.iter().flat_map(|at| {
        let of_stack = frames_of(at).map(|&(_, register)| register);
        of_stack.chain([at.register])
    });
    for register in registers {
        let number = sources.len() as u32;
        let Some(source) = register.source() else { continue };
        let (_, lost) = sources.entry(source).or_insert((number, u32::MAX));
        match register {
            Register::Count { lowered, .. } => *lost = lowered.min(*lost),
            Register::Marks { met, .. } => *lost &= met,
            Register::Items { .. } | Register::Node(_) | Register::None => {}
        }
    }
    let renamed = |register: Register| {
        let known = register.source().and_then(|source| sources.get(&source));
        let Some(&(source, lost)) = known else { return register };
        match register {
            Register::Count { lowered, .. } => Register::Count { source, lowered: lowered - lost },
            Register::Marks { met, .. } => Register::Marks { source, met: met & !lost },
            Register::Items { .. } => Register::Items { source },
            Register::Node(_) | Register::None => register,
        }
    };
    frames.iter_mut().for_each(|(_, register)| *register = renamed(*register));
    for (at, Spelled { state, frames: of, register }) in set.iter_mut().zip(&*members) {
        let stack = stacks.build(Stack::EMPTY, &frames[of.clone()]);
        *at = Configuration { state: *state, stack, register: renamed(*register) };
    }
}

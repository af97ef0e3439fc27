//! Configurations over an unknown stack, of which it is known which are surely equal.
//!
//! What a register holds is not known, but where it comes from: each has a *source*, which is the value that it had in
//! the set that the exploration began with, or the call that its activation began with, and what was taken from it
//! since. Registers of one source that lost the same are equal; any others are taken to differ, which can only count
//! configurations that are one as two. Where they are written down, sources have the numbers in which they are met, and
//! what all registers of a source lost is left out, so that a set that differs from another in nothing else is equal to
//! it.
//!
//! Cost: O(n log n) comparisons of stacks for a set of n.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::stacks::{Frame, Stack, Stacks};

/// What is known of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Register {
    /// There is none, or it is zero.
    None,
    /// A countdown, and how often it was lowered.
    Count { source: u32, lowered: u32 },
    /// Marks to come, and those of them that were met.
    Marks { source: u32, met: u32 },
    /// The items of a distinct rule.
    Items { source: u32 },
}

impl Register {
    fn source(self) -> Option<u32> {
        match self {
            Self::None => None,
            Self::Count { source, .. } | Self::Marks { source, .. } | Self::Items { source } => {
                Some(source)
            }
        }
    }
}

/// One way to read what was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Configuration {
    pub(super) state: u32,
    pub(super) stack: Stack,
    pub(super) register: Register,
}

/// A set that is gone on from once and forgotten. Most have a few members.
pub(super) type Set = SmallVec<[Configuration; 4]>;

/// A configuration as its state, the frames of its stack, the top one last, and its register.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Spelled {
    /// The state and the return states: what is said of it whatever the registers.
    shape: (u32, usize, Vec<u32>),
    /// The registers of the stack, and the last its own.
    registers: Vec<Register>,
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
pub(super) fn normalize(set: &mut [Configuration], stacks: &mut Stacks) {
    cut(set, stacks);
    let has_register = |at: &Configuration| {
        let mut frames = stacks.frames(at.stack);
        at.register != Register::None || frames.any(|(_, register)| register != Register::None)
    };
    if set.iter().any(has_register) {
        number_sources(set, stacks);
    }
    set.sort_unstable();
}

/// Cuts off the lower part that all stacks share.
fn cut(set: &mut [Configuration], stacks: &mut Stacks) {
    match set {
        [] => return,
        [at] => {
            at.stack = Stack::EMPTY;
            return;
        }
        _ if set.iter().any(|at| at.stack == Stack::EMPTY) => return,
        _ => {}
    }
    let (mut first, mut frames) = (Vec::new(), Vec::new());
    stacks.list(set[0].stack, &mut first);
    let mut shared = first.len();
    for at in &set[1..] {
        stacks.list(at.stack, &mut frames);
        shared = frames.iter().zip(&first[..shared]).take_while(|(a, b)| a == b).count();
    }
    if shared > 0 {
        for at in set {
            stacks.list(at.stack, &mut frames);
            at.stack = stacks.build(Stack::EMPTY, &frames[shared..]);
        }
    }
}

/// Gives the sources of the registers the numbers in which they are met, and takes from the registers of each what all of
/// them lost.
fn number_sources(set: &mut [Configuration], stacks: &mut Stacks) {
    let mut frames = Vec::new();
    let mut spelled: Vec<Spelled> = set
        .iter()
        .map(|at| {
            stacks.list(at.stack, &mut frames);
            let returns: Vec<u32> = frames.iter().map(|&(ret, _)| ret).collect();
            let registers = frames.iter().map(|&(_, register)| register).chain([at.register]);
            let shape = (at.state, returns.len(), returns);
            Spelled { shape, registers: registers.collect() }
        })
        .collect();
    spelled.sort_unstable();
    // By source, its number, and what all of its registers lost.
    let mut sources: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
    for register in spelled.iter().flat_map(|at| &at.registers) {
        let number = sources.len() as u32;
        let Some(source) = register.source() else { continue };
        let (_, lost) = sources.entry(source).or_insert((number, u32::MAX));
        match *register {
            Register::Count { lowered, .. } => *lost = lowered.min(*lost),
            Register::Marks { met, .. } => *lost &= met,
            Register::Items { .. } | Register::None => {}
        }
    }
    let renamed = |register: Register| {
        let known = register.source().and_then(|source| sources.get(&source));
        let Some(&(source, lost)) = known else { return register };
        match register {
            Register::Count { lowered, .. } => Register::Count { source, lowered: lowered - lost },
            Register::Marks { met, .. } => Register::Marks { source, met: met & !lost },
            Register::Items { .. } => Register::Items { source },
            Register::None => register,
        }
    };
    for (at, Spelled { shape: (state, _, returns), registers }) in set.iter_mut().zip(spelled) {
        let frames = returns.into_iter().zip(registers.iter().map(|&register| renamed(register)));
        let frames: Vec<Frame> = frames.collect();
        let register = registers.last().map_or(Register::None, |&own| renamed(own));
        *at = Configuration { state, stack: stacks.build(Stack::EMPTY, &frames), register };
    }
}

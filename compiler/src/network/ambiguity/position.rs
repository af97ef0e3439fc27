//! Configurations over an unknown stack, and the normal form of their sets.
//!
//! The value of a register is unknown, but its *source* is known. The source is the value in the
//! set at which the exploration began, or the call that began the activation (a call of a rule in
//! progress). Registers of one source with the same updates are equal. Any others are assumed to
//! differ, which can only count one configuration as two. The normal form numbers the sources by
//! first occurrence, and drops the updates that all registers of a source share. So two sets that
//! differ in nothing else are equal.
//!
//! Cost: O(n log n) comparisons of stacks for a set of n configurations.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use super::register::Register;
use super::stacks::{Frame, Stack, Stacks};
use crate::interner::Word;

/// A configuration: one parse of the bytes so far, as a state, its stack and its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Configuration {
    /// The current state.
    pub(super) state: u32,
    /// The return states of the calls in progress, above an unknown stack.
    pub(super) stack: Stack,
    /// The register of the current activation (call in progress).
    pub(super) register: Register,
}

impl Configuration {
    /// Returns the configuration at a node of a packed string set (texts as a packed automaton),
    /// with an empty stack. `state` is the initial state of the set's rule, `node` an address.
    pub(super) fn within(state: u32, node: u32) -> Self {
        Self { state, stack: Stack::EMPTY, register: Register::Node(node) }
    }
}

/// A set of configurations (parses) for a single use. Most sets have at most four members, which
/// need no allocation.
pub(super) type Set = SmallVec<[Configuration; 4]>;

impl Word for Configuration {
    fn hash(set: &[Self]) -> u64 {
        let mut hasher = FxHasher::default();
        Self::hash_slice(set, &mut hasher);
        hasher.finish()
    }
}

/// A configuration (one parse) whose frames are listed in [`Unfolded::frames`].
#[derive(Clone, Debug)]
struct Member {
    /// The state of the configuration (one parse).
    state: u32,
    /// The range of its stack's frames in [`Unfolded::frames`], the top frame last.
    frames: Range<usize>,
    /// The register of the configuration (one parse).
    register: Register,
}

/// A buffer for a set whose stacks are lists of frames. Sets are many and small, so all share one
/// buffer.
#[derive(Debug, Default)]
pub(super) struct Unfolded {
    /// The configurations (parses) of the set.
    members: Vec<Member>,
    /// The frames of all stacks of the set.
    frames: Vec<Frame>,
    /// Maps each source to its number in the normal form, and to the updates that all registers of
    /// the source share.
    sources: FxHashMap<u32, (u32, u32)>,
}

impl Unfolded {
    /// Appends the frames of a stack, the top frame last, and returns their range.
    fn frames_of(&mut self, stack: Stack, stacks: &Stacks) -> Range<usize> {
        let from = self.frames.len();
        self.frames.extend(stacks.frames(stack));
        self.frames[from..].reverse();
        from..self.frames.len()
    }
}

/// Returns the set with the frame `below` added at the bottom of each stack.
pub(super) fn over(below: Frame, set: &[Configuration], stacks: &mut Stacks) -> Set {
    let bottom = stacks.push(Stack::EMPTY, below);
    let mut frames = Vec::new();
    let mut over = |at: &Configuration| {
        stacks.list(at.stack, &mut frames);
        Configuration { stack: stacks.build(bottom, &frames), ..*at }
    };
    set.iter().map(&mut over).collect()
}

/// Sorts a set and removes repeated configurations (parses). Configurations that differ only in the
/// register of an `is_monotone` rule are merged. The merged configuration has a new source from
/// `other`, and denotes the largest of the values.
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

/// Brings a set into normal form: removes what all stacks share at the bottom, renames the sources
/// of registers, and sorts.
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

/// Removes the frames at the bottom that all stacks of a set share.
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

/// Numbers the sources of registers in the order of their first occurrence. Removes the updates
/// that all registers of a source share.
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
    // Sorted first by the state and the return states, which do not depend on registers, and then
    // by the registers.
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

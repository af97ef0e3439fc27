//! An interner of stacks of return states. Each stack is stored as its top frame and the stack
//! below it.
//!
//! The exploration builds, compares and drops sets of configurations tens of thousands of times for
//! one grammar. With stacks as numbers, this copies a few words each time.
//!
//! Invariant: equal stacks have equal numbers. Numbers are assigned in the order in which stacks
//! are first built.

use rustc_hash::FxHashMap;

use super::register::Register;

/// A stack frame: a return state, and the register of the activation (call in progress) that
/// continues there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Frame {
    pub(super) state: u32,
    pub(super) register: Register,
}

/// A stack of frames, as its number in [`Stacks`]. [`Stack::EMPTY`] has the lowest number, 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Stack(u32);

impl Stack {
    /// The stack without frames.
    pub(super) const EMPTY: Self = Self(0);
}

/// An interner of all stacks that the exploration has built.
#[derive(Default)]
pub(super) struct Stacks {
    /// For each stack, at its number minus one, the stack below and the top frame.
    all: Vec<(Stack, Frame)>,
    /// Maps the stack below and the top frame to the number of the stack.
    ids: FxHashMap<(Stack, Frame), Stack>,
}

impl Stacks {
    /// Returns the stack `below` with one more frame on top.
    pub(super) fn push(&mut self, below: Stack, frame: Frame) -> Stack {
        let Self { all, ids } = self;
        *ids.entry((below, frame)).or_insert_with(|| {
            all.push((below, frame));
            Stack(all.len() as u32)
        })
    }

    /// Returns the stack below the top frame, and the top frame. Returns `None` for the empty
    /// stack.
    pub(super) fn pop(&self, stack: Stack) -> Option<(Stack, Frame)> {
        self.all.get((stack.0 as usize).checked_sub(1)?).copied()
    }

    /// Iterates over the frames of a stack, from the top down.
    pub(super) fn frames(&self, stack: Stack) -> impl Iterator<Item = Frame> + '_ {
        let mut at = stack;
        std::iter::from_fn(move || {
            let (below, frame) = self.pop(at)?;
            at = below;
            Some(frame)
        })
    }

    /// Replaces the contents of `to` by the frames of a stack, the top frame last.
    pub(super) fn list(&self, stack: Stack, to: &mut Vec<Frame>) {
        to.clear();
        to.extend(self.frames(stack));
        to.reverse();
    }

    /// Returns the stack `below` with `frames` pushed on it, the last frame on top.
    pub(super) fn build(&mut self, below: Stack, frames: &[Frame]) -> Stack {
        frames.iter().fold(below, |stack, &frame| self.push(stack, frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_stacks_are_one() {
        let mut stacks = Stacks::default();
        let registers = [Register::None, Register::Items { source: 1 }, Register::None];
        let frame = |at: usize| Frame { state: [7, 8, 7][at], register: registers[at] };
        let frames = [0, 1, 2].map(frame);
        let one = stacks.build(Stack::EMPTY, &frames);
        let below = stacks.build(Stack::EMPTY, &frames[..2]);
        assert_eq!(stacks.push(below, frames[2]), one);
        assert_eq!(stacks.pop(one), Some((below, frames[2])));
        assert_eq!(stacks.pop(Stack::EMPTY), None);
        let mut list = vec![frames[0]];
        stacks.list(one, &mut list);
        assert_eq!(list, frames);
        assert_ne!(stacks.build(below, &frames[..1]), stacks.build(Stack::EMPTY, &frames[..1]));
    }
}

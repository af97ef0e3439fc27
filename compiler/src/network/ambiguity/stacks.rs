//! An interner of stacks of return states: each stack is its top frame and the stack below it.
//!
//! Sets of configurations are made, compared and dropped tens of thousands of times for one grammar. With stacks as
//! numbers, that is a copy of a few words each.
//!
//! Invariant: equal stacks have equal numbers, given in the order in which they are met.

use rustc_hash::FxHashMap;

use super::register::Register;

/// A return state and the register of its activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Frame {
    pub(super) state: u32,
    pub(super) register: Register,
}

/// A stack, by its number. [`Stack::EMPTY`] is the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Stack(u32);

impl Stack {
    /// The stack without frames.
    pub(super) const EMPTY: Self = Self(0);
}

/// The stacks met so far.
#[derive(Default)]
pub(super) struct Stacks {
    /// By number minus one, the stack below and the top frame.
    all: Vec<(Stack, Frame)>,
    ids: FxHashMap<(Stack, Frame), Stack>,
}

impl Stacks {
    /// Returns a stack with one more frame.
    pub(super) fn push(&mut self, below: Stack, frame: Frame) -> Stack {
        let Self { all, ids } = self;
        *ids.entry((below, frame)).or_insert_with(|| {
            all.push((below, frame));
            Stack(all.len() as u32)
        })
    }

    /// Returns the stack below the top frame, and that frame.
    pub(super) fn pop(&self, stack: Stack) -> Option<(Stack, Frame)> {
        self.all.get((stack.0 as usize).checked_sub(1)?).copied()
    }

    /// Returns the frames from the top on.
    pub(super) fn frames(&self, stack: Stack) -> impl Iterator<Item = Frame> + '_ {
        let mut at = stack;
        std::iter::from_fn(move || {
            let (below, frame) = self.pop(at)?;
            at = below;
            Some(frame)
        })
    }

    /// Fills a list with the frames, the top one last.
    pub(super) fn list(&self, stack: Stack, to: &mut Vec<Frame>) {
        to.clear();
        to.extend(self.frames(stack));
        to.reverse();
    }

    /// Returns the stack of these frames, the top one last, over another.
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

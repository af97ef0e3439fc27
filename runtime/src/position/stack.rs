//! The stacks of a sequence: frames in one arena, hash-consed.
//!
//! A frame is a return state, the register of the caller and a parent frame. So the stacks of all
//! configurations, now and in the rollback window, form one tree. Equal frames are one node, found by an
//! open-addressing index. So stacks are compared as numbers, and configurations of ambiguous grammars merge.
//!
//! Invariant: the number of a frame is larger than its parent's. The collection relies on it. One backward pass marks
//! the frames that the roots reach, and one forward pass moves them down in place.
//!
//! Cost: a collection is due when the arena has doubled since the last one, so it costs O(1) amortized for each frame.
//! Memory is proportional to the frames that the window reaches.
//!
//! Each frame stores two facts about itself and all frames below it, so that no query walks a stack. *Nullable*: every
//! frame may return at once. *Rests*: a token may end in every return state.

use grammarc_artifacts::sections::network::state_flags;

use crate::distinct::items::Items;
use crate::error::LimitError;
use crate::position::{Configuration, mix};

/// Number of the frame below every stack. No rule returns to it: the sequence may end there.
pub(crate) const BOTTOM: u32 = 0;

/// Least number of frames at which a collection is due. A smaller arena is not worth a pass.
const COLLECT_FROM: usize = 4096;

/// Initial capacity of the arena, in frames: enough for most texts, in less than a kilobyte. A longer text grows the
/// arena.
const FIRST: usize = 32;

/// Flag of a frame: the return states of this frame and of all frames below it are final, so that they may return at
/// once.
const NULLABLE: u32 = 1;
/// Flag of a frame: a token may end in the return states of this frame and of all frames below it.
const RESTS: u32 = 2;

/// One stack frame: the caller to which a callee returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Id of the state to which the callee returns.
    pub(crate) ret: u32,
    /// Register of the caller's call in progress, after the arrival at the return state.
    pub(crate) count: u32,
    /// Number of the next frame down, or [`BOTTOM`].
    pub(crate) parent: u32,
    /// [`NULLABLE`] and [`RESTS`], for this frame and all frames below it.
    flags: u32,
}

impl Frame {
    /// Whether the return states of this frame and of all frames below it are final, so that the sequence may end.
    pub(crate) fn is_nullable(&self) -> bool {
        self.flags & NULLABLE != 0
    }

    /// Whether a token may end in the return states of this frame and of all frames below it.
    pub(crate) fn rests(&self) -> bool {
        self.flags & RESTS != 0
    }
}

/// The arena with the frames of one sequence. Equal frames are stored once.
#[derive(Clone, Debug)]
pub(crate) struct Frames {
    /// All frames. The number of a frame is its index, and [`BOTTOM`] is the first.
    nodes: Vec<Frame>,
    /// Slots of the hash index. A slot holds 0 if it is free, otherwise the number of a frame. The number of slots is a
    /// power of two. The bottom frame has no slot.
    slots: Vec<u32>,
    /// Number of frames at which the next collection is due.
    due: usize,
    /// For each frame, its new number during a collection. Kept to avoid an allocation.
    moved: Vec<u32>,
    /// Items of distinct rules, whose items must differ. The registers of these rules refer to them.
    pub(crate) items: Items,
}

impl Frames {
    /// Returns an arena that has only the bottom frame.
    pub(crate) fn new() -> Self {
        let bottom = Frame { ret: 0, count: 0, parent: BOTTOM, flags: NULLABLE | RESTS };
        let mut nodes = Vec::with_capacity(FIRST);
        nodes.push(bottom);
        Self {
            nodes,
            slots: vec![BOTTOM; FIRST * 2],
            due: COLLECT_FROM,
            moved: Vec::new(),
            items: Items::new(),
        }
    }

    /// Returns the frame with this number.
    #[inline]
    pub(crate) fn get(&self, frame: u32) -> Frame {
        self.nodes[frame as usize]
    }

    /// Returns the configuration after the callee above `frame` has returned: the return state, with the parent's
    /// stack.
    #[inline]
    pub(crate) fn returned(&self, frame: u32) -> Configuration {
        let top = self.get(frame);
        Configuration { state: top.ret, count: top.count, frame: top.parent }
    }

    /// Returns the number of frames in the arena, reachable or not, including the bottom.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the number of the frame with this return state, register and parent. Adds the frame if it is new.
    /// `ret_flags` are the [flags](state_flags) of the return state.
    ///
    /// # Errors
    ///
    /// The frame is new, and the arena has `limit` frames besides the bottom.
    #[inline]
    pub(crate) fn intern(
        &mut self,
        ret: u32,
        count: u32,
        parent: u32,
        ret_flags: u32,
        limit: usize,
    ) -> Result<u32, LimitError> {
        let mut slot = self.first_slot(ret, count, parent);
        loop {
            let frame = self.slots[slot];
            if frame == BOTTOM {
                break;
            }
            let node = self.nodes[frame as usize];
            if node.ret == ret && node.count == count && node.parent == parent {
                return Ok(frame);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        if self.nodes.len() > limit {
            return Err(LimitError::Frames { limit });
        }
        let mut flags = self.nodes[parent as usize].flags;
        if ret_flags & state_flags::FINAL == 0 {
            flags &= !NULLABLE;
        }
        if ret_flags & state_flags::RESTS == 0 {
            flags &= !RESTS;
        }
        let frame = self.nodes.len() as u32;
        self.nodes.push(Frame { ret, count, parent, flags });
        self.slots[slot] = frame;
        if self.nodes.len() * 2 > self.slots.len() {
            self.index();
        }
        Ok(frame)
    }

    /// Whether the arena has doubled since the last collection of unreachable frames.
    #[inline]
    pub(crate) fn collection_is_due(&self) -> bool {
        self.nodes.len() >= self.due
    }

    /// Removes the frames that no configuration of `roots` reaches. Renumbers the other frames, also in `roots`.
    /// Returns the number of frames removed.
    pub(crate) fn collect(&mut self, roots: &mut [&mut [Configuration]]) -> usize {
        let before = self.nodes.len();
        self.moved.clear();
        self.moved.resize(before, BOTTOM);
        for configuration in roots.iter().flat_map(|part| part.iter()) {
            self.moved[configuration.frame as usize] = 1;
        }
        for frame in (1..before).rev() {
            if self.moved[frame] != 0 {
                self.moved[self.nodes[frame].parent as usize] = 1;
            }
        }
        self.moved[BOTTOM as usize] = BOTTOM;
        let mut kept = 1;
        for frame in 1..before {
            if self.moved[frame] != 0 {
                let mut node = self.nodes[frame];
                node.parent = self.moved[node.parent as usize];
                self.nodes[kept] = node;
                self.moved[frame] = kept as u32;
                kept += 1;
            }
        }
        self.nodes.truncate(kept);
        for configuration in roots.iter_mut().flat_map(|part| part.iter_mut()) {
            configuration.frame = self.moved[configuration.frame as usize];
        }
        self.due = (kept * 2).max(COLLECT_FROM);
        self.index();
        before - kept
    }

    /// Rebuilds the hash index with at least four slots for each frame.
    fn index(&mut self) {
        self.slots.clear();
        self.slots.resize((self.nodes.len() * 4).next_power_of_two().max(FIRST * 2), BOTTOM);
        for frame in 1..self.nodes.len() {
            let node = self.nodes[frame];
            let mut slot = self.first_slot(node.ret, node.count, node.parent);
            while self.slots[slot] != BOTTOM {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            self.slots[slot] = frame as u32;
        }
    }

    fn first_slot(&self, ret: u32, count: u32, parent: u32) -> usize {
        mix([ret, count, parent]) as usize & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ANY: u32 = state_flags::FINAL | state_flags::RESTS;

    fn chain(frames: &Frames, mut frame: u32) -> Vec<(u32, u32)> {
        let mut out = Vec::new();
        while frame != BOTTOM {
            let node = frames.get(frame);
            out.push((node.ret, node.count));
            frame = node.parent;
        }
        out
    }

    proptest! {
        /// Checks that equal stacks are one frame, and that a collection keeps the stacks of its roots and nothing
        /// else.
        #[test]
        fn stacks_are_shared_and_survive_collection(
            stacks in prop::collection::vec(prop::collection::vec((0u32..3, 0u32..2), 0..6), 1..60),
            rooted in prop::collection::vec(any::<bool>(), 60),
        ) {
            let mut frames = Frames::new();
            let mut tops = Vec::new();
            for stack in &stacks {
                let mut top = BOTTOM;
                for &(ret, count) in stack {
                    top = frames.intern(ret, count, top, ANY, 1000).unwrap();
                }
                tops.push(top);
            }
            for (a, left) in stacks.iter().enumerate() {
                for (b, right) in stacks.iter().enumerate() {
                    prop_assert_eq!(left == right, tops[a] == tops[b]);
                }
            }
            let kept: Vec<usize> = (0..stacks.len()).filter(|&at| rooted[at]).collect();
            let mut roots: Vec<Configuration> =
                kept.iter().map(|&at| Configuration { state: 0, count: 0, frame: tops[at] }).collect();
            frames.collect(&mut [&mut roots]);
            let mut alive = std::collections::BTreeSet::new();
            for (root, &at) in roots.iter().zip(&kept) {
                let expected: Vec<_> = stacks[at].iter().rev().copied().collect();
                prop_assert_eq!(chain(&frames, root.frame), expected);
                alive.extend((1..=stacks[at].len()).map(|len| stacks[at][..len].to_vec()));
                let mut top = BOTTOM;
                for &(ret, count) in &stacks[at] {
                    top = frames.intern(ret, count, top, ANY, 1000).unwrap();
                }
                prop_assert_eq!(top, root.frame, "found again after the move");
            }
            prop_assert_eq!(frames.len(), alive.len() + 1);
        }
    }

    #[test]
    fn facts_hold_for_the_whole_chain() {
        let mut frames = Frames::new();
        let nullable = frames.intern(1, 0, BOTTOM, ANY, 9).unwrap();
        let closed = frames.intern(2, 0, nullable, state_flags::RESTS, 9).unwrap();
        let above = frames.intern(3, 0, closed, state_flags::FINAL, 9).unwrap();
        let facts = |frame| (frames.get(frame).is_nullable(), frames.get(frame).rests());
        assert_eq!(facts(nullable), (true, true));
        assert_eq!(facts(closed), (false, true));
        assert_eq!(facts(above), (false, false));
    }

    #[test]
    fn refuses_more_than_its_limit() {
        let mut frames = Frames::new();
        for ret in 0..5 {
            frames.intern(ret, 0, BOTTOM, ANY, 5).unwrap();
        }
        assert!(frames.intern(4, 0, BOTTOM, ANY, 5).is_ok(), "already there");
        assert!(matches!(
            frames.intern(5, 0, BOTTOM, ANY, 5),
            Err(LimitError::Frames { limit: 5 })
        ));
    }
}

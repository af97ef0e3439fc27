//! The stored masks that a position allows and whether the input may end there, worked out when an artifact is opened.
//!
//! The masks of a graded state depend on its register, where little is left in it: these are searched for, among some hundred for
//! each counter. Those of several counters are met, or left out.
//!
//! These are the parts of the tables that a mask reference reads: 16 bytes for each state of a position, and one
//! follow entry for each link of its chain. Empty masks are marked here, so the mask pool is not touched before a mask
//! is used.

use bytemuck::{Pod, Zeroable};
use grammarc_artifacts::sections::masks::{FollowEntry, GradeMask, GradeRecord};
use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::tables::{Joined, Tables};

use crate::parts::PartList;
use crate::position::Configuration;
use crate::stack::{BOTTOM, Frames};

/// The fields of one state that a mask reference reads.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Head {
    /// Base mask, or [`NONE`] where it is empty.
    base: u32,
    /// Exit class, or [`NONE`].
    exits: u32,
    /// First of the state's follow entries; those of the next state begin where they end.
    follows: u32,
    /// The state's [flags](state_flags).
    flags: u32,
}

/// The heads and links of one artifact's states, by index: the state's id less the tables' base.
#[derive(Debug)]
pub(crate) struct Chains {
    heads: Vec<Head>,
    /// Sorted by class for each state; the mask is [`NONE`] where it is empty.
    links: Vec<FollowEntry>,
    /// Graded states by what is left in the register.
    grades: Vec<GradeRecord>,
    /// Their masks; [`NONE`] where they are empty.
    grade_masks: Vec<GradeMask>,
}

impl Chains {
    /// The chains of `tables`, which are one half of `joined`.
    pub(crate) fn new(joined: &Joined<'_>, tables: &Tables<'_>) -> Self {
        let unless_empty = |mask| if joined.mask(mask).1.count == 0 { NONE } else { mask };
        let states = tables.states.split_last().map_or(&[][..], |(_, states)| states);
        let heads = states.iter().map(|state| Head {
            base: unless_empty(state.base),
            exits: state.exits,
            follows: state.follows,
            flags: state.flags,
        });
        let end = Head { base: NONE, exits: NONE, follows: tables.follows.len() as u32, flags: 0 };
        let links = tables.follows.iter();
        let links = links.map(|link| FollowEntry { mask: unless_empty(link.mask), ..*link });
        let grade_masks = tables.grade_masks.iter();
        let grade_masks =
            grade_masks.map(|mask| GradeMask { base: unless_empty(mask.base), ..*mask });
        Self {
            heads: heads.chain([end]).collect(),
            links: links.collect(),
            grades: tables.grades.to_vec(),
            grade_masks: grade_masks.collect(),
        }
    }

    /// The heads of all states with one more that closes the last, and the links of all.
    pub(crate) fn tables(&self) -> (&[Head], &[FollowEntry]) {
        (&self.heads, &self.links)
    }

    /// Whether the mask of a state depends on its register.
    pub(crate) fn is_graded(&self, index: u32) -> bool {
        self.heads[index as usize].flags & state_flags::GRADED != 0
    }

    /// The link of a return state for an exit class.
    #[inline]
    fn link(&self, index: usize, class: u32) -> Option<&FollowEntry> {
        let range = self.heads[index].follows as usize..self.heads[index + 1].follows as usize;
        let links = &self.links[range];
        links.binary_search_by_key(&class, |link| link.class).ok().map(|at| &links[at])
    }
}

/// The chains of a grammar and its vocabulary.
#[derive(Clone, Copy)]
pub(crate) struct MaskChains<'g> {
    /// Of the shared rules.
    pub(crate) shared: &'g Chains,
    /// Of the grammar's own rules.
    pub(crate) own: &'g Chains,
    /// Id of the grammar's first own state.
    pub(crate) first_own: u32,
}

impl<'g> MaskChains<'g> {
    #[inline]
    fn home(&self, state: u32) -> (&'g Chains, usize) {
        match state.checked_sub(self.first_own) {
            Some(index) => (self.own, index as usize),
            None => (self.shared, state as usize),
        }
    }

    /// Whether the input may end in a configuration.
    #[inline]
    pub(crate) fn is_accepting(&self, frames: &Frames, at: Configuration) -> bool {
        let (home, index) = self.home(at.state);
        home.heads[index].flags & state_flags::FINAL != 0 && frames.get(at.frame).is_nullable()
    }

    /// Collects the masks that a position allows: for each configuration the base mask, then down its stack the follow mask of
    /// each return state, for as long as a token can leave the rule above it.
    // A call is a twentieth of what a mask takes.
    #[inline(always)]
    pub(crate) fn collect(
        &self,
        frames: &Frames,
        position: &[Configuration],
        parts: &mut PartList,
    ) {
        parts.clear();
        for &at in position {
            self.add(frames, at, parts);
        }
        parts.settle();
    }

    /// Adds the masks of one configuration.
    #[inline(always)]
    pub(crate) fn add(&self, frames: &Frames, at: Configuration, parts: &mut PartList) {
        let (home, index) = self.home(at.state);
        let head = home.heads[index];
        if head.flags & state_flags::GRADED != 0 {
            return self.add_graded(frames, at, parts);
        }
        if head.base != NONE {
            parts.push(head.base);
        }
        self.add_below(frames, head.exits, at.frame, parts);
    }

    /// Adds the masks of a configuration at a graded state: those that its grades have in place of its own, met with each other,
    /// without those that its other grades leave out.
    #[cold]
    #[inline(never)]
    fn add_graded(&self, frames: &Frames, at: Configuration, parts: &mut PartList) {
        let (home, index) = self.home(at.state);
        let head = home.heads[index];
        // By grade, the mask at hand and the exit class; and the masks that are left out everywhere.
        let (mut ways, mut way_count) = ([(NONE, NONE); GradeRecord::MOST], 0);
        let (mut without, mut without_count) = ([NONE; GradeRecord::MOST], 0);
        for grade in GradeRecord::of_state(&home.grades, at.state) {
            match grade.find(&home.grade_masks, at.count) {
                Some(mask) if grade.is_without() => {
                    without[without_count] = mask.base;
                    without_count += usize::from(mask.base != NONE);
                }
                Some(mask) => {
                    ways[way_count] = (mask.base, mask.exits);
                    way_count += 1;
                }
                None => {}
            }
        }
        if way_count == 0 {
            (ways[0], way_count) = ((head.base, head.exits), 1);
        }
        let (ways, without) = (&mut ways[..way_count], &without[..without_count]);
        let mut frame = at.frame;
        loop {
            if ways.iter().all(|&(mask, _)| mask != NONE) {
                parts.push_cut(ways.iter().map(|&(mask, _)| mask), without);
            }
            if frame == BOTTOM || ways.iter().any(|&(_, class)| class == NONE) {
                return;
            }
            let top = frames.get(frame);
            let (home, index) = self.home(top.ret);
            for way in &mut *ways {
                let Some(link) = home.link(index, way.1) else { return };
                *way = (link.mask, link.next);
            }
            frame = top.parent;
        }
    }

    /// Adds those of the stack below a rule that tokens leave through an exit class.
    #[inline]
    pub(crate) fn add_below(
        &self,
        frames: &Frames,
        mut class: u32,
        mut frame: u32,
        parts: &mut PartList,
    ) {
        while class != NONE && frame != BOTTOM {
            let top = frames.get(frame);
            let (home, index) = self.home(top.ret);
            let Some(link) = home.link(index, class) else { break };
            if link.mask != NONE {
                parts.push(link.mask);
            }
            class = link.next;
            frame = top.parent;
        }
    }

    /// The exit class with which tokens leave the vocabulary's rules that a configuration is in, and the frame with the own
    /// state that they return to; none where no token does.
    pub(crate) fn left_to_own(&self, frames: &Frames, at: Configuration) -> Option<(u32, u32)> {
        let (home, index) = self.home(at.state);
        let (mut class, mut frame) = (home.heads[index].exits, at.frame);
        while class != NONE && frame != BOTTOM {
            let top = frames.get(frame);
            if top.ret >= self.first_own {
                return Some((class, frame));
            }
            class = self.shared.link(top.ret as usize, class)?.next;
            frame = top.parent;
        }
        None
    }
}

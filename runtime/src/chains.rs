//! The stored masks that a position allows and whether the input may end there, worked out when an artifact is opened.
//!
//! The masks of a graded state depend on its register, where little is left in it: these are searched for, among some hundred.
//!
//! These are the parts of the tables that a mask reference reads: 16 bytes for each state of a position, and one
//! follow entry for each link of its chain. Empty masks are marked here, so the mask pool is not touched before a mask
//! is used.

use bytemuck::{Pod, Zeroable};
use grammarc_artifacts::sections::masks::{FollowEntry, GradeRecord};
use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::tables::{Joined, Tables};

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
    /// Masks of graded states by what is left in the register; the mask is [`NONE`] where it is empty.
    grades: Vec<GradeRecord>,
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
        let grades = tables.grades.iter();
        let grades = grades.map(|grade| GradeRecord { base: unless_empty(grade.base), ..*grade });
        Self {
            heads: heads.chain([end]).collect(),
            links: links.collect(),
            grades: grades.collect(),
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

    /// Collects the ids of the masks whose union a position allows: for each configuration the base mask, then down
    /// its stack the follow mask of each return state, for as long as a token can leave the rule above it.
    #[inline]
    pub(crate) fn collect(
        &self,
        frames: &Frames,
        position: &[Configuration],
        parts: &mut Vec<u32>,
    ) {
        parts.clear();
        for &at in position {
            self.add(frames, at, parts);
        }
        if parts.len() > 1 {
            parts.sort_unstable();
            parts.dedup();
        }
    }

    /// Adds the ids of one configuration.
    #[inline]
    pub(crate) fn add(&self, frames: &Frames, at: Configuration, parts: &mut Vec<u32>) {
        let (home, index) = self.home(at.state);
        let head = home.heads[index];
        let (mut base, mut exits) = (head.base, head.exits);
        if head.flags & state_flags::GRADED != 0
            && let Some(grade) = GradeRecord::find(&home.grades, at.state, at.count)
        {
            (base, exits) = (grade.base, grade.exits);
        }
        if base != NONE {
            parts.push(base);
        }
        self.add_below(frames, exits, at.frame, parts);
    }

    /// Adds those of the stack below a rule that tokens leave through an exit class.
    #[inline]
    pub(crate) fn add_below(
        &self,
        frames: &Frames,
        mut class: u32,
        mut frame: u32,
        parts: &mut Vec<u32>,
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

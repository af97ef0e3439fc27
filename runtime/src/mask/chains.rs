//! The stored masks that a position allows, and whether the sequence may end there. Tables are derived when an artifact
//! is opened.
//!
//! A mask reads 16 bytes for each state of a position, and one follow entry for each link of its *follow chain*. The
//! chain has the stack frames that a token can reach into. Empty masks are marked here, so the pool is not read before
//! a mask is used.
//!
//! The mask of a count-dependent state depends on the register, which holds the counters. Its near-bound masks are
//! found by a binary search among some hundred for each counter. Near the bounds of several counters the mask is an
//! intersection, minus the masks that some counters subtract.
//!
//! Tests: `tests/tests/suite/counters.rs` for near-bound masks, `src/tests/definition.rs` for all others.

use bytemuck::{Pod, Zeroable};
use grammarc_artifacts::sections::masks::{FollowEntry, NearBoundMask, NearBoundRecord};
use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::tables::{Joined, Tables};

use crate::mask::parts::PartList;
use crate::position::Configuration;
use crate::position::stack::{BOTTOM, Frames};

/// The fields of one state that the computation of a mask reads.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Head {
    /// Id of the state's base mask: the tokens that stay in the state's rule. [`NONE`] if the mask is empty.
    base: u32,
    /// Exit class of the state: the tokens that leave its rule. [`NONE`] if no token leaves it.
    exits: u32,
    /// Index in [`Chains::links`] of the state's first follow entry. The entries end where those of the next state
    /// begin.
    follows: u32,
    /// [Flags](state_flags) of the state.
    flags: u32,
}

/// The mask tables of one artifact. The *index* of a state is its id minus the id of the artifact's first state.
#[derive(Debug)]
pub(crate) struct Chains {
    /// For each state, its head. One more head at the end marks the end of the last state's links.
    heads: Vec<Head>,
    /// Follow entries of all states, ascending by exit class within a state. An entry gives the tokens that return to
    /// the state through the class. An empty mask is [`NONE`].
    links: Vec<FollowEntry>,
    /// For each count-dependent state and each of its counters, the range of its near-bound masks. A count-dependent
    /// state has another mask when few increments of a counter are left.
    near_bound: Vec<NearBoundRecord>,
    /// Near-bound masks, one for each remaining count of a near-bound record. An empty mask is [`NONE`].
    near_bound_masks: Vec<NearBoundMask>,
}

impl Chains {
    /// Derives the tables of `tables`, which are one half of `joined`. O(states + follow entries).
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
        let masks = tables.near_bound_masks.iter();
        let masks = masks.map(|mask| NearBoundMask { base: unless_empty(mask.base), ..*mask });
        Self {
            heads: heads.chain([end]).collect(),
            links: links.collect(),
            near_bound: tables.near_bound.to_vec(),
            near_bound_masks: masks.collect(),
        }
    }

    /// Returns the head of each state, and one more that marks the end of the last state's links.
    pub(crate) fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// Returns the follow entries of all states.
    pub(crate) fn links(&self) -> &[FollowEntry] {
        &self.links
    }

    /// Whether the mask of the state with this index depends on the state's register.
    pub(crate) fn is_count_dependent(&self, index: u32) -> bool {
        self.heads[index as usize].flags & state_flags::COUNT_DEPENDENT != 0
    }

    /// Returns the follow entry of the return state with this index for an exit class. `None` if no token returns to
    /// the state through the class.
    #[inline]
    fn link(&self, index: usize, class: u32) -> Option<&FollowEntry> {
        let range = self.heads[index].follows as usize..self.heads[index + 1].follows as usize;
        let links = &self.links[range];
        links.binary_search_by_key(&class, |link| link.class).ok().map(|at| &links[at])
    }
}

/// An exit class, and the stack frame to which tokens of the class return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exit {
    /// Id of the exit class through which tokens leave the rule.
    pub(crate) class: u32,
    /// Number of the frame in the sequence's [`Frames`].
    pub(crate) frame: u32,
}

/// One step along a follow chain: the mask of tokens that end there, and the exit class that leads to the next frame.
#[derive(Clone, Copy)]
struct Link {
    mask: u32,
    class: u32,
}

/// The mask tables of a grammar and of its vocabulary.
#[derive(Clone, Copy)]
pub(crate) struct MaskChains<'g> {
    /// Mask tables of the vocabulary's shared rules.
    pub(crate) shared: &'g Chains,
    /// Mask tables of the grammar's own rules.
    pub(crate) own: &'g Chains,
    /// Id of the first state of the grammar's own rules.
    pub(crate) first_own: u32,
}

impl<'g> MaskChains<'g> {
    /// Returns the tables that hold a state, and the state's index in them.
    #[inline]
    fn home(&self, state: u32) -> (&'g Chains, usize) {
        match state.checked_sub(self.first_own) {
            Some(index) => (self.own, index as usize),
            None => (self.shared, state as usize),
        }
    }

    /// Whether the text may end in a configuration: its state is final, and every return state on its stack is too.
    #[inline]
    pub(crate) fn is_accepting(&self, frames: &Frames, at: Configuration) -> bool {
        let (home, index) = self.home(at.state);
        home.heads[index].flags & state_flags::FINAL != 0 && frames.get(at.frame).is_nullable()
    }

    /// Collects the ids of the stored masks that a position allows, sorted. For each configuration these are the base
    /// mask of its state and the masks of its follow chain.
    // // Inlined because a call would cost a twentieth of the time of a mask.
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
        parts.sort();
    }

    /// Adds to `parts` the stored masks that one configuration allows.
    #[inline(always)]
    pub(crate) fn add(&self, frames: &Frames, at: Configuration, parts: &mut PartList) {
        let (home, index) = self.home(at.state);
        let head = home.heads[index];
        if head.flags & state_flags::COUNT_DEPENDENT != 0 {
            return self.add_near_bound(frames, at, parts);
        }
        if head.base != NONE {
            parts.push(head.base);
        }
        self.add_follows(frames, Exit { class: head.exits, frame: at.frame }, parts);
    }

    /// Adds the masks of a configuration in a count-dependent state. The near-bound masks of several counters are
    /// intersected, along the follow chain of each counter. Masks that a counter subtracts are subtracted at every
    /// frame.
    #[cold]
    #[inline(never)]
    fn add_near_bound(&self, frames: &Frames, at: Configuration, parts: &mut PartList) {
        let (home, index) = self.home(at.state);
        let head = home.heads[index];
        let none = Link { mask: NONE, class: NONE };
        let (mut links, mut link_count) = ([none; NearBoundRecord::MOST], 0);
        let (mut subtracted, mut subtracted_count) = ([NONE; NearBoundRecord::MOST], 0);
        for record in NearBoundRecord::of_state(&home.near_bound, at.state) {
            match record.find(&home.near_bound_masks, at.count) {
                Some(mask) if record.is_without() => {
                    subtracted[subtracted_count] = mask.base;
                    subtracted_count += usize::from(mask.base != NONE);
                }
                Some(mask) => {
                    links[link_count] = Link { mask: mask.base, class: mask.exits };
                    link_count += 1;
                }
                None => {}
            }
        }
        if link_count == 0 {
            (links[0], link_count) = (Link { mask: head.base, class: head.exits }, 1);
        }
        let (links, subtracted) = (&mut links[..link_count], &subtracted[..subtracted_count]);
        let mut frame = at.frame;
        loop {
            if links.iter().all(|link| link.mask != NONE) {
                parts.push_near_bound(links.iter().map(|link| link.mask), subtracted);
            }
            if frame == BOTTOM || links.iter().any(|link| link.class == NONE) {
                return;
            }
            let top = frames.get(frame);
            let (home, index) = self.home(top.ret);
            for link in &mut *links {
                let Some(next) = home.link(index, link.class) else { return };
                *link = Link { mask: next.mask, class: next.next };
            }
            frame = top.parent;
        }
    }

    /// Adds the masks of the follow chain that begins at an exit: one mask for each frame that a token can reach into.
    #[inline]
    pub(crate) fn add_follows(&self, frames: &Frames, exit: Exit, parts: &mut PartList) {
        let Exit { mut class, mut frame } = exit;
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

    /// Returns the exit through which tokens leave the shared rules of a configuration and return to a state of the
    /// grammar itself. `None` if no token does.
    pub(crate) fn exit_to_own(&self, frames: &Frames, at: Configuration) -> Option<Exit> {
        let (home, index) = self.home(at.state);
        let (mut class, mut frame) = (home.heads[index].exits, at.frame);
        while class != NONE && frame != BOTTOM {
            let top = frames.get(frame);
            if top.ret >= self.first_own {
                return Some(Exit { class, frame });
            }
            class = self.shared.link(top.ret as usize, class)?.next;
            frame = top.parent;
        }
        None
    }
}

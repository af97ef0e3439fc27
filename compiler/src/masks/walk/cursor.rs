//! The automaton under a walk: the lazily determinised network, with calls looked through.
//!
//! Cost: a look-up for each step that was taken before, else O(edges) of the configurations.

use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::sections::vocabulary::Trie;

use crate::budget::Budget;
use crate::ir::ByteSet;
use crate::masks::shared::facts::VocabularyFacts;
use crate::masks::shared::transitions::WIDE;
use crate::masks::shortcuts::{Shortcut, ShortcutCounts, Shortcuts};
use crate::network::follow::Follow;
use crate::network::lazy_dfa::{BOTTOM, Configurations, LazyDfa};

/// A state and its local frame.
pub(crate) type Configuration = (u32, u32);

/// Nodes that a walk looks at between two looks at the budget.
pub(crate) const NODES_A_LOOK: usize = 1 << 6;

/// Sets that there is room for at first.
const ROOM: usize = 64;

/// A set of configurations with its live bytes.
#[derive(Clone, Copy)]
pub(crate) struct LiveConfigurations {
    pub(crate) at: Configurations,
    /// Bytes with which they go on.
    pub(crate) live: ByteSet,
    /// Whether those are many.
    pub(crate) is_wide: bool,
    /// The configuration that counts, where there is one and a token may end on its stack.
    pub(crate) one: Option<(u32, u32)>,
}

/// A trie and a network to be walked together, and what is known of the network's configurations.
pub(crate) struct Cursor<'a> {
    pub(crate) trie: Trie<'a>,
    pub(crate) follow: &'a Follow<'a>,
    pub(crate) facts: &'a VocabularyFacts,
    pub(crate) sets: LazyDfa<'a>,
    shortcuts: Shortcuts,
    pub(crate) counts: ShortcutCounts,
    /// By interned set, what is to be known of it.
    ways: Vec<Option<LiveConfigurations>>,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(follow: &'a Follow<'a>, facts: &'a VocabularyFacts, trie: Trie<'a>) -> Self {
        let sets = LazyDfa::new(follow.network());
        let (shortcuts, counts) = (Shortcuts::default(), ShortcutCounts::default());
        Self { trie, follow, facts, sets, shortcuts, counts, ways: Vec::with_capacity(ROOM) }
    }

    /// The same, as long as a budget lasts.
    pub(crate) fn within(self, budget: &'a Budget) -> Self {
        Self { sets: self.sets.within(budget), ..self }
    }

    /// The same with these shortcuts.
    pub(crate) fn taking(self, shortcuts: Shortcuts) -> Self {
        Self { shortcuts, ..self }
    }

    /// Whether a shortcut is taken.
    #[inline]
    pub(crate) fn has(&self, shortcut: Shortcut) -> bool {
        self.shortcuts.has(shortcut)
    }

    /// Notes that a shortcut took effect.
    #[inline]
    pub(crate) fn count(&mut self, shortcut: Shortcut) {
        self.counts.add(shortcut, 1);
    }

    /// Whether a state is one of the grammar's.
    pub(crate) fn is_own(&self, state: u32) -> bool {
        state >= self.follow.network().own.bases.states
    }

    /// An own state itself, or the lowest of the shared ones that do the same.
    pub(crate) fn representative(&self, state: u32) -> u32 {
        if self.is_own(state) { state } else { self.facts.like(state) }
    }

    /// Live bytes of a set of configurations; kept for interned sets.
    pub(crate) fn live_configurations(&mut self, at: Configurations) -> LiveConfigurations {
        if let Configurations::Set(set) = at
            && let Some(&Some(way)) = self.ways.get(set as usize)
        {
            return way;
        }
        let way = self.find_way(at);
        if let Configurations::Set(set) = way.at {
            let set = set as usize;
            self.ways.resize(self.ways.len().max(set + 1), None);
            self.ways[set] = Some(way);
        }
        way
    }

    fn find_way(&mut self, at: Configurations) -> LiveConfigurations {
        let live = self.live(&at);
        let is_wide = live.has_at_least(WIDE);
        let at = if is_wide { self.sets.interned(at) } else { at };
        let one = self.sets.one(at).map(|(state, frame)| self.through(state, frame));
        let one = one.filter(|&(_, frame)| self.sets.frame_rests(frame));
        LiveConfigurations { at, live, is_wide, one }
    }

    /// Bytes with which the configurations go on.
    pub(crate) fn live(&self, at: &Configurations) -> ByteSet {
        let mut live = ByteSet::EMPTY;
        for (mut state, mut frame) in self.sets.configurations(at) {
            loop {
                live = live.union(self.follow.first(state).0);
                if frame == BOTTOM || !self.follow.is_final(state) {
                    break;
                }
                (state, frame) = self.sets.frame(frame);
            }
        }
        live
    }

    /// Returns the configuration after calls alone: states with nothing but a call are replaced by the callee's first
    /// state.
    pub(crate) fn through(&mut self, mut state: u32, mut frame: u32) -> Configuration {
        let network = self.follow.network();
        loop {
            let (tables, index) = network.locate(state);
            let [call] = tables.call_edges_of(index) else { return (state, frame) };
            let alone = tables.byte_edges_of(index).is_empty()
                && tables.token_edges_of(index).is_empty()
                && tables.states[index].flags & state_flags::FINAL == 0;
            if !alone {
                return (state, frame);
            }
            if call.ret != NONE {
                frame = self.sets.push(call.ret, frame);
            }
            state = network.rule(call.callee).first_state;
        }
    }
}

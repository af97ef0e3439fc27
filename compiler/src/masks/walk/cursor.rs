//! The automaton of a walk: the lazily determinized network. A state that can only call a rule is replaced by the
//! callee's first state.
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

/// A configuration (one parse): the id of a state, and the index of its frame on the local stack. The local stack has
/// the calls that the walk has entered.
pub(crate) type Configuration = (u32, u32);

/// The number of trie nodes that a walk visits between two checks of the budget.
pub(crate) const NODES_A_LOOK: usize = 1 << 6;

/// Initial capacity, in sets of configurations (state and stack frame), of the list of their outgoing bytes.
const ROOM: usize = 64;

/// A set of configurations (state and stack frame) at one trie node, with the bytes that they can consume.
#[derive(Clone, Copy)]
pub(crate) struct LiveConfigurations {
    /// The set of configurations (state and stack frame).
    pub(crate) at: Configurations,
    /// The bytes that at least one of the configurations (state and stack frame) can consume.
    pub(crate) live: ByteSet,
    /// Whether the configurations (state and stack frame) can together consume at least [`WIDE`] different bytes.
    pub(crate) is_wide: bool,
    /// The configuration (state and stack frame), if there is only one. A state that can only call a rule is replaced
    /// by the callee's first state. `None` if there are several configurations, or if no token may end while its calls
    /// are open.
    pub(crate) one: Option<(u32, u32)>,
}

/// A token trie and the automata of all rules, which are walked together. Also facts about sets of configurations
/// (state and stack frame).
pub(crate) struct Cursor<'a> {
    /// The token trie: the prefix tree of the tokens' byte strings.
    pub(crate) trie: Trie<'a>,
    /// The automata of all rules, which call each other, with the bytes that may follow each rule.
    pub(crate) follow: &'a Follow<'a>,
    /// Facts about the vocabulary's rules and stored masks.
    pub(crate) facts: &'a VocabularyFacts,
    /// The lazily determinized automaton of all rules, which call each other.
    pub(crate) sets: LazyDfa<'a>,
    /// The shortcuts (savings in trie walks) that may be used.
    shortcuts: Shortcuts,
    /// How often each shortcut (saving in a trie walk) took effect.
    pub(crate) counts: ShortcutCounts,
    /// For each interned set of configurations (state and stack frame), its outgoing bytes, or `None` if these are not
    /// computed yet.
    ways: Vec<Option<LiveConfigurations>>,
}

impl<'a> Cursor<'a> {
    /// Returns a cursor over the rules of `follow` and a trie, with all shortcuts (savings in trie walks) and no
    /// budget.
    pub(crate) fn new(follow: &'a Follow<'a>, facts: &'a VocabularyFacts, trie: Trie<'a>) -> Self {
        let sets = LazyDfa::new(follow.network());
        let (shortcuts, counts) = (Shortcuts::default(), ShortcutCounts::default());
        Self { trie, follow, facts, sets, shortcuts, counts, ways: Vec::with_capacity(ROOM) }
    }

    /// Limits the lazily determinized automaton by a budget. Once the budget is spent, sets of several configurations
    /// (state and stack frame) have no transitions.
    pub(crate) fn within(self, budget: &'a Budget) -> Self {
        Self { sets: self.sets.within(budget), ..self }
    }

    /// Restricts walks to the given shortcuts, each a way to save a part of a walk.
    pub(crate) fn taking(self, shortcuts: Shortcuts) -> Self {
        Self { shortcuts, ..self }
    }

    /// Whether walks may use a shortcut, a named way to save a part of a walk.
    #[inline]
    pub(crate) fn has(&self, shortcut: Shortcut) -> bool {
        self.shortcuts.has(shortcut)
    }

    /// Counts one use of a shortcut, a named way to save a part of a walk.
    #[inline]
    pub(crate) fn count(&mut self, shortcut: Shortcut) {
        self.counts.add(shortcut, 1);
    }

    /// Whether a state belongs to the grammar itself, not to the vocabulary's rules.
    pub(crate) fn is_own(&self, state: u32) -> bool {
        state >= self.follow.network().own.bases.states
    }

    /// Returns the lowest of the vocabulary's states that are bisimilar (equivalent on all strings) to a state. A state
    /// of the grammar itself is returned unchanged.
    pub(crate) fn representative(&self, state: u32) -> u32 {
        if self.is_own(state) { state } else { self.facts.like(state) }
    }

    /// Returns a set of configurations (state and stack frame) with the bytes that it can consume. The result is
    /// remembered for interned sets.
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

    /// Computes the bytes that a set of configurations (state and stack frame) can consume. Interns the set if it can
    /// consume many bytes.
    fn find_way(&mut self, at: Configurations) -> LiveConfigurations {
        let live = self.live(&at);
        let is_wide = live.has_at_least(WIDE);
        let at = if is_wide { self.sets.interned(at) } else { at };
        let one = self.sets.one(at).map(|(state, frame)| self.through(state, frame));
        let one = one.filter(|&(_, frame)| self.sets.frame_rests(frame));
        LiveConfigurations { at, live, is_wide, one }
    }

    /// Returns the bytes that the configurations `at` (state and stack frame) can consume, including those after
    /// returns to their local frames.
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

    /// Returns the configuration (state and stack frame) that `state` over `frame` reaches by forced calls. If a state
    /// can only call a rule, the callee's first state takes its place, over a new frame with the return state.
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

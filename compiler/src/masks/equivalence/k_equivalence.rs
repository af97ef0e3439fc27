//! k-equivalence: states of a grammar that are equivalent on all strings of at most `k` bytes, for every `k`. After
//! such a string, a token may end in both or neither, and the rule may return in both or neither.
//!
//! The states of `[a-z]{0,255}` differ in the number of characters that may still come. A token distinguishes two of
//! them only if it has more characters than the smaller number. A state's behaviour on the strings below a trie node
//! depends on its first `h` transitions alone, with `h` the height of the node. So states are classified by their
//! behaviour on strings of 0, 1, 2, ... bytes, each round from the one before: E. F. Moore, "Gedanken-experiments on
//! sequential machines", 1956. Unlike in a minimisation, the rounds themselves are the result.
//!
//! States that leave a class get a new class id, and the others keep theirs
//! ([`Refinement`](crate::automata::Refinement)). So the cost of a round depends on the classes that change in it. In a
//! chain, only the states at one position change their class in a round.
//!
//! The initial partition distinguishes states only by whether their rule can end there. Counters are ignored, because
//! no mask depends on them.
//!
//! Only states with many outgoing bytes are refined; most of them lead to such states again. Each other state is in a
//! class by itself. So classes may be finer than necessary, and are never wrong.
//!
//! Cost: for each round O(edges into states whose class changed in the round before). Rounds end at the height of the
//! trie, or when the work exceeds [`MOST_WORK`].

use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::tables::Joined;
use rustc_hash::FxHashMap;

use super::class_history::{ClassHistories, Rounds};
use super::own_transitions::{ARRIVES, OwnTransitionLists};
use super::reference::{References, widest_target};
use super::refinement::{refinement, round};
use super::representatives::Representatives;
use super::transition_table::{TableBuilder, TransitionTable};
use crate::automata::ALONE;
use crate::budget::Budget;
use crate::masks::outcome::memo::Memo;
use crate::network::follow::Follow;
use crate::threads::Context;

/// The most edges that the partition refinement looks at, over all rounds. Beyond it, no further round is made: states
/// count as not equivalent on longer strings.
const MOST_WORK: usize = 4 << 20;

/// Number of states in the partition refinement from which on the work is shared with a second thread.
const WORTH_A_THREAD: usize = 512;

/// Distance in bytes from a wide state (many outgoing bytes) up to which other states are refined as well. It covers
/// the bytes of an escaped character, and some more.
const NEAR: usize = 12;

/// The most refined states for each wide state (many outgoing bytes), on average. Beyond it, further neighbours of wide
/// states are left out.
const MOST_NEAR: usize = 16;

/// Steps of the budget that are charged for each state: an estimate.
const STEPS_A_STATE: usize = 1 << 5;

/// Equivalence classes of a grammar's states on strings of at most `k` bytes, for every `k`.
#[derive(Debug, Default)]
pub(crate) struct KEquivalence {
    /// Id of the first state of the grammar itself. States with lower ids belong to the vocabulary.
    base: u32,
    /// For each state of the grammar, its reference: the state from whose mask its mask is derived, if any.
    references: References,
    /// The transitions of the grammar's states, with tail calls replaced by the callee's first transitions.
    transitions: OwnTransitionLists,
    /// Which states of the grammar take their outcome (consumed tokens and exit nodes) at the root from another state.
    representatives: Representatives,
    /// The transition table of the refined states. These are the states with many outgoing bytes, and their neighbours.
    /// The table also has the equivalence class of each state after each round.
    rows: TransitionTable,
    /// For each state of the grammar itself, by index from the first such state, whether it has many outgoing bytes.
    /// False if the state reads tokens by their ids.
    is_wide: Vec<bool>,
    /// For each state of the grammar itself, by index from the first such state, whether it has many outgoing bytes. A
    /// state that also reads tokens by their ids counts if its widest edge leads back to it.
    has_default: Vec<bool>,
    /// Memo of outcomes (consumed tokens and exit nodes) below the root of the trie, by equivalence class of states and
    /// trie node.
    remembered: Memo,
}

impl KEquivalence {
    /// Computes the references (sources of other masks), and the equivalence classes of a grammar's states on strings
    /// of `k` bytes for every `k` up to `most`. A state that takes its outcome (consumed tokens and exit nodes) from
    /// another one gets no reference. Incomplete once the budget is spent; the caller has to discard the result then.
    pub(crate) fn new(
        follow: &Follow<'_>,
        representatives: impl FnOnce() -> Representatives + Send,
        most: usize,
        context: Context<'_>,
    ) -> Self {
        let Context { budget, threads } = context;
        let network = follow.network();
        let count = network.own.state_count() as usize;
        // A token edge is met only at the beginning of a string, where the state itself would read the token.
        let no_tokens = !network.reads_tokens();
        let reads_bytes =
            |index: u32| no_tokens || !network.may_read_token(network.own.bases.states + index);
        let mut this = Self {
            base: network.own.bases.states,
            references: References::default(),
            transitions: OwnTransitionLists::new(follow, budget),
            representatives: Representatives::default(),
            rows: TransitionTable::default(),
            is_wide: vec![false; count],
            has_default: vec![false; count],
            remembered: Memo::default(),
        };
        let with_default: Vec<(u32, u32)> = (0..count as u32)
            .take_while(|_| budget.spend(STEPS_A_STATE).is_ok())
            .filter_map(|index| Some((index, widest_target(&this.transitions, follow, index)?)))
            .collect();
        let members: Vec<(u32, u32)> =
            with_default.iter().copied().filter(|&(index, _)| reads_bytes(index)).collect();
        // A result is of no use once the budget is spent, and it takes a while for a large network.
        if budget.check().is_err() {
            return this;
        }
        let active =
            this.with_companions(follow, with_default.iter().map(|&(index, _)| index).collect());
        let mut row_of = vec![NONE; count];
        for (row, &index) in (0..).zip(&active) {
            row_of[index as usize] = row;
        }
        let worth = active.len() >= WORTH_A_THREAD;
        let rounds = || match with_default.len() {
            0 | 1 => Rounds::alone(active.len()),
            _ => this.refined(follow, &active, &row_of, most, budget),
        };
        let table = || TableBuilder::new(network, &this.transitions, &active, &row_of, budget);
        let rest = || threads.both(worth, rounds, table);
        let (representatives, (rounds, table)) = threads.both(worth, representatives, rest);
        this.representatives = representatives;
        if budget.check().is_err() {
            return this;
        }
        let histories = ClassHistories::new(this.base, row_of, rounds);
        let references =
            || References::chosen(follow, &members, &this.representatives, &histories, budget);
        let loops = || table.loops(network, &this.transitions, &histories, context);
        let (references, loops) = threads.both(worth, references, loops);
        this.rows = TransitionTable::new(table, loops, references.are_any(), histories);
        this.references = references;
        for (index, _) in members {
            this.is_wide[index as usize] = true;
        }
        for (index, target) in with_default {
            this.has_default[index as usize] = reads_bytes(index) || target == this.base + index;
        }
        this
    }

    /// Returns the wide states (many outgoing bytes) `members`, and the states at most [`NEAR`] bytes after one. They
    /// are given by index and ascend. At most [`MOST_NEAR`] states for each wide state are returned.
    fn with_companions(&self, follow: &Follow<'_>, members: Vec<u32>) -> Vec<u32> {
        let network = follow.network();
        let most = MOST_NEAR * members.len();
        let mut is_met = vec![false; self.is_wide.len()];
        members.iter().for_each(|&index| is_met[index as usize] = true);
        let mut active = members;
        let mut from = 0;
        for _ in 0..NEAR {
            let to = active.len();
            for at in from..to {
                for edge in self.transitions.of(network, self.base + active[at]).edges {
                    let index = edge.target - self.base;
                    let plain = !follow.first(edge.target).1;
                    if plain && active.len() < most && !is_met[index as usize] {
                        is_met[index as usize] = true;
                        active.push(index);
                    }
                }
            }
            from = to;
        }
        active.sort_unstable();
        active
    }

    /// Whether a state of the grammar is wide: it has at least [`WIDE`](crate::masks::shared::transitions::WIDE)
    /// outgoing bytes, and the target of its widest edge has outgoing edges. False for states that read tokens by their
    /// ids, or with two transitions on one byte.
    pub(crate) fn is_wide(&self, state: u32) -> bool {
        let index = state.checked_sub(self.base);
        index.and_then(|index| self.is_wide.get(index as usize)).is_some_and(|&wide| wide)
    }

    /// Whether a state of the grammar has many outgoing bytes, with outgoing edges at the target of its widest edge. A
    /// state that also reads tokens by their ids counts if its widest edge leads back to the state, as in free text.
    pub(crate) fn has_default(&self, state: u32) -> bool {
        let index = state.checked_sub(self.base);
        index
            .and_then(|index| self.has_default.get(index as usize))
            .is_some_and(|&with_default| with_default)
    }

    /// Returns the transition table of the refined states: those with many outgoing bytes, and their neighbours.
    #[inline]
    pub(crate) fn rows(&self) -> &TransitionTable {
        &self.rows
    }

    /// Returns the index of a state's row in the transition table. `None` if the state has few outgoing bytes and is no
    /// neighbour of one with many.
    #[inline]
    pub(crate) fn row_of(&self, state: u32) -> Option<u32> {
        self.rows.histories().row_of(state)
    }

    /// Returns the approximate memory, in bytes, of the references (sources of other masks) and of the transition
    /// table.
    pub(crate) fn bytes(&self) -> usize {
        self.references.bytes() + self.rows.bytes()
    }

    /// Returns the memo of outcomes (consumed tokens and exit nodes) below the root of the trie, by equivalence class
    /// of states and trie node.
    pub(crate) fn remembered(&self) -> &Memo {
        &self.remembered
    }

    /// Returns which states of the grammar take their outcome (consumed tokens and exit nodes) at the root from another
    /// state.
    pub(crate) fn representatives(&self) -> &Representatives {
        &self.representatives
    }

    /// Returns the equivalence class of each refined state after each round of the partition refinement. Refined are
    /// the states with many outgoing bytes, and their neighbours.
    #[inline]
    pub(crate) fn histories(&self) -> &ClassHistories {
        self.rows.histories()
    }

    /// Returns the transitions of the grammar's states, with tail calls replaced by the callee's first transitions.
    pub(crate) fn transitions(&self) -> &OwnTransitionLists {
        &self.transitions
    }

    /// Returns the reference of a state: the lower state of the grammar from whose mask its mask is derived. The
    /// reference's own mask is not derived. `None` if the state has no reference, or one of the two has no row in the
    /// transition table.
    pub(crate) fn reference(&self, state: u32) -> Option<u32> {
        let has_row = |&state: &u32| self.row_of(state).is_some();
        self.references.of(state).filter(|reference| [state, *reference].iter().all(has_row))
    }

    /// Returns the greatest number of bytes for which two states of the grammar are known to be equivalent.
    /// `usize::MAX` if they are equivalent for all lengths. `None` if they are not known to be equivalent on the empty
    /// string.
    pub(crate) fn length(&self, one: u32, other: u32) -> Option<usize> {
        self.histories().length(one, other)
    }

    /// Returns the id of a state's equivalence class: the states of the grammar known to be equivalent on all strings
    /// of at most `length` bytes.
    #[inline]
    pub(crate) fn class(&self, state: u32, length: usize) -> u32 {
        self.histories().class(state, length)
    }

    /// Whether the calls of two states of the grammar are known to be equivalent on all strings of at most `length`
    /// bytes. Callees are compared for `length` bytes, and the states after the calls for one byte less. `length` must
    /// be at least 1.
    pub(crate) fn call_alike(
        &self,
        network: Joined<'_>,
        [one, other]: [u32; 2],
        length: usize,
    ) -> bool {
        let same = |one: u32, other: u32, length| {
            one == other
                || one != NONE
                    && other != NONE
                    && one >= self.base
                    && other >= self.base
                    && self.class(one, length) == self.class(other, length)
        };
        let [one, other] = [one, other].map(|state| self.transitions.of(network, state).calls);
        one.len() == other.len()
            && one.iter().zip(other).all(|(one, other)| {
                let [first, another] =
                    [one, other].map(|call| network.rule(call.callee).first_state);
                // A callee reads at least one byte before the return state.
                (one.callee == other.callee || same(first, another, length))
                    && same(one.ret, other.ret, length - 1)
            })
    }

    /// Refines the equivalence classes of the `active` states, by one byte more in each round, up to `most` bytes.
    /// States are given by their indexes among the grammar's states. `row_of` has, for each of these by index, its row
    /// in the transition table.
    fn refined(
        &self,
        follow: &Follow<'_>,
        active: &[u32],
        row_of: &[u32],
        most: usize,
        budget: &Budget,
    ) -> Rounds {
        let network = follow.network();
        let count = self.is_wide.len();
        let mut classes: Vec<u32> = (0..count as u32).map(|index| ALONE | index).collect();
        let mut firsts = FxHashMap::default();
        // A state that only returns is left at once. A token may end in the state after it.
        let states = &network.own.states[..count];
        let distinguished = match states.iter().all(|state| state.flags & ARRIVES != 0) {
            true => state_flags::FINAL,
            false => u32::MAX,
        };
        for &index in active {
            let state = self.base + index;
            let next = firsts.len() as u32;
            let after = follow.bytes(follow.rule_of(state)).to_words();
            let key = (after, network.own.states[index as usize].flags & distinguished);
            classes[index as usize] = *firsts.entry(key).or_insert(next);
        }
        let mut rounds = Rounds::new(active.iter().map(|&index| classes[index as usize]));
        let mut partition = refinement(&self.transitions, network, active, classes, budget);
        let (mut work, mut together) = (0, active.len());
        for _ in 0..most {
            if partition.is_stable() {
                rounds.end_at_fixpoint();
                break;
            }
            let round = round(&mut partition, &self.transitions, network, budget);
            let Ok(looked_at) = round else { break };
            work += looked_at;
            let changed = partition.changed().iter();
            let changed = changed.map(|&index| (row_of[index as usize], partition.class(index)));
            together -= rounds.add(changed);
            if together == 0 || work > MOST_WORK || budget.spend(looked_at).is_err() {
                break;
            }
        }
        rounds.end();
        rounds
    }
}

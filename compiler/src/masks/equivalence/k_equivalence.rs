//! k-equivalence: states of a grammar that do the same for `k` bytes, for every `k`.
//!
//! The states of `[a-z]{0,255}` differ in how many characters may still come, which only a token of that length
//! distinguishes. The behaviour of a state on the strings below a node of the trie depends on its first `h` moves alone,
//! with `h` the height of the node. So the states are put into classes of those that do the same for `0, 1, 2, ...` bytes,
//! each round from the last: E. F. Moore, "Gedanken-experiments on sequential machines", 1956, where each round is one
//! longer experiment. Unlike a minimisation, the rounds themselves are the result.
//!
//! States that leave a class get a new number, and the others keep theirs ([`Refinement`](crate::automata::Refinement)). So a
//! round costs as much as changes in it: for a chain, the states of one place.
//!
//! The initial partition distinguishes states only by whether their rule can end there. Counters are ignored, because
//! no mask depends on them.
//!
//! Only states that go on with many bytes, most of them to such states again, take part. Each of the others is in a
//! class by itself, which makes classes finer than they need be and never wrong.
//!
//! Cost: for each round O(edges into states whose class the round before has changed). Rounds end with the highest node
//! of the trie, or where the work is more than it is worth.

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

/// Edges that are looked at before the classes are left as they are.
const MOST_WORK: usize = 4 << 20;

/// States from which on a second thread is worth waking up.
const WORTH_A_THREAD: usize = 512;

/// Bytes from a wide state within which states take part as well: those of an escaped character, and some more.
const NEAR: usize = 12;

/// States that take part for each wide one.
const MOST_NEAR: usize = 16;

/// Steps of a budget that it takes to look at a state, about.
const STEPS_A_STATE: usize = 1 << 5;

/// Classes of a grammar's states that do the same for some bytes.
#[derive(Debug, Default)]
pub(crate) struct KEquivalence {
    base: u32,
    references: References,
    transitions: OwnTransitionLists,
    /// States whose outcomes are those of others.
    representatives: Representatives,
    /// The states that take part, as a table, with their classes.
    rows: TransitionTable,
    /// By index of the state.
    is_wide: Vec<bool>,
    /// By index of the state, whether it is wide, or loops and also reads tokens, such as free text. Within a string of
    /// bytes the latter are like others.
    has_default: Vec<bool>,
    /// Outcomes that walks have found of the states of a class.
    remembered: Memo,
}

impl KEquivalence {
    /// Computes the k-equivalence of a network's own states, for strings of up to `most` bytes. Represented states are
    /// left out.
    pub(crate) fn new(
        follow: &Follow<'_>,
        representatives: impl FnOnce() -> Representatives + Send,
        most: usize,
        context: Context<'_>,
    ) -> Self {
        let Context { budget, threads } = context;
        let network = follow.network();
        let count = network.own.state_count() as usize;
        // Strings of bytes meet no token edge but at their beginning, where the state itself would read the token.
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
        // Of no use is what is made where the budget is spent, and it takes a while for a large network.
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

    /// The members, which are wide, and the states that they lead to before long.
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

    /// Whether an own state goes on with many bytes, most of them to states that have rows as well.
    pub(crate) fn is_wide(&self, state: u32) -> bool {
        let index = state.checked_sub(self.base);
        index.and_then(|index| self.is_wide.get(index as usize)).is_some_and(|&wide| wide)
    }

    /// The same of a state that may also read tokens, as far as bytes go.
    pub(crate) fn has_default(&self, state: u32) -> bool {
        let index = state.checked_sub(self.base);
        index
            .and_then(|index| self.has_default.get(index as usize))
            .is_some_and(|&with_default| with_default)
    }

    /// The states that take part, as a table.
    #[inline]
    pub(crate) fn rows(&self) -> &TransitionTable {
        &self.rows
    }

    /// The row of an own state in it.
    #[inline]
    pub(crate) fn row_of(&self, state: u32) -> Option<u32> {
        self.rows.histories().row_of(state)
    }

    /// Bytes that it takes, about.
    pub(crate) fn bytes(&self) -> usize {
        self.references.bytes() + self.rows.bytes()
    }

    /// Outcomes at nodes below the root of the states of a class.
    pub(crate) fn remembered(&self) -> &Memo {
        &self.remembered
    }

    /// States whose outcomes are those of others.
    pub(crate) fn representatives(&self) -> &Representatives {
        &self.representatives
    }

    /// The classes of the states that take part.
    #[inline]
    pub(crate) fn histories(&self) -> &ClassHistories {
        self.rows.histories()
    }

    /// The transitions of the own states.
    pub(crate) fn transitions(&self) -> &OwnTransitionLists {
        &self.transitions
    }

    /// The state from whose mask the mask of an own state is to be derived: a lower one that has none itself. Both have
    /// rows.
    pub(crate) fn reference(&self, state: u32) -> Option<u32> {
        let has_row = |&state: &u32| self.row_of(state).is_some();
        self.references.of(state).filter(|reference| [state, *reference].iter().all(has_row))
    }

    /// The most bytes for which two own states are known to do the same; none where they differ from the first.
    pub(crate) fn length(&self, one: u32, other: u32) -> Option<usize> {
        self.histories().length(one, other)
    }

    /// A number that an own state shares with those that do the same for `length` bytes.
    #[inline]
    pub(crate) fn class(&self, state: u32, length: usize) -> u32 {
        self.histories().class(state, length)
    }

    /// Whether the calls of two own states are known to do the same with all strings of up to `length` bytes.
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
                // The callee has a byte more than what comes after it.
                (one.callee == other.callee || same(first, another, length))
                    && same(one.ret, other.ret, length - 1)
            })
    }

    /// The classes of the states that take part, for one byte more in each round.
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
        // A state without ways on is left at once, and a token may end where that leads to.
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

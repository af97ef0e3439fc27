//! For how many bytes states of a grammar do the same, and which of them to derive masks from.
//!
//! The states of `[a-z]{0,255}` differ in how many characters may still come, which only a token as long as that can
//! tell. What a state does with the strings below a node of the trie depends on its first `h` moves alone, with `h` the
//! height of the node. So the states are put into classes of those that do the same for `0, 1, 2, ...` bytes, each round
//! from the last: E. F. Moore, "Gedanken-experiments on sequential machines", 1956, where each round is one longer
//! experiment. Unlike a minimisation, the rounds themselves are the result.
//!
//! A class keeps its number from round to round but for the states that leave it ([`partition`](super::partition)), so a
//! round costs what changes in it: for a chain, the states of one place.
//!
//! Two states that come to no more bytes are told apart by whether their rule may end there alone, and what is counted
//! tells none apart: no mask depends on it.
//!
//! Only states that go on with many bytes, most of them to such states again, take part. Each of the others is in a class
//! by itself, which makes classes finer than they need be and never wrong.
//!
//! Cost: O(edges of states that lead to such as have changed their class) for each round; rounds end with the highest
//! node of the trie, or where the work is more than it is worth.

use grammarc_artifacts::sections::network::{ByteEdge, CallEdge, NONE, state_flags};
use grammarc_artifacts::tables::Joined;
use rustc_hash::FxHashMap;

use super::doubles::Doubles;
use super::history::{ALONE, Histories, Rounds};
use super::partition::Partition;
use super::remembered::Remembered;
use super::rows::{Rows, Table};
use super::shared::bytes_of;
use super::walk::WORTH_REMEMBERING;
use crate::budget::Budget;
use crate::network::follow::Follow;
use crate::threads::Means;

/// Edges that are looked at before the classes are left as they are.
const MOST_WORK: usize = 4 << 20;

/// Bytes for which a state does the same as the one that its mask is derived from, the most first. With fewer than the
/// last, the two masks differ in most of their tokens.
const LIKE: [usize; 3] = [16, 8, 4];

/// States that do the same for the most of these bytes, from which on one of them is worth a mask of its own.
const MANY: usize = 8;

/// Most tail calls that are looked through, one from the beginning of the other.
pub(super) const DEEPEST: usize = 16;

/// Flags of a state that say, each of them, that a token may end where a byte leads to it.
pub(super) const ARRIVES: u32 = state_flags::RESTS | state_flags::POP_ONLY;

/// States that take part from which on a second thread is worth waking up.
const WORTH_A_THREAD: usize = 512;

/// Bytes from a wide state within which states take part as well: those of an escaped character, and some more.
const NEAR: usize = 12;

/// States that take part for each wide one.
const MOST_NEAR: usize = 16;

/// [`Moves`] that stand in no table.
type OwnedMoves = (Box<[ByteEdge]>, Box<[CallEdge]>);

/// Steps of a budget that it takes to look through the calls of a state, about.
const STEPS_THROUGH: usize = 1 << 9;

/// Steps of a budget that it takes to look at a state, about.
const STEPS_A_STATE: usize = 1 << 5;

/// Classes of a grammar's states that do the same for some bytes.
#[derive(Debug, Default)]
pub struct Agreement {
    base: u32,
    /// By index of the state, the one to derive its mask from.
    models: Vec<u32>,
    /// The moves of own states that begin with tail calls of own rules.
    through: Vec<OwnedMoves>,
    /// By index of the state, which of those are its own, or [`NONE`].
    through_of: Vec<u32>,
    /// States whose outcomes are those of others.
    doubles: Doubles,
    /// The states that take part, as a table, with their classes.
    rows: Rows,
    /// By index of the state.
    is_wide: Vec<bool>,
    /// By index of the state: the wide ones, and those that stay where they are and read tokens besides, such as free text. Within a
    /// string of bytes these do as others.
    is_swept: Vec<bool>,
    /// What walks have found of the states of a class.
    remembered: Remembered,
}

/// What an own state can do: byte edges in ascending order, and calls. What a tail call of an own rule begins with is
/// among them, since it is done with the same stack.
#[derive(Clone, Copy)]
pub(super) struct Moves<'a> {
    pub(super) edges: &'a [ByteEdge],
    pub(super) calls: &'a [CallEdge],
}

impl Agreement {
    /// The agreement of a network's own states, for strings of up to `most` bytes; of the doubles that are found none is
    /// derived from another state's mask.
    pub(super) fn new(
        follow: &Follow<'_>,
        doubles: impl FnOnce() -> Doubles + Send,
        most: usize,
        means: Means<'_>,
    ) -> Self {
        let Means { budget, threads } = means;
        let network = follow.network();
        let count = network.own.state_count() as usize;
        // Strings of bytes meet no token edge but at their beginning, where the state itself would read the token.
        let no_tokens = !network.reads_tokens();
        let reads_bytes =
            |index: u32| no_tokens || !network.may_read_token(network.own.bases.states + index);
        let (through, through_of) = through(follow, budget);
        let mut this = Self {
            base: network.own.bases.states,
            models: Vec::new(),
            through,
            through_of,
            doubles: Doubles::default(),
            rows: Rows::default(),
            is_wide: vec![false; count],
            is_swept: vec![false; count],
            remembered: Remembered::default(),
        };
        let swept: Vec<(u32, u32)> = (0..count as u32)
            .take_while(|_| budget.spend(STEPS_A_STATE).is_ok())
            .filter_map(|index| Some((index, this.widest_target(follow, index)?)))
            .collect();
        let members: Vec<(u32, u32)> =
            swept.iter().copied().filter(|&(index, _)| reads_bytes(index)).collect();
        // Of no use is what is made where the budget is spent, and it takes a while for a large network.
        if budget.check().is_err() {
            return this;
        }
        let active = this.with_companions(follow, swept.iter().map(|&(index, _)| index).collect());
        let mut row_of = vec![NONE; count];
        for (row, &index) in (0..).zip(&active) {
            row_of[index as usize] = row;
        }
        let worth = active.len() >= WORTH_A_THREAD;
        let rounds = || match swept.len() {
            0 | 1 => Rounds::alone(active.len()),
            _ => this.refined(follow, &active, &row_of, (most, budget)),
        };
        let table = || Table::new(network, &this, &active, &row_of, budget);
        let rest = || threads.both(worth, rounds, table);
        let (doubles, (rounds, table)) = threads.both(worth, doubles, rest);
        this.doubles = doubles;
        if budget.check().is_err() {
            return this;
        }
        let histories = Histories::new(this.base, row_of, rounds);
        let models = || this.chosen_models(follow, &members, &histories, budget);
        let loops = || table.loops(network, &this, &histories, means);
        let (models, loops) = threads.both(worth, models, loops);
        let has_models = models.iter().any(|&model| model != NONE);
        this.models = models;
        this.rows = Rows::new(table, loops, has_models, histories);
        for (index, _) in members {
            this.is_wide[index as usize] = true;
        }
        for (index, target) in swept {
            this.is_swept[index as usize] = reads_bytes(index) || target == this.base + index;
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
                for edge in self.moves(network, self.base + active[at]).edges {
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
    pub(super) fn is_wide(&self, state: u32) -> bool {
        let index = state.checked_sub(self.base);
        index.and_then(|index| self.is_wide.get(index as usize)).is_some_and(|&wide| wide)
    }

    /// The same of a state that may also read tokens, as far as bytes go.
    pub(super) fn is_swept(&self, state: u32) -> bool {
        let index = state.checked_sub(self.base);
        index.and_then(|index| self.is_swept.get(index as usize)).is_some_and(|&swept| swept)
    }

    /// What an own state can do.
    pub(super) fn moves<'a>(&'a self, network: Joined<'a>, state: u32) -> Moves<'a> {
        let index = (state - self.base) as usize;
        let through = self.through_of.get(index).filter(|&&at| at != NONE);
        if let Some(&at) = through {
            let (edges, calls) = &self.through[at as usize];
            return Moves { edges, calls };
        }
        Moves { edges: network.own.byte_edges_of(index), calls: network.own.call_edges_of(index) }
    }

    /// The states that take part, as a table.
    #[inline]
    pub(super) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The row of an own state in it.
    #[inline]
    pub(super) fn row_of(&self, state: u32) -> Option<u32> {
        self.rows.histories().row_of(state)
    }

    /// Bytes that it takes, about.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.models) + self.rows.bytes()
    }

    /// Outcomes at nodes below the root of the states of a class.
    pub(super) fn remembered(&self) -> &Remembered {
        &self.remembered
    }

    /// States whose outcomes are those of others.
    pub(super) fn doubles(&self) -> &Doubles {
        &self.doubles
    }

    /// The classes of the states that take part.
    #[inline]
    pub(super) fn histories(&self) -> &Histories {
        self.rows.histories()
    }

    /// The most bytes for which two own states are known to do the same; none where they differ from the first.
    pub(super) fn length(&self, one: u32, other: u32) -> Option<usize> {
        self.histories().length(one, other)
    }

    /// A number that an own state shares with those that do the same for `length` bytes.
    #[inline]
    pub(super) fn class(&self, state: u32, length: usize) -> u32 {
        self.histories().class(state, length)
    }

    /// Whether the calls of two own states are known to do the same with all strings of up to `length` bytes.
    pub(super) fn call_alike(
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
        let [one, other] = [one, other].map(|state| self.moves(network, state).calls);
        one.len() == other.len()
            && one.iter().zip(other).all(|(one, other)| {
                let [first, another] =
                    [one, other].map(|call| network.rule(call.callee).first_state);
                // The callee has a byte more than what comes after it.
                (one.callee == other.callee || same(first, another, length))
                    && same(one.ret, other.ret, length - 1)
            })
    }

    /// The state from whose mask the mask of an own state is to be derived: a lower one that has none itself. Both have
    /// rows.
    pub(super) fn model(&self, state: u32) -> Option<u32> {
        let model = *self.models.get((state - self.base) as usize)?;
        let has_row = |&state: &u32| self.row_of(state).is_some();
        (model != NONE && [state, model].iter().all(has_row)).then_some(model)
    }

    /// The classes of the states that take part, for one byte more in each round.
    fn refined(
        &self,
        follow: &Follow<'_>,
        active: &[u32],
        row_of: &[u32],
        (most, budget): (usize, &Budget),
    ) -> Rounds {
        let network = follow.network();
        let count = self.is_wide.len();
        let mut classes: Vec<u32> = (0..count as u32).map(|index| ALONE | index).collect();
        let mut firsts = FxHashMap::default();
        // A state without ways on is left at once, and a token may end where that leads to.
        let states = &network.own.states[..count];
        let told = match states.iter().all(|state| state.flags & ARRIVES != 0) {
            true => state_flags::FINAL,
            false => u32::MAX,
        };
        for &index in active {
            let state = self.base + index;
            let next = firsts.len() as u32;
            let after = follow.bytes(follow.rule_of(state)).to_words();
            let key = (after, network.own.states[index as usize].flags & told);
            classes[index as usize] = *firsts.entry(key).or_insert(next);
        }
        let mut rounds = Rounds::new(active.iter().map(|&index| classes[index as usize]));
        let mut partition = Partition::new(self, network, active, classes, (firsts.len(), budget));
        let (mut work, mut together) = (0, active.len());
        for _ in 0..most {
            if partition.is_stable() {
                rounds.settle();
                break;
            }
            let looked_at = partition.round(self, network, budget);
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

    /// How many calls of own rules lie between a state and what they begin with, at most `most`.
    pub(super) fn nesting(&self, network: Joined<'_>, index: u32, most: usize) -> usize {
        let calls = self.moves(network, self.base + index).calls.iter();
        let first = calls.filter_map(|call| self.first_of(network, call.callee));
        let nested = first.map(|first| match most {
            0 => 0,
            most => 1 + self.nesting(network, first, most - 1),
        });
        nested.max().unwrap_or(0)
    }

    /// Index of the state that an own rule begins in.
    pub(super) fn first_of(&self, network: Joined<'_>, rule: u32) -> Option<u32> {
        let is_own = rule >= network.own.bases.rules;
        is_own.then(|| network.rule(rule).first_state - self.base)
    }

    /// A state's model is one whose widest edge leads where its own does, or the first that does the same for the most
    /// bytes. Where many states are much alike and none of them is a model yet, the first becomes one: a walk beside it
    /// is shorter.
    fn chosen_models(
        &self,
        follow: &Follow<'_>,
        members: &[(u32, u32)],
        histories: &Histories,
        budget: &Budget,
    ) -> Vec<u32> {
        let mut models = vec![NONE; self.is_wide.len()];
        let members = || members.iter().filter(|one| !self.doubles.contains(self.base + one.0));
        let classes = |state| LIKE.map(|length| histories.class(state, length));
        let mut alike: FxHashMap<u32, usize> = FxHashMap::default();
        for &(index, _) in members() {
            *alike.entry(classes(self.base + index)[0]).or_default() += 1;
        }
        let mut by_target: FxHashMap<_, u32> = FxHashMap::default();
        // By the place in `LIKE`, and class.
        let mut by_class: FxHashMap<(usize, u32), u32> = FxHashMap::default();
        for &(index, target) in members() {
            if budget.spend(STEPS_A_STATE).is_err() {
                break;
            }
            let state = self.base + index;
            let target = (follow.bytes(follow.rule_of(state)).to_words(), target);
            let classes = classes(state);
            let found = by_target.get(&target).or_else(|| by_class.get(&(0, classes[0]))).copied();
            let is_one_of_many = alike[&classes[0]] >= MANY;
            let found = match found {
                None if !is_one_of_many => {
                    classes.into_iter().enumerate().find_map(|class| by_class.get(&class)).copied()
                }
                found => found,
            };
            match found {
                Some(model) => models[index as usize] = model,
                None => {
                    by_target.insert(target, state);
                    for class in classes.into_iter().enumerate() {
                        by_class.entry(class).or_insert(state);
                    }
                }
            }
        }
        models
    }

    /// Where the widest edge of an own state leads, where that is an own state that goes on with bytes, and the state
    /// goes on with many on edges of its own. One whose calls are what is wide is like the shared state they begin in.
    fn widest_target(&self, follow: &Follow<'_>, index: u32) -> Option<u32> {
        let network = follow.network();
        let state = self.base + index;
        let edges = self.moves(network, state).edges;
        if bytes_of(edges) < WORTH_REMEMBERING || follow.first(state).1 {
            return None;
        }
        let widest = edges.iter().max_by_key(|edge| edge.hi() - edge.lo())?;
        let goes_on = !self.moves(network, widest.target).edges.is_empty();
        goes_on.then_some(widest.target)
    }
}

/// The moves of the own states that tail calls of own rules are looked through for, and by index of the state, which of
/// them are its own.
fn through(follow: &Follow<'_>, budget: &Budget) -> (Vec<OwnedMoves>, Vec<u32>) {
    let own = follow.network().own;
    let is_own = |call: &&CallEdge| call.ret == NONE && call.callee >= own.bases.rules;
    let begin = (0..own.state_count())
        .filter(|&index| own.call_edges_of(index as usize).iter().any(|call| is_own(&call)))
        .map(|index| own.bases.states + index);
    let (mut moves, mut of) = (Vec::new(), vec![NONE; own.state_count() as usize]);
    for state in begin {
        let (mut edges, mut calls) = (Vec::new(), Vec::new());
        if budget.spend(STEPS_THROUGH).is_err() {
            break;
        }
        if !follow.first(state).1 && gather(follow, state, DEEPEST, &mut edges, &mut calls) {
            edges.sort_unstable_by_key(|edge: &ByteEdge| edge.lo());
            of[(state - own.bases.states) as usize] = moves.len() as u32;
            moves.push((edges.into(), calls.into()));
        }
    }
    (moves, of)
}

/// Adds the moves of an own state, or says that they are not just moves.
fn gather(
    follow: &Follow<'_>,
    state: u32,
    depth: usize,
    edges: &mut Vec<ByteEdge>,
    calls: &mut Vec<CallEdge>,
) -> bool {
    let network = follow.network();
    let own = network.own;
    let index = (state - own.bases.states) as usize;
    edges.extend(own.byte_edges_of(index));
    own.call_edges_of(index).iter().all(|call| {
        if call.ret != NONE || call.callee < own.bases.rules {
            calls.push(*call);
            return true;
        }
        let first = network.rule(call.callee).first_state;
        depth > 0 && !follow.first(first).1 && gather(follow, first, depth - 1, edges, calls)
    })
}

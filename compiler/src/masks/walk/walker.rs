//! Running a state over a subtree of the token trie.
//!
//! The *outcome* of state `q` at trie node `v` describes how `q` consumes the byte strings below `v`. An outcome is two
//! sets: the tokens consumed within the rule of `q`, and the nodes of returns from that rule. The mask of a state is
//! its outcome at the root. A follow mask is the union of a return state's outcomes at the nodes of an exit class. An
//! exit class is a set of trie nodes at which a callee returns.
//!
//! Outcomes compose as the runtime composes masks. Where the walk reaches a single configuration `(q', frames)`, the
//! outcome of `q'` alone is enough, continued from the frames at its exits. A known outcome is not walked again; it
//! belongs to a state of the vocabulary or was found by an earlier walk. A state that can do nothing but call a rule is
//! replaced by the callee's first state over one more frame.
//!
//! Within a literal there is one configuration and one byte, so the walk is a look-up of a child for each byte. The
//! tokens that leave a rule of the vocabulary through an exit class and continue in one return state are found once.
//! They serve the return state's follow mask and all walks that return to it.
//!
//! A shortcut that saves a part of a walk puts the remaining subtrees on the [`worklist`](super::worklist). The walker
//! alone processes that list.
//!
//! Cost of a walk. If few bytes are live: O(children with a live byte), and the bytes of their siblings. If many bytes
//! are live: O(nodes reached), some 4 ns each.

use grammarc_artifacts::sections::vocabulary::Trie;

use super::cursor::{Cursor, LiveConfigurations, NODES_A_LOOK};
use super::node_sets::NodeSets;
use super::pair_table::PairTable;
use super::returns::Returns;
use super::scan::{RowScan, Scanner};
use super::shared_reference::ReferenceFinder;
use super::take_over::{NearReference, TakeOver};
use super::worklist::{Floor, Worklist};
use crate::budget::Budget;
use crate::ir::ByteSet;
use crate::masks::equivalence::k_equivalence::KEquivalence;
use crate::masks::outcome::Outcome;
use crate::masks::outcome::builder::OutcomeBuilder;
use crate::masks::outcome::excluded::Excluded;
use crate::masks::outcome::spans::Span;
use crate::masks::shared::facts::VocabularyFacts;
use crate::masks::shared::transitions::WIDE;
use crate::masks::shortcuts::{Shortcut, Shortcuts};
use crate::network::follow::Follow;
use crate::network::lazy_dfa::{Arrival, BOTTOM, Configurations, LazyDfa};

/// The most configurations (state and stack frame) of one set whose outcomes (consumed tokens and exit nodes) are
/// composed one by one. Larger sets are walked as a whole, until few configurations remain.
const MOST_APART: usize = 4;

/// Number of outgoing bytes from which on all children of a trie node are scanned. With fewer bytes, the child of each
/// byte is looked up.
const FEW: usize = 8;

/// Steps of the budget that are charged for a descent below one trie node: an estimate.
const STEPS_DOWN: usize = 1 << 3;

/// The most empty outcomes (consumed tokens and exit nodes) kept for reuse of their memory. Walks are seldom nested
/// deeper than this; beyond it, outcomes are freed.
const MOST_SPARE: usize = 8;

/// Walks of states over one token trie and the automata of all rules, with the facts that earlier walks found.
pub(crate) struct Walker<'a> {
    /// The token trie and the lazily determinized automaton of all rules, which are walked together.
    pub(crate) cursor: Cursor<'a>,
    /// The equivalence classes of the grammar's states on strings of at most `k` bytes, for every `k`.
    pub(crate) equivalence: &'a KEquivalence,
    /// Least number of trie nodes in a subtree whose outcome (consumed tokens and exit nodes) is looked up or memoised.
    /// Also the least number of tokens in a stored mask from which other masks are derived.
    worth: u32,
    /// Trie nodes and subtrees that the walk has still to visit.
    worklist: Worklist,
    /// Pairs of a grammar's configuration (state and stack frame) and a state of the vocabulary's rules, with the bytes
    /// of different transitions.
    pairs: PairTable,
    /// The cache of all searches for a state of the vocabulary's rules whose stored mask nearly equals the mask of a
    /// grammar's state.
    references: ReferenceFinder,
    /// Sets of trie nodes walked together: those reached by one byte string from all nodes of a set of exits (nodes
    /// where a rule returns).
    pub(super) node_sets: NodeSets,
    /// Reused buffers for scans of whole subtrees of the trie.
    scanner: Scanner,
    /// Empty outcomes (consumed tokens and exit nodes), kept to reuse their memory.
    spare: Vec<Outcome>,
}

impl<'a> Walker<'a> {
    /// Returns a walker that has found nothing yet. Subtrees of fewer than `worth` trie nodes are walked each time;
    /// outcomes (consumed tokens and exit nodes) of larger subtrees are memoised.
    pub(crate) fn new(
        follow: &'a Follow<'a>,
        facts: &'a VocabularyFacts,
        equivalence: &'a KEquivalence,
        trie: Trie<'a>,
        worth: u32,
    ) -> Self {
        Self {
            cursor: Cursor::new(follow, facts, trie),
            equivalence,
            worth,
            worklist: Worklist::new(),
            pairs: PairTable::default(),
            references: ReferenceFinder::new(worth),
            node_sets: NodeSets::default(),
            scanner: Scanner::default(),
            spare: Vec::new(),
        }
    }

    /// Limits all walks of this walker by a budget. Once the budget is spent, walks stop early and their outcomes
    /// (consumed tokens and exit nodes) are incomplete; the caller has to discard them.
    pub(crate) fn within(self, budget: &'a Budget) -> Self {
        Self { cursor: self.cursor.within(budget), ..self }
    }

    /// Restricts this walker to the given shortcuts, each a way to save a part of a walk. Outcomes do not depend on
    /// them.
    pub(crate) fn taking(self, shortcuts: Shortcuts) -> Self {
        Self { cursor: self.cursor.taking(shortcuts), ..self }
    }

    /// Returns the lazily determinized automaton of all rules, with all sets of configurations (state and stack frame)
    /// met so far.
    pub(crate) fn sets(&mut self) -> &mut LazyDfa<'a> {
        &mut self.cursor.sets
    }

    /// Returns the outcome of `state` at the root of the trie: the tokens consumed within its rule, and the nodes at
    /// which the rule returns.
    pub(crate) fn base(&mut self, state: u32) -> Outcome {
        let mut builder = self.begin(state);
        let reached = self.cursor.sets.after_returns(state, BOTTOM);
        if reached.exits {
            builder.leave(0);
        }
        let floor = self.worklist.floor();
        if let Some((byte, next)) = self.cursor.sets.only(reached.at) {
            // Most states are within a literal, which continues with one byte.
            if let Some(child) = self.cursor.facts.children().on(0, byte) {
                self.go_on_with(child, next, &mut builder);
            }
        } else if !self.take_over().take(reached.at, &mut builder) {
            match self.wide_row(state) {
                Some(row) => self.scan_row(row, 0, &mut builder),
                None => {
                    let way = self.cursor.live_configurations(reached.at);
                    self.descend(way, 0, &mut builder);
                }
            }
        }
        self.drain(floor, &mut builder);
        builder.outcome.normalize();
        builder.outcome
    }

    /// Returns a state of the vocabulary's rules with nearly the outcome of a state of the grammar: they differ below
    /// few trie nodes. Also returns the configuration (state and stack frame) of the grammar's state. `None` if there
    /// is no such state, or if there are several configurations.
    pub(crate) fn near(&mut self, state: u32) -> Option<NearReference> {
        self.take_over().near(state)
    }

    /// Returns the outcome (consumed tokens and exit nodes) of a state of the grammar at the root of the trie. It is
    /// derived from the state of the vocabulary's rules that [`near`](Self::near) found.
    pub(crate) fn base_near(&mut self, state: u32, found: NearReference) -> Outcome {
        let mut builder = self.begin(state);
        if self.cursor.sets.after_returns(state, BOTTOM).exits {
            builder.leave(0);
        }
        let floor = self.worklist.floor();
        self.take_over().take_from(found, &mut builder);
        self.drain(floor, &mut builder);
        builder.outcome.normalize();
        builder.outcome
    }

    /// Returns the tokens that return from a callee at some trie nodes and continue in the return state `ret`. Also
    /// returns the nodes at which the rule of `ret` then returns itself.
    ///
    /// The result is the union of the outcomes of `ret` at the trie nodes `nodes` and at the root. `at_root` is the
    /// outcome at the root, if the callee may return there; `nodes` lacks the root. `shared` is the id of the
    /// vocabulary's set of exits with all these nodes, if it has one.
    pub(crate) fn follow(
        &mut self,
        ret: u32,
        at_root: Option<Outcome>,
        nodes: &[u32],
        shared: Option<u32>,
    ) -> Outcome {
        let floor = self.worklist.floor();
        let mut builder = self.begin(ret);
        if let Some(outcome) = at_root {
            builder.outcome = outcome;
        }
        match shared {
            Some(class) => {
                let none = Excluded::default();
                self.returns().leave_through((ret, BOTTOM), class, nodes, &none, &mut builder);
            }
            None => self.returns().run(ret, BOTTOM, nodes.iter().copied(), &mut builder),
        }
        self.drain(floor, &mut builder);
        builder.outcome.normalize();
        builder.outcome
    }

    /// Returns an empty builder for the outcome (consumed tokens and exit nodes) of `state`. Exit nodes are kept only
    /// if a byte that may follow the rule of `state` lies below them.
    pub(crate) fn begin(&mut self, state: u32) -> OutcomeBuilder<'a> {
        self.begin_before(self.cursor.follow.bytes(self.cursor.follow.rule_of(state)))
    }

    /// Returns an empty builder for an outcome (consumed tokens and exit nodes) whose rule may be followed by the bytes
    /// `after`. Exit nodes without such a byte below them are left out.
    pub(crate) fn begin_before(&mut self, after: ByteSet) -> OutcomeBuilder<'a> {
        let mut outcome = self.spare.pop().unwrap_or_default();
        // Most outcomes have fewer spans of ranks: before a string, a state has 57.
        outcome.spans.reserve(64);
        OutcomeBuilder::new(outcome, after, self.cursor.facts.children())
    }

    /// Takes back an outcome (consumed tokens and exit nodes) that is no longer needed, to reuse its memory. Beyond
    /// [`MOST_SPARE`] outcomes, it is freed.
    pub(crate) fn give_back(&mut self, mut outcome: Outcome) {
        if self.spare.len() < MOST_SPARE {
            outcome.clear();
            self.spare.push(outcome);
        }
    }

    /// Adds to `builder` the outcome (consumed tokens and exit nodes) of all strings that go through the trie node
    /// `child`. `at` are the configurations (state and stack frame) at the parent of `child`.
    pub(crate) fn visit(
        &mut self,
        at: Configurations,
        child: u32,
        builder: &mut OutcomeBuilder<'a>,
    ) {
        let reached = self.cursor.sets.step(at, self.cursor.trie.byte[child as usize]);
        self.visit_from(child, reached, builder);
    }

    /// Adds to `builder` the outcome (consumed tokens and exit nodes) of all strings that go through the trie node
    /// `node`. `reached` are the configurations (state and stack frame) at `node` itself.
    pub(crate) fn visit_from(
        &mut self,
        node: u32,
        reached: Arrival,
        builder: &mut OutcomeBuilder<'a>,
    ) {
        let floor = self.worklist.floor();
        self.go_on_with(node, reached, builder);
        self.drain(floor, builder);
    }

    /// Processes the worklist (parts still to visit) until no item above `floor` is left. Items below belong to an
    /// outer walk. Once the budget is spent, drops the remaining items.
    fn drain(&mut self, floor: Floor, builder: &mut OutcomeBuilder<'a>) {
        let trie = self.cursor.trie;
        let mut steps = 0;
        loop {
            while let Some((node, at)) = self.worklist.next_visit(floor) {
                steps += 1;
                if usize::is_multiple_of(steps, NODES_A_LOOK)
                    && self.cursor.sets.is_late(NODES_A_LOOK)
                {
                    self.worklist.drop_to(floor);
                }
                let reached = self.cursor.sets.step(at, trie.byte[node as usize]);
                self.go_on_with(node, reached, builder);
            }
            let Some((node, way)) = self.worklist.next_below(floor) else { return };
            self.descend(way, node, builder);
        }
    }

    /// Adds to `builder` the outcome (consumed tokens and exit nodes) of all strings that go through the trie node
    /// `node`. `reached` are the configurations (state and stack frame) at `node`. Follows a single outgoing byte at
    /// once. At a branch, queues visits on the worklist (parts still to visit).
    #[inline]
    fn go_on_with(
        &mut self,
        mut node: u32,
        mut reached: Arrival,
        builder: &mut OutcomeBuilder<'a>,
    ) {
        let trie = self.cursor.trie;
        loop {
            if reached.is_dead() {
                break;
            }
            if reached.ends {
                builder.outcome.add_span(trie.tokens_at(node));
            }
            if self.cursor.facts.children().is_leaf(node) {
                break;
            }
            if reached.exits {
                builder.leave(node);
            }
            // Within a literal, one byte continues.
            let Some((byte, next)) = self.cursor.sets.only(reached.at) else {
                let way = self.cursor.live_configurations(reached.at);
                self.descend(way, node, builder);
                break;
            };
            let Some(child) = self.cursor.facts.children().on(node, byte) else { break };
            (node, reached) = (child, next);
        }
    }

    /// Adds to `builder` the outcome (consumed tokens and exit nodes) of the strings below `node`. `way` has the
    /// configurations (state and stack frame) at the node. Takes a known outcome at once, and queues visits of children
    /// otherwise. Does nothing once the budget is spent.
    fn descend(&mut self, way: LiveConfigurations, node: u32, builder: &mut OutcomeBuilder<'a>) {
        if self.cursor.sets.is_late(STEPS_DOWN) {
            return;
        }
        if let Some((state, frame)) = way.one
            && self.compose(state, frame, node, builder)
        {
            return;
        }
        let size = self.cursor.facts.nodes().end(node) - node;
        if !way.is_wide {
            self.open(way, node);
            return;
        }
        if size < self.worth {
            self.scanner.scan(&mut self.cursor, way.at, node, builder);
        } else if way.one.is_some() || !self.compose_each(way.at, node, builder) {
            self.open(way, node);
        }
    }

    /// Adds to `builder` the outcomes (consumed tokens and exit nodes) of several configurations (state and stack
    /// frame) at `node` one by one. Returns false, and adds nothing, if there are more than [`MOST_APART`] or if one
    /// with many outgoing bytes cannot be composed.
    ///
    /// An object's key is an example: it may be the prefix of a named key, and also lie within any other key.
    fn compose_each(
        &mut self,
        at: Configurations,
        node: u32,
        builder: &mut OutcomeBuilder<'a>,
    ) -> bool {
        let mut each = [(0, 0); MOST_APART];
        let mut count = 0;
        for configuration in self.cursor.sets.configurations(&at) {
            let Some(place) = each.get_mut(count) else { return false };
            (*place, count) = (configuration, count + 1);
        }
        let mut ways = [None; MOST_APART];
        for (place, &(state, frame)) in ways.iter_mut().zip(&each[..count]) {
            let way = self.cursor.live_configurations(Configurations::One(state, frame));
            if way.is_wide && way.one.is_none() {
                return false;
            }
            *place = Some(way);
        }
        ways.into_iter().flatten().for_each(|way| self.descend(way, node, builder));
        true
    }

    /// Queues visits to those children of the trie node `node` whose bytes the configurations (state and stack frame)
    /// can consume.
    fn open(&mut self, LiveConfigurations { at, live, .. }: LiveConfigurations, node: u32) {
        let children = self.cursor.facts.children();
        if live.has_at_least(FEW) {
            let on = children.of(node).filter(|&(byte, _)| live.contains(byte));
            self.worklist.visit_all(at, on.map(|(_, child)| child));
        } else {
            let on = live.iter().filter_map(|byte| children.on(node, byte));
            self.worklist.visit_all(at, on);
        }
    }

    /// Adds to `builder` the outcome (consumed tokens and exit nodes) of `state` at `node`. Continues from the local
    /// stack frame `frame` (pushed during the walk) at its exits.
    ///
    /// Returns false, and adds nothing, if the outcome is neither known nor worth memoising. Then the subtree is small,
    /// or the state has few outgoing bytes.
    fn compose(
        &mut self,
        state: u32,
        frame: u32,
        node: u32,
        builder: &mut OutcomeBuilder<'a>,
    ) -> bool {
        let size = self.cursor.facts.nodes().end(node) - node;
        let own = state >= self.cursor.follow.network().own.bases.states;
        if size < self.worth {
            let Some(row) = self.wide_row(state).filter(|_| frame == BOTTOM) else { return false };
            self.scan_alone(state, row, node, builder);
            return true;
        }
        let (remembered, key, after) = if own {
            let live = self.cursor.live(&Configurations::One(state, BOTTOM));
            if !live.has_at_least(WIDE) || node == 0 {
                return false;
            }
            if self.wide_row(state).is_none()
                && self.take_over().take_below((state, frame), node, builder)
            {
                return true;
            }
            let class = self.equivalence.class(state, self.cursor.facts.nodes().height(node));
            let after = self.cursor.follow.bytes(self.cursor.follow.rule_of(state));
            (self.equivalence.remembered(), (class, node), after)
        } else {
            (self.cursor.facts.walked(), (self.cursor.facts.like(state), node), ByteSet::FULL)
        };
        let known = self.cursor.has(Shortcut::Memo).then(|| remembered.get(key)).flatten();
        if known.is_some() {
            self.cursor.count(Shortcut::Memo);
        }
        let outcome = known.unwrap_or_else(|| {
            let found = self.alone(state, node, after);
            let kept = remembered.insert(key, &found);
            self.give_back(found);
            kept
        });
        let spans = outcome.spans();
        self.cursor.sets.is_late(spans.len());
        spans.iter().for_each(|span| builder.outcome.add_span(span.range()));
        self.returns().go_on(frame, outcome.exits(), builder);
        true
    }

    /// Returns the outcome (consumed tokens and exit nodes) of `state` at `node`, independent of the callers of its
    /// rule. Exit nodes are kept if a byte of `after` lies below them.
    fn alone(&mut self, state: u32, node: u32, after: ByteSet) -> Outcome {
        let floor = self.worklist.floor();
        let mut builder = self.begin_before(after);
        if let Some(row) = self.wide_row(state) {
            self.scan_alone(state, row, node, &mut builder);
        } else {
            if self.cursor.follow.is_final(state) {
                builder.leave(node);
            }
            let way = self.cursor.live_configurations(Configurations::One(state, BOTTOM));
            self.open(way, node);
        }
        self.drain(floor, &mut builder);
        builder.outcome.normalize();
        builder.outcome
    }

    /// Returns the index of a state's row in the transition table. `None` if the state has no row, has few outgoing
    /// bytes, or if the table is not to be used.
    fn wide_row(&self, state: u32) -> Option<u32> {
        let row = self.equivalence.row_of(state).filter(|_| self.equivalence.has_default(state));
        row.filter(|_| self.cursor.has(Shortcut::TransitionTable))
    }

    /// Adds to `builder` the outcome (consumed tokens and exit nodes) of the strings below `node`, for the state of a
    /// row of the transition table. The local stack must be empty (no call still open).
    fn scan_row(&mut self, row: u32, node: u32, builder: &mut OutcomeBuilder<'a>) {
        let Self { cursor, equivalence, scanner, worklist, .. } = self;
        cursor.count(Shortcut::TransitionTable);
        let table = equivalence.rows();
        RowScan { cursor, table, worklist, scanner }.scan(row, node, builder);
    }

    /// Adds to `builder` the outcome (consumed tokens and exit nodes) of a state at `node` by a scan of its row in the
    /// transition table. The outcome is independent of the callers of the state's rule.
    fn scan_alone(&mut self, state: u32, row: u32, node: u32, builder: &mut OutcomeBuilder<'a>) {
        if self.cursor.follow.is_final(state) {
            builder.leave(node);
        }
        self.scan_row(row, node, builder);
    }

    /// Returns the part of the walk that continues from return states, the states after a call.
    fn returns(&mut self) -> Returns<'_, 'a> {
        let Self { cursor, worklist, node_sets, .. } = self;
        Returns { cursor, worklist, node_sets }
    }

    /// Returns the part of the walk that takes outcomes (consumed tokens and exit nodes) over from states of the
    /// vocabulary's rules with stored masks.
    fn take_over(&mut self) -> TakeOver<'_, 'a> {
        let Self { cursor, worklist, node_sets, pairs, references, .. } = self;
        TakeOver { returns: Returns { cursor, worklist, node_sets }, pairs, references }
    }
}

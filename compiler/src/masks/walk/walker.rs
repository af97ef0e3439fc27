//! Running a state over a subtree of the token trie.
//!
//! The outcome of state `q` at node `v` describes how `q` consumes the byte strings below `v`. An
//! outcome is two sets: the tokens consumed within `q`'s rule, and the nodes at which a token leaves that rule. A base
//! mask is the outcome at the root. A follow mask is the union of a return state's outcomes at the nodes of an exit class.
//!
//! Outcomes compose as the runtime composes masks: where the walk reaches a single configuration `(q', frames)`, the
//! outcome of `q'` alone is enough, continued from the frames at its exits. A known outcome, of a shared `q'` or of
//! an earlier walk, is not walked again. A state that can do nothing but call a rule is
//! replaced by the callee's first state over one more frame.
//!
//! Within a literal there is one configuration and one byte, so the walk is a look-up of a child for each byte. The
//! tokens that come after a shared rule's exit class over a return state are found once, for the return state's own
//! follow mask and for all walks that come back to it.
//!
//! A shortcut that saves a part of a walk puts the rest of it on the [`worklist`](super::worklist); the walker alone
//! works it off.
//!
//! Cost of a walk: O(children with a byte that the configurations can consume), and the bytes of their siblings, where
//! those bytes are few; O(nodes reached), some 4 ns each, where they are many.

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

/// Configurations that are composed one by one. The rest is walked for each where they meet again.
const MOST_APART: usize = 4;

/// So many bytes are found sooner by looking at all children.
const FEW: usize = 8;

/// Steps of a budget that it takes to go down from a node, about.
const STEPS_DOWN: usize = 1 << 3;

/// Outcomes whose room is kept: as many as walks are within each other, mostly.
const MOST_SPARE: usize = 8;

/// Walks over one trie and network, with what they have learnt.
pub(crate) struct Walker<'a> {
    pub(crate) cursor: Cursor<'a>,
    pub(crate) equivalence: &'a KEquivalence,
    /// Nodes of a subtree, or tokens of a mask, that are worth composing.
    worth: u32,
    worklist: Worklist,
    /// Own configurations beside shared ones.
    pairs: PairTable,
    references: ReferenceFinder,
    pub(super) node_sets: NodeSets,
    scanner: Scanner,
    /// Outcomes that are no longer needed, for the room that they have.
    spare: Vec<Outcome>,
}

impl<'a> Walker<'a> {
    /// A walker that has learnt nothing yet. Subtrees of fewer than `worth` nodes are walked each time.
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

    /// The same, as long as a budget lasts. Of no use is what is found once it is spent.
    pub(crate) fn within(self, budget: &'a Budget) -> Self {
        Self { cursor: self.cursor.within(budget), ..self }
    }

    /// The same with these shortcuts.
    pub(crate) fn taking(self, shortcuts: Shortcuts) -> Self {
        Self { cursor: self.cursor.taking(shortcuts), ..self }
    }

    /// The sets met.
    pub(crate) fn sets(&mut self) -> &mut LazyDfa<'a> {
        &mut self.cursor.sets
    }

    /// The outcome of `state` at the root.
    pub(crate) fn base(&mut self, state: u32) -> Outcome {
        let mut builder = self.begin(state);
        let reached = self.cursor.sets.after_returns(state, BOTTOM);
        if reached.exits {
            builder.leave(0);
        }
        let floor = self.worklist.floor();
        if let Some((byte, next)) = self.cursor.sets.only(reached.at) {
            // Most states are within a literal.
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

    /// Returns the configuration of an own state, and a shared reference from which it differs below few nodes.
    pub(crate) fn near(&mut self, state: u32) -> Option<NearReference> {
        self.take_over().near(state)
    }

    /// Returns the outcome at the root of an own state that `near` found a shared reference for.
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

    /// The union of the outcomes of the return state `ret` at the nodes of an exit class but for the root, and of
    /// `at_root`, its outcome there where the root is one of them; `shared` is the class's number where it is one of the
    /// vocabulary's.
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

    /// An outcome to come of the walk of a state.
    pub(crate) fn begin(&mut self, state: u32) -> OutcomeBuilder<'a> {
        self.begin_before(self.cursor.follow.bytes(self.cursor.follow.rule_of(state)))
    }

    /// The same where these bytes may come after the rule.
    pub(crate) fn begin_before(&mut self, after: ByteSet) -> OutcomeBuilder<'a> {
        let mut outcome = self.spare.pop().unwrap_or_default();
        // Most outcomes are of fewer spans: those of a state before a string are 57.
        outcome.spans.reserve(64);
        OutcomeBuilder::new(outcome, after, self.cursor.facts.children())
    }

    /// Gives an outcome back that is no longer needed, for the next.
    pub(crate) fn give_back(&mut self, mut outcome: Outcome) {
        if self.spare.len() < MOST_SPARE {
            outcome.clear();
            self.spare.push(outcome);
        }
    }

    /// Adds what becomes of the strings that begin with `child`, from the configurations at its parent.
    pub(crate) fn visit(
        &mut self,
        at: Configurations,
        child: u32,
        builder: &mut OutcomeBuilder<'a>,
    ) {
        let reached = self.cursor.sets.step(at, self.cursor.trie.byte[child as usize]);
        self.visit_from(child, reached, builder);
    }

    /// Adds the outcome of the strings that lead to `node` and of those below, from the configurations `reached` there.
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

    /// Does what is to do, down to `floor`.
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

    /// Adds the outcome of the strings that lead to `node`, with the configurations `reached`, and of the strings
    /// below, by visits to come if there is more than one way on.
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
            // Within a literal there is one way on.
            let Some((byte, next)) = self.cursor.sets.only(reached.at) else {
                let way = self.cursor.live_configurations(reached.at);
                self.descend(way, node, builder);
                break;
            };
            let Some(child) = self.cursor.facts.children().on(node, byte) else { break };
            (node, reached) = (child, next);
        }
    }

    /// Adds what becomes of the strings below `node`, at once where it is known and otherwise by visits to come.
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

    /// Adds the outcomes at `node` of several configurations one by one, if those with many outgoing bytes are known or
    /// worth knowing. An object's key may be on its way to one member of the object and within any other.
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

    /// Has the children of `node` visited on whose bytes the configurations go on.
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

    /// Adds the outcome of `state` at `node`, continued from `frame` at its exits, where it is known or worth knowing.
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

    /// The outcome of `state` at `node` whatever its rule is called from, where these bytes may come after it.
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

    /// The row of a state that is worth scanning.
    fn wide_row(&self, state: u32) -> Option<u32> {
        let row = self.equivalence.row_of(state).filter(|_| self.equivalence.has_default(state));
        row.filter(|_| self.cursor.has(Shortcut::TransitionTable))
    }

    /// Adds what becomes of the strings below `node` in the state of a row with nothing on the local stack.
    fn scan_row(&mut self, row: u32, node: u32, builder: &mut OutcomeBuilder<'a>) {
        let Self { cursor, equivalence, scanner, worklist, .. } = self;
        cursor.count(Shortcut::TransitionTable);
        let table = equivalence.rows();
        RowScan { cursor, table, worklist, scanner }.scan(row, node, builder);
    }

    /// Adds the outcome of a state with a row at `node` whatever its rule is called from.
    fn scan_alone(&mut self, state: u32, row: u32, node: u32, builder: &mut OutcomeBuilder<'a>) {
        if self.cursor.follow.is_final(state) {
            builder.leave(node);
        }
        self.scan_row(row, node, builder);
    }

    /// Returns the part of the walk that continues from return states.
    fn returns(&mut self) -> Returns<'_, 'a> {
        let Self { cursor, worklist, node_sets, .. } = self;
        Returns { cursor, worklist, node_sets }
    }

    /// Returns the part of the walk that takes outcomes over from shared references.
    fn take_over(&mut self) -> TakeOver<'_, 'a> {
        let Self { cursor, worklist, node_sets, pairs, references, .. } = self;
        TakeOver { returns: Returns { cursor, worklist, node_sets }, pairs, references }
    }
}

//! Running a state over a subtree of the token trie.
//!
//! The outcome of state `q` at node `v` is what happens to the byte strings below `v` when `q` consumes them: the tokens
//! consumed without leaving `q`'s rule, and the nodes at which the rule is left with bytes still to go. A base mask is
//! the outcome at the root; a follow mask is the union of a return state's outcomes at the nodes of an exit class.
//!
//! Outcomes compose as the runtime composes masks: where the walk reaches a single configuration `(q', frames)`, the
//! outcome of `q'` alone is enough, continued from the frames at its exits. What is known of a shared `q'`, or was
//! walked for a `q'` before, is not walked again. A state that can do nothing but call a rule is looked through: what
//! counts is the state that the call begins in, over one more frame.
//!
//! Within a literal there is one configuration and one byte, so the walk is a look-up of a child for each byte. What comes
//! after a shared rule's exit class over a return state is found once, for the return state's own follow mask and for
//! all walks that come back to it.
//!
//! A node at which a rule is left matters only if some byte below it may come after the rule, so the others are left
//! out: the exit classes of an identifier that may end anywhere shrink to the few nodes where it does.
//!
//! Cost of a walk: O(children with a byte that the configurations can consume), and the bytes of their siblings, where
//! those bytes are few; O(nodes reached), some 4 ns each, where they are many.

use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::sections::vocabulary::Trie;
use rustc_hash::FxHashMap;

use super::moves::{EdgeTarget, MoveTable};
use super::node_sets::NodeSets;
use super::pair_table::Continuation;
use super::pair_table::PairTable;
use crate::budget::Budget;
use crate::ir::ByteSet;
use crate::masks::derive::char_runs::CharRuns;
use crate::masks::encode::encoder::{Computed, Encoder, Scratch};
use crate::masks::encode::nearest_row::SharedRows;
use crate::masks::equivalence::k_equivalence::KEquivalence;
use crate::masks::outcome::Outcome;
use crate::masks::outcome::arena::{Arena, KeptOutcome};
use crate::masks::outcome::excluded::Excluded;
use crate::masks::outcome::spans::Span;
use crate::masks::shared::exits::class_nodes;
use crate::masks::shared::facts::VocabularyFacts;
use crate::network::follow::Follow;
use crate::network::local::{At, BOTTOM, LocalSets, Reached};

/// States that go on with at least this many bytes have their outcomes at wide nodes remembered; walking the others
/// is as cheap as remembering.
pub(crate) const WORTH_REMEMBERING: usize = 8;

/// Configurations that are composed one by one. Where they meet again, what follows is walked for each.
const MOST_APART: usize = 4;

/// So many bytes are found sooner by looking at all children.
const FEW: usize = 8;

/// An outcome under construction.
pub(crate) struct OutcomeBuilder {
    pub(crate) outcome: Outcome,
    /// Bytes that may come after the rule the walk began in.
    pub(crate) after: ByteSet,
}

/// Nodes that a walk looks at between two looks at the budget.
pub(crate) const NODES_A_LOOK: usize = 1 << 6;

/// Steps of a budget that it takes to go down from a node, about.
const STEPS_DOWN: usize = 1 << 3;

/// Outcomes whose room is kept: as many as walks are within each other, mostly.
const MOST_SPARE: usize = 8;

/// Sets and visits to come that there is room for at first.
const ROOM: usize = 64;

/// Configurations to go on from.
#[derive(Clone, Copy)]
pub(crate) struct LiveConfigurations {
    pub(crate) at: At,
    /// Bytes with which they go on.
    pub(crate) live: ByteSet,
    /// Whether those are many.
    pub(crate) is_wide: bool,
    /// The configuration that counts, where there is one and a token may end on its stack.
    one: Option<(u32, u32)>,
}

/// Walks over one trie and network, with what they have learnt.
pub(crate) struct Walker<'a> {
    pub(crate) trie: Trie<'a>,
    pub(crate) follow: &'a Follow<'a>,
    pub(crate) known: &'a VocabularyFacts,
    pub(crate) agreement: &'a KEquivalence,
    /// Nodes of a subtree, or tokens of a mask, that are worth composing.
    pub(crate) worth: u32,
    pub(crate) sets: LocalSets<'a>,
    pub(crate) moves: MoveTable,
    /// Own states held against shared ones.
    pub(crate) pairs: PairTable,
    /// By frame, where a walk goes on that leaves the callee.
    pub(crate) after_frame: FxHashMap<u32, Option<Continuation>>,
    /// By index of the own state, what an edge to it comes to with nothing on the stack.
    pub(crate) arrived: Vec<Option<EdgeTarget>>,
    /// By shared exit class and frame, what comes after the class.
    pub(crate) after_class: FxHashMap<(u32, u32), Option<KeptOutcome>>,
    /// Where that is kept.
    pub(crate) keeper: Arena,
    /// Outcomes that are no longer needed, for the room that they have.
    spare: Vec<Outcome>,
    /// What comes after all nodes of shared exit classes.
    pub(crate) fronts: NodeSets,
    /// Nodes to visit, the next one last, and the configurations at their parents.
    todo: Vec<(u32, At)>,
    /// By interned set, what is to be known of it.
    ways: Vec<Option<LiveConfigurations>>,
    /// By depth, the row that a sweep has come to.
    pub(crate) lane: Vec<u32>,
    /// Ends of the subtrees that are being swept, and the configurations at their roots.
    pub(crate) path: Vec<(u32, At)>,
    /// Room to draw what was found in, once that is done ahead.
    brush: Option<Scratch>,
    /// The stretches of states, where they are known.
    pub(crate) stretches: Option<&'a CharRuns>,
}

impl<'a> Walker<'a> {
    /// A walker that has learnt nothing yet. Subtrees of fewer than `worth` nodes are walked each time.
    pub(crate) fn new(
        follow: &'a Follow<'a>,
        known: &'a VocabularyFacts,
        agreement: &'a KEquivalence,
        trie: Trie<'a>,
        worth: u32,
    ) -> Self {
        Self {
            trie,
            follow,
            known,
            agreement,
            worth,
            sets: LocalSets::new(follow.network()),
            moves: MoveTable::new(),
            pairs: PairTable::default(),
            after_frame: FxHashMap::default(),
            arrived: Vec::new(),
            after_class: FxHashMap::default(),
            keeper: Arena::default(),
            spare: Vec::new(),
            fronts: NodeSets::default(),
            todo: Vec::with_capacity(ROOM),
            ways: Vec::with_capacity(ROOM),
            lane: Vec::new(),
            path: Vec::new(),
            brush: None,
            stretches: None,
        }
    }

    /// The same, with what is known of the stretches of states.
    pub(crate) fn with_stretches(self, stretches: &'a CharRuns) -> Self {
        Self { stretches: Some(stretches), ..self }
    }

    /// The same, as long as a budget lasts. Of no use is what is found once it is spent.
    pub(crate) fn within(self, budget: &'a Budget) -> Self {
        Self { sets: self.sets.within(budget), ..self }
    }

    /// The sets met.
    pub(crate) fn sets(&mut self) -> &mut LocalSets<'a> {
        &mut self.sets
    }

    /// The outcome of `state` at the root.
    pub(crate) fn base(&mut self, state: u32) -> Outcome {
        if let Some(outcome) = self.base_along(state) {
            return outcome;
        }
        let mut building = self.begin(state);
        let reached = self.sets.settled(state, BOTTOM);
        if reached.exits {
            self.leave(0, &mut building);
        }
        let floor = self.todo.len();
        if let Some((byte, next)) = self.sets.only(reached.at) {
            // Most states are within a literal.
            if let Some(child) = self.known.children().on(0, byte) {
                self.go_on_with(child, next, &mut building);
                self.drain(floor, &mut building);
            }
        } else if !self.take(reached.at, &mut building) {
            match self.wide_row(state) {
                Some(row) => self.sweep_rows(row, 0, &mut building),
                None => {
                    let way = self.way(reached.at);
                    self.go_below(way, 0, &mut building);
                }
            }
        }
        building.outcome.normalize();
        building.outcome
    }

    /// The union of the outcomes of the return state `ret` at the nodes of an exit class; `shared` is the class's
    /// number where it is one of the vocabulary's.
    pub(crate) fn follow(&mut self, ret: u32, nodes: &[u32], shared: Option<u32>) -> Outcome {
        let (mut building, at_root) = match nodes.first() {
            Some(0) => (OutcomeBuilder { outcome: self.base(ret), ..self.begin(ret) }, 1),
            _ => (self.begin(ret), 0),
        };
        match shared {
            Some(class) => {
                let frame = self.sets.push(ret, BOTTOM);
                match self.whole(class, frame) {
                    Some(whole) => self.add_whole(&whole, &mut building),
                    None => {
                        let (nodes, none) = (&nodes[at_root..], Excluded::default());
                        self.leave_through((ret, BOTTOM), class, nodes, &none, &mut building)
                    }
                }
            }
            None => self.run((ret, BOTTOM), nodes[at_root..].iter().copied(), &mut building),
        }
        building.outcome.normalize();
        building.outcome
    }

    /// Draws the tokens of what was found, unless the same was drawn here before, and holds a row of them against the
    /// vocabulary's.
    pub(crate) fn draw(&mut self, sources: &Encoder<'_>, found: &mut Computed) {
        let shared = self.follow.network().shared;
        let brush = self.brush.get_or_insert_with(|| Scratch::new(shared.row_words as usize));
        sources.draw_new(found, brush);
        let rows = SharedRows::new(shared, self.known, sources.lengths());
        found.drawn.iter_mut().for_each(|drawn| rows.look(drawn));
    }

    /// An outcome to come of the walk of a state.
    pub(crate) fn begin(&mut self, state: u32) -> OutcomeBuilder {
        self.begin_before(self.follow.bytes(self.follow.rule_of(state)))
    }

    /// The same where these bytes may come after the rule.
    pub(crate) fn begin_before(&mut self, after: ByteSet) -> OutcomeBuilder {
        let mut outcome = self.spare.pop().unwrap_or_default();
        // Most outcomes are of fewer spans: those of a state before a string are 57.
        outcome.spans.reserve(64);
        OutcomeBuilder { outcome, after }
    }

    /// Gives an outcome back that is no longer needed, for the next.
    pub(crate) fn give_back(&mut self, mut outcome: Outcome) {
        if self.spare.len() < MOST_SPARE {
            outcome.clear();
            self.spare.push(outcome);
        }
    }

    /// Adds the outcomes at `nodes` of `state` over the local frame `frame`.
    fn run(
        &mut self,
        (state, frame): (u32, u32),
        nodes: impl Iterator<Item = u32>,
        building: &mut OutcomeBuilder,
    ) {
        let reached = self.sets.settled(state, frame);
        let way = self.way(reached.at);
        for node in nodes {
            if reached.exits {
                self.leave(node, building);
            }
            self.go_below(way, node, building);
        }
    }

    /// Adds what becomes of the strings below `node`.
    pub(crate) fn go_below(
        &mut self,
        way: LiveConfigurations,
        node: u32,
        building: &mut OutcomeBuilder,
    ) {
        let floor = self.todo.len();
        self.descend(way, node, building);
        self.drain(floor, building);
    }

    /// What is to be known of configurations to go on from them. Of an interned set it is found once.
    pub(crate) fn way(&mut self, at: At) -> LiveConfigurations {
        if let At::Set(set) = at
            && let Some(&Some(way)) = self.ways.get(set as usize)
        {
            return way;
        }
        let way = self.find_way(at);
        if let At::Set(set) = way.at {
            let set = set as usize;
            self.ways.resize(self.ways.len().max(set + 1), None);
            self.ways[set] = Some(way);
        }
        way
    }

    fn find_way(&mut self, at: At) -> LiveConfigurations {
        let live = self.live(&at);
        let is_wide = live.has_at_least(WORTH_REMEMBERING);
        let at = if is_wide { self.sets.interned(at) } else { at };
        let one = self.sets.one(at).map(|(state, frame)| self.through(state, frame));
        let one = one.filter(|&(_, frame)| self.sets.frame_rests(frame));
        LiveConfigurations { at, live, is_wide, one }
    }

    /// Notes that the rule can be left at `node`, where anything may come of it. Tokens matched by id are looked for at
    /// the root, so the root is always noted.
    pub(crate) fn leave(&self, node: u32, building: &mut OutcomeBuilder) {
        if node == 0 || self.known.children().any_on(node, building.after) {
            building.outcome.exits.push(node);
        }
    }

    /// Adds what becomes of the strings that begin with `child`, from the configurations at its parent.
    pub(crate) fn visit(&mut self, at: At, child: u32, building: &mut OutcomeBuilder) {
        let reached = self.sets.step(at, self.trie.byte[child as usize]);
        self.visit_from(child, reached, building);
    }

    /// Adds what becomes of the strings that lead to `node` and of those below, from what they have come to there.
    pub(crate) fn visit_from(
        &mut self,
        node: u32,
        reached: Reached,
        building: &mut OutcomeBuilder,
    ) {
        let floor = self.todo.len();
        self.go_on_with(node, reached, building);
        self.drain(floor, building);
    }

    /// Visits what is to be visited, down to `floor`.
    fn drain(&mut self, floor: usize, building: &mut OutcomeBuilder) {
        let trie = self.trie;
        let mut steps = 0;
        while self.todo.len() > floor {
            let Some((node, at)) = self.todo.pop() else { return };
            steps += 1;
            if usize::is_multiple_of(steps, NODES_A_LOOK) && self.sets.is_late(NODES_A_LOOK) {
                self.todo.truncate(floor);
            }
            let reached = self.sets.step(at, trie.byte[node as usize]);
            self.go_on_with(node, reached, building);
        }
    }

    /// Adds what becomes of the strings that lead to `node`, where they have come to `reached`, and of those below, the
    /// latter by visits to come where there is more than one way on.
    #[inline]
    fn go_on_with(&mut self, mut node: u32, mut reached: Reached, building: &mut OutcomeBuilder) {
        let trie = self.trie;
        loop {
            if reached.is_dead() {
                break;
            }
            if reached.ends {
                building.outcome.add_span(trie.tokens_at(node));
            }
            if self.known.children().is_leaf(node) {
                break;
            }
            if reached.exits {
                self.leave(node, building);
            }
            // Within a literal there is one way on.
            let Some((byte, next)) = self.sets.only(reached.at) else {
                let way = self.way(reached.at);
                self.descend(way, node, building);
                break;
            };
            let Some(child) = self.known.children().on(node, byte) else { break };
            (node, reached) = (child, next);
        }
    }

    /// Adds what becomes of the strings below `node`, at once where it is known and otherwise by visits to come.
    fn descend(&mut self, way: LiveConfigurations, node: u32, building: &mut OutcomeBuilder) {
        if self.sets.is_late(STEPS_DOWN) {
            return;
        }
        if let Some((state, frame)) = way.one
            && self.compose(state, frame, node, building)
        {
            return;
        }
        let size = self.known.nodes().end(node) - node;
        if !way.is_wide {
            self.open(way, node);
            return;
        }
        if size < self.worth {
            self.sweep(way.at, node, building);
        } else if way.one.is_some() || !self.compose_each(way.at, node, building) {
            self.open(way, node);
        }
    }

    /// Adds the outcomes at `node` of several configurations one by one, where those that go on with many bytes are known
    /// or worth knowing: an object's key may be on its way to one member of the object and within any other. Together
    /// they would be walked byte by byte.
    fn compose_each(&mut self, at: At, node: u32, building: &mut OutcomeBuilder) -> bool {
        let mut each = [(0, 0); MOST_APART];
        let mut count = 0;
        for configuration in self.sets.configurations(&at) {
            let Some(place) = each.get_mut(count) else { return false };
            (*place, count) = (configuration, count + 1);
        }
        let mut ways = [None; MOST_APART];
        for (place, &(state, frame)) in ways.iter_mut().zip(&each[..count]) {
            let way = self.way(At::One(state, frame));
            if way.is_wide && way.one.is_none() {
                return false;
            }
            *place = Some(way);
        }
        ways.into_iter().flatten().for_each(|way| self.descend(way, node, building));
        true
    }

    /// Has the children of `node` visited on whose bytes the configurations go on.
    fn open(&mut self, LiveConfigurations { at, live, .. }: LiveConfigurations, node: u32) {
        let children = self.known.children();
        if live.has_at_least(FEW) {
            let on = children.of(node).rev().filter(|&(byte, _)| live.contains(byte));
            self.todo.extend(on.map(|(_, child)| (child, at)));
        } else {
            // The next to visit comes last.
            let floor = self.todo.len();
            self.todo.extend(live.iter().filter_map(|byte| Some((children.on(node, byte)?, at))));
            self.todo[floor..].reverse();
        }
    }

    /// Bytes with which the configurations go on.
    pub(crate) fn live(&self, at: &At) -> ByteSet {
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

    /// Looks through states that do nothing but call.
    pub(crate) fn through(&mut self, mut state: u32, mut frame: u32) -> (u32, u32) {
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

    /// Adds the outcome of `state` at `node`, continued from `frame` at its exits, where it is known or worth knowing.
    fn compose(
        &mut self,
        state: u32,
        frame: u32,
        node: u32,
        building: &mut OutcomeBuilder,
    ) -> bool {
        let network = self.follow.network();
        let size = self.known.nodes().end(node) - node;
        let own = state >= network.own.bases.states;
        if !own && let Some(source) = self.known.source(self.trie, state, node) {
            let stored = self.known.stored(network.shared, self.trie, source, node);
            stored.spans().for_each(|span| building.outcome.add_span(span));
            let class = network.shared.states[source as usize].exits;
            self.go_on_below(frame, class, node, stored.exits, building);
            return true;
        }
        if size < self.worth {
            let Some(row) = self.wide_row(state).filter(|_| frame == BOTTOM) else { return false };
            self.sweep_alone((state, row), node, building);
            return true;
        }
        let (remembered, key, after) = if own {
            let live = self.live(&At::One(state, BOTTOM));
            if !live.has_at_least(WORTH_REMEMBERING) || node == 0 {
                return false;
            }
            if self.wide_row(state).is_none() && self.take_below((state, frame), node, building) {
                return true;
            }
            let class = self.agreement.class(state, self.known.nodes().height(node));
            let after = self.follow.bytes(self.follow.rule_of(state));
            (self.agreement.remembered(), (class, node), after)
        } else {
            (self.known.walked(), (self.known.like(state), node), ByteSet::FULL)
        };
        let outcome = remembered.get(key).unwrap_or_else(|| {
            let found = self.alone(state, node, after);
            let kept = remembered.insert(key, &found);
            self.give_back(found);
            kept
        });
        let spans = outcome.spans();
        self.sets.is_late(spans.len());
        spans.iter().for_each(|span| building.outcome.add_span(span.range()));
        self.go_on(frame, outcome.exits(), building);
        true
    }

    /// The outcome of `state` at `node` whatever its rule is called from, where these bytes may come after it.
    fn alone(&mut self, state: u32, node: u32, after: ByteSet) -> Outcome {
        let mut building = self.begin_before(after);
        if let Some(row) = self.wide_row(state) {
            self.sweep_alone((state, row), node, &mut building);
        } else {
            if self.follow.is_final(state) {
                self.leave(node, &mut building);
            }
            let way = self.way(At::One(state, BOTTOM));
            let floor = self.todo.len();
            self.open(way, node);
            self.drain(floor, &mut building);
        }
        building.outcome.normalize();
        building.outcome
    }

    /// Continues from `frame` at nodes at which a callee is left.
    pub(crate) fn go_on(
        &mut self,
        frame: u32,
        exits: impl Iterator<Item = u32>,
        building: &mut OutcomeBuilder,
    ) {
        if frame == BOTTOM {
            // The walk may have come here from another rule by tail calls, after which less may come.
            exits.for_each(|exit| self.leave(exit, building));
            return;
        }
        let after = self.sets.frame(frame);
        self.run(after, exits, building);
    }

    /// Adds the outcomes of a return state over a frame at those nodes of a shared exit class that are in `nodes`, but
    /// for what is excepted below them.
    pub(crate) fn leave_through(
        &mut self,
        (ret, parent): (u32, u32),
        class: u32,
        nodes: &[u32],
        excepted: &Excluded,
        building: &mut OutcomeBuilder,
    ) {
        let Some(&first) = nodes.first() else { return };
        let reached = self.sets.settled(ret, parent);
        if reached.exits {
            nodes.iter().for_each(|&node| self.leave(node, building));
        }
        let way = self.way(reached.at);
        let shared = self.follow.network().shared;
        let edges = self.known.class_edges(shared, class);
        let of_class = class_nodes(shared, class);
        let all = of_class.len() == nodes.len();
        let below = matches!(of_class, [0, rest @ ..] if rest.len() == nodes.len()) && first != 0;
        if (all || below) && excepted.is_empty() && !way.is_wide {
            return self.leave_together(way, (class, all), edges, building);
        }
        let LiveConfigurations { at, live, .. } = way;
        let floor = self.todo.len();
        let end = nodes.iter().map(|&node| self.trie.end[node as usize]).max().unwrap_or(first);
        let mut from = 0;
        for byte in live.iter() {
            from += edges[from..].partition_point(|edge| (edge.byte, edge.child) <= (byte, first));
            let on = edges[from..].iter().take_while(|edge| edge.byte == byte && edge.child < end);
            let on = on.filter(|edge| all || nodes.binary_search(&edge.node).is_ok());
            let on = on.filter(|edge| !excepted.contains(edge.child));
            self.todo.extend(on.map(|edge| (edge.child, at)));
        }
        self.todo[floor..].sort_unstable_by_key(|&(child, _)| std::cmp::Reverse(child));
        self.drain(floor, building);
    }
}

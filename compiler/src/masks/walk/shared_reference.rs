//! Base masks taken over from shared states.
//!
//! Most wide masks of a grammar differ from one of the vocabulary's in a few tokens: in a state before the rest of a
//! string they are those of any string and what may follow it, inside a key of an object that may have other keys those
//! of any string but for the tokens that go on with the key. Such an outcome is the shared state's, but for some
//! subtrees, and what is walked there.
//!
//! The state `q` and the shared state `k` run over the trie side by side. They agree at a node where `q`'s
//! configuration is `k`'s state, or one alike, over the one frame `f` that all of `q`'s agreement is over: below such a
//! node the tokens are `k`'s, and where `k` exits the walk goes on from `f`. Below a node where they do not agree, both
//! go on side by side, so that only the path along which they part is excepted.
//!
//! At a child of the root, which a walk from before a key or a string comes to, the same is done with what is stored of
//! the strings below it.
//!
//! Cost: O(children of the nodes along that path), whatever the size of the mask.

use std::ops::Range;

use grammarc_artifacts::sections::network::NONE;

use super::moves::{ByteRun, Configuration};
use super::pair_table::AHEAD as PAIR_AHEAD;
use super::pair_table::Continuation;
use super::pair_table::SharedReference;
use super::walker::{OutcomeBuilder, WORTH_REMEMBERING, Walker};
use crate::ir::ByteSet;
use crate::masks::outcome::arena::KeptOutcome;
use crate::masks::outcome::excluded::Excluded;
use crate::masks::outcome::spans::{Span, cut, each_without, minus};
use crate::masks::outcome::{Delta, Outcome};
use crate::masks::shared::exits::class_nodes;
use crate::masks::shared::transitions::SharedTransitions;
use crate::network::local::{At, BOTTOM};

/// Bytes that are looked ahead for a state to take over from: a string with a minimum of a few characters is like any
/// string behind them.
const AHEAD: usize = 6;

/// Bytes on which a state may differ from one that it is not led to.
const MOST_APART: usize = 24;

/// The same with what is within longer characters.
const MOST_WITHIN: usize = 4 * MOST_APART;

/// Shared states that are looked at beyond their first byte for the one that a state is most like.
const MOST_LIKE: usize = 4;

/// Bytes of strings that are long: few nodes have such below them.
const LONG: usize = 8;

/// Nodes that are worth looking at to tell it from that.
const MOST_TOLD: u32 = 10_000;

impl Walker<'_> {
    /// Takes the outcome at the root over from a shared state, where there is one that is worth it.
    pub(crate) fn take(&mut self, at: At, building: &mut OutcomeBuilder) -> bool {
        let Some((state, frame)) = self.sets.one(at) else { return false };
        let (state, frame) = self.through(state, frame);
        if state < self.follow.network().own.bases.states {
            let model = SharedReference { state, frame, after: None };
            let worth = self.is_worth(&model);
            if worth {
                self.take_over(model, Excluded::default(), building);
            }
            return worth;
        }
        let found = self.model_of((state, frame), u32::MAX);
        found.map(|found| self.take_from(found, building)).is_some()
    }

    /// The place that an own state comes to, and a shared state that it is told from at few nodes.
    pub(crate) fn near(&mut self, state: u32) -> Option<(Configuration, SharedReference)> {
        let at = self.sets.settled(state, BOTTOM).at;
        let (state, frame) = self.sets.one(at)?;
        let (state, frame) = self.through(state, frame);
        let is_own = state >= self.follow.network().own.bases.states;
        is_own.then(|| self.model_of((state, frame), MOST_TOLD)).flatten()
    }

    /// The outcome at the root of an own state that such a shared state was found for.
    pub(crate) fn base_near(
        &mut self,
        state: u32,
        found: (Configuration, SharedReference),
    ) -> Outcome {
        let mut building = self.begin(state);
        if self.sets.settled(state, BOTTOM).exits {
            self.leave(0, &mut building);
        }
        self.take_from(found, &mut building);
        building.outcome.normalize();
        building.outcome
    }

    /// A place with the shared state to take over from, which is told from it at no more nodes than `most`.
    fn model_of(
        &mut self,
        place: Configuration,
        most: u32,
    ) -> Option<(Configuration, SharedReference)> {
        let live = self.live(&At::One(place.0, BOTTOM));
        if !live.has_at_least(WORTH_REMEMBERING) {
            return None;
        }
        self.pairs.tidy();
        self.moves.tidy();
        let is_near = |walker: &mut Self, model: &SharedReference| {
            most == u32::MAX || walker.are_near((place, model.state), model, PAIR_AHEAD, most)
        };
        let model = self.model(place).filter(|model| is_near(self, model));
        // A state that is only asked whether one is near goes on beside many others where none is, which costs less than
        // what tells it from a narrow one.
        let model = model.or_else(|| self.staying_model(place, most < u32::MAX))?;
        let leaves_alone = self.follow.is_final(model.state) && !self.follow.is_final(place.0);
        (!leaves_alone).then_some((place, model))
    }

    fn take_from(
        &mut self,
        (place, model): (Configuration, SharedReference),
        building: &mut OutcomeBuilder,
    ) {
        let mut excepted = Excluded::default();
        self.part(place, model.state, &model, 0, &mut excepted, building);
        self.take_over(model, excepted, building);
    }

    /// The same for what becomes of the strings below a child of the root, all of which is added.
    pub(crate) fn take_below(
        &mut self,
        place: Configuration,
        node: u32,
        building: &mut OutcomeBuilder,
    ) -> bool {
        let byte = self.trie.byte[node as usize];
        let is_final = self.follow.is_final(place.0);
        if is_final || self.known.children().on(0, byte) != Some(node) {
            return false;
        }
        let Some(model) = self.model(place) else { return false };
        let Some(source) = self.known.source_on(model.state, byte) else { return false };
        if self.follow.is_final(model.state) {
            return false;
        }
        let mut excepted = Excluded::default();
        self.part(place, model.state, &model, node, &mut excepted, building);
        let shared = self.follow.network().shared;
        let stored = self.known.stored(shared, self.trie, source, node);
        let exits = stored.exits;
        let class = shared.states[source as usize].exits;
        if excepted.is_empty() {
            stored.spans().for_each(|span| building.outcome.add_span(span));
            self.go_on_below(model.frame, class, node, exits, building);
            return true;
        }
        let spans: Vec<Range<u32>> = stored.spans().collect();
        let add = |span| building.outcome.add_span(span);
        each_without(&spans, &excepted.ranks(self.trie), add);
        if model.frame == BOTTOM {
            self.leave_but(exits, &excepted, building);
        } else {
            let (ret, parent) = self.sets.frame(model.frame);
            let kept = excepted.kept(exits);
            self.leave_through((ret, parent), class, &kept, &excepted, building);
        }
        true
    }

    fn is_worth(&self, model: &SharedReference) -> bool {
        let shared = self.follow.network().shared;
        let base = shared.states[model.state as usize].base;
        self.sets.frame_rests(model.frame)
            && self.known.source(self.trie, model.state, 0).is_some()
            && shared.masks[base as usize].count >= self.worth
    }

    /// The shared state to take over from: the first that fits a run of a place's moves, the longest runs first, or of
    /// those of a state that they lead to.
    fn model(&mut self, place: Configuration) -> Option<SharedReference> {
        let own = self.follow.network().own.bases.states;
        let own_moves = self.own_moves(place);
        let mut moves = own_moves;
        let mut path = Vec::with_capacity(AHEAD + 1);
        loop {
            let longest = self.moves.of(moves).to_shared(own).rev().max_by_key(ByteRun::len);
            let longest = longest.and_then(|run| self.model_on(own_moves, run, &mut path));
            if longest.is_some() {
                return longest;
            }
            let mut runs: Vec<ByteRun> = self.moves.of(moves).to_shared(own).collect();
            runs.sort_by_key(|run| std::cmp::Reverse(run.len()));
            let next =
                runs.into_iter().skip(1).find_map(|run| self.model_on(own_moves, run, &mut path));
            if next.is_some() {
                return next;
            }
            if path.len() == AHEAD {
                return None;
            }
            let &ByteRun { lo, to, .. } = self.moves.of(moves).widest()?;
            path.push(lo);
            moves = self.own_moves(to);
        }
    }

    /// The state to take over from by the run of a place that bytes lead to; `moves` are those of the place that it is for.
    fn model_on(
        &mut self,
        moves: u32,
        run: ByteRun,
        path: &mut Vec<u8>,
    ) -> Option<SharedReference> {
        let ByteRun { lo: byte, to: (state, frame), .. } = run;
        let known = self.known;
        known.source_on(state, byte)?;
        path.push(byte);
        // A state of a chain leads there from as many places before it.
        let chain = path[1..].iter().try_fold(state, |state, _| known.passing(state));
        let chain = chain.map(|state| known.sources_on(state, path[0]));
        let shared = self.follow.network().shared;
        let fits = |&source: &u32| {
            let model = SharedReference { state: source, frame, after: None };
            self.is_worth(&model) && self.leads_to(source, path, state)
        };
        let sources = known.sources_on(state, byte).chain(chain.into_iter().flatten());
        let moves = self.moves.of(moves);
        let apart = |&source: &u32| moves.told_apart(known.moves(shared, source));
        let found = sources.filter(fits).min_by_key(apart);
        path.pop();
        found.map(|source| SharedReference { state: source, frame, after: self.after(frame) })
    }

    /// The one of the shared states that stay where they are that is most like a place on its first bytes, where the place
    /// is told from it at few nodes. Where that is by long strings alone, it is still less than what there is to a walk by
    /// itself; beside many others it is not.
    fn staying_model(&mut self, place: Configuration, on_many: bool) -> Option<SharedReference> {
        let shared = self.follow.network().shared;
        let number = self.own_moves(place);
        let (known, moves) = (self.known, self.moves.of(number));
        let apart = |&state: &u32| moves.told_apart(known.moves(shared, state));
        let staying = known.staying(on_many).iter().map(|state| (apart(state), *state));
        let mut like: Vec<(usize, u32)> =
            staying.filter(|&(bytes, _)| bytes < MOST_APART).collect();
        like.sort_unstable();
        like.truncate(MOST_LIKE);
        if like.len() > 1 {
            like.iter_mut().for_each(|(bytes, state)| {
                *bytes += self.apart_within(place, number, known.moves(shared, *state));
            });
        }
        let (_, state) = like.into_iter().min().filter(|&(bytes, _)| bytes < MOST_WITHIN)?;
        let model = SharedReference { state, frame: BOTTOM, after: None };
        let within = if on_many { PAIR_AHEAD } else { LONG };
        let is_near =
            self.is_worth(&model) && self.are_near((place, state), &model, within, MOST_TOLD);
        is_near.then_some(model)
    }

    /// Bytes on which a place and a shared state are told apart behind a first byte that does not lead the place to
    /// itself: within longer characters.
    fn apart_within(
        &mut self,
        place: Configuration,
        moves: u32,
        stored: &SharedTransitions,
    ) -> usize {
        let (known, shared) = (self.known, self.follow.network().shared);
        let mut told = 0;
        for at in 0..self.moves.of(moves).runs.len() {
            let ByteRun { lo, to, .. } = self.moves.of(moves).runs[at];
            let state = stored.to[usize::from(lo)];
            if to != place && state != NONE {
                let within = self.own_moves(to);
                told += self.moves.of(within).told_apart(known.moves(shared, state));
            }
        }
        told
    }

    /// Where a walk goes on over a frame when its callee is left.
    fn after(&mut self, frame: u32) -> Option<Continuation> {
        if frame == BOTTOM {
            return None;
        }
        if let Some(&after) = self.after_frame.get(&frame) {
            return after;
        }
        let (ret, parent) = self.sets.frame(frame);
        let reached = self.sets.settled(ret, parent);
        let after = self.sets.one(reached.at).map(|(state, over)| {
            let (state, over) = self.through(state, over);
            ((self.like(state), over), reached.ends, reached.exits)
        });
        self.after_frame.insert(frame, after);
        after
    }

    /// A state of the grammar's, or the lowest of the shared ones that are alike.
    pub(crate) fn like(&self, state: u32) -> u32 {
        let own = self.follow.network().own.bases.states;
        if state < own { self.known.like(state) } else { state }
    }

    /// Whether a shared state goes to another, or one alike, on some bytes.
    fn leads_to(&self, mut state: u32, bytes: &[u8], target: u32) -> bool {
        let shared = self.follow.network().shared;
        for &byte in bytes {
            if state == NONE {
                return false;
            }
            state = self.known.moves(shared, state).to[usize::from(byte)];
        }
        state == target
    }

    /// Adds the model's tokens and what comes after its exits, but for what is excepted.
    fn take_over(
        &mut self,
        model: SharedReference,
        excepted: Excluded,
        building: &mut OutcomeBuilder,
    ) {
        let shared = self.follow.network().shared;
        let class = shared.states[model.state as usize].exits;
        if excepted.is_empty()
            && model.frame != BOTTOM
            && class != NONE
            && let Some(whole) = self.whole(class, model.frame)
        {
            building.outcome.taken = Some(Delta { state: model.state, except: Vec::new() });
            return self.add_whole(&whole, building);
        }
        let except = excepted.ranks(self.trie);
        if model.frame == BOTTOM {
            self.leave_but(class_nodes(shared, class), &excepted, building);
        } else if class != NONE {
            self.leave_over(model.frame, class, (&excepted, &except), building);
        }
        building.outcome.taken = Some(Delta { state: model.state, except });
    }

    /// Leaves the rule of the walk at some nodes, in ascending order, but for those that are excepted.
    fn leave_but(&self, nodes: &[u32], excepted: &Excluded, building: &mut OutcomeBuilder) {
        let leave = |nodes: &[u32]| nodes.iter().for_each(|&node| self.leave(node, building));
        excepted.split(nodes, leave, |_| ());
    }

    /// Adds what comes after the nodes of a shared exit class but for what is excepted, nodes and their ranks. What comes
    /// after the whole class is found once and then cut, where no node of the class is below another: a state before a
    /// key and those within it go on alike after the key's end.
    fn leave_over(
        &mut self,
        frame: u32,
        class: u32,
        (excepted, except): (&Excluded, &[Range<u32>]),
        building: &mut OutcomeBuilder,
    ) {
        let trie = self.trie;
        let nodes = class_nodes(self.follow.network().shared, class);
        let Some(whole) = self.whole(class, frame) else {
            let after = self.sets.frame(frame);
            return self.leave_through(after, class, &excepted.kept(nodes), excepted, building);
        };
        let mut gone: Vec<u32> = Vec::new();
        excepted.split(nodes, |_| (), |nodes| gone.extend_from_slice(nodes));
        let add = |span| building.outcome.add_span(span);
        match &gone[..] {
            [] => each_without(whole.spans(), except, add),
            gone => {
                let gaps: Vec<Range<u32>> =
                    gone.iter().map(|&node| trie.tokens_below(node)).collect();
                each_without(&minus(whole.spans(), &gaps), except, add);
            }
        }
        for exit in whole.exits() {
            let before = gone.partition_point(|&node| node <= exit).checked_sub(1);
            let is_below = before.is_some_and(|at| exit < trie.end[gone[at] as usize]);
            if !is_below && !excepted.contains(exit) {
                self.leave(exit, building);
            }
        }
    }

    /// What comes after a shared exit class over a frame, whatever comes after the rule of the walk. It is found once and
    /// then cut, so there is none where a node of the class is below another.
    pub(crate) fn whole(&mut self, class: u32, frame: u32) -> Option<KeptOutcome> {
        if let Some(whole) = self.after_class.get(&(class, frame)) {
            return whole.clone();
        }
        let whole = self.known.are_apart(class).then(|| {
            let nodes = class_nodes(self.follow.network().shared, class);
            let after = self.sets.frame(frame);
            let mut building = self.begin_before(ByteSet::FULL);
            self.leave_through(after, class, nodes, &Excluded::default(), &mut building);
            building.outcome.normalize();
            let whole = self.keeper.keep(&building.outcome);
            self.give_back(building.outcome);
            whole
        });
        self.after_class.insert((class, frame), whole.clone());
        whole
    }

    /// Adds what comes after a class.
    pub(crate) fn add_whole(&self, whole: &KeptOutcome, building: &mut OutcomeBuilder) {
        whole.spans().iter().for_each(|span| building.outcome.add_span(span.range()));
        whole.exits().for_each(|exit| self.leave(exit, building));
    }

    /// Continues from `frame` at those nodes of a shared exit class that are at `node` or below: they are `exits`.
    pub(crate) fn go_on_below(
        &mut self,
        frame: u32,
        class: u32,
        node: u32,
        exits: &[u32],
        building: &mut OutcomeBuilder,
    ) {
        let whole = match exits {
            [] => return,
            // The return state meets the class, so that all of what comes after it is asked for.
            _ if frame != BOTTOM && self.sets.frame(frame).1 == BOTTOM => self.whole(class, frame),
            _ => None,
        };
        let Some(whole) = whole else { return self.go_on(frame, exits.iter().copied(), building) };
        let below = self.trie.tokens_below(node);
        cut(whole.spans(), below).for_each(|span| building.outcome.add_span(span));
        let end = self.trie.end[node as usize];
        let exits = whole.exits_from(node).take_while(|&exit| exit < end);
        exits.for_each(|exit| self.leave(exit, building));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::compile::Compiler;
    use crate::frontend::FrontEnd;
    use crate::frontend::json_schema::JsonSchemaOptions;
    use crate::masks::equivalence::k_equivalence::KEquivalence;
    use crate::masks::equivalence::representatives::Representatives;
    use crate::masks::shared::facts::{VocabularyFacts, vocabulary, walked};
    use crate::masks::testing::inner;
    use crate::network::follow::Follow;
    use crate::network::local::LocalSets;
    use crate::samples;
    use crate::threads::Means;

    static COMPILER: LazyLock<Compiler> = LazyLock::new(|| Compiler::new(vocabulary(5)));

    static KNOWN: LazyLock<VocabularyFacts> = LazyLock::new(|| {
        let vocabulary = COMPILER.vocabulary();
        VocabularyFacts::new(vocabulary)
    });

    /// Holds the outcomes of all states of a schema's network against walks byte by byte. Returns how many were taken
    /// over.
    fn taken(schema: &Value) -> usize {
        taken_in_order(&COMPILER, &KNOWN, schema, 1)
    }

    /// The same for a compiler, the states in steps of so many.
    fn taken_in_order(
        compiler: &Compiler,
        known: &VocabularyFacts,
        schema: &Value,
        step: usize,
    ) -> usize {
        let options = FrontEnd::JsonSchema(JsonSchemaOptions::default());
        let network = samples::network(compiler, &options, &schema.to_string());
        let vocabulary = compiler.vocabulary();
        let (shared, trie) = (vocabulary.tables(), vocabulary.trie());
        let follow = Follow::new(network.joined(shared), known.rules(), &network.open);
        let agreement = KEquivalence::new(
            &follow,
            Representatives::default,
            known.nodes().height(0),
            Means::unlimited(),
        );
        let mut walker = Walker::new(&follow, known, &agreement, trie, 2);
        let mut sets = LocalSets::new(follow.network());
        let base = network.tables.bases.states;
        let mut count = 0;
        let states: Vec<u32> = (base..base + network.tables.states.len() as u32 - 1).collect();
        let states = (0..step).flat_map(|from| states.iter().rev().skip(from).step_by(step));
        for &state in states {
            let outcome = walker.base(state);
            let taken = outcome.taken.as_ref();
            count += usize::from(taken.is_some());
            let stored = taken.map_or(&[][..], |taken| known.spans(shared, trie, taken.state));
            let Outcome { spans, exits, .. } = outcome.over(stored);
            let after = follow.bytes(follow.rule_of(state));
            let (ranks, expected) = walked(&mut sets, trie, after, state, 0);
            assert_eq!(spans.into_iter().flatten().collect::<Vec<_>>(), ranks, "{state}: {schema}");
            assert_eq!(inner(&exits), inner(&expected), "{state}: {schema}");
        }
        count
    }

    /// What is found of places near the end of a chain is used for those before it, whichever are asked for first.
    #[test]
    fn outcomes_do_not_depend_on_the_order_of_the_states() {
        let compiler = Compiler::new(vocabulary(20));
        for schema in [
            json!({"type": "string", "maxLength": 36}),
            json!({"type": "string", "pattern": "^[^a]{0,36}$"}),
            json!({"type": "string", "pattern": "^[^a]{20,}$"}),
            json!({"type": "string", "pattern": "u0,-u0,-"}),
        ] {
            for step in [1, 2, 7, 13] {
                let known = VocabularyFacts::new(compiler.vocabulary());
                assert!(taken_in_order(&compiler, &known, &schema, step) > 0, "{schema}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn outcomes_are_those_of_walks(
            keys in prop::collection::btree_map("[u0,-]{1,4}", 0usize..11, 1..5),
            required in 0usize..3,
            others in any::<bool>(),
        ) {
            let values = [
                json!({"type": "string"}), json!({"type": "number"}), json!(true),
                json!({"enum": ["u0", "u,"]}), json!({"type": "string", "minLength": 2}),
                json!({"type": "object", "properties": {"u": {"type": "integer"}}}),
                json!({"type": "string", "pattern": "u0?,-"}),
                json!({"type": "string", "pattern": "^[^\\s)]+$"}),
                json!({"type": "string", "minLength": 1, "maxLength": 7}),
                json!({"type": "string", "minLength": 6}),
                json!({"type": "string", "minLength": 6, "maxLength": 30}),
            ];
            let members: BTreeMap<_, _> =
                keys.iter().map(|(key, &value)| (key, values[value].clone())).collect();
            let schema = json!({
                "type": "object", "properties": members, "additionalProperties": others,
                "required": keys.keys().take(required).collect::<Vec<_>>(),
            });
            let count = taken(&schema);
            prop_assert!(count > 0 || !others);
        }
    }
}

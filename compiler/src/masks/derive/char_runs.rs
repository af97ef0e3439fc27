//! Runs of characters: states that read characters of one class for a while, whose tokens are found by their length.
//!
//! In a state before `[0-9A-Za-z]{8}-` every letter leads to the next of eight equal places. A token of such letters
//! alone is accepted if it has at most eight bytes, so all these tokens are one [row](CharClassIndex::drawings), shared
//! by all states with this class and length, and found without a walk. Two kinds of strings are walked: those that
//! leave the class after some letters, from the nodes of an [index by byte](CharClassIndex::edges), and those that
//! begin otherwise.
//!
//! The sets of the rows are encoded before all others, and the states differ from them in a few tokens.
//!
//! Cost: O(tokens of the class) for each class; for a state, O(strings of the class before a byte that leaves it).

use grammarc_artifacts::sections::vocabulary::Trie;
use rustc_hash::FxHashMap;

use crate::budget::Spent;
use crate::ir::ByteSet;
use crate::masks::equivalence::k_equivalence::KEquivalence;
use crate::masks::equivalence::own_transitions::ARRIVES;
use crate::masks::outcome::excluded::Excluded;
use crate::masks::outcome::{Delta, Outcome};
use crate::masks::shared::facts::VocabularyFacts;
use crate::masks::shortcuts::Shortcut;
use crate::masks::trie::char_classes::{
    CharClassIndex, CharKinds, FAR, RunExit, characters, kinds_within,
};
use crate::masks::walk::cursor::Cursor;
use crate::masks::walk::walker::Walker;
use crate::network::follow::Follow;
use crate::network::lazy_dfa::{BOTTOM, Configurations};
use crate::threads::Context;

/// Nodes of the trie for each token that a state has to accept by length, and for each string that may have to be
/// looked at.
const NODES_A_TOKEN: usize = 256;
const NODES_AN_EDGE: usize = 32;

/// Steps of a budget that it takes to look for the stretch of a state, about.
const STEPS_A_STATE: usize = 1 << 9;

/// States from which on a second thread is worth it.
const WORTH_A_THREAD: usize = 256;

/// The most tokens that are too long for a state and not for its reference, up to which it is derived from the
/// reference.
const FEW: u32 = 64;

/// How a state goes on with the characters of some kinds.
struct CharRun {
    kinds: CharKinds,
    /// Characters of these that the state goes on with in that way.
    first: ByteSet,
    /// States after each byte.
    way: Vec<RunState>,
    /// Bytes outside the character class that some state of the run reads or that may follow the rule.
    bytes: ByteSet,
    /// Whether more bytes lead from the last place to itself.
    is_endless: bool,
    /// Bytes of the longest token that it accepts.
    length: u32,
}

/// A state after some bytes.
#[derive(Clone, Copy)]
struct RunState {
    state: u32,
    /// Bytes of the other transitions from there.
    others: ByteSet,
    /// Bytes that may come where the rule is left there.
    after: ByteSet,
}

/// The stretches of the states of a network.
#[derive(Default)]
pub(crate) struct CharRuns {
    /// By state, its stretch and the number of its reference.
    of: FxHashMap<u32, (CharRun, u32)>,
    /// By kinds and byte, the strings that go on with it.
    edges: FxHashMap<(CharKinds, u8), Box<[RunExit]>>,
    /// The references, each with its kinds, the length of its tokens, and the first state that asked for it.
    references: Vec<(CharKinds, u32, u32)>,
    first_reference: u32,
}

impl CharRuns {
    /// The runs of some own states, in order, as far as they are worth it.
    pub(crate) fn new(
        walker: &Walker<'_>,
        states: impl Iterator<Item = u32>,
        context: Context<'_>,
    ) -> Self {
        let Context { budget, threads } = context;
        let equivalence = walker.equivalence;
        let Cursor { trie, follow, facts: known, .. } = walker.cursor;
        let own = follow.network().own;
        let finder = || Finder {
            follow,
            known,
            equivalence,
            trie,
            steps: FxHashMap::default(),
            counts: FxHashMap::default(),
            like: FxHashMap::default(),
            within: FxHashMap::default(),
            last: (ByteSet::EMPTY, Vec::new()),
        };
        // No others have one.
        let states = states.filter(|&state| equivalence.is_wide(state));
        let states: Vec<u32> = states.collect();
        let are_taken = walker.cursor.has(Shortcut::CharRuns);
        let find = |finder: &mut Finder<'_>, &state: &u32| match budget.spend(STEPS_A_STATE) {
            Ok(()) if are_taken => finder.worth_it(state),
            Ok(()) | Err(Spent) => None,
        };
        let found = threads.map(states.len() >= WORTH_A_THREAD, &states, finder, find);
        let mut this =
            Self { first_reference: own.bases.states + own.state_count(), ..Self::default() };
        for (&state, found) in states.iter().zip(found) {
            let Some(run) = found else { continue };
            let CharRun { kinds, length, bytes, .. } = run;
            for byte in bytes.iter() {
                let edges = this.edges.entry((kinds, byte));
                edges.or_insert_with(|| known.words(trie).edges(kinds, byte).collect());
            }
            let reference =
                this.references.iter().position(|&(of, most, _)| (of, most) == (kinds, length));
            let reference = reference.unwrap_or_else(|| {
                this.references.push((kinds, length, state));
                this.references.len() - 1
            });
            this.of.insert(state, (run, reference as u32));
        }
        this
    }

    /// The outcome at the root of a state that has a stretch.
    pub(crate) fn outcome(&self, walker: &mut Walker<'_>, state: u32) -> Option<Outcome> {
        let (run, reference) = self.of.get(&state)?;
        walker.cursor.count(Shortcut::CharRuns);
        let CharRun { kinds, first, way, bytes, is_endless, .. } = run;
        let mut builder = walker.begin(state);
        let reached = walker.cursor.sets.after_returns(state, BOTTOM);
        if reached.exits {
            builder.leave(0);
        }
        let mut excluded = Excluded::default();
        let refused = characters(*kinds).minus(*first);
        let others = walker.cursor.follow.first(state).0.minus(*first);
        let (trie, children) = (walker.cursor.trie, walker.cursor.facts.children());
        for (byte, child) in children.of(0) {
            if refused.contains(byte) {
                excluded.add(child..trie.end[child as usize]);
            }
            if others.contains(byte) {
                walker.visit(reached.at, child, &mut builder);
            }
        }
        let last = way.last().filter(|_| *is_endless);
        for byte in bytes.iter() {
            for edge in self.edges.get(&(*kinds, byte)).into_iter().flatten() {
                let Some(place) = way.get(edge.depth as usize - 1).or(last) else { continue };
                let [goes_on, is_left] =
                    [place.others, place.after].map(|bytes| bytes.contains(byte));
                if !(goes_on || is_left) || excluded.contains(edge.node) {
                    continue;
                }
                if is_left {
                    builder.outcome.exits.push(edge.node);
                }
                if goes_on {
                    walker.visit(
                        Configurations::One(place.state, BOTTOM),
                        edge.child,
                        &mut builder,
                    );
                }
            }
        }
        builder.outcome.delta = Some(Delta {
            reference: self.first_reference + reference,
            excluded: excluded.ranks(trie),
        });
        builder.outcome.normalize();
        Some(builder.outcome)
    }

    /// The references, by state.
    pub(crate) fn references(
        &self,
        known: &VocabularyFacts,
        trie: Trie<'_>,
        row_words: usize,
    ) -> Vec<RunRow> {
        let mut references: Vec<RunRow> = Vec::with_capacity(self.references.len());
        let numbered = (self.first_reference..).zip(&self.references);
        let numbered = numbered.map(|(id, &(kinds, most, state))| (kinds, most, id, state));
        let mut all: Vec<(CharKinds, u32, u32, u32)> = numbered.collect();
        all.sort_unstable();
        for of in all.chunk_by(|one, next| one.0 == next.0) {
            let lengths: Vec<u32> = of.iter().map(|&(_, length, ..)| length).collect();
            let rows = known.words(trie).drawings(of[0].0, &lengths, row_words);
            let of = of.iter().zip(rows);
            references.extend(of.map(|(&(_, _, state, asked_by), row)| RunRow {
                state,
                asked_by,
                row,
            }));
        }
        references.sort_unstable_by_key(|reference| reference.state);
        references
    }
}

/// Bytes that matter in some places of a stretch, but for its characters.
fn bytes_of(way: &[RunState]) -> ByteSet {
    way.iter().fold(ByteSet::EMPTY, |all, place| all.union(place.others).union(place.after))
}

/// A row of the tokens of some kinds, up to so long.
pub(crate) struct RunRow {
    /// The state that outcomes are taken over from.
    pub(crate) state: u32,
    /// The first state whose outcome is.
    pub(crate) asked_by: u32,
    /// Bit `id % 32` of word `id / 32` for each of its tokens.
    pub(crate) row: Vec<u32>,
}

struct Finder<'a> {
    follow: &'a Follow<'a>,
    known: &'a VocabularyFacts,
    equivalence: &'a KEquivalence,
    trie: Trie<'a>,
    /// By state, where most of its bytes lead.
    steps: FxHashMap<u32, Option<(u32, ByteSet)>>,
    /// By kinds, the number of tokens of each length.
    counts: FxHashMap<CharKinds, Vec<u32>>,
    /// By reference of a state, its kinds, its first characters and the longest token by them.
    like: FxHashMap<u32, Option<(CharKinds, ByteSet, u32)>>,
    /// By bytes, the kinds that are within them, and their characters.
    within: FxHashMap<ByteSet, (CharKinds, ByteSet)>,
    /// The way that was found last, within some characters. That of the next state is mostly a part of it.
    last: (ByteSet, Vec<RunState>),
}

impl<'a> Finder<'a> {
    fn words(&self) -> &'a CharClassIndex {
        self.known.words(self.trie)
    }

    /// The stretch of a state, where it is worth it.
    fn worth_it(&mut self, state: u32) -> Option<CharRun> {
        let Some(reference) = self.equivalence.reference(state) else { return self.find(state) };
        if self.equivalence.length(state, reference).is_some_and(|length| length >= FAR) {
            return None;
        }
        let found = self.find(state)?;
        let like = match self.like.get(&reference) {
            Some(&like) => like,
            None => {
                let like = self.find(reference).map(|like| (like.kinds, like.first, like.length));
                *self.like.entry(reference).or_insert(like)
            }
        };
        let is_near = like.is_some_and(|(kinds, first, length)| {
            let lengths = found.length.min(length) as usize + 1..=found.length.max(length) as usize;
            (kinds, first) == (found.kinds, found.first)
                && self.counts[&kinds][lengths].iter().sum::<u32>() <= FEW
        });
        (!is_near).then_some(found)
    }

    /// Returns the run of a state, if enough tokens are decided by their length and few strings are left to walk. The
    /// characters are those of the class with which most bytes continue.
    fn find(&mut self, state: u32) -> Option<CharRun> {
        let highest = self.known.nodes().height(0);
        let (mut at, bytes) = self.step(state)?;
        let staying = self.step(at)?.1;
        let (kinds, within) = self.within(staying);
        let first = bytes.intersect(within);
        let after = self.follow.bytes(self.follow.rule_of(state));
        let mut way = std::mem::take(&mut self.last.1);
        let known = way.iter().position(|place| place.state == at && self.last.0 == within);
        way.drain(..known.unwrap_or(way.len()));
        // The last place may not have been looked beyond.
        at = way.pop().map_or(at, |last| last.state);
        // Whether strings of any length stay within the characters.
        let mut is_endless = false;
        while self.may_stay(at) {
            let next = self
                .step(at)
                .filter(|(next, bytes)| within.minus(*bytes).is_empty() && self.may_stay(*next));
            let live = self.follow.first(at).0;
            let others = if next.is_some() { live.minus(within) } else { live };
            let is_left = self.follow.is_final(at);
            way.push(RunState {
                state: at,
                others,
                after: if is_left { after } else { ByteSet::EMPTY },
            });
            is_endless = next.is_some();
            match next {
                Some((next, _)) if next != at && way.len() < highest => at = next,
                _ => break,
            }
        }
        // Tokens that begin otherwise are walked, and tokens of the row that cannot begin so are taken out of it.
        let begins = self.follow.first(state).0.union(within).minus(first);
        let mut spread = self.below_root(begins);
        let bytes = bytes_of(&way);
        for byte in bytes.iter() {
            spread += self.words().spread(byte)?;
        }
        let counts =
            self.counts.entry(kinds).or_insert_with(|| self.known.words(self.trie).counts(kinds));
        let longest = counts.iter().rposition(|&count| count > 0)?;
        let most = if is_endless { longest } else { way.len().min(longest) };
        // So that states with the same tokens have one reference.
        let length = counts[..=most].iter().rposition(|&count| count > 0)?;
        let count: u32 = counts[..=length].iter().sum();
        let nodes = self.trie.len();
        let is_worth = way.len() + usize::from(is_endless) > 1
            && count as usize >= nodes / NODES_A_TOKEN
            && spread <= nodes / NODES_AN_EDGE;
        let length = length as u32;
        let run = is_worth.then(|| {
            let way = way.clone();
            CharRun { kinds, first, way, bytes, is_endless, length }
        });
        self.last = (within, way);
        run
    }

    /// The kinds that are within some bytes, and their characters.
    fn within(&mut self, bytes: ByteSet) -> (CharKinds, ByteSet) {
        *self.within.entry(bytes).or_insert_with(|| {
            let kinds = kinds_within(bytes);
            (kinds, characters(kinds))
        })
    }

    /// Nodes below the root that begin with some bytes.
    fn below_root(&self, bytes: ByteSet) -> usize {
        let children = self.known.children().on_any(0, bytes);
        children.map(|(_, child)| (self.trie.end[child as usize] - child) as usize).sum()
    }

    /// Whether a token may end in a state, which goes on in the one way on each byte. No mask depends on what it
    /// counts.
    fn may_stay(&self, state: u32) -> bool {
        let own = self.follow.network().own;
        let record = &own.states[(state - own.bases.states) as usize];
        record.flags & ARRIVES != 0 && !self.follow.first(state).1
    }

    /// The own state that most bytes of an own state lead to, and these bytes.
    fn step(&mut self, state: u32) -> Option<(u32, ByteSet)> {
        if let Some(&step) = self.steps.get(&state) {
            return step;
        }
        let moves = self.equivalence.transitions().of(self.follow.network(), state);
        let mut ways: Vec<(u32, ByteSet)> = Vec::new();
        for edge in moves.edges {
            let bytes = ByteSet::range(edge.lo(), edge.hi());
            match ways.iter_mut().find(|(to, _)| *to == edge.target) {
                Some((_, all)) => *all = all.union(bytes),
                None => ways.push((edge.target, bytes)),
            }
        }
        let own = self.follow.network().own.bases.states;
        let widest = ways.into_iter().max_by_key(|(_, bytes)| bytes.len());
        let step = widest.filter(|&(to, _)| to >= own && !self.follow.first(state).1);
        self.steps.insert(state, step);
        step
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::compile::Compiler;
    use crate::masks::testing::{Setting, inner};
    use crate::samples;
    use crate::threads::Context;

    /// All bytes, words of some letters and digits, and a few that go on with what may come after words.
    static COMPILER: LazyLock<Compiler> = LazyLock::new(|| {
        let mut words: Vec<Vec<u8>> = vec![Vec::new()];
        for from in [0, 1, 5, 21] {
            let longer =
                words[from..].iter().flat_map(|word| b"a0zG".map(|c| [&word[..], &[c]].concat()));
            words.extend(longer.collect::<Vec<_>>());
        }
        words.extend((5..20).map(|count| b"a".repeat(count)));
        let ends = ["-", "\"", "\",", "-0\"", "\\u006", "-a-0"];
        let longer = words
            .iter()
            .skip(7)
            .step_by(97)
            .flat_map(|word| ends.map(|end| [&word[..], end.as_bytes()].concat()));
        let longer: Vec<_> = longer.collect();
        samples::compiler(words.into_iter().filter(|word| word.len() > 1).chain(longer))
    });

    /// Holds the outcomes of the states of a schema that have stretches against walks byte by byte. Returns how many
    /// have one.
    fn along(schema: &Value) -> usize {
        let setting = Setting::new(&COMPILER, schema);
        let Setting { known, .. } = &setting;
        let (shared, trie, follow) = (setting.shared(), setting.trie(), setting.follow());
        let equivalence = setting.equivalence(&follow);
        let states = setting.states();
        let mut walker = Walker::new(&follow, known, &equivalence, trie, 2);
        let runs = CharRuns::new(&walker, states.clone(), Context::unlimited());
        let references = runs.references(known, trie, shared.row_words as usize);
        let mut count = 0;
        for state in states {
            let Some(outcome) = runs.outcome(&mut walker, state) else { continue };
            count += 1;
            let taken = outcome.delta.as_ref().expect("is taken over along a run");
            let reference = references.iter().find(|reference| reference.state == taken.reference);
            let row = &reference.expect("is a reference").row;
            let is_held = |&rank: &u32| {
                let id = trie.token_of_rank[rank as usize];
                let is_excluded = taken.excluded.iter().any(|ranks| ranks.contains(&rank));
                row[id as usize / 32] >> (id % 32) & 1 == 1 && !is_excluded
            };
            let mut ranks: Vec<u32> =
                (0..trie.token_of_rank.len() as u32).filter(is_held).collect();
            ranks.extend(outcome.spans.iter().cloned().flatten());
            ranks.sort_unstable();
            let (expected, exits) = setting.walked(&follow, state);
            assert_eq!(ranks, expected, "state {state} of {schema}");
            assert_eq!(inner(&outcome.exits), inner(&exits), "state {state} of {schema}");
        }
        count
    }

    #[test]
    fn places_before_letters_have_stretches() {
        for (pattern, least) in
            [("^[0-9A-Z]{8}-[0-9A-Z]{4}$", 4), ("^[0-9A-Za-z]+-?$", 1), ("^[A-Z][0-9A-Z]*$", 1)]
        {
            let string = json!({"type": "string", "pattern": pattern});
            let key = json!({"patternProperties": {pattern: {}}, "additionalProperties": false});
            assert!(along(&string) >= least, "{pattern}: {}", along(&string));
            assert!(along(&key) >= least, "{pattern} as a key: {}", along(&key));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn outcomes_are_those_of_walks(
            first in "\\[(0-9A-Za-z|a-z|a-z0-9-|A-Za-z|\\^-)\\](\\{1,7\\}|\\{3\\}|\\*|\\+)",
            then in "(-|:|)(\\[(0-9A-Za-z|a-z|G-Z)\\](\\{2,9\\}|\\+|))?",
            is_key in any::<bool>(),
        ) {
            let pattern = format!("^{first}{then}$");
            along(&match is_key {
                true => json!({"patternProperties": {pattern: {}}, "additionalProperties": false}),
                false => json!({"type": "string", "pattern": pattern}),
            });
        }
    }
}

//! Character runs: states that read characters of one class for some bytes. Their tokens are found by length.
//!
//! A state before `[0-9A-Za-z]{8}-` reads a letter and reaches the next of eight similar states. A token of such
//! letters alone is accepted if it has at most eight bytes. All these tokens are one [bit
//! row](CharClassIndex::drawings). The row is shared by all states with this class and length, and needs no walk. Two
//! kinds of strings are still walked. Strings that leave the class after some letters are found in an [index by
//! byte](CharClassIndex::edges). Strings that begin with other bytes are walked from the root.
//!
//! The bit rows are encoded before all other masks, and the masks of the states differ from them in a few tokens.
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

/// A character run (states within one character class) has to decide at least `trie nodes / NODES_A_TOKEN` tokens by
/// length. A run of fewer tokens saves too little, and the state is walked.
const NODES_A_TOKEN: usize = 256;
/// A character run (states within one character class) may leave at most `trie nodes / NODES_AN_EDGE` nodes and strings
/// to walk. With more, the whole state is walked.
const NODES_AN_EDGE: usize = 32;

/// Budget steps charged for the search for the character run (states within one character class) of one state: an
/// estimate.
const STEPS_A_STATE: usize = 1 << 9;

/// The least number of states for which the search for character runs (states within one character class) uses several
/// threads.
const WORTH_A_THREAD: usize = 256;

/// The most tokens by which the runs of a state and of its reference (source of its mask) may differ. With more, the
/// mask is derived from the state's own run.
const FEW: u32 = 64;

/// The character run (states within one character class) of a state: the part of its language that consists of
/// characters of some kinds.
struct CharRun {
    /// The kinds of characters in the character run (states within one character class), one bit each. The digits are
    /// one kind, for example.
    kinds: CharKinds,
    /// The first characters of the character run (states within one character class): those of `kinds` that the state
    /// before the run consumes.
    first: ByteSet,
    /// The states that the character run (states within one character class) passes through. Entry `i` is the state
    /// after `i + 1` bytes.
    way: Vec<RunState>,
    /// The bytes that lead out of the character run (states within one character class): some state of it continues
    /// with them, and they are none of its characters. They include the FOLLOW bytes of the rule if the rule can return
    /// within the run.
    bytes: ByteSet,
    /// Whether the character run (states within one character class) has no end: the last state of `way` also reads all
    /// longer strings of its characters.
    is_endless: bool,
    /// The length, in bytes, of the longest accepted token that consists of the characters of the character run (states
    /// within one character class).
    length: u32,
}

/// One state of a character run (states within one character class): the state after some number of characters.
#[derive(Clone, Copy)]
struct RunState {
    /// A state that the character run (states within one character class) passes through, a state of the grammar
    /// itself.
    state: u32,
    /// The bytes with which `state` continues, other than with the characters of the character run (states within one
    /// character class).
    others: ByteSet,
    /// The FOLLOW bytes of the rule of `state` if this state is final; empty otherwise.
    after: ByteSet,
}

/// The character runs (states within one character class) of the states of a grammar.
#[derive(Default)]
pub(crate) struct CharRuns {
    /// Maps a state to its character run (states within one character class), and to the index in `references` of the
    /// run's bit row.
    of: FxHashMap<u32, (CharRun, u32)>,
    /// Maps character kinds and a byte to trie edges: the strings of these kinds that the trie continues with the byte.
    edges: FxHashMap<(CharKinds, u8), Box<[RunExit]>>,
    /// The bit rows (one bit per token) from which masks are derived. Each entry has the character kinds, the length of
    /// the longest token in bytes, and the first state that uses the row.
    references: Vec<(CharKinds, u32, u32)>,
    /// The id of the first bit row (one bit per token). Bit rows have ids like states, after the last state of the
    /// grammar.
    first_reference: u32,
}

impl CharRuns {
    /// Finds the character runs (states within one character class) of `states`, which ascend and belong to the grammar
    /// itself. States without a run that saves work get none. If the budget is spent, the remaining states get none.
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
        // Only wide states, which continue with many bytes, have character runs.
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

    /// Returns the outcome (tokens and exits) of a state at the root of the trie, derived from its character run
    /// (states within one character class). `None` if it has no run.
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

    /// Returns the bit rows (one bit per token) from which outcomes (tokens and exits) are derived, in the order of
    /// their ids. A row has `row_words` words of 32 bits.
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

/// Returns all bytes with which the states `way` of a character run (states within one character class) leave the run.
/// A state leaves it by other bytes, or by a return and a byte after the rule.
fn bytes_of(way: &[RunState]) -> ByteSet {
    way.iter().fold(ByteSet::EMPTY, |all, place| all.union(place.others).union(place.after))
}

/// A bit row (one bit per token) with the tokens of some character kinds up to some length. Masks of states within one
/// character class are derived from it.
pub(crate) struct RunRow {
    /// The id of the bit row (one bit per token), after the ids of all states of the grammar. Outcomes (consumed tokens
    /// and exit nodes) that are derived from the row name this id as their reference.
    pub(crate) state: u32,
    /// The first state whose outcome (consumed tokens and exit nodes) is derived from the bit row (one bit per token).
    pub(crate) asked_by: u32,
    /// The tokens of the row, one bit per token id: bit `id % 32` of word `id / 32`.
    pub(crate) row: Vec<u32>,
}

/// One thread's search for character runs (states within one character class), with its caches.
struct Finder<'a> {
    /// The bytes that may follow each rule.
    follow: &'a Follow<'a>,
    /// Indexes over the vocabulary's trie, rules and stored masks.
    known: &'a VocabularyFacts,
    /// The k-equivalence (equality up to `k` bytes) of the grammar's states.
    equivalence: &'a KEquivalence,
    /// The token trie: the prefix tree of the tokens' byte strings.
    trie: Trie<'a>,
    /// Caches [`step`](Self::step): maps a state to the target of most of its bytes, and to these bytes. `None` if
    /// [`step`](Self::step) finds no target.
    steps: FxHashMap<u32, Option<(u32, ByteSet)>>,
    /// Maps character kinds to the number of tokens of these kinds, by length in bytes.
    counts: FxHashMap<CharKinds, Vec<u32>>,
    /// Maps a reference, from which another state's mask is derived, to its character run (states within one character
    /// class). The run is given by its kinds, its first characters and the length of its longest token in bytes. `None`
    /// if the reference has no run.
    like: FxHashMap<u32, Option<(CharKinds, ByteSet, u32)>>,
    /// Maps a set of bytes to the character kinds that lie within the set, and to their characters.
    within: FxHashMap<ByteSet, (CharKinds, ByteSet)>,
    /// The characters and states of the character run (states within one character class) that was found last. The run
    /// of the next state is mostly a part of it.
    last: (ByteSet, Vec<RunState>),
}

impl<'a> Finder<'a> {
    /// Returns the index of the vocabulary's tokens by the kinds of their characters and by length.
    fn words(&self) -> &'a CharClassIndex {
        self.known.words(self.trie)
    }

    /// Returns the character run (states within one character class) of a state, if deriving its mask from the run
    /// saves work. `None` if the state has no run, or if it differs less from its reference (source of its mask) than
    /// from the run.
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

    /// Returns the character run (states within one character class) of a state. It consists of the character kinds
    /// that lie within the widest transition after the first byte. `None` if too few tokens are decided by their
    /// length, or too many strings are left to walk.
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
        // The search that found the last run may not have looked beyond its last state.
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
        // Tokens that begin with other bytes are walked. Tokens of the bit row that cannot begin the run are taken out
        // of the row.
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
        // The length is rounded down to that of an existing token, so that states with the same tokens share a
        // reference.
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

    /// Returns the character kinds whose characters are all in `bytes`, and the characters of these kinds.
    fn within(&mut self, bytes: ByteSet) -> (CharKinds, ByteSet) {
        *self.within.entry(bytes).or_insert_with(|| {
            let kinds = kinds_within(bytes);
            (kinds, characters(kinds))
        })
    }

    /// Returns the number of trie nodes whose strings begin with one of `bytes`.
    fn below_root(&self, bytes: ByteSet) -> usize {
        let children = self.known.children().on_any(0, bytes);
        children.map(|(_, child)| (self.trie.end[child as usize] - child) as usize).sum()
    }

    /// Whether a state may be part of a character run (states within one character class). A token must be able to end
    /// there, and no two of its edges and calls may begin with the same byte. Counters do not matter, since no mask
    /// here depends on them.
    fn may_stay(&self, state: u32) -> bool {
        let own = self.follow.network().own;
        let record = &own.states[(state - own.bases.states) as usize];
        record.flags & ARRIVES != 0 && !self.follow.first(state).1
    }

    /// Returns the target of most bytes of a state, and these bytes. `None` if the state has no byte transitions, or if
    /// two of its edges or calls share a byte. Also `None` if the target is a state of the vocabulary.
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

    /// A compiler over a small vocabulary: all bytes, words of letters and digits, and words that continue with what
    /// may follow a word.
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

    /// Compares the outcomes (consumed tokens and exit nodes) of all states with character runs (states within one
    /// character class) to walks byte by byte, for one schema. Returns the number of states with a run.
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

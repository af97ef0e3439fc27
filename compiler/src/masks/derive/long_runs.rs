//! Long runs: places of long chains of characters, which differ from their references in long strings of these characters
//! alone.
//!
//! Take the place of `[a-z]{1,255}` before which a hundred letters are left, and a reference with more letters left. The two
//! go through the chain in step, and at each step do the same with every byte that is no letter, until the first has read
//! a hundred letters. So only the strings that begin with more than a hundred letters distinguish them. These strings are
//! [indexed](crate::masks::trie::char_classes): the outcome is the reference's without them, and no node is visited.
//!
//! Places one behind the other that do the same are passed at once.
//!
//! Cost: O(places that differ from the one before) for each state, and O(strings that are longer).

use grammarc_artifacts::sections::network::{ByteEdge, NONE};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::ir::ByteSet;
use crate::masks::equivalence::k_equivalence::KEquivalence;
use crate::masks::equivalence::own_transitions::ARRIVES;
use crate::masks::trie::char_classes::{CharKinds, FAR, characters, kinds_within};
use crate::network::bytes_on;
use crate::network::follow::Follow;

/// Moves of a state on some bytes: those that may come after its rule, if it may be left there, and the edges, each the
/// lowest and the highest of its bytes and where they lead.
type OtherMoves = (Option<ByteSet>, Vec<(u8, u8, u32)>);

/// A state of a chain.
#[derive(Clone, Copy)]
struct LongRunState {
    /// Target of most of its bytes, [`NONE`] if it has none; and the number of that place, [`UNKNOWN`] before it is asked
    /// for.
    next: u32,
    at: u32,
    /// Numbers of these bytes, of what it does with the others, and of what it does with all.
    on: u32,
    others: u32,
    all: u32,
    /// How many places from it on do so with these and the others, itself among them, 0 before that is asked for; and the
    /// first behind them.
    run: (u32, u32),
}

const UNKNOWN: u32 = NONE - 1;

/// The places met so far.
pub(crate) struct LongRuns<'a> {
    follow: &'a Follow<'a>,
    equivalence: &'a KEquivalence,
    places: Vec<LongRunState>,
    /// By state, the number of its place, [`NONE`] of one that is none.
    of: FxHashMap<u32, u32>,
    bytes: IndexSet<ByteSet, FxBuildHasher>,
    rests: IndexSet<OtherMoves, FxBuildHasher>,
}

impl<'a> LongRuns<'a> {
    pub(crate) fn new(follow: &'a Follow<'a>, equivalence: &'a KEquivalence) -> Self {
        let (places, of) = (Vec::new(), FxHashMap::default());
        let (bytes, rests) = (IndexSet::default(), IndexSet::default());
        Self { follow, equivalence, places, of, bytes, rests }
    }

    /// The kinds of characters with strings of which alone a state parts from its reference, where they do the same for
    /// [`FAR`] bytes, and how many of these bytes the state goes on with.
    pub(crate) fn beside(&mut self, state: u32) -> Option<(CharKinds, u32)> {
        let reference = self.equivalence.reference(state)?;
        let most = self.equivalence.length(state, reference).filter(|&length| length >= FAR)?;
        let [(edges, next, within), (others, other_next, on)] =
            [self.steps(state)?, self.steps(reference)?];
        let kinds = kinds_within(within);
        let rest = edges.iter().filter(|edge| edge.target != next);
        let begins =
            on == within && rest.eq(others.iter().filter(|edge| edge.target != other_next));
        // Most differ at once, which is told without a number.
        if !begins || characters(kinds) != within {
            return None;
        }
        let [mut one, mut other] = [state, reference].map(|state| self.number(state));
        let on = self.places.get(one as usize)?.on;
        let mut length = 0;
        while length <= most as u32 {
            let [place, like] = [one, other].map(|at| self.places.get(at as usize).copied());
            let (place, like) = (place?, like?);
            if like.on != on {
                return None;
            }
            if place.on == on && place.others == like.others {
                let [(count, end), (longer, _)] = [one, other].map(|at| self.run(at));
                if count == u32::MAX && longer == u32::MAX {
                    // They never part.
                    return None;
                }
                if count < longer {
                    // The other is at a place like this one for longer than that.
                    one = end;
                    length += count;
                } else {
                    [one, other] = [one, other].map(|at| self.next(at));
                    length += 1;
                }
            } else {
                let ends = place.all == like.others && !self.goes_on(&place, within);
                return (ends && length as usize >= FAR).then_some((kinds, length));
            }
        }
        None
    }

    /// Whether a place goes on with some of these bytes.
    fn goes_on(&self, place: &LongRunState, within: ByteSet) -> bool {
        let (_, edges) = &self.rests[place.all as usize];
        edges.iter().any(|&(lo, hi, _)| !ByteSet::range(lo, hi).intersect(within).is_empty())
    }

    /// The number of the place that one leads to, [`NONE`] where it does not.
    fn next(&mut self, at: u32) -> u32 {
        let LongRunState { next, at: known, .. } = self.places[at as usize];
        if known != UNKNOWN {
            return known;
        }
        let number = if next == NONE { NONE } else { self.number(next) };
        self.places[at as usize].at = number;
        number
    }

    /// How many places from one on do the same with its bytes and with the others, and the first behind them.
    fn run(&mut self, at: u32) -> (u32, u32) {
        let (mut run, mut last) = (Vec::new(), at);
        let (mut count, end) = loop {
            let LongRunState { on, others, run: known, .. } = self.places[last as usize];
            if known.0 > 0 {
                break known;
            }
            // A state that is met again has no end.
            self.places[last as usize].run = (u32::MAX, last);
            run.push(last);
            let next = self.next(last);
            let does_so = |place: &LongRunState| place.on == on && place.others == others;
            if !self.places.get(next as usize).is_some_and(does_so) {
                break (0, next);
            }
            last = next;
        };
        while let Some(place) = run.pop() {
            count = u32::saturating_add(count, 1);
            self.places[place as usize].run = (count, end);
        }
        self.places[at as usize].run
    }

    /// The number of the place of a state that goes on with bytes alone, each in one way, and in which a token may end;
    /// [`NONE`] of another.
    fn number(&mut self, state: u32) -> u32 {
        if let Some(&number) = self.of.get(&state) {
            return number;
        }
        let number = match self.find(state) {
            Some(place) => {
                self.places.push(place);
                self.places.len() as u32 - 1
            }
            None => NONE,
        };
        self.of.insert(state, number);
        number
    }

    /// The edges of a state that goes on with bytes alone, each in one way, and in which a token may end; where most of its
    /// bytes lead, if it has any, and these bytes.
    fn steps(&self, state: u32) -> Option<(&'a [ByteEdge], u32, ByteSet)> {
        let (follow, network) = (self.follow, self.follow.network());
        let index = state.checked_sub(network.own.bases.states)? as usize;
        let moves = self.equivalence.transitions().of(network, state);
        let arrives = network.own.states[index].flags & ARRIVES != 0;
        if follow.first(state).1 || !arrives || !moves.calls.is_empty() {
            return None;
        }
        let widest = moves.edges.iter().max_by_key(|edge| edge.hi() - edge.lo());
        let next = widest.map_or(NONE, |widest| widest.target);
        let same = moves.edges.iter().filter(|edge| edge.target == next);
        Some((moves.edges, next, bytes_on(same)))
    }

    fn find(&mut self, state: u32) -> Option<LongRunState> {
        let follow = self.follow;
        let (edges, next, on) = self.steps(state)?;
        let is_left = follow.is_final(state);
        let after = is_left.then(|| follow.bytes(follow.rule_of(state)));
        let mut rest = |to: u32| {
            let edges = edges.iter().filter(|edge| edge.target != to);
            let edges = edges.map(|edge| (edge.lo(), edge.hi(), edge.target)).collect();
            self.rests.insert_full((after, edges)).0 as u32
        };
        let (others, all) = (rest(next), rest(NONE));
        let on = self.bytes.insert_full(on).0 as u32;
        Some(LongRunState { next, at: UNKNOWN, on, others, all, run: (0, NONE) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use serde_json::json;

    use super::super::batch::Derivation;
    use super::super::char_runs::CharRuns;
    use super::super::early;
    use crate::compile::Compiler;
    use crate::masks::outcome::Outcome;
    use crate::masks::shortcuts::Shortcuts;
    use crate::masks::testing::Setting;
    use crate::masks::walk::walker::Walker;
    use crate::samples;
    use crate::threads::Means;

    /// For a vocabulary of words of up to 70 letters, some of which end a string or go on with other characters.
    static COMPILER: LazyLock<Compiler> = LazyLock::new(|| {
        let letters = ["a", "z", "0", "_", "A"];
        let runs = (1..70usize).step_by(3).flat_map(|length| letters.map(|one| one.repeat(length)));
        let ends = ["", "\"", "\",", "-", "-a", "\u{e9}", " a"];
        let words = runs.flat_map(|run| ends.map(|end| format!("{run}{end}")));
        samples::compiler(words.filter(|word| word.len() > 1).map(String::into_bytes))
    });

    /// Holds the outcomes of the states of a pattern's places that are found without a walk against walks. Returns how
    /// many there are.
    fn held(pattern: &str, is_key: bool) -> usize {
        let schema = match is_key {
            true => json!({"patternProperties": {pattern: {}}, "additionalProperties": false}),
            false => json!({"type": "string", "pattern": pattern}),
        };
        let setting = Setting::new(&COMPILER, &schema);
        let Setting { known, .. } = &setting;
        let (trie, follow, states) = (setting.trie(), setting.follow(), setting.states());
        let equivalence = setting.equivalence(&follow);
        let runs = CharRuns::new(
            &follow,
            known,
            &equivalence,
            trie,
            states.clone(),
            Shortcuts::default(),
            Means::unlimited(),
        );
        let mut plain = Walker::new(&follow, known, &equivalence, trie, u32::MAX);
        let mut walker = Walker::new(&follow, known, &equivalence, trie, 2);
        let mut count = 0;
        for state in states.filter(|&state| runs.beside(state).is_some()) {
            count += 1;
            let reference = equivalence.reference(state).expect("has a reference");
            let like: Outcome = plain.base(reference);
            assert!(like.delta.is_none(), "is walked");
            let derived = Derivation { state, reference, known: &like };
            let outcome =
                early::outcome(&mut walker, &runs, &derived).expect("is near its reference");
            let Outcome { spans, exits, .. } = outcome.over(&like.spans);
            let (ranks, expected) = setting.walked(&follow, state);
            assert_eq!(spans.into_iter().flatten().collect::<Vec<_>>(), ranks, "{state}: {schema}");
            assert_eq!(exits, expected, "{state}: {schema}");
        }
        count
    }

    #[test]
    fn places_of_long_chains_are_found_without_a_walk() {
        for pattern in ["^[0-9a-zA-Z_+]{1,255}$", "^[a-z]{1,60}$", "^[A-Z][a-z]{1,60}-?$"] {
            for is_key in [false, true] {
                assert!(held(pattern, is_key) > 20, "{pattern}: {}", held(pattern, is_key));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn outcomes_are_those_of_walks(
            first in "\\[(0-9A-Za-z|a-z|a-z0-9_|A-Za-z-)\\]",
            least in 0usize..3,
            more in 17usize..300,
            then in "(-|:|)(\\[(0-9A-Za-z|a-z|a-k)\\](\\{2,40\\}|\\+|))?",
            is_key in any::<bool>(),
        ) {
            held(&format!("^{first}{{{least},{}}}{then}$", least + more), is_key);
        }
    }
}

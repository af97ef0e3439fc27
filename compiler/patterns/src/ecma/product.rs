//! Intersections and unions of position automata, and their deterministic automata.
//!
//! A *position* of such an automaton is an occurrence of a class of characters in a pattern. A position of an
//! intersection is a pair of positions, one of each operand, with the characters that both match. Its transitions carry
//! the counter steps of both. Each operand keeps counters of its own, so counts are kept beside the automaton and never
//! multiply its positions.
//!
//! Cost: O(pairs of transitions that are reached), at most [`MOST_WAYS`].

use indexmap::IndexMap;
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::counted::{CountedPattern, Counts, Place, Way};
use super::lengths::Lengths;
use super::positions::MOST_COUNTERS;
use super::program::PROGRAM_STATES;
use crate::class::Classes;
use grammarc_grammar::automata::{Dfa, Nfa, StateBudget, StateLimit, minimal};
use grammarc_grammar::graph::Lists;

/// Most positions of a union, an intersection or an automaton from states. A larger one is not built, and the caller
/// gets `None`.
const MOST_PLACES: usize = 1 << 13;

/// Most transitions of a union, an intersection or an automaton from states. A larger one is not built, and the caller
/// gets `None`.
const MOST_WAYS: usize = 1 << 17;

/// Most pairs of a position and counts that are visited in the search for the shortest text of an intersection. Beyond
/// that, the intersection counts as too large.
const MOST_VISITED: usize = 1 << 16;

/// Steps of the budget that one visited transition costs: an estimate.
const STEPS_A_WAY: usize = 1 << 4;

impl CountedPattern {
    /// Creates a position automaton without counters from a deterministic automaton on characters. State 0 is the
    /// initial state. `moves` returns for a state whether a text may end there, and its transitions: pairs of a class
    /// of characters and a target state. `lengths` must be the lengths of the texts. `None` if there are too many
    /// positions or transitions.
    pub fn of_states(
        lengths: Lengths,
        mut moves: impl FnMut(u32) -> (bool, Vec<(ClassUnicode, u32)>),
    ) -> Option<Self> {
        let mut pattern = Self { lengths, most_texts: u64::MAX, ..Self::default() };
        // A position is a state together with the class of characters by which it was entered.
        let mut numbers: FxHashMap<(u32, Vec<(char, char)>), u32> = FxHashMap::default();
        let mut open = vec![(None, 0)];
        while let Some((from, state)) = open.pop() {
            let (is_final, moves) = moves(state);
            if is_final {
                pattern.ways.push(Way { from, steps: Vec::new(), to: None });
            }
            for (class, target) in moves {
                let ranges = class.iter().map(|range| (range.start(), range.end()));
                let key = (target, ranges.collect());
                let to = *numbers.entry(key).or_insert_with(|| {
                    let to = pattern.places.len() as u32;
                    pattern.places.push(Place { class, within: 0 });
                    open.push((Some(to), target));
                    to
                });
                pattern.ways.push(Way { from, steps: Vec::new(), to: Some(to) });
            }
            if pattern.places.len() > MOST_PLACES || pattern.ways.len() > MOST_WAYS {
                return None;
            }
        }
        pattern.unrolled_places = pattern.places.len();
        Some(pattern)
    }

    /// Returns a position automaton of the texts that both patterns accept. `Ok(None)` if it has too many counters,
    /// positions or transitions.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the budget is spent.
    pub fn intersect(
        &self,
        other: &Self,
        allowed: StateBudget<'_>,
    ) -> Result<Option<Self>, StateLimit> {
        let shift = self.counters.len();
        if shift + other.counters.len() > MOST_COUNTERS {
            return Ok(None);
        }
        let counters = self.counters.iter().chain(&other.counters).copied().collect();
        let mut both = Self { counters, ..Self::default() };
        let [ours, theirs] = [self, other].map(Self::ways_by_place);
        let mut numbers: IndexMap<(u32, u32), ClassUnicode, FxBuildHasher> = IndexMap::default();
        let mut open = vec![(None, None, None)];
        while let Some((from, one, another)) = open.pop() {
            let pairs = ours.get(&one).into_iter().flatten().flat_map(|one| {
                theirs.get(&another).into_iter().flatten().map(move |other| (*one, *other))
            });
            for (one, another) in pairs {
                allowed.spend(STEPS_A_WAY)?;
                let to = match (one.to, another.to) {
                    (None, None) => None,
                    (Some(one), Some(another)) => {
                        let known = numbers.get_index_of(&(one, another));
                        let index = known.or_else(|| {
                            let mut class = self.places[one as usize].class.clone();
                            class.intersect(&other.places[another as usize].class);
                            if class.ranges().is_empty() {
                                return None;
                            }
                            let index = numbers.insert_full((one, another), class).0;
                            open.push((Some(index as u32), Some(one), Some(another)));
                            Some(index)
                        });
                        let Some(index) = index else { continue };
                        Some(index as u32)
                    }
                    _ => continue,
                };
                let moved = another.steps.iter().map(|step| step.moved(shift as u8));
                let steps = one.steps.iter().copied().chain(moved).collect();
                both.ways.push(Way { from, steps, to });
            }
            if numbers.len() > MOST_PLACES || both.ways.len() > MOST_WAYS {
                return Ok(None);
            }
        }
        for ((one, another), class) in numbers {
            let [ours, theirs] =
                [(self, one), (other, another)].map(|(of, at)| of.places[at as usize].within);
            both.places.push(Place { class, within: ours | theirs << shift });
        }
        both.most_texts = self.most_texts.min(other.most_texts);
        both.unrolled_places = self.unrolled_places.saturating_mul(other.unrolled_places);
        let longest = self.lengths.longest.into_iter().chain(other.lengths.longest).min();
        Ok(both.trimmed().with_lengths(longest))
    }

    /// Returns a position automaton of the texts that at least one of the two patterns accepts. `None` if it has too
    /// many counters, positions or transitions.
    pub fn union(&self, other: &Self) -> Option<Self> {
        let shift = self.counters.len();
        let first = self.places.len() as u32;
        let is_small = shift + other.counters.len() <= MOST_COUNTERS
            && self.places.len() + other.places.len() <= MOST_PLACES
            && self.ways.len() + other.ways.len() <= MOST_WAYS;
        if !is_small {
            return None;
        }
        let mut either = self.clone();
        either.counters.extend(&other.counters);
        let places = other
            .places
            .iter()
            .map(|place| Place { class: place.class.clone(), within: place.within << shift });
        either.places.extend(places);
        let moved = |place: Option<u32>| place.map(|place| first + place);
        either.ways.extend(other.ways.iter().map(|way| Way {
            from: moved(way.from),
            steps: way.steps.iter().map(|step| step.moved(shift as u8)).collect(),
            to: moved(way.to),
        }));
        either.lengths = self.lengths.or(other.lengths);
        either.most_texts = self.most_texts.saturating_add(other.most_texts);
        either.unrolled_places = self.unrolled_places.saturating_add(other.unrolled_places);
        Some(either)
    }

    /// Returns the minimal deterministic automaton over UTF-8 of the same texts. Each position becomes one state for
    /// each of its counts, before minimization.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the automaton has more states than allowed, or the budget is spent.
    pub fn automaton(&self, allowed: StateBudget<'_>) -> Result<Dfa, StateLimit> {
        let ways = self.ways_by_place();
        let mut classes = Classes::default();
        let mut nfa = Nfa::new();
        let mut numbers: FxHashMap<(Option<u32>, Counts), u32> = FxHashMap::default();
        let zero: Counts = self.counters.iter().map(|_| 0).collect();
        let mut open = vec![((None, zero), nfa.start)];
        let (end, most) = (nfa.end, allowed.states.saturating_mul(PROGRAM_STATES));
        while let Some(((place, counts), from)) = open.pop() {
            for way in ways.get(&place).into_iter().flatten() {
                allowed.spend(STEPS_A_WAY)?;
                let Some(counts) = self.taken(way, &counts) else { continue };
                let Some(to) = way.to else {
                    nfa.empty(from, end);
                    continue;
                };
                let state = *numbers.entry((way.to, counts.clone())).or_insert_with(|| {
                    let state = nfa.state();
                    open.push(((way.to, counts), state));
                    state
                });
                let class = classes.automaton(&self.places[to as usize].class);
                nfa.embed(&class, from, state);
            }
            if nfa.len() > most {
                return Err(allowed.error());
            }
        }
        minimal(&nfa, allowed)
    }

    /// Removes the positions from which no path of transitions leads to the end of the text, whatever the counts.
    /// Renumbers the others.
    pub(super) fn trimmed(mut self) -> Self {
        // The end of a text has the number after all positions.
        let end = self.places.len() as u32;
        let ways = self.ways.iter();
        let into = ways.filter_map(|way| Some((way.to.unwrap_or(end), way.from?)));
        let mut is_live = vec![false; self.places.len() + 1];
        for place in Lists::of_pairs(is_live.len(), into).reachable([end]) {
            is_live[place as usize] = true;
        }
        let mut next = 0;
        let numbers: Vec<u32> = is_live
            .iter()
            .map(|&live| {
                next += u32::from(live);
                next.wrapping_sub(1)
            })
            .collect();
        let mut live = is_live.iter();
        self.places.retain(|_| *live.next().expect("one flag a position"));
        let lives = |place: Option<u32>| place.is_none_or(|place| is_live[place as usize]);
        self.ways.retain(|way| lives(way.from) && lives(way.to));
        for place in self.ways.iter_mut().flat_map(|way| [&mut way.from, &mut way.to]) {
            *place = place.map(|place| numbers[place as usize]);
        }
        self
    }

    /// Sets the lengths of the texts in characters, given an upper bound on the longest. Searches for the shortest text
    /// by breadth-first search over positions with counts. `None` if that search visits more than [`MOST_VISITED`] of
    /// them. A pattern without texts loses all its transitions.
    pub(super) fn with_lengths(mut self, longest: Option<u32>) -> Option<Self> {
        let ways = self.ways_by_place();
        let zero: Counts = self.counters.iter().map(|_| 0).collect();
        let mut seen = rustc_hash::FxHashSet::from_iter([(None, zero.clone())]);
        let mut layer = vec![(None, zero)];
        let mut shortest = None;
        for length in 0.. {
            let mut next = Vec::new();
            for (place, counts) in &layer {
                for way in ways.get(place).into_iter().flatten() {
                    let Some(counts) = self.taken(way, counts) else { continue };
                    if way.to.is_none() {
                        shortest = shortest.or(Some(length));
                    } else if seen.insert((way.to, counts.clone())) {
                        next.push((way.to, counts));
                    }
                }
            }
            if shortest.is_some() || next.is_empty() {
                break;
            }
            if seen.len() > MOST_VISITED {
                return None;
            }
            layer = next;
        }
        match shortest {
            Some(shortest) => self.lengths = Lengths { shortest, longest, may_gap: true },
            None => self.ways.clear(),
        }
        Some(self)
    }

    /// Whether the pattern accepts no text. Exact after [`intersect`](Self::intersect), which removes all transitions
    /// of such a pattern. Otherwise false for some patterns that accept nothing.
    pub fn is_never(&self) -> bool {
        self.ways.iter().all(|way| way.to.is_some())
    }
}

/// Returns the class of the characters in some ranges, whose bounds are inclusive.
pub fn class_of(ranges: impl IntoIterator<Item = (char, char)>) -> ClassUnicode {
    ClassUnicode::new(ranges.into_iter().map(|(lo, hi)| ClassUnicodeRange::new(lo, hi)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ecma::{Meaning, copies, parse, positions};

    fn pattern(text: &str) -> CountedPattern {
        let node = parse::parse(text, Meaning::Ecma).expect(text);
        positions::counted(&node).or_else(|| copies::copied(&node)).expect(text)
    }

    #[test]
    fn products_agree_with_their_operands() {
        let texts = ["", "a", "ab", "ba", "abab", "aaaaaa", "bbbbbbb", "abcabc", "cab", "aacbb"];
        let patterns = [
            "^(?:a|ab|b){0,9}$",
            "^[ab]{2,6}$",
            "a.{0,2}b",
            "^(?:ab|c)*",
            "b$",
            "^(?:[ab]{1,5}c?){0,9}$",
        ];
        let all = StateBudget::of(1 << 14);
        for one in patterns.map(pattern) {
            for other in patterns.map(pattern) {
                let both = one.intersect(&other, all).expect("no budget").expect("it is small");
                let either = one.union(&other).expect("it is small");
                let automata =
                    [&both, &either].map(|of| of.automaton(all).expect("it has few states"));
                for text in texts {
                    let [a, b] = [one.matches(text), other.matches(text)];
                    assert_eq!(both.matches(text), a && b, "{text}");
                    assert_eq!(either.matches(text), a || b, "{text}");
                    let made = automata.each_ref().map(|dfa| dfa.accepts(text.as_bytes()));
                    assert_eq!(made, [a && b, a || b], "{text}");
                    if a && b {
                        let length = text.chars().count() as u32;
                        assert!(both.lengths.shortest <= length);
                        assert!(both.lengths.longest.is_none_or(|longest| length <= longest));
                    }
                }
            }
        }
    }
}

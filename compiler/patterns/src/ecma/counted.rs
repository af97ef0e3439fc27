//! Position automata with counters: the states are occurrences of character classes in a pattern (Glushkov).
//!
//! Built by [`positions`](super::positions). A text is in the language if some path reads it, ends, and observes all
//! bounds.

use regex_syntax::hir::ClassUnicode;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::lengths::Lengths;
use grammarc_grammar::ir::{Counter, Step};

/// A pattern as a position automaton (Glushkov): each position is an occurrence of a class of characters in the
/// pattern. Transitions reset, increment and check counters of repetitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedPattern {
    /// For each counter, by its number, its bounds: the fewest and the most repetitions.
    pub counters: Vec<Counter>,
    /// For each position (occurrence of a character class), by its number, its class and the counters around it.
    pub places: Vec<Place>,
    /// The transitions between positions, each with the counter steps that it takes.
    pub ways: Vec<Way>,
    /// The lengths of the accepted texts, in characters.
    pub lengths: Lengths,
    /// The number of positions that the automaton would have with all counted repetitions unrolled. `usize::MAX` if
    /// that overflows.
    pub unrolled_places: usize,
    /// An upper bound on the number of accepted texts. `u64::MAX` if it is infinite or overflows.
    pub(crate) most_texts: u64,
}

/// A position of a [`CountedPattern`]: one occurrence of a class of characters in the pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The characters that the position matches.
    pub class: ClassUnicode,
    /// The counters of the repetitions that contain the position, as a bit set: bit `i` is counter `i`.
    pub(crate) within: u32,
}

/// A transition of a [`CountedPattern`] between two positions. It reads a character that the target position matches.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Way {
    /// The number of the source position. `None` at the start of the text.
    pub from: Option<u32>,
    /// The counter steps (resets, increments and checks) that the transition takes, in order. The transition is not
    /// possible if a count would exceed its maximum, or if a check finds less than the minimum.
    pub steps: Vec<Step>,
    /// The number of the target position. `None` at the end of the text: the transition then reads nothing and accepts.
    pub to: Option<u32>,
}

impl CountedPattern {
    /// Whether the pattern accepts a text, by simulation of all paths at once. O(characters times transitions times
    /// distinct counts).
    pub fn matches(&self, text: &str) -> bool {
        let ways = self.ways_by_place();
        let zero: Counts = self.counters.iter().map(|_| 0).collect();
        let mut at: FxHashSet<(Option<u32>, Counts)> = FxHashSet::from_iter([(None, zero)]);
        let taken = |(place, counts): &(Option<u32>, Counts),
                     holds: &dyn Fn(Option<u32>) -> bool| {
            let ways = ways.get(place).into_iter().flatten().filter(|way| holds(way.to));
            let taken = ways.filter_map(|way| Some((way.to, self.taken(way, counts)?)));
            taken.collect::<Vec<_>>()
        };
        for c in text.chars() {
            let holds = |place: Option<u32>| {
                place.is_some_and(|place| {
                    let class = &self.places[place as usize].class;
                    class.iter().any(|range| (range.start()..=range.end()).contains(&c))
                })
            };
            at = at.iter().flat_map(|from| taken(from, &holds)).collect();
        }
        at.iter().any(|from| !taken(from, &|place| place.is_none()).is_empty())
    }

    /// Maps each position to the transitions that leave it. `None` is the start of the text.
    pub fn ways_by_place(&self) -> FxHashMap<Option<u32>, Vec<&Way>> {
        let mut ways: FxHashMap<Option<u32>, Vec<&Way>> = FxHashMap::default();
        self.ways.iter().for_each(|way| ways.entry(way.from).or_default().push(way));
        ways
    }

    /// Returns the count of each counter after the steps of a transition, given `counts` before it. `None` if a count
    /// would exceed its maximum, or if a check finds less than the minimum.
    pub(super) fn taken(&self, way: &Way, counts: &Counts) -> Option<Counts> {
        let mut counts = counts.clone();
        for step in &way.steps {
            let counter = step.counter();
            let (bounds, count) =
                (self.counters[usize::from(counter)], &mut counts[usize::from(counter)]);
            match step {
                Step::Reset(_) => *count = 0,
                Step::Increment(_) if bounds.max.is_some_and(|max| *count >= max) => return None,
                Step::Increment(_) => *count = bounds.saturated(*count + 1),
                Step::Check(_) if *count < bounds.min => return None,
                Step::Check(_) => {}
            }
        }
        Some(counts)
    }
}

/// For each counter of a pattern, by its number, the current count.
pub(super) type Counts = SmallVec<[u32; 4]>;

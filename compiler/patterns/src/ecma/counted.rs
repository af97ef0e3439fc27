//! Position automata with counters.
//!
//! Built by [`positions`](super::positions). A text is in the language if some path reads it, ends, and observes all
//! bounds.

use regex_syntax::hir::ClassUnicode;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::lengths::Lengths;
use grammarc_grammar::ir::{Counter, Step};

/// A pattern as a position automaton whose transitions change and check counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedPattern {
    /// Bounds by counter.
    pub counters: Vec<Counter>,
    /// Positions by number.
    pub places: Vec<Place>,
    /// Transitions, each with its counter steps.
    pub ways: Vec<Way>,
    /// Lengths of the texts, in characters.
    pub lengths: Lengths,
    /// Number of positions with all counts unrolled.
    pub unrolled_places: usize,
    /// Upper bound on the number of texts.
    pub(crate) most_texts: u64,
}

/// A position: an occurrence of a class in the pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The characters that the position matches.
    pub class: ClassUnicode,
    /// The counters whose repetitions contain the position, as a bit set.
    pub(crate) within: u32,
}

/// A transition between two positions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Way {
    /// The source; `None` at the start of the text.
    pub from: Option<u32>,
    /// The counter steps, in execution order.
    pub steps: Vec<Step>,
    /// The target; `None` at the end of the text.
    pub to: Option<u32>,
}

impl CountedPattern {
    /// Whether a text is in the language, by simulation. O(characters times transitions times distinct counts).
    pub fn matches(&self, text: &str) -> bool {
        let zero: Counts = self.counters.iter().map(|_| 0).collect();
        let mut at: FxHashSet<(Option<u32>, Counts)> = FxHashSet::from_iter([(None, zero)]);
        for c in text.chars() {
            let holds = |place: u32| {
                let class = &self.places[place as usize].class;
                class.iter().any(|range| (range.start()..=range.end()).contains(&c))
            };
            let ways = self.ways.iter().filter(|way| way.to.is_some_and(holds));
            let next = ways.flat_map(|way| {
                let from = at.iter().filter(|(place, _)| *place == way.from);
                from.filter_map(|(_, counts)| Some((way.to, self.taken(way, counts)?)))
            });
            at = next.collect();
        }
        let mut ends = self.ways.iter().filter(|way| way.to.is_none());
        ends.any(|way| {
            at.iter().any(|(place, counts)| *place == way.from && self.taken(way, counts).is_some())
        })
    }

    /// Returns the counts after a transition. `None` if a step violates a bound.
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

/// The count of each counter.
type Counts = SmallVec<[u32; 4]>;

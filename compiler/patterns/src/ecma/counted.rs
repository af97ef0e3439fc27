//! Patterns with counters: places, and ways between them that take steps of counters.
//!
//! Made by [`positions`](super::positions). A text is in the language where some way through it ends and keeps to the bounds.

use regex_syntax::hir::ClassUnicode;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::lengths::Lengths;
use grammarc_grammar::ir::{Counter, Step};

/// A pattern as places and ways between them, with counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedPattern {
    /// Bounds by counter.
    pub counters: Vec<Counter>,
    /// Places by number.
    pub places: Vec<Place>,
    /// Ways, each with the steps that it takes.
    pub ways: Vec<Way>,
    /// Lengths of the texts, in characters.
    pub lengths: Lengths,
    /// Places that there were with all counts written out.
    pub written_out: usize,
    /// At least the number of its texts.
    pub(crate) most_texts: u64,
}

/// One character of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The characters that it may be.
    pub class: ClassUnicode,
    /// The counters whose repetitions it is within, as bits.
    pub(crate) within: u32,
}

/// A way from one place to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The place that it leaves; none at the start of the text.
    pub from: Option<u32>,
    /// The steps that it takes.
    pub steps: Vec<Step>,
    /// The place that it leads to; none at the end of the text.
    pub to: Option<u32>,
}

impl CountedPattern {
    /// Whether a text is in the language: by the counts of all ways through it. O(characters times ways times counts that come
    /// apart).
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

    /// The counts after the steps of a way; none where it cannot be taken.
    fn taken(&self, way: &Way, counts: &Counts) -> Option<Counts> {
        let mut counts = counts.clone();
        for step in &way.steps {
            let counter = step.counter();
            let (bounds, count) =
                (self.counters[usize::from(counter)], &mut counts[usize::from(counter)]);
            match step {
                Step::Reset(_) => *count = 0,
                Step::Increment(_) if bounds.max.is_some_and(|max| *count >= max) => return None,
                Step::Increment(_) => *count = bounds.settled(*count + 1),
                Step::Check(_) if *count < bounds.min => return None,
                Step::Check(_) => {}
            }
        }
        Some(counts)
    }
}

/// By counter, its count.
type Counts = SmallVec<[u32; 4]>;

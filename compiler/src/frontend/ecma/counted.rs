//! Patterns with counters: the position automaton, with the steps of counters on its ways.
//!
//! The deterministic automaton of `^(?:\S+\s+){0,199}\S+$` has a part for each of two hundred words. The position automaton
//! has a *place* for each class that the pattern names, here three, and a *way* from place to place carries the steps of
//! counters: a repetition that begins resets its counter and ticks, one that goes round ticks, one that is left is checked.
//!
//! ```text
//! start ─reset,tick─► \S ⟲    \S ──► \s ⟲    \s ─tick─► \S    \s ─check─► \S ⟲ ──► end        start ──► the last \S
//! ```
//!
//! Only patterns that match from end to end and assert nothing else have one. Repetitions of few times are copied.
//!
//! Sources: Glushkov, "The abstract theory of automata" (1961); Gelade, Gyssens and Martens, "Regular expressions with
//! counting: weak versus strong determinism" (2012).
//!
//! Cost: O(places²), of which there are at most [`MOST_PLACES`].

use regex_syntax::hir::ClassUnicode;

use super::node::Node;
use super::together;
use crate::ir::{Counter, Step};

/// Repetitions of up to so many times are copied.
const COPIED: u32 = 4;
/// Most counters of a pattern: the length may be one more.
const MOST_COUNTERS: usize = 7;
/// Most places.
const MOST_PLACES: usize = 1 << 7;
/// Most ways.
const MOST_WAYS: usize = 1 << 11;

/// A pattern as places and ways between them, with counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CountedPattern {
    /// Bounds by counter.
    pub(crate) counters: Vec<Counter>,
    /// Places by number.
    pub(crate) places: Vec<Place>,
    /// Ways, each with the steps that it takes.
    pub(crate) ways: Vec<Way>,
}

/// One character of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The characters that it may be.
    pub(crate) class: ClassUnicode,
    /// The counters whose repetitions it is within, as bits.
    pub(crate) within: u32,
}

/// A way from one place to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    /// The place that it leaves; none at the start of the text.
    pub(crate) from: Option<u32>,
    /// The steps that it takes.
    pub(crate) steps: Vec<Step>,
    /// The place that it leads to; none at the end of the text.
    pub(crate) to: Option<u32>,
}

/// The counted form of a tree; none where it has no long count, does not match from end to end, is too large, or where the counts
/// of one text come apart.
pub(super) fn counted(node: &Node) -> Option<CountedPattern> {
    let mut builder = Builder::default();
    let whole = builder.anchored(node)?;
    builder.connect(&[(None, Vec::new())], &whole.first)?;
    let ends: Vec<Exit> =
        whole.last.into_iter().map(|(place, steps)| (Some(place), steps)).collect();
    for (from, steps) in ends {
        builder.way(Way { from, steps, to: None })?;
    }
    if whole.nullable {
        builder.way(Way { from: None, steps: Vec::new(), to: None })?;
    }
    let pattern = builder.pattern;
    (!pattern.counters.is_empty() && together::stay_together(&pattern)).then_some(pattern)
}

/// A place that a part is left from, with the steps of leaving it; none is the start of the text.
type Exit = (Option<u32>, Vec<Step>);

/// A part of a pattern.
#[derive(Default)]
struct Part {
    /// Places that it can begin with, and the steps of entering it.
    first: Vec<(Vec<Step>, u32)>,
    /// Places that it can end with, and the steps of leaving it.
    last: Vec<(u32, Vec<Step>)>,
    /// Whether it may be nothing.
    nullable: bool,
}

impl Part {
    fn nothing() -> Self {
        Self { nullable: true, ..Self::default() }
    }
}

#[derive(Default)]
struct Builder {
    pattern: CountedPattern,
    /// The counters of the repetitions around the part at hand, as bits.
    within: u32,
}

impl Builder {
    /// The part between the anchors of a tree that has them at both ends, each choice its own.
    fn anchored(&mut self, node: &Node) -> Option<Part> {
        match node {
            Node::Seq(parts) => match &parts[..] {
                [Node::Start, middle @ .., Node::End] => self.seq(middle),
                [one] => self.anchored(one),
                _ => None,
            },
            Node::Alt(choices) => self.alt(choices, Self::anchored),
            _ => None,
        }
    }

    /// The part of a tree that asserts nothing.
    fn part(&mut self, node: &Node) -> Option<Part> {
        match node {
            Node::Class(class) => {
                let place = u32::try_from(self.pattern.places.len()).ok()?;
                if self.pattern.places.len() >= MOST_PLACES {
                    return None;
                }
                let within = self.within;
                self.pattern.places.push(Place { class: class.clone(), within });
                let (first, last) = (vec![(Vec::new(), place)], vec![(place, Vec::new())]);
                Some(Part { first, last, nullable: false })
            }
            Node::Seq(parts) => self.seq(parts),
            Node::Alt(choices) => self.alt(choices, Self::part),
            Node::Repeat { body, min, max } => self.repeat(body, *min, *max),
            Node::Start | Node::End | Node::WordBoundary { .. } | Node::Look { .. } => None,
        }
    }

    fn seq(&mut self, parts: &[Node]) -> Option<Part> {
        let mut whole = Part::nothing();
        for node in parts {
            let part = self.part(node)?;
            whole = self.then(whole, part)?;
        }
        Some(whole)
    }

    fn then(&mut self, mut one: Part, next: Part) -> Option<Part> {
        self.connect(&exits(&one.last), &next.first)?;
        if one.nullable {
            one.first.extend(next.first);
        }
        if !next.nullable {
            one.last.clear();
        }
        one.last.extend(next.last);
        Some(Part { nullable: one.nullable && next.nullable, ..one })
    }

    fn alt(
        &mut self,
        choices: &[Node],
        part: impl Fn(&mut Self, &Node) -> Option<Part>,
    ) -> Option<Part> {
        let mut any = Part::default();
        for choice in choices {
            let one = part(self, choice)?;
            any.first.extend(one.first);
            any.last.extend(one.last);
            any.nullable |= one.nullable;
        }
        Some(any)
    }

    fn repeat(&mut self, body: &Node, min: u32, max: Option<u32>) -> Option<Part> {
        if max.is_some_and(|max| max < min) {
            return None;
        }
        if max.unwrap_or(min) > COPIED {
            return self.counting(body, Counter { min, max });
        }
        let mut whole = Part::nothing();
        let copies = max.unwrap_or(min.max(1));
        for copy in 0..copies {
            let mut part = self.part(body)?;
            if max.is_none() && copy + 1 == copies {
                self.connect(&exits(&part.last), &part.first)?;
            }
            part.nullable |= copy >= min;
            whole = self.then(whole, part)?;
        }
        Some(whole)
    }

    /// A repetition with a counter of the times that it has begun.
    fn counting(&mut self, body: &Node, bounds: Counter) -> Option<Part> {
        let number = self.pattern.counters.len();
        if number >= MOST_COUNTERS {
            return None;
        }
        self.pattern.counters.push(bounds);
        self.within |= 1 << number;
        let mut part = self.part(body)?;
        self.within &= !(1 << number);
        if part.nullable {
            // Any number of the times may be nothing.
            self.pattern.counters[number].min = 0;
        }
        let (counter, min) = (number as u8, self.pattern.counters[number].min);
        let again = part.first.iter().map(|(steps, place)| {
            let tick = [Step::Tick(counter)];
            (tick.into_iter().chain(steps.iter().copied()).collect(), *place)
        });
        let again: Vec<(Vec<Step>, u32)> = again.collect();
        self.connect(&exits(&part.last), &again)?;
        for (steps, _) in &mut part.first {
            steps.splice(0..0, [Step::Reset(counter), Step::Tick(counter)]);
        }
        if min > 1 {
            part.last.iter_mut().for_each(|(_, steps)| steps.push(Step::Check(counter)));
        }
        part.nullable |= min == 0;
        Some(part)
    }

    fn connect(&mut self, from: &[Exit], to: &[(Vec<Step>, u32)]) -> Option<()> {
        for (from, leaving) in from {
            for (entering, to) in to {
                let steps = leaving.iter().chain(entering).copied().collect();
                self.way(Way { from: *from, steps, to: Some(*to) })?;
            }
        }
        Some(())
    }

    /// Adds a way, once.
    fn way(&mut self, way: Way) -> Option<()> {
        if !self.pattern.ways.contains(&way) {
            self.pattern.ways.push(way);
        }
        (self.pattern.ways.len() <= MOST_WAYS).then_some(())
    }
}

/// The places that a part is left from.
fn exits(last: &[(u32, Vec<Step>)]) -> Vec<Exit> {
    last.iter().map(|(place, steps)| (Some(*place), steps.clone())).collect()
}

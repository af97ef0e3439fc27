//! Builds position automata with counters from syntax trees (Glushkov's construction).
//!
//! The deterministic automaton of `^(?:\S+\s+){0,199}\S+$` has states for each of two hundred words. The position
//! automaton has a *position* ([`Place`]) for each class of the pattern, here three. Its *transitions* ([`Way`]) have
//! counter steps: entering a repetition resets and increments its counter, iterating increments it, and leaving checks
//! its minimum.
//!
//! ```text
//! start ─reset,increment─► \S ⟲    \S ──► \s ⟲    \s ─increment─► \S    \s ─check─► \S ⟲ ──► end    start ──► the last \S
//! ```
//!
//! Only patterns with anchors at both ends and no other assertion have a counted form. If the only long counts are
//! fixed counts of one class, there is none, because the automaton is as good. Short repetitions are copied.
//!
//! Sources: Glushkov, "The abstract theory of automata" (1961); Gelade, Gyssens and Martens, "Regular expressions with
//! counting: weak versus strong determinism" (2012).
//!
//! Cost: O(positions²), with at most [`MOST_PLACES`] positions.

use rustc_hash::FxHashSet;

use super::counted::{CountedPattern, Place, Way};
use super::counters_stay_aligned;
use super::lengths;
use super::node::Node;
use grammarc_grammar::ir::{Counter, Step};

/// Greatest bound of a repetition whose body is copied for each repetition. A repetition with a greater bound gets a
/// counter.
const COPIED: u32 = 4;
/// Most counters of a pattern, one for each long repetition. A pattern with more has no position automaton with
/// counters. The length of the string may need one more counter.
pub(super) const MOST_COUNTERS: usize = 7;
/// Most positions (occurrences of character classes) of a position automaton with counters. A pattern with more has no
/// such automaton.
const MOST_PLACES: usize = 1 << 7;
/// Most transitions of a position automaton with counters. A pattern with more has no such automaton.
const MOST_WAYS: usize = 1 << 11;
/// Most nodes of the syntax tree that are visited for a position automaton with counters, counting each copy of a
/// repetition's body. A pattern with more has no such automaton.
const MOST_PARTS: usize = 1 << 12;

/// Builds the position automaton with counters of a syntax tree. `None` if the tree has no long count, is not anchored
/// at both ends, or is too large. Also `None` if one text may have counts that are not a fixed distance apart, because
/// then one register cannot hold them.
pub(super) fn counted(node: &Node) -> Option<CountedPattern> {
    let mut builder = Builder::default();
    let whole = builder.anchored(node)?;
    if !builder.is_worth {
        return None;
    }
    let pattern = builder.finish(node, whole)?;
    counters_stay_aligned::stay_aligned(&pattern).then_some(pattern)
}

/// A position from which a subexpression of the pattern is left, with the counter steps on leaving. A position of
/// `None` is the start of the text.
type Exit = (Option<u32>, Vec<Step>);

/// A subexpression of a pattern, described by Glushkov's first and last sets: the positions at which its matches may
/// begin and end. The transitions within it are already in the automaton.
#[derive(Default)]
struct Part {
    /// The first set: the positions at which a match of the subexpression may begin, each with the counter steps on
    /// entering.
    first: Vec<(Vec<Step>, u32)>,
    /// The last set: the positions at which a match of the subexpression may end, each with the counter steps on
    /// leaving.
    last: Vec<(u32, Vec<Step>)>,
    /// Whether the subexpression matches the empty string.
    nullable: bool,
}

impl Part {
    /// Returns the description of the empty sequence, which matches only the empty string.
    fn nothing() -> Self {
        Self { nullable: true, ..Self::default() }
    }
}

#[derive(Default)]
struct Builder {
    pattern: CountedPattern,
    /// The transitions added to the automaton so far, to find duplicates.
    ways: FxHashSet<Way>,
    /// The counters of the repetitions that contain the node under construction, as a bit set: bit `i` is counter `i`.
    within: u32,
    /// Whether a position automaton with counters is of use: some long count is a range, or counts more than one class.
    /// A deterministic automaton handles the other counts as well.
    is_worth: bool,
    /// The number of nodes of the syntax tree visited so far, counting each copy of a repetition's body.
    parts: usize,
}

impl Builder {
    /// Completes the automaton. Connects the first and last positions of the whole tree to the start and the end of the
    /// text. Also computes the lengths of the texts. `None` if there are too many transitions.
    fn finish(mut self, node: &Node, whole: Part) -> Option<CountedPattern> {
        self.connect(&[(None, Vec::new())], &whole.first)?;
        let ends: Vec<Exit> =
            whole.last.into_iter().map(|(place, steps)| (Some(place), steps)).collect();
        for (from, steps) in ends {
            self.way(Way { from, steps, to: None })?;
        }
        if whole.nullable {
            self.way(Way { from: None, steps: Vec::new(), to: None })?;
        }
        let mut pattern = self.pattern;
        pattern.lengths = lengths::of(node);
        pattern.unrolled_places = lengths::unrolled_places(node);
        pattern.most_texts = lengths::most_texts(node);
        Some(pattern)
    }

    /// Adds the positions and transitions of the nodes between the anchors of a tree. Returns its first and last
    /// positions. In an alternation, each alternative has its own anchors. `None` if an anchor is missing, there is
    /// another assertion, or a limit is exceeded.
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

    /// Adds the positions and transitions of a syntax tree to the automaton. Returns its first and last positions, and
    /// whether it matches the empty string. `None` if the tree has an assertion, a class is empty, or a limit is
    /// exceeded.
    fn part(&mut self, node: &Node) -> Option<Part> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return None;
        }
        match node {
            Node::Class(class) => {
                let place = u32::try_from(self.pattern.places.len()).ok()?;
                if self.pattern.places.len() >= MOST_PLACES || class.ranges().is_empty() {
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

    /// Adds a sequence of nodes to the automaton. Returns its first and last positions. `None` if a node cannot be
    /// added.
    fn seq(&mut self, parts: &[Node]) -> Option<Part> {
        let mut whole = Part::nothing();
        for node in parts {
            let part = self.part(node)?;
            whole = self.then(whole, part)?;
        }
        Some(whole)
    }

    /// Connects the last positions of `one` to the first positions of `next`. Returns the first and last positions of
    /// their concatenation. `None` if there are too many transitions.
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

    /// Adds an alternation to the automaton; `part` adds one alternative. Returns its first and last positions. `None`
    /// if an alternative cannot be added.
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

    /// Adds a repetition to the automaton, with a counter or as copies of the body. Returns its first and last
    /// positions. `None` if `max` is below `min` or the body cannot be added.
    fn repeat(&mut self, body: &Node, min: u32, max: Option<u32>) -> Option<Part> {
        if max.is_some_and(|max| max < min) {
            return None;
        }
        if max.unwrap_or(min) > COPIED {
            return self.counting(body, Counter { min, max });
        }
        let copies = max.unwrap_or(min.max(1));
        let mut parts = Vec::new();
        for copy in 0..copies {
            let part = self.part(body)?;
            if max.is_none() && copy + 1 == copies {
                self.connect(&exits(&part.last), &part.first)?;
            }
            parts.push(part);
        }
        // Built as `x(?:x(?:x)?)?`: in `xx?x?` a text would have several paths.
        let mut whole = Part::nothing();
        for (copy, part) in (0..copies).zip(parts).rev() {
            whole = self.then(part, whole)?;
            whole.nullable |= copy >= min;
        }
        Some(whole)
    }

    /// Adds a repetition with a counter, which counts the iterations begun. Returns its first and last positions.
    /// `None` if there are too many counters, or if the body cannot be added.
    fn counting(&mut self, body: &Node, bounds: Counter) -> Option<Part> {
        let number = self.pattern.counters.len();
        if number >= MOST_COUNTERS {
            return None;
        }
        self.is_worth |= bounds.max != Some(bounds.min) || !matches!(body, Node::Class(_));
        self.pattern.counters.push(bounds);
        self.within |= 1 << number;
        let mut part = self.part(body)?;
        self.within &= !(1 << number);
        if part.nullable {
            // A nullable body can match the empty string any number of times, so there is no minimum.
            self.pattern.counters[number].min = 0;
        }
        let (counter, min) = (number as u8, self.pattern.counters[number].min);
        let again = part.first.iter().map(|(steps, place)| {
            let increment = [Step::Increment(counter)];
            (increment.into_iter().chain(steps.iter().copied()).collect(), *place)
        });
        let again: Vec<(Vec<Step>, u32)> = again.collect();
        self.connect(&exits(&part.last), &again)?;
        for (steps, _) in &mut part.first {
            steps.splice(0..0, [Step::Reset(counter), Step::Increment(counter)]);
        }
        if min > 1 {
            part.last.iter_mut().for_each(|(_, steps)| steps.push(Step::Check(counter)));
        }
        part.nullable |= min == 0;
        Some(part)
    }

    /// Adds transitions from each exit (a position with the counter steps on leaving) to each entry (a position with
    /// the counter steps on entering). `None` if there are too many transitions.
    fn connect(&mut self, from: &[Exit], to: &[(Vec<Step>, u32)]) -> Option<()> {
        for (from, leaving) in from {
            for (entering, to) in to {
                let steps = leaving.iter().chain(entering).copied().collect();
                self.way(Way { from: *from, steps, to: Some(*to) })?;
            }
        }
        Some(())
    }

    /// Adds a transition to the automaton, unless it exists. `None` if there are too many.
    fn way(&mut self, way: Way) -> Option<()> {
        if self.ways.insert(way.clone()) {
            self.pattern.ways.push(way);
        }
        (self.pattern.ways.len() <= MOST_WAYS).then_some(())
    }
}

/// Returns the exits of a subexpression, given its last set: the positions at which its matches may end, each with the
/// counter steps on leaving.
fn exits(last: &[(u32, Vec<Step>)]) -> Vec<Exit> {
    last.iter().map(|(place, steps)| (Some(*place), steps.clone())).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ecma::lengths::Lengths;
    use crate::ecma::{Meaning, automaton, parse};
    use grammarc_grammar::automata::StateBudget;
    use grammarc_test_data::Rng;

    fn tree(text: &str) -> Node {
        parse::parse(text, Meaning::Ecma).expect(text)
    }

    #[test]
    fn counts_of_words_are_counters() {
        let pattern =
            counted(&tree(r"^$|(^(?:\S+\s+){0,199}\S+$)")).expect("its counts stay aligned");
        assert_eq!(pattern.counters, [Counter { min: 0, max: Some(199) }]);
        assert_eq!((pattern.places.len(), pattern.unrolled_places), (3, 399));
        assert!(pattern.matches("") && pattern.matches("a bc  d") && !pattern.matches(" a"));
    }

    #[test]
    fn counts_that_diverge_are_not() {
        let texts = ["^(?:a+){20,50}$", "^(?:a|ab|b){19}a*$", "^a{0,9}$|^(?:a{3}){9}$"];
        let diverging = texts.map(|text| counted(&tree(text)).is_none());
        assert_eq!(diverging, [true, true, false]);
        // Without a minimum, only the lowest count matters.
        for text in ["^(?:a+){0,50}$", "^(?:a|aa){1,500}$", r"^(?:\w+\s?){0,200}$"] {
            assert!(counted(&tree(text)).is_some(), "{text}");
        }
        assert_eq!(counted(&tree("(?:ab){0,50}$")), None);
        assert_eq!(counted(&tree(r"^(?:ab\b){0,50}$")), None);
        assert_eq!(counted(&tree("^(?:ab){0,3}$")), None);
        let copies = format!("^a{{0,9}}{}{}$", "(?:".repeat(60), "){4}".repeat(60));
        assert_eq!(counted(&tree(&copies)), None);
    }

    #[test]
    fn lengths_are_those_of_the_texts() {
        let of = |text: &str| lengths::of(&tree(text));
        let lengths = |shortest, longest, may_gap| Lengths { shortest, longest, may_gap };
        assert_eq!(of(r"^(?:\S+\s+){0,49}\S+$"), lengths(1, None, false));
        assert_eq!(of("^(?:ab){3,5}$"), lengths(6, Some(10), true));
        assert_eq!(of("^(?:[a-z]{1,20}-){0,30}[a-z]{1,20}$"), lengths(1, Some(650), true));
        assert_eq!(of("^(?:[a-z]{2,3}){4,9}$"), lengths(8, Some(27), false));
    }

    /// Generates patterns between anchors, with counts far beyond the limit for copies.
    fn pattern() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![Just("a"), Just("b"), Just("[ab]"), Just("c"), Just("[^a]")];
        let leaf = leaf.prop_map(str::to_owned);
        let node = leaf.prop_recursive(4, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
                prop::collection::vec(inner.clone(), 1..3)
                    .prop_map(|parts| format!("(?:{})", parts.join("|"))),
                (inner.clone(), 0..7u32, 0..4u32)
                    .prop_map(|(body, min, more)| format!("(?:{body}){{{min},{}}}", min + more)),
                (inner.clone(), 4..8u32).prop_map(|(body, min)| format!("(?:{body}){{{min},}}")),
                (inner, prop_oneof![Just("*"), Just("+"), Just("?")])
                    .prop_map(|(body, sign)| format!("(?:{body}){sign}")),
            ]
        });
        node.prop_map(|body| format!("^{body}$"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn a_counted_pattern_has_the_texts_of_its_automaton(
            text in pattern(),
            strings in prop::collection::vec("[abc]{0,24}", 40),
        ) {
            let node = tree(&text);
            let Some(pattern) = counted(&node) else { return Ok(()) };
            let Ok(dfa) = automaton(&node, &text, StateBudget::of(20_000)) else { return Ok(()) };
            for string in strings {
                prop_assert_eq!(pattern.matches(&string), dfa.accepts(string.as_bytes()), "{}", string);
            }
            // Random strings rarely match. Strings drawn from the automaton do, and strings close to them often do not.
            for seed in 0..20 {
                let string = drawn(&dfa, seed);
                prop_assert!(pattern.matches(&string), "{} of {}", string, text);
                let count = string.chars().count() as u32;
                prop_assert!(pattern.lengths.shortest <= count);
                prop_assert!(pattern.lengths.longest.is_none_or(|longest| count <= longest));
                let cut: String = string.chars().skip(1).collect();
                let more = format!("{string}{}", &string[..string.len().min(1)]);
                for near in [cut, more] {
                    let accepts = dfa.accepts(near.as_bytes());
                    prop_assert_eq!(pattern.matches(&near), accepts, "{} of {}", near, text);
                }
            }
        }
    }

    /// Draws a text from an automaton. Takes random ASCII edges for a while, then the shortest path to an accepting
    /// state.
    fn drawn(dfa: &grammarc_grammar::automata::Dfa, seed: u64) -> String {
        let mut rng = Rng::new(seed);
        let mut text = String::new();
        let mut state = 0;
        let mut distance = vec![usize::MAX; dfa.states.len()];
        for _ in 0..=dfa.states.len() {
            for (at, record) in dfa.states.iter().enumerate() {
                let ascii = record.edges.iter().filter(|edge| edge.lo < 0x80);
                let next = ascii.map(|edge| distance[edge.target as usize].saturating_add(1)).min();
                distance[at] = if record.accepting { 0 } else { next.unwrap_or(usize::MAX) };
            }
        }
        for step in 0.. {
            let record = &dfa.states[state as usize];
            let is_over = step > seed as usize * 4;
            if record.accepting && (is_over || record.edges.is_empty()) {
                break;
            }
            let edges: Vec<_> = record.edges.iter().filter(|edge| edge.lo < 0x80).collect();
            let nearest = |edges: &[&grammarc_grammar::automata::Edge]| {
                edges.iter().min_by_key(|edge| distance[edge.target as usize]).map(|edge| **edge)
            };
            let edge = match is_over {
                true => nearest(&edges),
                false => edges.get(rng.below(edges.len().max(1))).map(|edge| **edge),
            };
            let Some(edge) = edge else { break };
            let byte = edge.lo.max(b'a'.into()).min(edge.hi);
            text.push(char::from(byte as u8));
            state = edge.target;
        }
        text
    }
}

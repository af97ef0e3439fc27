//! Replaces a long count in a pattern with bounds on the length of the string.
//!
//! In `^A C{m,n} B$`, let `C` be one class and `k` the fixed length of the rest, in characters. The length of the
//! string then determines the number of `C`. So the pattern is `^A C* B$` with a length from `m + k` to `n + k`.
//! Assertions have no length and are kept.

use super::node::Node;

/// Greatest count that the automaton unrolls, one state for each repetition. A greater count may become bounds on the
/// length.
const SHORT: u32 = 64;

/// The tree of a pattern, with bounds on the length of its matches. The bounds are in characters and inclusive; without
/// `max` there is no upper bound.
pub(super) struct Bounded {
    pub(super) node: Node,
    pub(super) min: u32,
    pub(super) max: Option<u32>,
}

/// Replaces one long count with bounds on the length, if the length of the string determines the count. Otherwise
/// returns the tree with the bounds from 0 to infinity. The language is the same.
pub(super) fn bounded(node: Node) -> Bounded {
    let mut parts = Vec::new();
    flatten(&node, &mut parts);
    let unbounded = |node| Bounded { node, min: 0, max: None };
    let [Node::Start, middle @ .., Node::End] = &*parts else { return unbounded(node) };
    let mut fixed = 0u32;
    let mut counted = None;
    for (index, part) in middle.iter().enumerate() {
        match part {
            Node::Class(_) => fixed += 1,
            Node::Look { .. } | Node::WordBoundary { .. } => {}
            Node::Repeat { body, min, max } if matches!(**body, Node::Class(_)) => {
                if max.unwrap_or(*min) > SHORT && counted.is_none() {
                    counted = Some((index + 1, *min, *max));
                } else if *max == Some(*min) && *min <= SHORT {
                    fixed += min;
                } else {
                    return unbounded(node);
                }
            }
            _ => return unbounded(node),
        }
    }
    let Some((index, min, max)) = counted.filter(|(_, min, max)| max.is_none_or(|max| *min <= max))
    else {
        return unbounded(node);
    };
    if let Node::Repeat { min, max, .. } = &mut parts[index] {
        (*min, *max) = (0, None);
    }
    Bounded {
        node: Node::Seq(parts),
        min: min.saturating_add(fixed),
        max: max.map(|max| max.saturating_add(fixed)),
    }
}

/// Appends the parts of a sequence of nodes to `parts`, with nested sequences flattened. A node that is no sequence is
/// appended itself.
fn flatten(node: &Node, parts: &mut Vec<Node>) {
    match node {
        Node::Seq(inner) => inner.iter().for_each(|part| flatten(part, parts)),
        other => parts.push(other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use crate::ecma::{automaton, parse, pattern, pattern_automaton};
    use grammarc_grammar::automata::{Dfa, StateBudget};

    /// Returns the automaton of a pattern whose long counts are not replaced.
    fn whole(text: &str) -> Dfa {
        let node = parse::parse(text, crate::ecma::Meaning::Ecma).expect(text);
        automaton(&node, text, StateBudget::of(10_000)).expect(text)
    }

    #[test]
    fn long_counts_cost_no_states() {
        let cases = [
            ("^[a-z]{1,65535}$", 1, 1, Some(65_535)),
            ("^[a-z][a-z0-9-]{0,4000}[a-z]$", 3, 2, Some(4_002)),
            ("^(?:#)(\\d{100,})x{3}$", 5, 104, None),
            ("^.{1000}$", 10, 1_000, Some(1_000)),
        ];
        for (text, states, min, max) in cases {
            let automaton = pattern_automaton(text, StateBudget::of(1_000)).expect(text);
            assert!(automaton.states.len() <= states, "{text}: {automaton:?}");
            let pattern = pattern(text, StateBudget::of(1_000)).expect(text);
            assert_eq!((pattern.min, pattern.max), (min, max), "{text}");
        }
    }

    #[test]
    fn other_counts_stay() {
        let texts = [
            "[a-z]{1,100}",
            "^a{1,64}$",
            "^a{0,100}b{0,100}$",
            "^(ab){100}$",
            "^a{100}|b$",
            "^a+b{70}$",
        ];
        for text in texts {
            let bounded = pattern(text, StateBudget::of(10_000)).expect(text);
            assert_eq!((bounded.min, bounded.max), (0, None), "{text}");
            let automaton = pattern_automaton(text, StateBudget::of(10_000));
            assert_eq!(automaton, Ok(whole(text)), "{text}");
        }
    }

    #[test]
    fn bounds_and_automaton_are_the_pattern() {
        for text in ["^a(?!b)[ab]{0,70}(?=b)[bc]$", r"^\b[a\-]{65,66}$", "^a{70,}$"] {
            let whole = whole(text);
            let bounded = pattern(text, StateBudget::of(10_000)).expect(text);
            let automaton = pattern_automaton(text, StateBudget::of(10_000)).expect(text);
            assert!(bounded.max.is_some() || bounded.min > 0, "{text}");
            for length in 0..80u32 {
                for (first, last) in [("a", "a"), ("a", "b"), ("a-", "-"), ("ab", "ab"), ("", "c")]
                {
                    let string = format!("{first}{}{last}", "a".repeat(length as usize));
                    let count = string.chars().count() as u32;
                    let within = bounded.min <= count && bounded.max.is_none_or(|max| count <= max);
                    let accepts = within && automaton.accepts(string.as_bytes());
                    assert_eq!(accepts, whole.accepts(string.as_bytes()), "{text} on {string}");
                }
            }
        }
    }
}

//! The lengths in characters of the matches of a syntax tree without assertions, and the number of matches, by
//! structural recursion.

use regex_syntax::hir::ClassUnicodeRange;

use super::node::Node;

/// The range of the lengths of a set of texts, in characters. Unless `may_gap` is true, every length in the range
/// occurs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// The length of the shortest text, in characters.
    pub shortest: u32,
    /// The length of the longest text, in characters. `None` if texts may be arbitrarily long.
    pub longest: Option<u32>,
    /// Whether some length between the shortest and the longest may not occur.
    pub may_gap: bool,
}

impl Lengths {
    /// The lengths of the empty text alone: exactly 0.
    const NOTHING: Self = Self::exactly(0);

    /// Returns the lengths of texts that all have `length` characters.
    const fn exactly(length: u32) -> Self {
        Self { shortest: length, longest: Some(length), may_gap: false }
    }

    /// Returns the lengths of the concatenations of a text with lengths `self` and a text with lengths `next`.
    fn then(self, next: Self) -> Self {
        let longest = self.longest.zip(next.longest).map(|(a, b)| a.saturating_add(b));
        // If one operand has all lengths from its shortest on, without a longest, it fills the gaps of the other.
        let fills = |one: Self| one.longest.is_none() && !one.may_gap;
        let may_gap = (self.may_gap || next.may_gap) && !fills(self) && !fills(next);
        Self { shortest: self.shortest.saturating_add(next.shortest), longest, may_gap }
    }

    /// Returns the lengths of the texts that have lengths in `self` or in `other`.
    pub(super) fn or(self, other: Self) -> Self {
        let longest = self.longest.zip(other.longest).map(|(a, b)| a.max(b));
        let (low, high) = match self.shortest <= other.shortest {
            true => (self, other),
            false => (other, self),
        };
        let meets = low.longest.is_none_or(|last| last.saturating_add(1) >= high.shortest);
        let may_gap = self.may_gap || other.may_gap || !meets;
        Self { shortest: low.shortest, longest, may_gap }
    }

    /// Returns the lengths of between `min` and `max` texts with lengths `self`, one after the other. Without `max`,
    /// their number is unbounded.
    fn repeated(self, min: u32, max: Option<u32>) -> Self {
        let longest = match (max, self.longest) {
            (Some(0), _) | (_, Some(0)) => Some(0),
            (max, longest) => max.zip(longest).map(|(max, longest)| max.saturating_mul(longest)),
        };
        // The gap between the lengths of `times` and of `times + 1` copies is the widest for the fewest copies.
        let meets = |times: u64| {
            let most = self.longest.map(|longest| times * u64::from(longest));
            most.is_none_or(|most| most + 1 >= (times + 1) * u64::from(self.shortest))
        };
        let all_meet =
            max == Some(min) || meets(min.into()) && (min > 0 || max == Some(1) || meets(1));
        let may_gap = self.may_gap || !all_meet;
        Self { shortest: min.saturating_mul(self.shortest), longest, may_gap }
    }
}

/// Returns the lengths in characters of the matches of a syntax tree. Assertions have length 0 and count as always
/// true.
pub(super) fn of(node: &Node) -> Lengths {
    match node {
        Node::Class(_) => Lengths::exactly(1),
        Node::Seq(parts) => parts.iter().map(of).fold(Lengths::NOTHING, Lengths::then),
        Node::Alt(choices) => {
            choices.iter().map(of).reduce(Lengths::or).unwrap_or(Lengths::NOTHING)
        }
        Node::Repeat { body, min, max } => of(body).repeated(*min, *max),
        Node::Start | Node::End | Node::WordBoundary { .. } | Node::Look { .. } => Lengths::NOTHING,
    }
}

/// Returns an upper bound on the number of texts that a syntax tree matches. A text that matches in two ways may be
/// counted twice. `u64::MAX` if it is infinite or overflows.
pub(super) fn most_texts(node: &Node) -> u64 {
    match node {
        Node::Class(class) => {
            let size = |range: &ClassUnicodeRange| {
                u64::from(u32::from(range.end()) - u32::from(range.start())) + 1
            };
            class.ranges().iter().map(size).sum()
        }
        Node::Seq(parts) => parts.iter().map(most_texts).fold(1, u64::saturating_mul),
        Node::Alt(choices) => choices.iter().map(most_texts).fold(0, u64::saturating_add),
        Node::Repeat { body, min, max } => match (most_texts(body), *max) {
            (0, _) => u64::from(*min == 0),
            (_, None) => u64::MAX,
            // The body has one text, so there is one text for each count.
            (1, Some(max)) => u64::from(max.saturating_sub(*min)) + 1,
            (texts, Some(max)) => texts.saturating_pow(max).saturating_mul(2),
        },
        Node::Start | Node::End | Node::WordBoundary { .. } | Node::Look { .. } => 1,
    }
}

/// Returns the number of character classes in a syntax tree after all counted repetitions are unrolled. This is the
/// number of positions of the unrolled automaton. `usize::MAX` if it overflows.
pub(super) fn unrolled_places(node: &Node) -> usize {
    match node {
        Node::Class(_) => 1,
        Node::Seq(parts) | Node::Alt(parts) => {
            parts.iter().map(unrolled_places).fold(0, usize::saturating_add)
        }
        Node::Repeat { body, min, max } => {
            unrolled_places(body).saturating_mul(max.unwrap_or(*min).max(1) as usize)
        }
        Node::Start | Node::End | Node::WordBoundary { .. } | Node::Look { .. } => 0,
    }
}

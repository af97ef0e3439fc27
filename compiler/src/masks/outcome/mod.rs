//! Outcomes of byte strings: the tokens consumed within a rule, and the nodes at which it is left.
//!
//! Tests: unit tests in `arena`, `memo`, `ranks` and `spans`; `tests/tests/suite/masks.rs`.

pub(crate) mod arena;
pub(crate) mod builder;
pub(crate) mod excluded;
pub(crate) mod memo;
pub(crate) mod ranks;
pub(crate) mod spans;

use spans::{count_of, join, minus};
use std::ops::Range;

/// The outcome of the byte strings below a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Tokens taken over from a shared state, or from one of the grammar's own.
    pub delta: Option<Delta>,
    /// Ranks of the other tokens consumed within the rule: sorted, disjoint, not adjacent once normalised.
    pub spans: Vec<Range<u32>>,
    /// Inner nodes at which the rule is left, sorted.
    pub exits: Vec<u32>,
}

/// The base mask of another state, but for some ranges of ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Delta {
    /// The other state.
    pub reference: u32,
    /// The ranks that are not taken over: sorted, disjoint.
    pub excluded: Vec<Range<u32>>,
}

impl Outcome {
    /// Number of tokens in the spans.
    pub(crate) fn count(&self) -> u32 {
        count_of(&self.spans)
    }

    /// Whether there is no token in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.delta.is_none() && self.spans.is_empty()
    }

    /// Nothing again, with the room that there was.
    pub(crate) fn clear(&mut self) {
        self.delta = None;
        self.spans.clear();
        self.exits.clear();
    }

    /// The same with what was taken over, of a state that consumes the ranks `stored`, among the spans.
    #[must_use]
    pub(crate) fn over(&self, stored: &[Range<u32>]) -> Self {
        let excluded = self.delta.as_ref().map_or(&[][..], |taken| &taken.excluded);
        let spans = join(&minus(stored, excluded), &self.spans);
        Self { spans, exits: self.exits.clone(), ..Self::default() }
    }

    /// Brings spans and exits in order.
    pub(crate) fn normalize(&mut self) {
        if !self.spans.is_sorted_by(|a, b| a.end < b.start) {
            // Stable, which is fastest for what most are: a few runs in order, one behind the other.
            self.spans.sort_by_key(|span| (span.start, span.end));
            self.spans.dedup_by(|span, last| {
                let meet = span.start <= last.end;
                if meet {
                    last.end = last.end.max(span.end);
                }
                meet
            });
        }
        if !self.exits.is_sorted_by(|a, b| a < b) {
            self.exits.sort_unstable();
            self.exits.dedup();
        }
    }

    /// Adds ranks at the end.
    #[inline]
    pub(crate) fn add_span(&mut self, span: Range<u32>) {
        match self.spans.last_mut() {
            _ if span.is_empty() => {}
            Some(last) if last.end == span.start => last.end = span.end,
            _ => self.spans.push(span),
        }
    }
}

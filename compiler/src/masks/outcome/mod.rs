//! Outcomes of byte strings from a state: the tokens that the state's rule consumes, and the exits. An exit is a trie
//! node at which the rule returns to its caller.
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

/// The result of running all byte strings below one trie node from one state. Its tokens are those that the state's
/// rule consumes. Its exits are the trie nodes at which the rule returns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Tokens taken over from the mask of another state, of the vocabulary or of the grammar. `None` if all tokens are
    /// in `spans`.
    pub delta: Option<Delta>,
    /// Ranks of the other tokens consumed within the rule. A rank is a token's index in byte order. The ranges are
    /// sorted, disjoint and not adjacent after [`normalize`](Self::normalize).
    pub spans: Vec<Range<u32>>,
    /// The inner trie nodes at which the rule returns, sorted after [`normalize`](Self::normalize).
    pub exits: Vec<u32>,
}

/// The tokens of another state's mask, without some ranges of ranks (token indexes in byte order). They are part of an
/// outcome (consumed tokens and exit nodes).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Delta {
    /// The state whose mask is taken over.
    pub reference: u32,
    /// The ranks (token indexes in byte order) of tokens that are not taken over from the mask of `reference`: sorted,
    /// disjoint ranges.
    pub excluded: Vec<Range<u32>>,
}

impl Outcome {
    /// Returns the number of tokens in the spans (ranges of token ranks). The tokens taken over from another state's
    /// mask, the delta, are not counted.
    pub(crate) fn count(&self) -> u32 {
        count_of(&self.spans)
    }

    /// Whether the outcome has no consumed tokens: neither a delta (tokens of another mask) nor spans (ranges of token
    /// ranks). It may still have exits (nodes where the rule returns).
    pub(crate) fn is_empty(&self) -> bool {
        self.delta.is_none() && self.spans.is_empty()
    }

    /// Removes all tokens and exits (nodes where the rule returns) from the outcome. Their memory is kept for the next
    /// outcome.
    pub(crate) fn clear(&mut self) {
        self.delta = None;
        self.spans.clear();
        self.exits.clear();
    }

    /// Returns the same outcome without a delta (tokens of another mask). Its spans (ranges of token ranks) have the
    /// tokens of the delta instead. `stored` has the ranks (token indexes in byte order) of the other mask.
    #[must_use]
    pub(crate) fn over(&self, stored: &[Range<u32>]) -> Self {
        let excluded = self.delta.as_ref().map_or(&[][..], |taken| &taken.excluded);
        let spans = join(&minus(stored, excluded), &self.spans);
        Self { spans, exits: self.exits.clone(), ..Self::default() }
    }

    /// Sorts spans (ranges of token ranks) and exits (nodes where the rule returns), merges spans that overlap or
    /// touch, and removes duplicate exits.
    pub(crate) fn normalize(&mut self) {
        if !self.spans.is_sorted_by(|a, b| a.end < b.start) {
            // A stable sort is fastest here: most lists are a few ascending runs.
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

    /// Adds a range of ranks (token indexes in byte order) at the end of the spans, and merges it with the last span if
    /// the two touch. An empty range is ignored.
    #[inline]
    pub(crate) fn add_span(&mut self, span: Range<u32>) {
        match self.spans.last_mut() {
            _ if span.is_empty() => {}
            Some(last) if last.end == span.start => last.end = span.end,
            _ => self.spans.push(span),
        }
    }
}

//! What becomes of byte strings: the tokens consumed within a rule, and the nodes at which it is left.

use std::ops::Range;

/// What becomes of the byte strings below a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Tokens taken over from a shared state, or from one of the grammar's own.
    pub taken: Option<Taken>,
    /// Ranks of the other tokens consumed within the rule: sorted, disjoint, not adjacent once normalised.
    pub spans: Vec<Range<u32>>,
    /// Inner nodes at which the rule is left, sorted.
    pub exits: Vec<u32>,
}

/// The base mask of another state, but for some ranges of ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The other state.
    pub state: u32,
    /// The ranks that are not taken over: sorted, disjoint.
    pub except: Vec<Range<u32>>,
}

impl Outcome {
    /// Number of tokens in the spans.
    pub fn count(&self) -> u32 {
        count_of(&self.spans)
    }

    /// Whether there is no token in it.
    pub fn is_empty(&self) -> bool {
        self.taken.is_none() && self.spans.is_empty()
    }

    /// Nothing again, with the room that there was.
    pub fn clear(&mut self) {
        self.taken = None;
        self.spans.clear();
        self.exits.clear();
    }

    /// The same with what was taken over, of a state that consumes the ranks `stored`, among the spans.
    #[must_use]
    pub fn over(&self, stored: &[Range<u32>]) -> Self {
        let except = self.taken.as_ref().map_or(&[][..], |taken| &taken.except);
        let mut whole = Self { exits: self.exits.clone(), ..Self::default() };
        join(&minus(stored, except), &self.spans, &mut whole);
        whole
    }

    /// Brings spans and exits in order.
    pub fn normalize(&mut self) {
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
    pub fn add_span(&mut self, span: Range<u32>) {
        match self.spans.last_mut() {
            _ if span.is_empty() => {}
            Some(last) if last.end == span.start => last.end = span.end,
            _ => self.spans.push(span),
        }
    }
}

/// A range of ranks, however it is stored.
pub trait Span {
    /// The range.
    fn range(&self) -> Range<u32>;
}

impl Span for Range<u32> {
    fn range(&self) -> Range<u32> {
        self.clone()
    }
}

/// Adds two sorted lists of spans to an outcome without any.
fn join(mut one: &[Range<u32>], mut other: &[Range<u32>], to: &mut Outcome) {
    to.spans.reserve(one.len() + other.len());
    loop {
        let next = match (one, other) {
            ([first, rest @ ..], []) => {
                one = rest;
                first
            }
            ([first, rest @ ..], [second, ..]) if first.start <= second.start => {
                one = rest;
                first
            }
            (_, [first, rest @ ..]) => {
                other = rest;
                first
            }
            ([], []) => return,
        };
        match to.spans.last_mut() {
            Some(last) if next.start <= last.end => last.end = last.end.max(next.end),
            _ => to.spans.push(next.clone()),
        }
    }
}

/// Number of ranks in disjoint spans.
pub fn count_of(spans: &[Range<u32>]) -> u32 {
    spans.iter().map(|span| span.end - span.start).sum()
}

/// The parts of `spans` within `range`. Both are of ranks, the spans sorted and disjoint. O(log spans + parts).
pub fn cut<S: Span>(spans: &[S], range: Range<u32>) -> impl Iterator<Item = Range<u32>> + '_ {
    let from = spans.partition_point(|span| span.range().end <= range.start);
    let within = spans[from..].iter().map(Span::range);
    let within = within.take_while(move |span| span.start < range.end);
    within.map(move |span| span.start.max(range.start)..span.end.min(range.end))
}

/// The parts of `spans` within any of some ranges. All are of ranks, sorted and disjoint. O(ranges log (spans between
/// two of them) + parts).
pub fn cut_all<'a>(
    spans: &'a [Range<u32>],
    ranges: &'a [Range<u32>],
) -> impl Iterator<Item = Range<u32>> + 'a {
    let mut rest = spans;
    ranges.iter().flat_map(move |range| {
        rest = past(rest, range.start);
        let within = rest.iter().take_while(|span| span.start < range.end);
        within.map(|span| span.start.max(range.start)..span.end.min(range.end))
    })
}

/// The spans from the first on that does not end before `from`. O(log spans before).
pub(super) fn past(spans: &[Range<u32>], from: u32) -> &[Range<u32>] {
    &spans[count_first(spans, |span| span.end <= from)..]
}

/// How many items at the beginning are as asked for, where none behind them is: seldom many. O(log of them).
pub(super) fn count_first<T>(items: &[T], is_first: impl Fn(&T) -> bool) -> usize {
    let mut far = 1;
    while items.get(far - 1).is_some_and(&is_first) {
        far *= 2;
    }
    let near = &items[far / 2..items.len().min(far)];
    far / 2 + near.partition_point(is_first)
}

/// `spans` without `others`, both sorted and disjoint. O(spans + others).
pub fn minus<S: Span>(spans: &[S], others: &[Range<u32>]) -> Vec<Range<u32>> {
    let mut rest = Vec::with_capacity(spans.len());
    each_without(spans, others, |span| rest.push(span));
    rest
}

/// The same, handed out one by one.
pub(super) fn each_without<S: Span>(
    spans: &[S],
    others: &[Range<u32>],
    mut each: impl FnMut(Range<u32>),
) {
    let mut from = 0;
    for span in spans.iter().map(Span::range) {
        while others.get(from).is_some_and(|other| other.end <= span.start) {
            from += 1;
        }
        let mut start = span.start;
        for other in others[from..].iter().take_while(|other| other.start < span.end) {
            if start < other.start {
                each(start..other.start);
            }
            start = start.max(other.end);
        }
        if start < span.end {
            each(start..span.end);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn spans(ranks: &BTreeSet<u32>) -> Vec<Range<u32>> {
        let mut outcome = Outcome::default();
        ranks.iter().for_each(|&rank| outcome.add_span(rank..rank + 1));
        outcome.spans
    }

    fn ranks(spans: impl IntoIterator<Item = Range<u32>>) -> Vec<u32> {
        spans.into_iter().flatten().collect()
    }

    proptest! {
        #[test]
        fn spans_are_sets_of_ranks(
            a in prop::collection::btree_set(0u32..40, 0..30),
            b in prop::collection::btree_set(0u32..40, 0..30),
            range in (0u32..40, 0u32..40),
        ) {
            let range = range.0.min(range.1)..range.0.max(range.1);
            let (left, right) = (spans(&a), spans(&b));
            prop_assert_eq!(count_of(&left) as usize, a.len());
            let within: Vec<u32> = a.range(range.clone()).copied().collect();
            prop_assert_eq!(ranks(cut(&left, range)), within);
            prop_assert_eq!(ranks(cut_all(&left, &right)), ranks(spans(&(&a & &b))));
            prop_assert_eq!(ranks(minus(&left, &right)), ranks(spans(&(&a - &b))));
            let mut both = Outcome::default();
            both.spans.extend(right.into_iter().chain(left));
            both.normalize();
            prop_assert_eq!(both.spans, spans(&(&a | &b)));
        }
    }
}

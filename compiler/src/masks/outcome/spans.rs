//! Sets of ranks as spans: sorted, disjoint ranges. A rank is a token's index in byte order.

use std::ops::Range;

/// A range of ranks (token indexes in byte order), in any representation.
pub(crate) trait Span {
    /// Returns the range of ranks (token indexes in byte order).
    fn range(&self) -> Range<u32>;
}

impl Span for Range<u32> {
    fn range(&self) -> Range<u32> {
        self.clone()
    }
}

/// Returns the union of two sorted lists of spans (ranges of token ranks), with spans that touch merged.
pub(super) fn join(mut one: &[Range<u32>], mut other: &[Range<u32>]) -> Vec<Range<u32>> {
    let mut to: Vec<Range<u32>> = Vec::with_capacity(one.len() + other.len());
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
            ([], []) => return to,
        };
        match to.last_mut() {
            Some(last) if next.start <= last.end => last.end = last.end.max(next.end),
            _ => to.push(next.clone()),
        }
    }
}

/// Returns the number of ranks (token indexes in byte order) in disjoint spans.
pub(crate) fn count_of(spans: &[Range<u32>]) -> u32 {
    spans.iter().map(|span| span.end - span.start).sum()
}

/// Returns the parts of `spans` that lie within `range`. Spans are sorted, disjoint ranges of ranks (token indexes in
/// byte order). O(log spans + parts).
pub(crate) fn cut<S: Span>(
    spans: &[S],
    range: Range<u32>,
) -> impl Iterator<Item = Range<u32>> + '_ {
    let from = spans.partition_point(|span| span.range().end <= range.start);
    let within = spans[from..].iter().map(Span::range);
    let within = within.take_while(move |span| span.start < range.end);
    within.map(move |span| span.start.max(range.start)..span.end.min(range.end))
}

/// Returns the parts of `spans` that lie within one of `ranges`. Both are sorted, disjoint ranges of token ranks. Cost:
/// for each range, a galloping search over the spans since the last range, O(log of their number); and O(parts).
pub(crate) fn cut_all<'a>(
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

/// Returns the rest of the sorted spans (ranges of token ranks), from the first one that ends after `from`. Cost: a
/// galloping search, O(log of the number of dropped spans).
pub(crate) fn past(spans: &[Range<u32>], from: u32) -> &[Range<u32>] {
    &spans[count_first(spans, |span| span.end <= from)..]
}

/// Returns the number of leading items that satisfy `is_first`; no later item may satisfy it. Cost: a galloping search,
/// O(log of the result).
pub(crate) fn count_first<T>(items: &[T], is_first: impl Fn(&T) -> bool) -> usize {
    let mut far = 1;
    while items.get(far - 1).is_some_and(&is_first) {
        far *= 2;
    }
    let near = &items[far / 2..items.len().min(far)];
    far / 2 + near.partition_point(is_first)
}

/// Returns `spans` without the ranks (token indexes in byte order) of `others`; both lists are sorted and disjoint.
/// O(spans + others).
pub(crate) fn minus<S: Span>(spans: &[S], others: &[Range<u32>]) -> Vec<Range<u32>> {
    let mut rest = Vec::with_capacity(spans.len());
    each_without(spans, others, |span| rest.push(span));
    rest
}

/// Passes to `each`, in order, the spans that remain of `spans` without the ranks (token indexes in byte order) of
/// `others`. Both lists are sorted and disjoint.
pub(crate) fn each_without<S: Span>(
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
    use super::super::Outcome;
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

//! Edge differences of two states: the ranges of bytes on which their edges lead to different targets.
//!
//! For a schema of a thousand states, some six hundred pairs of states are compared. Most pairs have a dozen ranges,
//! and each edge is read once.
//!
//! Cost: O(edges of both).

use grammarc_artifacts::sections::network::{ByteEdge, NONE};

/// A range of bytes on which each of two states has one target, or none ([`NONE`]), and the two targets differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EdgeDifference {
    /// The first byte of the range.
    pub(crate) first: u8,
    /// The last byte of the range, inclusive.
    pub(crate) last: u8,
    /// The targets of both states on the bytes `first` to `last`, or [`NONE`].
    pub(crate) to: [u32; 2],
}

/// Whether `holds` is true for every range of bytes on which the edges of two states lead to different targets. Edges
/// have to be sorted and disjoint. Ranges are visited in ascending order, until `holds` returns false.
#[inline]
pub(crate) fn all_apart(
    mut one: &[ByteEdge],
    mut other: &[ByteEdge],
    mut holds: impl FnMut(EdgeDifference) -> bool,
) -> bool {
    let mut next = 0;
    loop {
        // Most edges of the two states are equal.
        while let ([first, rest @ ..], [same, others @ ..]) = (one, other)
            && first == same
            && next <= u32::from(first.lo())
        {
            next = u32::from(first.hi()) + 1;
            (one, other) = (rest, others);
        }
        if next > u32::from(u8::MAX) || one.is_empty() && other.is_empty() {
            return true;
        }
        let (to, last) = lead(&mut one, next);
        let (other_to, other_last) = lead(&mut other, next);
        let last = last.min(other_last);
        if to != other_to {
            let [first, last] = [next, last].map(|byte| byte as u8);
            if !holds(EdgeDifference { first, last, to: [to, other_to] }) {
                return false;
            }
        }
        next = last + 1;
    }
}

/// Returns the target of `edges` on a byte, or [`NONE`]. Also returns the last byte, inclusive, of the range with that
/// target. Drops the edges that end below the byte.
#[inline]
fn lead(edges: &mut &[ByteEdge], byte: u32) -> (u32, u32) {
    while let [first, rest @ ..] = *edges {
        let (lo, hi) = (u32::from(first.lo()), u32::from(first.hi()));
        if byte <= hi {
            return if lo <= byte { (first.target, hi) } else { (NONE, lo - 1) };
        }
        *edges = rest;
    }
    (NONE, u32::from(u8::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Generates sorted and disjoint byte edges, some of them adjacent.
    fn edges() -> impl Strategy<Value = Vec<ByteEdge>> {
        let cuts = prop::collection::btree_set(any::<u8>(), 0..9);
        (cuts, any::<u8>(), prop::collection::vec(0u32..3, 9)).prop_map(|(cuts, on, targets)| {
            let mut first = 0;
            let cuts =
                cuts.into_iter().zip(targets).enumerate().filter_map(|(nth, (cut, target))| {
                    let lo = std::mem::replace(&mut first, u32::from(cut) + 1);
                    let is_edge = on >> (nth % 8) & 1 == 1 && lo <= u32::from(cut);
                    is_edge.then(|| ByteEdge::new(lo as u8, cut, target))
                });
            cuts.collect()
        })
    }

    fn on(edges: &[ByteEdge], byte: u8) -> u32 {
        let edge = edges.iter().find(|edge| (edge.lo()..=edge.hi()).contains(&byte));
        edge.map_or(NONE, |edge| edge.target)
    }

    proptest! {
        #[test]
        fn all_bytes_are_met_on_which_edges_lead_apart(one in edges(), other in edges()) {
            let mut found = Vec::new();
            let all = all_apart(&one, &other, |EdgeDifference { first, last, to }| {
                found.extend((first..=last).map(|byte| (byte, to)));
                true
            });
            prop_assert!(all);
            let apart = (0..=u8::MAX).map(|byte| (byte, [on(&one, byte), on(&other, byte)]));
            let apart: Vec<_> = apart.filter(|(_, [one, other])| one != other).collect();
            prop_assert_eq!(&found, &apart);
            let mut first = None;
            let none = all_apart(&one, &other, |leads| {
                first = Some((leads.first, leads.to));
                false
            });
            prop_assert_eq!(none, apart.is_empty());
            prop_assert_eq!(first, apart.first().copied());
        }
    }
}

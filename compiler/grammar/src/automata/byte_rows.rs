//! The byte edges of a deterministic automaton as a table: one row for each state, one column for
//! each class of equivalent bytes.
//!
//! A walk that visits the same states repeatedly finds a target with two reads. Cost: O(states
//! times classes).

/// The value in `ByteRows::targets` for a state and a class of bytes without an edge.
const NONE: u32 = u32::MAX;

/// The byte edges of an automaton as a table of target states, by state and class of bytes. Bytes
/// are in one class if every edge has both or neither.
#[derive(Clone, Debug)]
pub struct ByteRows {
    /// For each byte, the number of its class of equivalent bytes.
    class_of: [u8; 256],
    /// The number of classes of equivalent bytes, from 1 to 256.
    classes: usize,
    /// For each pair of a state and a class of bytes, the target state or [`NONE`]. The index is
    /// `state * classes + class`.
    targets: Vec<u32>,
}

impl ByteRows {
    /// Builds the table of an automaton with `states` states. `edges` returns the edges of a state:
    /// lowest byte, highest byte (inclusive), target. The edges of a state have to be disjoint.
    pub fn new<E: Iterator<Item = (u8, u8, u32)>>(
        states: usize,
        edges: impl Fn(usize) -> E,
    ) -> Self {
        let mut begins = [false; 257];
        for (lo, hi, _) in (0..states).flat_map(&edges) {
            begins[usize::from(lo)] = true;
            begins[usize::from(hi) + 1] = true;
        }
        let (mut class_of, mut last) = ([0; 256], 0);
        for byte in 1..256 {
            last += u8::from(begins[byte]);
            class_of[byte] = last;
        }
        let classes = usize::from(last) + 1;
        let mut targets = vec![NONE; states * classes];
        for (state, row) in targets.chunks_mut(classes).enumerate() {
            for (lo, hi, target) in edges(state) {
                let class = |byte: u8| usize::from(class_of[usize::from(byte)]);
                row[class(lo)..=class(hi)].fill(target);
            }
        }
        Self { class_of, classes, targets }
    }

    /// Returns the number of classes of equivalent bytes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Returns the number of the class of equivalent bytes to which a byte belongs.
    #[inline]
    pub fn class(&self, byte: u8) -> usize {
        usize::from(self.class_of[usize::from(byte)])
    }

    /// Returns the target state of the edge of `state` on the bytes of a class. Returns `None` if
    /// there is no edge.
    #[inline]
    pub fn on(&self, state: u32, class: usize) -> Option<u32> {
        let target = self.targets[state as usize * self.classes + class];
        (target != NONE).then_some(target)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_are_the_edges(
            states in prop::collection::vec(prop::collection::vec((any::<u8>(), 0u8..40, 0u32..9), 0..6), 1..6),
        ) {
            // Ranges one behind the other, with gaps.
            let states: Vec<Vec<(u8, u8, u32)>> = states.into_iter().map(|mut edges| {
                edges.sort_unstable();
                let mut from = 0u16;
                edges.into_iter().filter_map(|(lo, more, target)| {
                    let lo = u16::from(lo).max(from);
                    let hi = lo + u16::from(more);
                    from = hi + 1;
                    Some((u8::try_from(lo).ok()?, u8::try_from(hi).ok()?, target))
                }).collect()
            }).collect();
            let rows = ByteRows::new(states.len(), |state| states[state].iter().copied());
            for (state, edges) in states.iter().enumerate() {
                for byte in 0..=u8::MAX {
                    let edge = edges.iter().find(|edge| (edge.0..=edge.1).contains(&byte));
                    let found = rows.on(state as u32, rows.class(byte));
                    prop_assert_eq!(found, edge.map(|edge| edge.2));
                    prop_assert!(rows.class(byte) < rows.classes());
                }
            }
        }
    }
}

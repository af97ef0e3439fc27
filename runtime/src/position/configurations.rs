//! Positions: small sets of configurations.
//!
//! A [`Configuration`] is a state, its register (counters or required keys) and a frame. A position nearly always has
//! one configuration. So [`Configurations`] is a vector that is searched from front to back. Beyond [`SCANNED`] entries
//! the set adds an open-addressing index, so that an ambiguous grammar costs O(n) and not O(n²) for n configurations.
//!
//! Invariant: entries stand in the order of insertion. No result depends on hash values, so equal histories give equal
//! positions.
//!
//! In a rule with a monotone countdown, a larger count accepts all texts that a smaller count accepts. Of two
//! configurations that differ in this countdown alone, the set keeps the larger.

use crate::error::LimitError;
use crate::position::state_ranges::StateRanges;

/// Number of entries up to which the set is scanned, since a scan then costs less than hashing. A larger set has a hash
/// index.
const SCANNED: usize = 16;

/// One parse of the input so far: a state, its register and its stack. An ambiguous grammar may have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Configuration {
    /// Id of the state, over the shared rules and the grammar's own rules.
    pub(crate) state: u32,
    /// Register of the rule's call in progress, which holds counters or required keys. 0 in rules without a register.
    pub(crate) count: u32,
    /// Number of the top frame of the stack, or [`BOTTOM`](super::stack::BOTTOM).
    pub(crate) frame: u32,
}

/// A set of configurations, in order of insertion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Configurations {
    entries: Vec<Configuration>,
    /// Slots of the hash index. A slot holds 0 if it is free, otherwise one more than the index of an entry. The number
    /// of slots is a power of two, or 0 while the set is scanned.
    slots: Vec<u32>,
}

impl Configurations {
    /// Removes all configurations from the set.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.slots.clear();
    }

    /// Returns the configurations in order of insertion.
    pub(crate) fn as_slice(&self) -> &[Configuration] {
        &self.entries
    }

    /// Adds a configuration unless the set has an equal one. For a state in `monotone` the countdowns are not compared,
    /// and the entry keeps the larger one. Returns an error if the set would exceed `limit` configurations.
    #[inline]
    pub(crate) fn insert(
        &mut self,
        new: Configuration,
        monotone: &StateRanges,
        limit: usize,
    ) -> Result<(), LimitError> {
        if self.slots.is_empty() {
            for old in &mut self.entries {
                if old.state == new.state && old.frame == new.frame {
                    if old.count == new.count {
                        return Ok(());
                    }
                    if monotone.contains(new.state) {
                        old.count = old.count.max(new.count);
                        return Ok(());
                    }
                }
            }
            self.append(new, limit)?;
            if self.entries.len() > SCANNED {
                self.index(monotone);
            }
            Ok(())
        } else {
            self.insert_indexed(new, monotone, limit)
        }
    }

    fn insert_indexed(
        &mut self,
        new: Configuration,
        monotone: &StateRanges,
        limit: usize,
    ) -> Result<(), LimitError> {
        let any_count = monotone.contains(new.state);
        let mut slot = self.first_slot(new, any_count);
        while let Some(at) = self.slots[slot].checked_sub(1) {
            let old = &mut self.entries[at as usize];
            let same = old.state == new.state && old.frame == new.frame;
            if same && (any_count || old.count == new.count) {
                old.count = old.count.max(new.count);
                return Ok(());
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.append(new, limit)?;
        self.slots[slot] = self.entries.len() as u32;
        if self.entries.len() * 2 > self.slots.len() {
            self.index(monotone);
        }
        Ok(())
    }

    fn append(&mut self, new: Configuration, limit: usize) -> Result<(), LimitError> {
        if self.entries.len() >= limit {
            return Err(LimitError::Configurations { limit });
        }
        self.entries.push(new);
        Ok(())
    }

    /// Rebuilds the hash index with at least four slots for each entry.
    fn index(&mut self, monotone: &StateRanges) {
        self.slots.clear();
        self.slots.resize((self.entries.len() * 4).next_power_of_two(), 0);
        for at in 0..self.entries.len() {
            let entry = self.entries[at];
            let mut slot = self.first_slot(entry, monotone.contains(entry.state));
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            self.slots[slot] = at as u32 + 1;
        }
    }

    fn first_slot(&self, entry: Configuration, any_count: bool) -> usize {
        let count = if any_count { 0 } else { entry.count };
        mix([entry.state, count, entry.frame]) as usize & (self.slots.len() - 1)
    }
}

/// Mixes three ids into a hash, by two multiplications. Each is followed by an exclusive or with the high half.
#[inline]
pub(crate) fn mix(ids: [u32; 3]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let low = (u64::from(ids[0]) | u64::from(ids[1]) << 32).wrapping_mul(ODD);
    let both = (low ^ low >> 29 ^ u64::from(ids[2])).wrapping_mul(ODD);
    both ^ both >> 32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ranges_that_follow_others_are_asked_as_one() {
        let (first, later) =
            (StateRanges::new(vec![0..2, 5..7]), StateRanges::new(vec![7..8, 9..12]));
        let both = first.followed_by(&later);
        for state in 0..16 {
            assert_eq!(both.contains(state), first.contains(state) || later.contains(state));
        }
    }

    proptest! {
        /// Checks that a set, scanned or indexed, holds the entries of a naive list in the same order.
        #[test]
        fn agrees_with_a_list(
            raw in prop::collection::vec((0u32..12, 0u32..4, 0u32..6), 0..200),
            starts in prop::collection::btree_set(0u32..12, 0..4),
        ) {
            let monotone = StateRanges::new(starts.iter().map(|&at| at..at + 1).collect());
            let mut set = Configurations::default();
            let mut list: Vec<Configuration> = Vec::new();
            for (state, count, frame) in raw {
                let new = Configuration { state, count, frame };
                set.insert(new, &monotone, usize::MAX).unwrap();
                let any_count = starts.contains(&state);
                match list.iter_mut().find(|old| {
                    old.state == state && old.frame == frame && (any_count || old.count == count)
                }) {
                    Some(old) => old.count = old.count.max(count),
                    None => list.push(new),
                }
            }
            prop_assert_eq!(set.as_slice(), &list[..]);
        }
    }

    #[test]
    fn refuses_more_than_its_limit() {
        let mut set = Configurations::default();
        let mut insert = |state| {
            set.insert(Configuration { state, count: 0, frame: 0 }, &StateRanges::default(), 20)
        };
        for state in 0..20 {
            insert(state).unwrap();
        }
        insert(3).unwrap();
        assert!(matches!(insert(20), Err(LimitError::Configurations { limit: 20 })));
    }
}

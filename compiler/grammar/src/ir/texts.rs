//! Sets of many texts: the names of products, the values of a long `enum`.
//!
//! An alternation of a million literals would be a million expressions; here the texts are one buffer, in order. If
//! possible, the network makes such a set a packed string set (`network/packed_string_set.rs`). All else treats it as
//! an alternation. Sets are large keys of tables, so they are compared by a digest.
//!
//! Invariants: the texts ascend by their bytes, without repetition, and none is empty.
//!
//! Cost: four bytes for each text, besides the texts; a set is made in O(bytes), after sorting.

use std::hash::{Hash, Hasher};

/// Texts of an alternation, and their bytes, from which on it is a set. Of fewer, states are as small and no mask is
/// found at run time.
const MANY: usize = 1_024;
const LONG: usize = 16 << 10;

/// Texts in ascending order.
#[derive(Clone)]
pub struct Texts {
    bytes: Box<[u8]>,
    /// The end of each text in the bytes.
    ends: Box<[u32]>,
    digest: [u8; 32],
}

impl Texts {
    /// Builds the set of these texts, in any order, without empty ones. `None` if no text is left, or if their length
    /// exceeds the offsets of a packed string set.
    pub fn new<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Option<Self> {
        let mut texts: Vec<T> =
            texts.into_iter().filter(|text| !text.as_ref().is_empty()).collect();
        texts.sort_unstable_by(|one, other| one.as_ref().cmp(other.as_ref()));
        texts.dedup_by(|one, other| one.as_ref() == other.as_ref());
        let length = texts.iter().map(|text| text.as_ref().len()).sum();
        if texts.is_empty() || length > i32::MAX as usize {
            return None;
        }
        let mut bytes = Vec::with_capacity(length);
        let ends = texts.iter().map(|text| {
            bytes.extend_from_slice(text.as_ref());
            bytes.len() as u32
        });
        let ends: Vec<u32> = ends.collect();
        let mut hasher = blake3::Hasher::new();
        hasher.update(&bytes).update(bytemuck::cast_slice(&ends));
        let digest = *hasher.finalize().as_bytes();
        Some(Self { bytes: bytes.into(), ends: ends.into(), digest })
    }

    /// Whether an alternation of `count` texts, of `bytes` bytes in all, should be a set.
    pub fn are_many(count: usize, bytes: usize) -> bool {
        count >= MANY && bytes >= LONG
    }

    /// Number of texts, at least one.
    #[expect(clippy::len_without_is_empty, reason = "a set has a text")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of all texts together.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The texts, ascending.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut from = 0;
        self.ends.iter().map(move |&end| {
            let to = end as usize;
            &self.bytes[std::mem::replace(&mut from, to)..to]
        })
    }

    /// The digest of the set.
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// Returns the lengths of the texts that are prefixes of a string, ascending.
    pub fn begun_by(&self, string: &[u8]) -> Vec<usize> {
        let text = |index: usize| {
            let from = index.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
            &self.bytes[from..self.ends[index] as usize]
        };
        // Texts that begin as the string does up to some length are neighbours.
        let (mut from, mut to) = (0, self.len());
        let mut found = Vec::new();
        for length in 1..=string.len() {
            let at = |index: usize| text(index).get(length - 1).copied();
            let byte = Some(string[length - 1]);
            from += partition_point(to - from, |index| at(from + index) < byte);
            to = from + partition_point(to - from, |index| at(from + index) <= byte);
            if from == to {
                break;
            }
            if text(from).len() == length {
                found.push(length);
            }
        }
        found
    }
}

/// The first of some numbers for which something does not hold that holds for all before it.
fn partition_point(count: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut from, mut to) = (0, count);
    while from < to {
        let middle = from.midpoint(to);
        if holds(middle) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from
}

impl PartialEq for Texts {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

impl Eq for Texts {}

impl Hash for Texts {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest.hash(state);
    }
}

impl std::fmt::Debug for Texts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} texts of {} bytes", self.len(), self.bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn texts_are_in_order_and_found(
            texts in prop::collection::vec(prop::collection::vec(b'a'..b'd', 0..5), 1..30),
            string in prop::collection::vec(b'a'..b'd', 0..8),
        ) {
            let wanted: BTreeSet<Vec<u8>> =
                texts.iter().filter(|text| !text.is_empty()).cloned().collect();
            let Some(set) = Texts::new(&texts) else {
                prop_assert!(wanted.is_empty());
                return Ok(());
            };
            prop_assert!(set.iter().eq(wanted.iter().map(Vec::as_slice)));
            prop_assert_eq!(set.len(), wanted.len());
            let begun = (1..=string.len()).filter(|&length| wanted.contains(&string[..length]));
            prop_assert_eq!(set.begun_by(&string), begun.collect::<Vec<_>>());
            prop_assert_eq!(Texts::new(wanted), Some(set));
        }
    }
}

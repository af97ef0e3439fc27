//! Sets of many texts, such as the names of products or the values of a long `enum`.
//!
//! An alternation of a million literals would be a million expressions. Here, all texts are in one
//! buffer, in ascending order. If possible, the network turns such a set into a packed string set
//! (`network/packed_string_set.rs`). All other code treats it as an alternation. Sets are keys of
//! hash tables and may be large, so they are compared by a digest.
//!
//! Invariants: the texts are in ascending order of their bytes, each once, and none is empty.
//!
//! Cost: four bytes for each text, besides the texts. Building a set takes O(bytes) after sorting.

use std::hash::{Hash, Hasher};

/// The fewest texts of an alternation that becomes a set of texts. Fewer texts take no more memory
/// as ordinary states, whose masks are all computed before run time.
const MANY: usize = 1_024;
/// The fewest bytes, in all texts together, of an alternation that becomes a set of texts.
const LONG: usize = 16 << 10;

/// A set of texts in ascending order, each a non-empty byte string.
#[derive(Clone)]
pub struct Texts {
    /// The bytes of all texts, one text after the other.
    bytes: Box<[u8]>,
    /// For each text, the index in `bytes` after its last byte.
    ends: Box<[u32]>,
    /// The BLAKE3 digest of all texts. Sets are compared by it.
    digest: [u8; 32],
}

impl Texts {
    /// Builds a set of texts, which may be in any order. Empty texts are dropped. Returns `None` if
    /// no text is left, or if all texts together exceed 2^31 - 1 bytes.
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

    /// Whether an alternation of `count` texts, with `bytes` bytes in total, has enough texts and
    /// bytes to become a set of texts.
    pub fn are_many(count: usize, bytes: usize) -> bool {
        count >= MANY && bytes >= LONG
    }

    /// Returns the number of texts, at least one.
    #[expect(clippy::len_without_is_empty, reason = "a set has a text")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the number of bytes of all texts together.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the texts in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut from = 0;
        self.ends.iter().map(move |&end| {
            let to = end as usize;
            &self.bytes[std::mem::replace(&mut from, to)..to]
        })
    }

    /// Returns the digest of all texts, which identifies the set.
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// Returns the lengths in bytes of the texts that are prefixes of `string`, in ascending order.
    pub fn begun_by(&self, string: &[u8]) -> Vec<usize> {
        let text = |index: usize| {
            let from = index.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
            &self.bytes[from..self.ends[index] as usize]
        };
        // Texts that share a prefix with the string are neighbours.
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

/// Returns the first number below `count` for which `holds` is false, or `count`. `holds` has to be
/// true for all numbers before it and false after it.
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

//! The children of every trie node side by side. A walk on one byte does not step over the subtrees of the siblings.
//!
//! In the trie's own arrays the next sibling is found through the end of the subtree before it, a cache line for each.
//! Here a child is found without a branch for each sibling. Most nodes have few children: their bytes are stored beside
//! their number and compared at once. Other nodes have a bitmap of bytes. A walk is bound by memory latency, which is
//! one cache line for a node.
//!
//! Memory: twenty-one bytes a node, and forty more for one with many children; built in O(nodes).

use std::ops::Range;

use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::sections::vocabulary::Trie;

use crate::ir::ByteSet;

/// Number of bytes in a 64-bit word: the most children of a node whose bytes are compared at once. Also the number of
/// wanted bytes from which on all children are scanned.
const FEW: usize = 8;

/// A 64-bit word in which the lowest bit of each byte is set.
const LOW: u64 = u64::from_ne_bytes([0x01; FEW]);
/// A 64-bit word in which the highest bit of each byte is set.
const HIGH: u64 = u64::from_ne_bytes([0x80; FEW]);

/// The children of one trie node: their bytes, and their position in the lists of [`Children`].
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The bytes of the children, followed by zeros, if they are at most [`FEW`]. All zeros for more children.
    bytes: [u8; FEW],
    /// Index of the first child in `Children::byte` and `Children::node`.
    first: u32,
    /// Number of children, if at most [`FEW`]. For more children, [`FEW`] plus the number of their entry in
    /// `Children::many`, counted from one.
    count: u32,
}

/// The bytes of the children of a node with more than [`FEW`] children.
#[derive(Clone, Copy, Debug)]
struct Bytes {
    /// The bytes of all children of the node.
    set: ByteSet,
    /// For each quarter of the 256 byte values, the number of the node's children with bytes in the quarters before it.
    before: [u8; 4],
}

/// The children of each trie node, in ascending order of their bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Children {
    /// For each trie node, the bytes and the position of its children.
    places: Vec<Place>,
    /// For each trie node with more than [`FEW`] children, their bytes as a set.
    many: Vec<Bytes>,
    /// For each child, the byte that leads to it from its parent. The children of one parent are adjacent.
    byte: Vec<u8>,
    /// For each child, its trie node, in the order of `byte`.
    node: Vec<u32>,
    /// For each byte, the root's child on it, or [`NONE`].
    of_root: Vec<u32>,
}

impl Children {
    /// Builds the lists of children of a trie. O(nodes).
    pub(crate) fn new(trie: Trie<'_>) -> Self {
        let count = trie.len();
        let mut this = Self {
            places: Vec::with_capacity(count),
            many: Vec::new(),
            byte: Vec::with_capacity(count),
            node: Vec::with_capacity(count),
            of_root: vec![NONE; 256],
        };
        trie.children(0).for_each(|child| {
            this.of_root[usize::from(trie.byte[child as usize])] = child;
        });
        for node in 0..count as u32 {
            let first = this.node.len();
            for child in trie.children(node) {
                this.byte.push(trie.byte[child as usize]);
                this.node.push(child);
            }
            let of_node = &this.byte[first..];
            let (mut count, mut bytes) = (of_node.len(), [0; FEW]);
            if count > FEW {
                let set: ByteSet = of_node.iter().copied().collect();
                let before = [0, 64, 128, 192].map(|byte| set.below(byte) as u8);
                this.many.push(Bytes { set, before });
                count = FEW + this.many.len();
            } else {
                bytes[..count].copy_from_slice(of_node);
            }
            this.places.push(Place { bytes, first: first as u32, count: count as u32 });
        }
        this
    }

    /// Returns byte and trie node of each child of `node`, in ascending order of the bytes.
    #[inline]
    pub(crate) fn of(&self, node: u32) -> impl DoubleEndedIterator<Item = (u8, u32)> + '_ {
        let range = self.range(node);
        self.byte[range.clone()].iter().copied().zip(self.node[range].iter().copied())
    }

    /// Returns byte and trie node of each child of `node` on a byte of the set, in ascending order of the bytes.
    pub(crate) fn on_any(&self, node: u32, bytes: ByteSet) -> impl Iterator<Item = (u8, u32)> + '_ {
        // Few bytes are looked up one by one.
        let all = bytes.has_at_least(FEW).then(|| self.of(node));
        let few = if all.is_some() { ByteSet::EMPTY } else { bytes };
        let few = few.iter().filter_map(move |byte| Some((byte, self.on(node, byte)?)));
        few.chain(all.into_iter().flatten().filter(move |&(byte, _)| bytes.contains(byte)))
    }

    /// Returns the child of `node` on a byte. `None` if there is no such child. O(1).
    #[inline]
    pub(crate) fn on(&self, node: u32, byte: u8) -> Option<u32> {
        if node == 0 {
            return Some(self.of_root[usize::from(byte)]).filter(|&child| child != NONE);
        }
        let Place { bytes, first, count } = self.places[node as usize];
        let at = match self.many(count) {
            None => {
                let apart = u64::from_le_bytes(bytes) ^ (u64::from(byte) * LOW);
                // In the lowest byte that is zero, the highest bit is set; below it, no bit is.
                let found = apart.wrapping_sub(LOW) & !apart & HIGH;
                match found.trailing_zeros() / u8::BITS {
                    at if at >= count => return None,
                    // In preorder, the first child follows its parent.
                    0 => return Some(node + 1),
                    at => at,
                }
            }
            Some(Bytes { set, before }) => {
                let before = u32::from(before[usize::from(byte / 64)]);
                set.contains(byte).then(|| before + set.below_in_quarter(byte))?
            }
        };
        Some(self.node[(first + at) as usize])
    }

    /// Whether a trie node has no children. Loads the same cache line as a following look-up of a child.
    #[inline]
    pub(crate) fn is_leaf(&self, node: u32) -> bool {
        self.places[node as usize].count == 0
    }

    /// Whether some child of `node` is on a byte of the set.
    pub(crate) fn any_on(&self, node: u32, bytes: ByteSet) -> bool {
        match self.many(self.places[node as usize].count) {
            Some(many) => !many.set.intersect(bytes).is_empty(),
            None => self.byte[self.range(node)].iter().any(|&byte| bytes.contains(byte)),
        }
    }

    /// Returns the bytes of a node with many children, given the `count` of its [`Place`]. `None` for a node with at
    /// most [`FEW`] children.
    #[inline]
    fn many(&self, count: u32) -> Option<&Bytes> {
        self.many.get((count as usize).wrapping_sub(FEW + 1))
    }

    /// Returns the range of the children of `node` in the lists `byte` and `node`.
    #[inline]
    fn range(&self, node: u32) -> Range<usize> {
        let Place { first, count, .. } = self.places[node as usize];
        let count = self.many(count).map_or(count as usize, |many| many.set.len());
        first as usize..first as usize + count
    }
}

#[cfg(test)]
mod tests {
    use grammarc_artifacts::{TokenKind, TrieData};

    use super::*;

    #[test]
    fn children_are_those_of_the_trie() {
        // Nodes with one child up to sixty, in all quarters of the byte values.
        let few = (0..200u32).map(|i| vec![(i * 7 % 90) as u8, (i % 11) as u8, (i % 3) as u8]);
        let many = (0..400u32).map(|i| vec![100 + (i % 7) as u8, (i * i % 251) as u8]);
        let texts = few.chain(many);
        let tokens: Vec<_> = texts.map(|text| (text, TokenKind::Text)).collect();
        let data = TrieData::build(&tokens).expect("small");
        let trie = data.as_trie();
        let children = Children::new(trie);
        for node in 0..trie.len() as u32 {
            let expected: Vec<(u8, u32)> =
                trie.children(node).map(|child| (trie.byte[child as usize], child)).collect();
            assert_eq!(children.of(node).collect::<Vec<_>>(), expected);
            assert_eq!(children.is_leaf(node), expected.is_empty());
            for bytes in [ByteSet::range(3, 5), ByteSet::range(2, 170), ByteSet::EMPTY] {
                let mut on = expected.clone();
                on.retain(|&(byte, _)| bytes.contains(byte));
                assert_eq!(children.any_on(node, bytes), !on.is_empty());
                assert_eq!(children.on_any(node, bytes).collect::<Vec<_>>(), on);
            }
            for byte in 0..=u8::MAX {
                let on = expected.iter().find(|(other, _)| *other == byte);
                assert_eq!(children.on(node, byte), on.map(|(_, child)| *child));
            }
        }
    }
}

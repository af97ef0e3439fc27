//! The children of every trie node side by side, so that a walk that goes on with one byte finds it without stepping
//! over the subtrees of the others.
//!
//! In the trie's own arrays the next sibling is found through the end of the subtree before it, a cache line away for
//! each. Here the bytes of a node's children are one short slice. Five bytes a node; built in O(nodes).

use std::ops::Range;

use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::sections::vocabulary::Trie;

use crate::ir::ByteSet;

/// So many bytes are found sooner by looking at all children.
const FEW: usize = 8;

/// The children of each node in ascending order.
#[derive(Clone, Debug, Default)]
pub struct Children {
    /// By node, where its children begin in the other two; and where those of the last end.
    first: Vec<u32>,
    byte: Vec<u8>,
    node: Vec<u32>,
    /// The root's children by byte, or [`NONE`].
    of_root: Vec<u32>,
}

impl Children {
    /// The children in a trie.
    pub fn new(trie: Trie<'_>) -> Self {
        let count = trie.len();
        let mut this = Self {
            first: Vec::with_capacity(count + 1),
            byte: Vec::with_capacity(count),
            node: Vec::with_capacity(count),
            of_root: vec![NONE; 256],
        };
        trie.children(0).for_each(|child| {
            this.of_root[usize::from(trie.byte[child as usize])] = child;
        });
        for node in 0..count as u32 {
            this.first.push(this.node.len() as u32);
            for child in trie.children(node) {
                this.byte.push(trie.byte[child as usize]);
                this.node.push(child);
            }
        }
        this.first.push(this.node.len() as u32);
        this
    }

    /// Byte and node of each child.
    #[inline]
    pub fn of(&self, node: u32) -> impl DoubleEndedIterator<Item = (u8, u32)> + '_ {
        let range = self.range(node);
        self.byte[range.clone()].iter().copied().zip(self.node[range].iter().copied())
    }

    /// Byte and node of each child on a byte of the set, in ascending order.
    pub fn on_any(&self, node: u32, bytes: ByteSet) -> impl Iterator<Item = (u8, u32)> + '_ {
        // A few bytes are looked for one by one.
        let all = bytes.has_at_least(FEW).then(|| self.of(node));
        let few = if all.is_some() { ByteSet::EMPTY } else { bytes };
        let few = few.iter().filter_map(move |byte| Some((byte, self.on(node, byte)?)));
        few.chain(all.into_iter().flatten().filter(move |&(byte, _)| bytes.contains(byte)))
    }

    /// The child on a byte.
    #[inline]
    pub fn on(&self, node: u32, byte: u8) -> Option<u32> {
        if node == 0 {
            return Some(self.of_root[usize::from(byte)]).filter(|&child| child != NONE);
        }
        let range = self.range(node);
        let at = self.byte[range.clone()].binary_search(&byte).ok()?;
        Some(self.node[range.start + at])
    }

    /// Whether some child is on a byte of the set.
    pub fn any_on(&self, node: u32, bytes: ByteSet) -> bool {
        self.byte[self.range(node)].iter().any(|&byte| bytes.contains(byte))
    }

    #[inline]
    fn range(&self, node: u32) -> Range<usize> {
        self.first[node as usize] as usize..self.first[node as usize + 1] as usize
    }
}

#[cfg(test)]
mod tests {
    use grammarc_artifacts::{TokenKind, TrieData};

    use super::*;

    #[test]
    fn children_are_those_of_the_trie() {
        let texts: Vec<Vec<u8>> =
            (0..200u32).map(|i| vec![(i * 7 % 90) as u8, (i % 11) as u8, (i % 3) as u8]).collect();
        let tokens: Vec<_> = texts.into_iter().map(|text| (text, TokenKind::Text)).collect();
        let data = TrieData::build(&tokens).expect("small");
        let trie = data.as_trie();
        let children = Children::new(trie);
        for node in 0..trie.len() as u32 {
            let expected: Vec<(u8, u32)> =
                trie.children(node).map(|child| (trie.byte[child as usize], child)).collect();
            assert_eq!(children.of(node).collect::<Vec<_>>(), expected);
            for bytes in [ByteSet::range(3, 5), ByteSet::range(2, 70), ByteSet::EMPTY] {
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

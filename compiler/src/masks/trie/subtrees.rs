//! Facts about the subtree of each node of the trie, so that a walk can skip it. Twenty-eight bytes
//! a node; built in O(nodes).
//!
//! Sets of bytes are words of 128 bits. A printable character of ASCII has a bit of its own, and so have the three that
//! break lines and columns; the other control characters share one. Beyond ASCII, four bytes that continue a character
//! share a bit, and so do a few that begin one.

use grammarc_artifacts::sections::vocabulary::Trie;

use super::byte_bits::bit;

/// Facts that a walk asks of a node, side by side.
#[derive(Clone, Copy, Debug, Default)]
struct Subtree {
    /// The halves of the bits.
    below: [u64; 2],
    height: u32,
    end: u32,
}

/// Facts about the nodes of a trie.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subtrees {
    all: Vec<Subtree>,
    depths: Vec<u32>,
    /// By bit, how many nodes have it below them.
    spread: Vec<u32>,
}

impl Subtrees {
    /// The nodes of a trie.
    pub(crate) fn new(trie: Trie<'_>) -> Self {
        let count = trie.len();
        let mut this = Self {
            all: trie.end.iter().map(|&end| Subtree { end, ..Subtree::default() }).collect(),
            depths: vec![0; count],
            spread: vec![0; 128],
        };
        // A node's subtree follows it, so those whose ends are not yet reached are its parents.
        let mut open: Vec<usize> = Vec::new();
        for node in 0..count {
            while let Some(last) = open.pop_if(|last| trie.end[*last] as usize <= node) {
                this.close(trie, last, open.last());
            }
            this.depths[node] = open.len() as u32;
            open.push(node);
        }
        while let Some(last) = open.pop() {
            this.close(trie, last, open.last());
        }
        for node in 0..count as u32 {
            let mut bits = this.below(node);
            while bits != 0 {
                this.spread[bits.trailing_zeros() as usize] += 1;
                bits &= bits - 1;
            }
        }
        this
    }

    fn close(&mut self, trie: Trie<'_>, node: usize, parent: Option<&usize>) {
        if let Some(&parent) = parent {
            let of_node = self.all[node];
            let own = halves(bit(trie.byte[node]));
            let above = &mut self.all[parent];
            above.height = above.height.max(of_node.height + 1);
            above.below = [0, 1].map(|half| above.below[half] | of_node.below[half] | own[half]);
        }
    }

    /// Bytes of the longest string below a node.
    #[inline]
    pub(crate) fn height(&self, node: u32) -> usize {
        self.all[node as usize].height as usize
    }

    /// The end of a node's subtree.
    #[inline]
    pub(crate) fn end(&self, node: u32) -> u32 {
        self.all[node as usize].end
    }

    /// Bytes from the root to a node.
    #[inline]
    pub(crate) fn depth(&self, node: u32) -> usize {
        self.depths[node as usize] as usize
    }

    /// How many nodes have some of these bits below them, at most.
    pub(crate) fn spread(&self, mut bits: u128) -> u32 {
        let mut sum = 0;
        while bits != 0 {
            sum += self.spread[bits.trailing_zeros() as usize];
            bits &= bits - 1;
        }
        sum
    }

    /// The bytes of all strings below a node, as bits.
    #[inline]
    pub(crate) fn below(&self, node: u32) -> u128 {
        let [low, high] = self.all[node as usize].below.map(u128::from);
        low | high << 64
    }
}

/// The lower half of a word and the upper one.
fn halves(word: u128) -> [u64; 2] {
    [word as u64, (word >> 64) as u64]
}

#[cfg(test)]
mod tests {
    use super::super::byte_bits::bits;
    use grammarc_artifacts::{TokenKind, TrieData};

    use super::*;

    #[test]
    fn nodes_know_what_is_below_them() {
        let texts = (0..300u32).map(|i| vec![(i * 7 % 190) as u8; i as usize % 5 + 1]);
        let tokens: Vec<_> = texts.map(|text| (text, TokenKind::Text)).collect();
        let data = TrieData::build(&tokens).expect("small");
        let trie = data.as_trie();
        let nodes = Subtrees::new(trie);
        for node in 0..trie.len() as u32 {
            let children: Vec<u32> = trie.children(node).collect();
            let height = children.iter().map(|&child| nodes.height(child) + 1).max();
            assert_eq!(nodes.height(node), height.unwrap_or(0));
            let below = (node + 1..trie.end[node as usize]).map(|node| trie.byte[node as usize]);
            assert_eq!(nodes.below(node), bits(below.collect()));
            assert!(children.iter().all(|&child| nodes.depth(child) == nodes.depth(node) + 1));
        }
        assert_eq!(nodes.depth(0), 0);
    }
}

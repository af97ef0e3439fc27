//! Facts about the subtree of each trie node, by which a walk decides to skip it. Twenty-eight bytes a node; built in
//! O(nodes).
//!
//! Sets of bytes have one bit for each of 128 byte classes: see [`byte_bits`](super::byte_bits).

use grammarc_artifacts::sections::vocabulary::Trie;

use super::byte_bits::bit;

/// Facts about the subtree of one trie node, stored side by side for walks.
#[derive(Clone, Copy, Debug, Default)]
struct Subtree {
    /// The byte classes of all bytes below the node, one [`bit`] each. Stored as the lower and the upper half of a word
    /// of 128 bits.
    below: [u64; 2],
    /// The height of the node: the length in bytes of the longest string below it.
    height: u32,
    /// End (exclusive) of the range of trie nodes, in preorder, that is the node's subtree.
    end: u32,
}

/// Facts about the subtrees of all nodes of a trie.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subtrees {
    /// For each node, the facts about its subtree.
    all: Vec<Subtree>,
    /// For each node, its distance from the root in bytes.
    depths: Vec<u32>,
    /// For each of the 128 byte classes, the number of trie nodes with one of its bytes below them.
    spread: Vec<u32>,
}

impl Subtrees {
    /// Computes the facts about the subtrees of all nodes of a trie. O(nodes).
    pub(crate) fn new(trie: Trie<'_>) -> Self {
        let count = trie.len();
        let mut this = Self {
            all: trie.end.iter().map(|&end| Subtree { end, ..Subtree::default() }).collect(),
            depths: vec![0; count],
            spread: vec![0; 128],
        };
        // In preorder, a node's subtree follows it. So the nodes whose end is not reached yet are ancestors.
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

    /// Adds the facts about the completed subtree of `node` to those of its parent.
    fn close(&mut self, trie: Trie<'_>, node: usize, parent: Option<&usize>) {
        if let Some(&parent) = parent {
            let of_node = self.all[node];
            let own = halves(bit(trie.byte[node]));
            let above = &mut self.all[parent];
            above.height = above.height.max(of_node.height + 1);
            above.below = [0, 1].map(|half| above.below[half] | of_node.below[half] | own[half]);
        }
    }

    /// Returns the height of a trie node: the length in bytes of the longest string below it. 0 for a leaf.
    #[inline]
    pub(crate) fn height(&self, node: u32) -> usize {
        self.all[node as usize].height as usize
    }

    /// Returns the end (exclusive) of the range of trie nodes, in preorder, that is the subtree of `node`.
    #[inline]
    pub(crate) fn end(&self, node: u32) -> u32 {
        self.all[node as usize].end
    }

    /// Returns the number of bytes from the root to a node.
    #[inline]
    pub(crate) fn depth(&self, node: u32) -> usize {
        self.depths[node as usize] as usize
    }

    /// Returns an upper bound on the number of trie nodes with any of these byte classes below them, one [`bit`] each.
    pub(crate) fn spread(&self, mut bits: u128) -> u32 {
        let mut sum = 0;
        while bits != 0 {
            sum += self.spread[bits.trailing_zeros() as usize];
            bits &= bits - 1;
        }
        sum
    }

    /// Returns the byte classes of the strings below a node, one [`bit`] each in a word of 128 bits. The byte of the
    /// node itself is left out.
    #[inline]
    pub(crate) fn below(&self, node: u32) -> u128 {
        let [low, high] = self.all[node as usize].below.map(u128::from);
        low | high << 64
    }
}

/// Returns the lower and the upper half of a word of 128 bits.
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

//! What is below each node of the trie, so that a walk can tell that it need not go there. Twenty-four bytes a node;
//! built in O(nodes).

use grammarc_artifacts::sections::vocabulary::Trie;

use crate::ir::ByteSet;

/// Bytes as bits. All bytes that are not ASCII share the bit of NUL, so a set with that bit has any of them.
pub(super) fn bits(bytes: ByteSet) -> u128 {
    bytes.iter().fold(0, |bits, byte| bits | bit(byte))
}

fn bit(byte: u8) -> u128 {
    1 << if byte.is_ascii() { byte } else { 0 }
}

/// Facts about the nodes of a trie.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes {
    heights: Vec<u32>,
    depths: Vec<u32>,
    below: Vec<u128>,
}

impl Nodes {
    /// The nodes of a trie.
    pub(super) fn new(trie: Trie<'_>) -> Self {
        let count = trie.len();
        let mut this =
            Self { heights: vec![0; count], depths: vec![0; count], below: vec![0; count] };
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
        this
    }

    fn close(&mut self, trie: Trie<'_>, node: usize, parent: Option<&usize>) {
        if let Some(&parent) = parent {
            self.heights[parent] = self.heights[parent].max(self.heights[node] + 1);
            self.below[parent] |= self.below[node] | bit(trie.byte[node]);
        }
    }

    /// Bytes of the longest string below a node.
    #[inline]
    pub(super) fn height(&self, node: u32) -> usize {
        self.heights[node as usize] as usize
    }

    /// Bytes from the root to a node.
    #[inline]
    pub(super) fn depth(&self, node: u32) -> usize {
        self.depths[node as usize] as usize
    }

    /// The bytes of all strings below a node.
    #[inline]
    pub(super) fn below(&self, node: u32) -> u128 {
        self.below[node as usize]
    }
}

#[cfg(test)]
mod tests {
    use grammarc_artifacts::{TokenKind, TrieData};

    use super::*;

    #[test]
    fn nodes_know_what_is_below_them() {
        let texts = (0..300u32).map(|i| vec![(i * 7 % 190) as u8; i as usize % 5 + 1]);
        let tokens: Vec<_> = texts.map(|text| (text, TokenKind::Text)).collect();
        let data = TrieData::build(&tokens).expect("small");
        let trie = data.as_trie();
        let nodes = Nodes::new(trie);
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

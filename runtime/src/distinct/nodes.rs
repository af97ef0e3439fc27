//! The inner nodes of a token trie, grouped by byte: all places where a token continues after a given byte.
//!
//! Cost: O(nodes of the trie), once for a vocabulary when a grammar first needs it; 4 bytes for each inner node.

use grammarc_artifacts::sections::vocabulary::Trie;

/// Number of different byte values.
const BYTES: usize = 256;

/// The nodes of a trie that have children. One list for each byte holds the nodes that are entered on this byte.
#[derive(Debug)]
pub(crate) struct InnerNodes {
    /// For each byte, the start in `nodes` of its list. The list ends where that of the next byte begins.
    starts: [u32; BYTES + 1],
    nodes: Box<[u32]>,
}

impl InnerNodes {
    /// Groups the inner nodes of a trie by the byte on which each is entered. The root is left out. O(nodes).
    pub(crate) fn new(trie: &Trie<'_>) -> Self {
        let inner = || (1..trie.len() as u32).filter(|&node| !trie.is_leaf(node));
        let byte = |node: u32| usize::from(trie.byte[node as usize]);
        let mut starts = [0; BYTES + 1];
        for node in inner() {
            starts[byte(node) + 1] += 1;
        }
        for at in 0..BYTES {
            starts[at + 1] += starts[at];
        }
        let mut nodes = vec![0; starts[BYTES] as usize].into_boxed_slice();
        let mut next = starts;
        for node in inner() {
            let place = &mut next[byte(node)];
            nodes[*place as usize] = node;
            *place += 1;
        }
        Self { starts, nodes }
    }

    /// Returns the inner nodes that are entered on a byte, ascending.
    pub(crate) fn of(&self, byte: u8) -> &[u32] {
        let at = usize::from(byte);
        &self.nodes[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use grammarc_artifacts::{TokenKind, TrieData};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn nodes_are_those_with_children(
            texts in prop::collection::vec(prop::collection::vec(b'a'..b'e', 1..6), 1..40),
        ) {
            let tokens: Vec<_> = texts.into_iter().map(|text| (text, TokenKind::Text)).collect();
            let data = TrieData::build(&tokens).expect("there are few");
            let trie = data.as_trie();
            let nodes = InnerNodes::new(&trie);
            for byte in 0..=u8::MAX {
                let of_byte = (1..trie.len() as u32).filter(|&v| trie.byte[v as usize] == byte);
                let inner = of_byte.filter(|&v| trie.children(v).next().is_some());
                prop_assert_eq!(nodes.of(byte), inner.collect::<Vec<u32>>());
            }
        }
    }
}

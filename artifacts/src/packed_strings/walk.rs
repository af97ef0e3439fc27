//! A walk of a packed string set along the token trie. It finds the tokens that stay within the set, and the trie nodes
//! where tokens leave it.
//!
//! The work of a walk is the number of trie nodes that it looks at. All but some thousand nodes of a set lead to one
//! text or a few, and a walk from there looks at some hundred trie nodes. For the other nodes the compiler stores the
//! result. The compiler and the reader count in the same way, so the artifact's bound on the work of a step holds for
//! the reader.

use super::node::{Node, PackedStrings};
use crate::sections::vocabulary::Trie;

/// Largest number of trie nodes that a walk looks at, including those below the nodes where it leaves the set. A node
/// of the set that needs more has a stored mask.
pub const WALKED: usize = 1024;

/// Maps each byte to the child of the trie's root on this byte, 0 if there is none. The root has too many children for
/// a scan.
#[derive(Clone, Debug)]
pub struct RootChildren([u32; 256]);

impl RootChildren {
    /// Builds the map for a trie. O(children of the root).
    pub fn new(trie: &Trie<'_>) -> Self {
        let mut of = [0; 256];
        trie.children(0).for_each(|child| of[usize::from(trie.byte[child as usize])] = child);
        Self(of)
    }

    /// Returns the child of the root on a byte, 0 if there is none.
    #[inline]
    pub fn get(&self, byte: u8) -> u32 {
        self.0[usize::from(byte)]
    }
}

/// Walks nodes of packed string sets along a token trie.
#[derive(Clone, Copy, Debug)]
pub struct TrieWalk<'a> {
    /// Nodes of the packed string sets.
    pub strings: PackedStrings<'a>,
    /// Prefix tree of the vocabulary's text tokens.
    pub trie: Trie<'a>,
    /// Children of the trie's root, by byte.
    pub roots: &'a RootChildren,
}

impl TrieWalk<'_> {
    /// Calls `visit` with each trie node that a path from `from` spells, and the set's node at the end of the path.
    /// `from` is the address of a node of the set. The root of the trie is not visited. The order of the visits is not
    /// specified.
    ///
    /// Returns the number of trie nodes looked at. `None` if the walk exceeds `most`, after some visits. `open` is a
    /// buffer.
    pub fn visit(
        &self,
        from: u32,
        open: &mut Vec<(u32, u32)>,
        most: usize,
        mut visit: impl FnMut(u32, &Node<'_>),
    ) -> Option<usize> {
        let Self { strings, trie, roots } = self;
        open.clear();
        let mut looked = 0;
        let mut meet = |child: u32, address: u32, open: &mut Vec<(u32, u32)>| {
            let node = strings.node(address);
            visit(child, &node);
            if !trie.is_leaf(child) && !node.is_end() {
                open.push((address, child));
            }
        };
        let node = strings.node(from);
        for (index, &byte) in node.labels().iter().enumerate() {
            looked += 1;
            let child = roots.get(byte);
            if child != 0 {
                meet(child, node.target(index), open);
            }
        }
        while let Some((address, parent)) = open.pop() {
            let node = strings.node(address);
            let labels = node.labels();
            let mut index = 0;
            for child in trie.children(parent) {
                looked += 1;
                let byte = trie.byte[child as usize];
                while labels.get(index).is_some_and(|&label| label < byte) {
                    index += 1;
                }
                match labels.get(index) {
                    None => break,
                    Some(&label) if label == byte => meet(child, node.target(index), open),
                    Some(_) => {}
                }
                if index + 1 == labels.len() && labels[index] == byte {
                    break;
                }
            }
            if looked > most {
                return None;
            }
        }
        (looked <= most).then_some(looked)
    }
}

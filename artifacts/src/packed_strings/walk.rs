//! A walk of a packed string set along the token trie: the tokens that stay within the set, and the nodes where tokens leave it.
//!
//! The work of a walk is the number of trie nodes that it looks at. All but some thousand nodes of a set lead to one text or a
//! few, and a walk from there looks at some hundred trie nodes. For the other nodes the compiler stores the result. The
//! compiler and the reader count in the same way, so the artifact's bound on the work of a step holds for the reader.

use super::node::{Node, PackedStrings};
use crate::sections::vocabulary::Trie;

/// Most trie nodes that a walk looks at, including those below the nodes where it leaves the set. A node that needs more has a
/// stored mask.
pub const WALKED: usize = 1024;

/// The children of the trie's root by byte, 0 for a byte without one. The root has too many children for a scan.
#[derive(Clone, Debug)]
pub struct RootChildren([u32; 256]);

impl RootChildren {
    /// Indexes the children of a trie's root.
    pub fn new(trie: &Trie<'_>) -> Self {
        let mut of = [0; 256];
        trie.children(0).for_each(|child| of[usize::from(trie.byte[child as usize])] = child);
        Self(of)
    }
}

/// The walks of the nodes of packed sets along a token trie.
#[derive(Clone, Copy, Debug)]
pub struct TrieWalk<'a> {
    /// The packed sets.
    pub strings: PackedStrings<'a>,
    /// The token trie.
    pub trie: Trie<'a>,
    /// The children of its root.
    pub roots: &'a RootChildren,
}

impl TrieWalk<'_> {
    /// Visits each trie node that a path from `from` spells, with the node of the set at the end of the path. The root
    /// is not visited. Returns the number of trie nodes looked at. `None` if there are more than `most`.
    ///
    /// `open` is a buffer. The order of the visits is not specified.
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
            let child = roots.0[usize::from(byte)];
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

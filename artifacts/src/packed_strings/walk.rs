//! A node of a packed string set along the token trie: the tokens that stay within it, and where they leave it.
//!
//! The work of a walk is counted in trie nodes that it looks at. Of the nodes of a packed string set all but some thousand lead to
//! one text or a few, so a walk looks at some hundred trie nodes; for the others the compiler stores what it finds. Both
//! count in the same way, so the bound on a step that the artifact states is that of its reader.

use super::node::{Node, PackedStrings};
use crate::sections::vocabulary::Trie;

/// Most trie nodes that a walk of a node whose mask is not stored looks at, those below the nodes at which it leaves the
/// packed string set included.
pub const WALKED: usize = 1024;

/// The children of the trie's root by byte, 0 where there is none: the root has more children than any other node.
#[derive(Clone, Debug)]
pub struct RootChildren([u32; 256]);

impl RootChildren {
    /// The children of a trie's root.
    pub fn new(trie: &Trie<'_>) -> Self {
        let mut of = [0; 256];
        trie.children(0).for_each(|child| of[usize::from(trie.byte[child as usize])] = child);
        Self(of)
    }
}

/// Visits each trie node that a string from a node of a packed string set spells, but for the root, with the node of the
/// packed string set that it leads to. Returns how many trie nodes were looked at, `None` where they are more than `most`.
///
/// `open` is a buffer. The order of the visits is no order of anything.
pub fn walk(
    strings: PackedStrings<'_>,
    from: u32,
    (trie, roots): (&Trie<'_>, &RootChildren),
    open: &mut Vec<(u32, u32)>,
    most: usize,
    mut visit: impl FnMut(u32, &Node<'_>),
) -> Option<usize> {
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

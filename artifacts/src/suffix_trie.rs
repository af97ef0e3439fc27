//! The trie of some strings with suffix links (A. Aho and M. Corasick, "Efficient String Matching", 1975), over any
//! alphabet.
//!
//! A node is a prefix of some string. Its suffix is the node of its longest proper suffix that is also a prefix of some
//! string. So the node of a text is the longest suffix of the text that begins some string. Here symbols are bytes and
//! tokens, which the crate `aho-corasick` does not support.
//!
//! Cost: O(symbols of the strings) to build, times the logarithm of the most children; the same for a step, amortized.
//! Tests: those of the users, `compiler/languages/src/free_text.rs` and `runtime/src/splitter`.

use std::collections::VecDeque;

/// Number of the root, which is the empty prefix.
pub const ROOT: u32 = 0;

/// The trie of some strings with suffix links. `S` is the type of symbols, and `T` the data that the caller keeps for a
/// node.
#[derive(Debug)]
pub struct SuffixTrie<S, T> {
    nodes: Vec<Node<S, T>>,
}

/// A node of the trie: a prefix of some string.
#[derive(Debug)]
pub struct Node<S, T> {
    /// Children as pairs of a symbol and a node number, ascending by symbol. A child is the prefix with one symbol
    /// more.
    pub children: Vec<(S, u32)>,
    /// Number of the node of the longest proper suffix. Set by [`link`](SuffixTrie::link), [`ROOT`] before.
    pub suffix: u32,
    /// Number of symbols of the prefix, 0 for the root.
    pub depth: u32,
    /// Data that the caller keeps for the node.
    pub data: T,
}

impl<S, T: Default> Default for SuffixTrie<S, T> {
    fn default() -> Self {
        let root = Node { children: Vec::new(), suffix: ROOT, depth: 0, data: T::default() };
        Self { nodes: vec![root] }
    }
}

impl<S: Clone + Ord, T: Default> SuffixTrie<S, T> {
    /// Returns the node with this number.
    pub fn node(&self, node: u32) -> &Node<S, T> {
        &self.nodes[node as usize]
    }

    /// Returns the caller's data of a node, to change it.
    pub fn data_mut(&mut self, node: u32) -> &mut T {
        &mut self.nodes[node as usize].data
    }

    /// Returns the number of a node's child on a symbol. `None` if no string continues with the symbol.
    pub fn child(&self, node: u32, symbol: &S) -> Option<u32> {
        let children = &self.node(node).children;
        let at = children.binary_search_by(|(other, _)| other.cmp(symbol)).ok()?;
        Some(children[at].1)
    }

    /// Returns the number of a node's child on a symbol. Adds the child if it is new.
    pub fn grow(&mut self, node: u32, symbol: &S) -> u32 {
        let new = self.nodes.len() as u32;
        let Node { children, depth, .. } = &mut self.nodes[node as usize];
        match children.binary_search_by(|(other, _)| other.cmp(symbol)) {
            Ok(at) => children[at].1,
            Err(at) => {
                children.insert(at, (symbol.clone(), new));
                let depth = *depth + 1;
                let (children, data) = (Vec::new(), T::default());
                self.nodes.push(Node { children, suffix: ROOT, depth, data });
                new
            }
        }
    }

    /// Computes the suffix of each node, nodes nearer to the root first. `merge` completes the data of a node. It also
    /// gets the data of the node's parent and of its suffix, which are already complete.
    pub fn link(&mut self, mut merge: impl FnMut(&mut T, &T, &T)) {
        let mut open = VecDeque::from([ROOT]);
        while let Some(node) = open.pop_front() {
            for at in 0..self.node(node).children.len() {
                let (symbol, child) = self.node(node).children[at].clone();
                let suffix =
                    if node == ROOT { ROOT } else { self.step(self.node(node).suffix, &symbol) };
                let mut data = std::mem::take(self.data_mut(child));
                merge(&mut data, &self.node(node).data, &self.node(suffix).data);
                let child_node = &mut self.nodes[child as usize];
                (child_node.suffix, child_node.data) = (suffix, data);
                open.push_back(child);
            }
        }
    }

    /// Returns the node that `node` reaches on a symbol. Among the suffixes of the node's string with the symbol
    /// appended, this is the longest that is in the trie. [`ROOT`] if only the empty suffix is.
    pub fn step(&self, mut node: u32, symbol: &S) -> u32 {
        loop {
            match self.child(node, symbol) {
                Some(child) => return child,
                None if node == ROOT => return ROOT,
                None => node = self.node(node).suffix,
            }
        }
    }
}

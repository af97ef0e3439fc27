//! The trie of some strings with suffix links (A. Aho and M. Corasick, "Efficient String Matching", 1975), over any
//! alphabet.
//!
//! A node is a prefix of some string. Its suffix is the node of its longest proper suffix that is a node too. So the node of a
//! text is the longest suffix of the text that begins some string. Here symbols are bytes and tokens, which the crate
//! `aho-corasick` does not have.
//!
//! Cost: O(symbols of the strings) to build, times the logarithm of the most children; the same for a step, amortized.
//! Tests: those of the users, `compiler/languages/src/free_text.rs` and `runtime/src/splitter`.

use std::collections::VecDeque;

/// The root: the empty prefix.
pub const ROOT: u32 = 0;

/// The trie of some strings.
#[derive(Debug)]
pub struct SuffixTrie<S, T> {
    nodes: Vec<Node<S, T>>,
}

/// A prefix of some string.
#[derive(Debug)]
pub struct Node<S, T> {
    /// The prefixes with one symbol more, ascending by symbol.
    pub children: Vec<(S, u32)>,
    /// The node of the longest proper suffix, once the trie is [linked](SuffixTrie::link).
    pub suffix: u32,
    /// Number of symbols.
    pub depth: u32,
    /// What the caller keeps for the node.
    pub data: T,
}

impl<S, T: Default> Default for SuffixTrie<S, T> {
    fn default() -> Self {
        let root = Node { children: Vec::new(), suffix: ROOT, depth: 0, data: T::default() };
        Self { nodes: vec![root] }
    }
}

impl<S: Clone + Ord, T: Default> SuffixTrie<S, T> {
    /// Returns a node.
    pub fn node(&self, node: u32) -> &Node<S, T> {
        &self.nodes[node as usize]
    }

    /// Returns the data of a node.
    pub fn data_mut(&mut self, node: u32) -> &mut T {
        &mut self.nodes[node as usize].data
    }

    /// Returns the child of a node on a symbol. `None` if no string continues so.
    pub fn child(&self, node: u32, symbol: &S) -> Option<u32> {
        let children = &self.node(node).children;
        let at = children.binary_search_by(|(other, _)| other.cmp(symbol)).ok()?;
        Some(children[at].1)
    }

    /// Returns the child of a node on a symbol, and adds the child if it is new.
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

    /// Computes the suffixes, nodes nearer to the root first. `merge` completes the data of a node from that of its parent and
    /// that of its suffix, which are complete.
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

    /// Returns the node of the longest suffix of a node's string and the symbol behind it.
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

//! The markers of free text, found as the text is read: the automaton of Aho and Corasick ("Efficient string matching",
//! 1975) over bytes and tokens.
//!
//! A node is the longest end of what was read with which some marker begins. Everything before it is text for good.

use std::collections::VecDeque;

use grammarc_artifacts::{Marker, MarkerPart, Region};

/// One step of an output: a byte as itself, a token as its id and [`Symbol::TOKEN`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Symbol(u64);

impl Symbol {
    const TOKEN: u64 = 1 << 32;

    /// A byte.
    pub(super) fn byte(byte: u8) -> Self {
        Self(u64::from(byte))
    }

    /// A token that a token edge took.
    pub(super) fn token(token: u32) -> Self {
        Self(Self::TOKEN | u64::from(token))
    }
}

/// The root: no marker begins there.
pub(super) const ROOT: u32 = 0;

/// The automaton of some markers.
#[derive(Debug)]
pub(crate) struct Markers(Vec<Node>);

#[derive(Debug, Default)]
struct Node {
    /// Ascending by symbol.
    children: Vec<(Symbol, u32)>,
    /// The node of its longest proper end.
    suffix: u32,
    /// Symbols of its text.
    depth: u32,
    /// Symbols of the longest marker that its text begins with, 0 for none.
    begins: u32,
    /// Symbols of the longest marker that its text ends with, 0 for none.
    ends: u32,
}

impl Markers {
    /// Markers by region; none for one without.
    pub(crate) fn of_regions(regions: &[Region]) -> Vec<Option<Self>> {
        let of = |region: &Region| (!region.markers.is_empty()).then(|| Self::new(&region.markers));
        regions.iter().map(of).collect()
    }

    fn new(markers: &[Marker]) -> Self {
        let mut this = Self(vec![Node::default()]);
        for marker in markers {
            let mut node = ROOT;
            for part in marker {
                match part {
                    MarkerPart::Bytes(bytes) => {
                        for &byte in bytes {
                            node = this.grow(node, Symbol::byte(byte));
                        }
                    }
                    MarkerPart::Token(token) => node = this.grow(node, Symbol::token(*token)),
                }
            }
            let node = &mut this.0[node as usize];
            (node.begins, node.ends) = (node.depth, node.depth);
        }
        this.link();
        this
    }

    fn grow(&mut self, node: u32, symbol: Symbol) -> u32 {
        let depth = self.0[node as usize].depth + 1;
        let new = self.0.len() as u32;
        let children = &mut self.0[node as usize].children;
        match children.binary_search_by_key(&symbol, |child| child.0) {
            Ok(at) => children[at].1,
            Err(at) => {
                children.insert(at, (symbol, new));
                self.0.push(Node { depth, ..Node::default() });
                new
            }
        }
    }

    /// Finds suffixes and markers within nodes, nodes nearer to the root first.
    fn link(&mut self) {
        let mut open = VecDeque::from([ROOT]);
        while let Some(node) = open.pop_front() {
            for (symbol, child) in self.0[node as usize].children.clone() {
                open.push_back(child);
                let mut suffix = ROOT;
                if node != ROOT {
                    let mut from = self.suffix(node);
                    suffix = loop {
                        match self.child(from, symbol) {
                            Some(to) => break to,
                            None if from == ROOT => break ROOT,
                            None => from = self.suffix(from),
                        }
                    };
                }
                let begins = self.0[node as usize].begins;
                let ends = self.0[suffix as usize].ends;
                let child = &mut self.0[child as usize];
                child.suffix = suffix;
                child.begins = child.begins.max(begins);
                child.ends = child.ends.max(ends);
            }
        }
    }

    /// The node behind a symbol, where a marker goes on so.
    pub(super) fn child(&self, node: u32, symbol: Symbol) -> Option<u32> {
        let children = &self.0[node as usize].children;
        let at = children.binary_search_by_key(&symbol, |child| child.0).ok()?;
        Some(children[at].1)
    }

    /// The node of the longest proper end of a node's text.
    pub(super) fn suffix(&self, node: u32) -> u32 {
        self.0[node as usize].suffix
    }

    /// Number of symbols of a node's text.
    pub(super) fn depth(&self, node: u32) -> usize {
        self.0[node as usize].depth as usize
    }

    /// Number of symbols of the longest marker that a node's text begins with.
    pub(super) fn begins(&self, node: u32) -> usize {
        self.0[node as usize].begins as usize
    }

    /// Number of symbols of the longest marker that a node's text ends with.
    pub(super) fn ends(&self, node: u32) -> usize {
        self.0[node as usize].ends as usize
    }
}

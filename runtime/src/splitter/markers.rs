//! The automaton of the markers of free text (A. Aho and M. Corasick, "Efficient String Matching", 1975), over bytes and
//! tokens.
//!
//! A node is the longest suffix of the text read so far that is a prefix of some marker. All text before that suffix is
//! certain.
//!
//! Cost: O(symbols of the markers) to build; O(log children) amortized for each symbol.

use std::collections::VecDeque;

use grammarc_artifacts::{Marker, MarkerPart, Region};

/// One symbol of an output: a byte, or the id of a token with [`Symbol::TOKEN`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Symbol(u64);

impl Symbol {
    /// Bit that distinguishes tokens from bytes.
    const TOKEN: u64 = 1 << 32;

    /// Returns the symbol of a byte.
    pub(super) fn byte(byte: u8) -> Self {
        Self(u64::from(byte))
    }

    /// Returns the symbol of a token of a token edge.
    pub(super) fn token(token: u32) -> Self {
        Self(Self::TOKEN | u64::from(token))
    }
}

/// The root: the empty prefix.
pub(super) const ROOT: u32 = 0;

/// The automaton of some markers.
#[derive(Debug)]
pub(crate) struct Markers(Vec<Node>);

/// A prefix of some marker.
#[derive(Debug, Default)]
struct Node {
    /// The longer prefixes, ascending by symbol.
    children: Vec<(Symbol, u32)>,
    /// The node of the longest proper suffix.
    suffix: u32,
    /// Number of symbols.
    depth: u32,
    /// Number of symbols of the longest marker that is a prefix of the text. 0 if there is none.
    begins: u32,
    /// Number of symbols of the longest marker that is a suffix of the text. 0 if there is none.
    ends: u32,
}

impl Markers {
    /// Builds the automaton of each region that has markers.
    pub(crate) fn of_regions(regions: &[Region]) -> Vec<Option<Self>> {
        let of = |region: &Region| (!region.markers.is_empty()).then(|| Self::new(&region.markers));
        regions.iter().map(of).collect()
    }

    /// Builds the automaton of some markers.
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

    /// Returns the child of a node on a symbol, and adds the child if it is new.
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

    /// Computes the suffix and the markers of each node, breadth first.
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

    /// Returns the child of a node on a symbol. `None` if no marker continues so.
    pub(super) fn child(&self, node: u32, symbol: Symbol) -> Option<u32> {
        let children = &self.0[node as usize].children;
        let at = children.binary_search_by_key(&symbol, |child| child.0).ok()?;
        Some(children[at].1)
    }

    /// The node of the longest proper suffix of a node's text.
    pub(super) fn suffix(&self, node: u32) -> u32 {
        self.0[node as usize].suffix
    }

    /// Number of symbols of a node's text.
    pub(super) fn depth(&self, node: u32) -> usize {
        self.0[node as usize].depth as usize
    }

    /// Number of symbols of the longest marker that is a prefix of a node's text.
    pub(super) fn begins(&self, node: u32) -> usize {
        self.0[node as usize].begins as usize
    }

    /// Number of symbols of the longest marker that is a suffix of a node's text.
    pub(super) fn ends(&self, node: u32) -> usize {
        self.0[node as usize].ends as usize
    }
}

//! The automaton of the markers of free text (Aho-Corasick), over bytes and tokens. A marker is a string that ends the
//! text.
//!
//! A node is the longest suffix of the text read so far that is a prefix of some marker. All text before that suffix is
//! certain.
//!
//! Cost: O(symbols of the markers) to build; O(log children) amortized for each symbol.

use grammarc_artifacts::suffix_trie::SuffixTrie;
use grammarc_artifacts::{Marker, MarkerPart, Region};

pub(super) use grammarc_artifacts::suffix_trie::ROOT;

/// One symbol of an output: a byte, or the id of a special token with the bit [`Symbol::TOKEN`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Symbol(u64);

impl Symbol {
    /// Bit that distinguishes the symbol of a token from that of a byte.
    const TOKEN: u64 = 1 << 32;

    /// Returns the symbol of a byte.
    pub(super) fn byte(byte: u8) -> Self {
        Self(u64::from(byte))
    }

    /// Returns the symbol of a token that a token edge reads.
    pub(super) fn token(token: u32) -> Self {
        Self(Self::TOKEN | u64::from(token))
    }
}

/// The automaton of the markers of one region.
#[derive(Debug)]
pub(crate) struct Markers(SuffixTrie<Symbol, Lengths>);

/// Lengths of the markers within a node's text. The text is a prefix of some marker.
#[derive(Debug, Default)]
struct Lengths {
    /// Number of symbols of the longest marker that is a prefix of the node's text. 0 if there is none.
    begins: u32,
    /// Number of symbols of the longest marker that is a suffix of the node's text. 0 if there is none.
    ends: u32,
}

impl Markers {
    /// For each region, builds the automaton of its markers. `None` for a region without markers.
    pub(crate) fn of_regions(regions: &[Region]) -> Vec<Option<Self>> {
        let of = |region: &Region| (!region.markers.is_empty()).then(|| Self::new(&region.markers));
        regions.iter().map(of).collect()
    }

    /// Builds the automaton of some markers. O(symbols of the markers).
    fn new(markers: &[Marker]) -> Self {
        let mut trie = SuffixTrie::default();
        for marker in markers {
            let mut node = ROOT;
            for part in marker {
                match part {
                    MarkerPart::Bytes(bytes) => {
                        for &byte in bytes {
                            node = trie.grow(node, &Symbol::byte(byte));
                        }
                    }
                    MarkerPart::Token(token) => node = trie.grow(node, &Symbol::token(*token)),
                }
            }
            let depth = trie.node(node).depth;
            *trie.data_mut(node) = Lengths { begins: depth, ends: depth };
        }
        trie.link(|node, parent, suffix| {
            node.begins = node.begins.max(parent.begins);
            node.ends = node.ends.max(suffix.ends);
        });
        Self(trie)
    }

    /// Returns the child of a node on a symbol. `None` if no marker continues with the symbol.
    pub(super) fn child(&self, node: u32, symbol: Symbol) -> Option<u32> {
        self.0.child(node, &symbol)
    }

    /// Returns the node of the longest proper suffix of a node's text that is a prefix of some marker.
    pub(super) fn suffix(&self, node: u32) -> u32 {
        self.0.node(node).suffix
    }

    /// Returns the number of symbols of a node's text.
    pub(super) fn depth(&self, node: u32) -> usize {
        self.0.node(node).depth as usize
    }

    /// Returns the number of symbols of the longest marker that is a prefix of a node's text. 0 if there is none.
    pub(super) fn begins(&self, node: u32) -> usize {
        self.0.node(node).data.begins as usize
    }

    /// Returns the number of symbols of the longest marker that is a suffix of a node's text. 0 if there is none.
    pub(super) fn ends(&self, node: u32) -> usize {
        self.0.node(node).data.ends as usize
    }
}

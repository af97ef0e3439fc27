//! What is below each node of the trie, so that a walk can tell that it need not go there. Twenty-eight bytes a node;
//! built in O(nodes).
//!
//! Sets of bytes are words of 128 bits. A printable character of ASCII has a bit of its own, and so have the three that
//! break lines and columns; the other control characters share one. Beyond ASCII, four bytes that continue a character
//! share a bit, and so do a few that begin one.

use grammarc_artifacts::sections::vocabulary::Trie;

use crate::ir::ByteSet;

/// By byte, its bit.
const BITS: [u8; 256] = {
    let mut bits = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        bits[byte] = match byte as u8 {
            b'\t' => 9,
            b'\n' => 10,
            b'\r' => 13,
            other @ b' '..=0x7F => other,
            0..b' ' => 0,
            other @ 0x80..0xC0 => 14 + (other - 0x80) / 4,
            0xC0..0xD0 => 1,
            0xD0..0xE0 => 2,
            0xE0 => 3,
            0xE1 => 4,
            0xE2 => 5,
            0xE3 => 6,
            0xE4..0xEA => 7,
            0xEA..0xEE => 8,
            0xEE..0xF0 => 11,
            0xF0.. => 12,
        };
        byte += 1;
    }
    bits
};

/// The bit of a byte.
pub(super) fn bit(byte: u8) -> u128 {
    1 << BITS[usize::from(byte)]
}

/// The control characters that share a bit, and those that have one each, which stands where they do.
const CONTROLS: u32 = !LONE_CONTROLS;
const LONE_CONTROLS: u32 = 1 << b'\t' | 1 << b'\n' | 1 << b'\r';

/// The first of the bits that bytes which continue a character share.
const CONTINUING: u8 = BITS[0x80];

/// The bits that bytes which begin a character share, with those bytes: which of the last two words of a set they are in,
/// and where there.
const LEADING: [(usize, u32, u128); 10] = {
    let mut leading = [(0, 0, 0); 10];
    let mut count = 0;
    let mut byte = 0xC0;
    while byte < 256 {
        let (word, bit) = (byte / 32 - 6, 1 << BITS[byte]);
        if count == 0 || leading[count - 1].2 != bit {
            leading[count] = (word, 0, bit);
            count += 1;
        }
        leading[count - 1].1 |= 1 << (byte % 32);
        byte += 1;
    }
    leading
};

/// The bits of any bytes of a set.
pub(super) fn bits(bytes: ByteSet) -> u128 {
    let [controls, ascii @ .., c0, e0] = bytes.to_words();
    let [low, middle, high, more @ ..] = ascii.map(u128::from);
    let own = low << 32 | middle << 64 | high << 96 | u128::from(controls & LONE_CONTROLS);
    let shared = u128::from(controls & CONTROLS != 0);
    let continuing = any_of_four((more[0] | more[1] << 32) as u64);
    let mut all = own | shared | u128::from(continuing) << CONTINUING;
    if c0 | e0 != 0 {
        for (word, bytes, bit) in LEADING {
            all |= if [c0, e0][word] & bytes != 0 { bit } else { 0 };
        }
    }
    all
}

/// For each four bits from the lowest on, whether any of them is set.
fn any_of_four(bits: u64) -> u16 {
    let two = bits | bits >> 1;
    let four = (two | two >> 2) & 0x1111_1111_1111_1111;
    // Each step brings twice as many of them together.
    let pairs = (four | four >> 3) & 0x0303_0303_0303_0303;
    let nibbles = (pairs | pairs >> 6) & 0x000F_000F_000F_000F;
    let bytes = (nibbles | nibbles >> 12) & 0x0000_00FF_0000_00FF;
    (bytes | bytes >> 24) as u16
}

/// The bits all of whose bytes are in a set.
pub(super) fn whole_bits(bytes: ByteSet) -> u128 {
    !bits(ByteSet::FULL.minus(bytes))
}

/// What a walk asks of a node that it has come to, side by side.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// The halves of the bits.
    below: [u64; 2],
    height: u32,
    end: u32,
}

/// Facts about the nodes of a trie.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes {
    all: Vec<Node>,
    depths: Vec<u32>,
    /// By bit, how many nodes have it below them.
    spread: Vec<u32>,
}

impl Nodes {
    /// The nodes of a trie.
    pub(super) fn new(trie: Trie<'_>) -> Self {
        let count = trie.len();
        let mut this = Self {
            all: trie.end.iter().map(|&end| Node { end, ..Node::default() }).collect(),
            depths: vec![0; count],
            spread: vec![0; 128],
        };
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
        for node in 0..count as u32 {
            let mut bits = this.below(node);
            while bits != 0 {
                this.spread[bits.trailing_zeros() as usize] += 1;
                bits &= bits - 1;
            }
        }
        this
    }

    fn close(&mut self, trie: Trie<'_>, node: usize, parent: Option<&usize>) {
        if let Some(&parent) = parent {
            let of_node = self.all[node];
            let own = halves(bit(trie.byte[node]));
            let above = &mut self.all[parent];
            above.height = above.height.max(of_node.height + 1);
            above.below = [0, 1].map(|half| above.below[half] | of_node.below[half] | own[half]);
        }
    }

    /// Bytes of the longest string below a node.
    #[inline]
    pub(super) fn height(&self, node: u32) -> usize {
        self.all[node as usize].height as usize
    }

    /// The end of a node's subtree.
    #[inline]
    pub(super) fn end(&self, node: u32) -> u32 {
        self.all[node as usize].end
    }

    /// Bytes from the root to a node.
    #[inline]
    pub(super) fn depth(&self, node: u32) -> usize {
        self.depths[node as usize] as usize
    }

    /// How many nodes have some of these bits below them, at most.
    pub(super) fn spread(&self, mut bits: u128) -> u32 {
        let mut sum = 0;
        while bits != 0 {
            sum += self.spread[bits.trailing_zeros() as usize];
            bits &= bits - 1;
        }
        sum
    }

    /// The bytes of all strings below a node, as bits.
    #[inline]
    pub(super) fn below(&self, node: u32) -> u128 {
        let [low, high] = self.all[node as usize].below.map(u128::from);
        low | high << 64
    }
}

/// The lower half of a word and the upper one.
fn halves(word: u128) -> [u64; 2] {
    [word as u64, (word >> 64) as u64]
}

#[cfg(test)]
mod tests {
    use grammarc_artifacts::{TokenKind, TrieData};

    use super::*;

    #[test]
    fn bits_of_a_set_are_those_of_its_bytes() {
        for lo in 0..=u8::MAX {
            for hi in lo..=u8::MAX {
                let expected = (lo..=hi).fold(0, |bits, byte| bits | bit(byte));
                assert_eq!(bits(ByteSet::range(lo, hi)), expected, "{lo:#x}..={hi:#x}");
            }
        }
    }

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

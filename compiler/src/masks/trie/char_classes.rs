//! Strings of the trie grouped by the kinds of their characters and by length.
//!
//! A pattern's state that reads `[0-9A-Za-z]` for a while accepts tens of thousands of tokens. Whether it accepts one
//! depends on the kinds of its characters and on its length alone. So tokens are kept in groups of one length and one
//! set of kinds. The mask of such a state is the union of some groups, without a visit of a node. Nodes with a child on
//! another byte after such a string are indexed by that byte.
//!
//! The kinds are those that patterns distinguish: digits, `a-f`, `g-z`, `A-F` and `G-Z`. Every other printable ASCII
//! character is a kind of its own.
//!
//! Some 2 MB for a vocabulary of 128,000 tokens; built in O(nodes log nodes).

use grammarc_artifacts::sections::vocabulary::Trie;

use crate::ir::ByteSet;
use crate::masks::bits::set_all;

/// A string length in bytes. A state that is equivalent to its reference (source of its mask) on all strings of this
/// length is derived from it alone. Any other state is first tried with the tokens of one kind of characters.
pub(crate) const FAR: usize = 16;

/// A set of kinds of characters, one bit each. Digits are one kind, for example.
pub(crate) type CharKinds = u64;

/// For each byte, the bit of the kind of its character. Zero for bytes that are no printable ASCII character.
const KIND: [CharKinds; 256] = {
    let mut kinds = [0; 256];
    let mut next = 5;
    let mut byte = b' ';
    while byte <= b'~' {
        kinds[byte as usize] = match byte {
            b'0'..=b'9' => 1,
            b'a'..=b'f' => 1 << 1,
            b'g'..=b'z' => 1 << 2,
            b'A'..=b'F' => 1 << 3,
            b'G'..=b'Z' => 1 << 4,
            _ => {
                next += 1;
                1 << (next - 1)
            }
        };
        byte += 1;
    }
    kinds
};

/// The tokens of one length that have exactly the same set of kinds of characters.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// Length of the tokens, in bytes.
    length: u32,
    /// The kinds of characters that occur in the tokens.
    kinds: CharKinds,
    /// End (exclusive) in `CharClassIndex::ids` of the token ids of the group. The ids of the next group follow.
    end: u32,
}

/// A trie edge after a string of printable ASCII characters: the string continues with another byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RunExit {
    /// The byte of the edge.
    byte: u8,
    /// Length of the string before the edge, in bytes; at least one.
    pub(crate) depth: u32,
    /// The trie node that the string before the edge leads to.
    pub(crate) node: u32,
    /// The child of `node` on the byte of the edge.
    pub(crate) child: u32,
    /// The kinds of characters in the string before the edge.
    kinds: CharKinds,
}

/// The strings of a trie, grouped by the kinds of their characters and by length.
#[derive(Debug)]
pub(crate) struct CharClassIndex {
    /// The groups of tokens with equal length and equal kinds of characters, in ascending order of length, then kinds.
    groups: Vec<Group>,
    /// The token ids of all groups, group after group.
    ids: Vec<u32>,
    /// Edges after strings of printable ASCII characters, in ascending order of their bytes. Edges on letters and
    /// digits are left out.
    edges: Vec<RunExit>,
    /// For each byte, the end (exclusive) in `edges` of the edges on this byte. The edges of a byte begin where those
    /// of the byte before end.
    ends: Vec<u32>,
}

impl CharClassIndex {
    /// Groups the strings of a trie. O(nodes log nodes).
    pub(crate) fn new(trie: Trie<'_>) -> Self {
        let mut tokens: Vec<(u32, CharKinds, u32)> = Vec::new();
        let mut edges = Vec::new();
        // The nodes on the path to the current node, with the kinds of characters up to each.
        let mut path: Vec<(u32, CharKinds)> = Vec::new();
        let mut node = 1;
        while node < trie.len() as u32 {
            while path.pop_if(|&mut (above, _)| trie.end[above as usize] <= node).is_some() {}
            let byte = trie.byte[node as usize];
            let kind = KIND[usize::from(byte)];
            let depth = path.len() as u32;
            let before = path.last().copied();
            if let Some((above, kinds)) = before.filter(|_| !is_common(byte)) {
                edges.push(RunExit { byte, depth, node: above, child: node, kinds });
            }
            if kind == 0 {
                node = trie.end[node as usize];
                continue;
            }
            let kinds = before.map_or(0, |(_, kinds)| kinds) | kind;
            let ranks = trie.tokens_at(node);
            let ids = &trie.token_of_rank[ranks.start as usize..ranks.end as usize];
            tokens.extend(ids.iter().map(|&id| (depth + 1, kinds, id)));
            path.push((node, kinds));
            node += 1;
        }
        tokens.sort_unstable();
        edges.sort_unstable();
        let (mut groups, mut ids) = (Vec::new(), Vec::with_capacity(tokens.len()));
        for group in tokens.chunk_by(|one, next| (one.0, one.1) == (next.0, next.1)) {
            ids.extend(group.iter().map(|&(_, _, id)| id));
            let (length, kinds, _) = group[0];
            groups.push(Group { length, kinds, end: ids.len() as u32 });
        }
        let ends = (0..=u8::MAX).map(|byte| edges.partition_point(|edge| edge.byte <= byte) as u32);
        Self { groups, ids, ends: ends.collect(), edges }
    }

    /// Returns the number of tokens whose characters are all of the given kinds, for each length in bytes. The index is
    /// the length, from 0.
    pub(crate) fn counts(&self, kinds: CharKinds) -> Vec<u32> {
        let longest = self.groups.last().map_or(0, |group| group.length as usize);
        let mut counts = vec![0; longest + 1];
        for (length, ids) in self.of(kinds) {
            counts[length as usize] += ids.len() as u32;
        }
        counts
    }

    /// Returns, for each of the given lengths, a row of one bit per token. A bit is set if all characters of the token
    /// are of the given kinds, and the token has at most that many bytes. The lengths have to ascend. A row has
    /// `row_words` words of 32 bits.
    pub(crate) fn drawings(
        &self,
        kinds: CharKinds,
        lengths: &[u32],
        row_words: usize,
    ) -> Vec<Vec<u32>> {
        let mut drawings = Vec::with_capacity(lengths.len());
        let mut row = vec![0; row_words];
        let mut of = self.of(kinds).peekable();
        for &most in lengths {
            while let Some((_, ids)) = of.next_if(|&(length, _)| length <= most) {
                set_all(&mut row, ids);
            }
            drawings.push(row.clone());
        }
        drawings
    }

    /// Returns the groups of tokens whose characters are all of the given kinds. A group has the length of its tokens
    /// in bytes, ascending, and the token ids.
    fn of(&self, kinds: CharKinds) -> impl Iterator<Item = (u32, &[u32])> {
        let begins = std::iter::once(0).chain(self.groups.iter().map(|group| group.end));
        let of = self.groups.iter().zip(begins);
        let of = of.filter(move |(group, _)| group.kinds & !kinds == 0);
        of.map(|(group, from)| (group.length, &self.ids[from as usize..group.end as usize]))
    }

    /// Returns the number of trie edges on `byte` after strings of printable ASCII characters. `None` for letters and
    /// digits, whose edges are not indexed.
    pub(crate) fn spread(&self, byte: u8) -> Option<usize> {
        (!is_common(byte)).then(|| self.on(byte).len())
    }

    /// Returns the trie edges on `byte` after strings whose characters are all of the given kinds. Returns no edges for
    /// letters and digits, which are not indexed.
    pub(crate) fn edges(&self, kinds: CharKinds, byte: u8) -> impl Iterator<Item = RunExit> {
        self.on(byte).iter().filter(move |edge| edge.kinds & !kinds == 0).copied()
    }

    /// Returns the indexed trie edges on a byte, after strings of printable ASCII characters.
    fn on(&self, byte: u8) -> &[RunExit] {
        let byte = usize::from(byte);
        let from = byte.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[from as usize..self.ends[byte] as usize]
    }
}

/// Whether a byte is an ASCII letter or a digit. Strings continue with these so often that a walk is faster than a
/// look-up.
fn is_common(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

/// Returns the kinds of characters that are completely within a set of bytes.
pub(crate) fn kinds_within(bytes: ByteSet) -> CharKinds {
    let others = ByteSet::FULL.minus(bytes).iter();
    others.fold(!0, |kinds, byte| kinds & !KIND[usize::from(byte)]) & ALL
}

/// Returns all characters of the given kinds.
pub(crate) fn characters(kinds: CharKinds) -> ByteSet {
    (0..=u8::MAX).filter(|&byte| KIND[usize::from(byte)] & kinds != 0).collect()
}

/// The set of all kinds of characters.
const ALL: CharKinds = {
    let (mut all, mut byte) = (0, 0);
    while byte < KIND.len() {
        all |= KIND[byte];
        byte += 1;
    }
    all
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use grammarc_artifacts::{TokenKind, TrieData};
    use proptest::prelude::*;

    use super::*;

    /// Returns all strings of a trie, each with the node before its last byte and the node after it.
    fn strings(trie: Trie<'_>) -> Vec<(Vec<u8>, [u32; 2])> {
        let mut all = vec![(Vec::new(), [0, 0])];
        let mut at = 0;
        while at < all.len() {
            let (text, [_, node]) = all[at].clone();
            let children = trie.children(node);
            all.extend(
                children.map(|child| {
                    ([&text[..], &[trie.byte[child as usize]]].concat(), [node, child])
                }),
            );
            at += 1;
        }
        all
    }

    proptest! {
        #[test]
        fn strings_of_kinds_are_those_without_other_characters(
            texts in prop::collection::btree_set("[09afgzAZ_. \"é]{1,5}", 1..60),
            among in prop::collection::vec("[0-9]|[a-f]|[g-z]|[A-Z]|_|\\.| |0|a|\"", 0..6),
            most in 1u32..6,
        ) {
            let bytes: ByteSet = among.iter().flat_map(|kind| match &kind[..] {
                "_" | "." | " " | "\"" => ByteSet::range(kind.as_bytes()[0], kind.as_bytes()[0]),
                one if one.as_bytes()[0].is_ascii_digit() => ByteSet::range(b'0', b'9'),
                one if one.as_bytes()[0] <= b'Z' => ByteSet::range(b'A', b'Z'),
                one if one.as_bytes()[0] <= b'f' => ByteSet::range(b'a', b'f'),
                _ => ByteSet::range(b'g', b'z'),
            }.iter()).collect();
            let tokens: Vec<_> =
                texts.iter().map(|text| (text.clone().into_bytes(), TokenKind::Text)).collect();
            let data = TrieData::build(&tokens).expect("small");
            let trie = data.as_trie();
            let words = CharClassIndex::new(trie);
            let kinds = kinds_within(bytes);
            prop_assert_eq!(characters(kinds), bytes);
            let is_of = |text: &[u8]| text.iter().all(|&byte| bytes.contains(byte));
            let [drawing] = &words.drawings(kinds, &[most], tokens.len().div_ceil(32))[..] else {
                panic!("one for each length")
            };
            let expected: Vec<bool> = tokens
                .iter()
                .map(|(text, _)| is_of(text) && text.len() <= most as usize)
                .collect();
            let held = (0..tokens.len()).map(|id| drawing[id / 32] >> (id % 32) & 1 == 1);
            prop_assert_eq!(held.collect::<Vec<_>>(), expected.clone());
            let counts = words.counts(kinds);
            let count: u32 = counts.iter().take(most as usize + 1).sum();
            prop_assert_eq!(count as usize, expected.iter().filter(|&&is| is).count());
            let edges: BTreeSet<(u8, u32, [u32; 2])> = strings(trie)
                .into_iter()
                .filter_map(|(text, nodes)| {
                    let (&last, before) = text.split_last()?;
                    let is_kept = !before.is_empty() && is_of(before) && !is_common(last);
                    is_kept.then_some((last, before.len() as u32, nodes))
                })
                .collect();
            let found = (0..=u8::MAX).flat_map(|byte| {
                words.edges(kinds, byte).map(|edge| (edge.byte, edge.depth, [edge.node, edge.child]))
            });
            prop_assert_eq!(found.collect::<BTreeSet<_>>(), edges);
        }
    }
}

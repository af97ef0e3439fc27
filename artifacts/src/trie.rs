//! Builds the token trie.
//!
//! The text tokens are sorted by their bytes, and by id if these are equal. This is the preorder of the trie. So one
//! pass appends the nodes, and remembers only the path to the newest node. A token shares a node with the token before
//! it for each common leading byte.
//!
//! Cost: O(total bytes + n log n) comparisons of token bytes, and two scratch arrays.
//!
//! Tests: `tests/suite/trie.rs`.

use crate::error::Error;
use crate::sections::vocabulary::{TokenKind, Trie};

/// The prefix tree of a vocabulary's text tokens, as owned arrays. The [module of the
/// sections](crate::sections::vocabulary) explains them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrieData {
    /// For each node, the byte on the edge from its parent. 0 for the root.
    pub byte: Vec<u8>,
    /// For each node, the exclusive end of its subtree: one more than the last node below it.
    pub end: Vec<u32>,
    /// For each node, the number of tokens at nodes before it. One more entry at the end is the number of all tokens.
    pub rank: Vec<u32>,
    /// Maps the rank of a token (its index in byte order) to its id.
    pub token_of_rank: Vec<u32>,
}

impl TrieData {
    /// Builds the trie of a vocabulary's text tokens. `tokens` has the bytes and the kind of each token id. Tokens of
    /// other kinds and tokens without bytes are left out of the trie.
    ///
    /// # Errors
    ///
    /// The number of tokens or of nodes does not fit into 32 bits.
    pub fn build(tokens: &[(Vec<u8>, TokenKind)]) -> Result<Self, Error> {
        let too_large = |what, found| Error::TooLarge { what, limit: u64::from(u32::MAX), found };
        if tokens.len() >= u32::MAX as usize {
            return Err(too_large("token count", tokens.len() as u64));
        }
        let bytes_of = |id: u32| tokens[id as usize].0.as_slice();
        let mut sorted: Vec<u32> = (0..tokens.len() as u32)
            .filter(|&id| tokens[id as usize].1 == TokenKind::Text && !bytes_of(id).is_empty())
            .collect();
        sorted.sort_unstable_by(|&a, &b| bytes_of(a).cmp(bytes_of(b)).then(a.cmp(&b)));

        let mut trie = Self { byte: vec![0], end: vec![0], rank: vec![0], token_of_rank: sorted };
        let mut path: Vec<u32> = vec![0];
        let mut before: &[u8] = &[];
        for (rank, &id) in trie.token_of_rank.iter().enumerate() {
            let bytes = bytes_of(id);
            let shared = before.iter().zip(bytes).take_while(|(a, b)| a == b).count();
            let nodes = trie.byte.len() as u32;
            for node in path.drain(shared + 1..) {
                trie.end[node as usize] = nodes;
            }
            if trie.byte.len() + bytes.len() >= u32::MAX as usize {
                return Err(too_large("trie node count", (trie.byte.len() + bytes.len()) as u64));
            }
            for &byte in &bytes[shared..] {
                path.push(trie.byte.len() as u32);
                trie.byte.push(byte);
                trie.end.push(0);
                trie.rank.push(rank as u32);
            }
            before = bytes;
        }
        let nodes = trie.byte.len() as u32;
        for node in path {
            trie.end[node as usize] = nodes;
        }
        trie.rank.push(trie.token_of_rank.len() as u32);
        Ok(trie)
    }

    /// Borrows the trie as slices.
    pub fn as_trie(&self) -> Trie<'_> {
        Trie {
            byte: &self.byte,
            end: &self.end,
            rank: &self.rank,
            token_of_rank: &self.token_of_rank,
        }
    }
}

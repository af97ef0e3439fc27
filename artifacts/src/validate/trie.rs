//! Checks that the token trie is the trie of the vocabulary's text tokens.
//!
//! Exit classes name trie nodes. With a trie of another shape, a valid class would denote other bytes. The check visits
//! the nodes in preorder with the path, so the bytes of each token are compared once.

use super::violation::{Check, Invariant, at};
use crate::sections::kinds::SectionKind;
use crate::sections::network::NONE;
use crate::sections::vocabulary::{TokenKind, Trie};
use crate::tokens::Tokens;

pub(super) fn check(tokens: &Tokens<'_>, trie: &Trie<'_>) -> Check {
    lengths(trie)?;
    ranks(trie)?;
    nodes(tokens, trie)?;
    let count = tokens.count_of(TokenKind::Text);
    at(SectionKind::TokenOfRank, 0).equal(Invariant::TrieTokens, trie.token_of_rank.len(), count)
}

/// Checks that the lengths of the trie's arrays agree.
fn lengths(trie: &Trie<'_>) -> Check {
    let nodes = trie.byte.len();
    let place = at(SectionKind::TrieByte, 0);
    place.require(Invariant::TrieLengths, nodes > 0 && nodes < NONE as usize, nodes as u32)?;
    place.equal(Invariant::TrieLengths, trie.byte[0].into(), 0)?;
    at(SectionKind::TrieEnd, 0).equal(Invariant::TrieLengths, trie.end.len(), nodes)?;
    at(SectionKind::TrieRank, 0).equal(Invariant::TrieLengths, trie.rank.len(), nodes + 1)
}

/// Checks that ranks ascend from 0 to the number of ranked tokens.
fn ranks(trie: &Trie<'_>) -> Check {
    let place = |record| at(SectionKind::TrieRank, record);
    let nodes = trie.byte.len();
    place(0).equal(Invariant::TrieRanks, trie.rank[0] as usize, 0)?;
    for (node, pair) in trie.rank.windows(2).enumerate() {
        place(node + 1).at_least(Invariant::TrieRanks, pair[1], pair[0])?;
    }
    let total = trie.rank[nodes] as usize;
    place(nodes).equal(Invariant::TrieRanks, total, trie.token_of_rank.len())
}

/// Checks that each node lies within its parent's subtree and after its smaller siblings, and that its tokens spell the
/// path to it.
fn nodes(tokens: &Tokens<'_>, trie: &Trie<'_>) -> Check {
    // For each open ancestor of a node, the end of its subtree. `path` holds the bytes that lead into them, without the
    // root's.
    let mut ends: Vec<u32> = Vec::new();
    let mut path: Vec<u8> = Vec::new();
    let count = trie.byte.len() as u32;
    for node in 0..count {
        let index = node as usize;
        let (byte, end) = (trie.byte[index], trie.end[index]);
        // Byte of the preceding sibling, if there is one. It is the last of the ancestors that end here.
        let mut sibling = None;
        while ends.last() == Some(&node) {
            ends.pop();
            sibling = path.pop();
        }
        let within = ends.last().copied().unwrap_or(if node == 0 { count } else { 0 });
        let place = at(SectionKind::TrieEnd, index);
        place.require(Invariant::TrieShape, end > node && end <= within, end)?;
        if node == 0 {
            place.equal(Invariant::TrieShape, end as usize, count as usize)?;
        } else {
            let place = at(SectionKind::TrieByte, index);
            place.require(Invariant::TrieShape, sibling.is_none_or(|s| s < byte), byte.into())?;
            path.push(byte);
        }
        ends.push(end);
        tokens_at(tokens, trie, node, &path)?;
    }
    Ok(())
}

/// Checks that the tokens at a node ascend and spell the path to it, and that a leaf has a token.
fn tokens_at(tokens: &Tokens<'_>, trie: &Trie<'_>, node: u32, path: &[u8]) -> Check {
    let ranks = trie.tokens_at(node);
    if node != 0 && trie.is_leaf(node) {
        let place = at(SectionKind::TrieRank, node as usize);
        place.require(Invariant::TrieLeaves, !ranks.is_empty(), ranks.start)?;
    }
    let mut least = 0;
    for rank in ranks {
        let place = at(SectionKind::TokenOfRank, rank as usize);
        let id = trie.token_of_rank[rank as usize];
        place.below(Invariant::TrieTokens, id, tokens.count())?;
        place.at_least(Invariant::TrieTokens, id, least)?;
        let spelled = tokens.kind_of(id) == TokenKind::Text && tokens.bytes_of(id) == path;
        place.require(Invariant::TrieTokens, spelled, id)?;
        least = id + 1;
    }
    Ok(())
}

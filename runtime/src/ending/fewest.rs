//! The fewest tokens that spell a text, by dynamic programming over its offsets, from the last to the first.
//!
//! Masks are not read. Nearly always any tokens may spell a text of the grammar, and the caller notices a refused
//! token. Among equally short spellings, the one whose first token is the longest is taken. So the result is the same
//! on every machine.
//!
//! Cost: O(text x longest token) steps down the token trie; 12 bytes for each byte of the text.

use grammarc_artifacts::sections::vocabulary::Trie;

use super::route::Unit;
use crate::mask::pool;
use crate::matcher::Matcher;

/// The shortest spelling of the rest of a text, from one offset on.
#[derive(Clone, Copy, Default)]
struct Way {
    /// Number of tokens of the spelling.
    left: u32,
    /// Id of the first token. `None` if no tokens spell the rest of the text.
    token: Option<u32>,
    /// Length of the first token, in bytes.
    len: u32,
}

/// Returns the fewest tokens of a matcher's vocabulary that spell the units. `None` if no tokens spell them, or a token
/// edge has no tokens.
pub(super) fn of(matcher: &Matcher, units: &[Unit]) -> Option<Vec<u32>> {
    let grammar = matcher.grammar();
    let trie = grammar.vocabulary().artifact().trie();
    let mut tokens = Vec::new();
    let mut text = Vec::new();
    for unit in units {
        match *unit {
            Unit::Byte(byte) => text.push(byte),
            Unit::Token(set) => {
                spell(trie, &text, &mut tokens)?;
                text.clear();
                tokens.push(pool::least(grammar.pool().mask(set))?);
            }
        }
    }
    spell(trie, &text, &mut tokens)?;
    Some(tokens)
}

/// Appends the fewest text tokens that spell a text. `None` if no tokens spell it.
fn spell(trie: Trie<'_>, text: &[u8], tokens: &mut Vec<u32>) -> Option<()> {
    let mut ways = vec![Way::default(); text.len()];
    for from in (0..text.len()).rev() {
        let mut best = Way::default();
        let mut node = 0;
        for (at, &byte) in text.iter().enumerate().skip(from) {
            let child = trie.children(node).find(|&child| trie.byte[child as usize] == byte);
            let Some(child) = child else { break };
            node = child;
            let after = match ways.get(at + 1) {
                None => Some(0),
                Some(way) => way.token.map(|_| way.left),
            };
            let here = trie.tokens_at(node);
            let token = trie.token_of_rank.get(here.start as usize).filter(|_| !here.is_empty());
            // Among ways with equally few tokens, the one found last begins with the longest token.
            if let (Some(after), Some(&token)) = (after, token)
                && (best.token.is_none() || after < best.left)
            {
                best = Way { left: after + 1, token: Some(token), len: (at + 1 - from) as u32 };
            }
        }
        ways[from] = best;
    }
    let mut at = 0;
    while at < text.len() {
        let way = ways[at];
        tokens.push(way.token?);
        at += way.len as usize;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use grammarc_artifacts::{TokenKind, TrieData};
    use proptest::prelude::*;

    use super::*;

    /// Returns the fewest tokens that spell a text, found by trying all spellings without a trie.
    fn by_trial(tokens: &[Vec<u8>], text: &[u8]) -> Option<usize> {
        let mut fewest = vec![None; text.len() + 1];
        fewest[0] = Some(0);
        for end in 1..=text.len() {
            let ways = tokens.iter().filter(|token| text[..end].ends_with(token));
            let ways = ways.filter_map(|token| fewest[end - token.len()]);
            fewest[end] = ways.min().map(|n: usize| n + 1);
        }
        fewest[text.len()]
    }

    proptest! {
        #[test]
        fn no_tokens_are_fewer(
            words in prop::collection::btree_set(prop::collection::vec(b'a'..b'd', 1..5), 1..12),
            text in prop::collection::vec(b'a'..b'd', 0..30),
        ) {
            let words: Vec<Vec<u8>> = words.into_iter().collect();
            let table: Vec<_> = words.iter().map(|word| (word.clone(), TokenKind::Text)).collect();
            let trie = TrieData::build(&table).expect("there are few");
            let mut tokens = Vec::new();
            let found = spell(trie.as_trie(), &text, &mut tokens).map(|()| tokens.len());
            prop_assert_eq!(found, by_trial(&words, &text));
            if found.is_some() {
                let spelled = tokens.iter().flat_map(|&token| words[token as usize].clone());
                prop_assert_eq!(spelled.collect::<Vec<u8>>(), text);
            }
        }
    }
}

//! The token trie against its definition.

use std::collections::BTreeMap;

use grammarc_artifacts::{TokenKind, Trie, TrieData};
use proptest::prelude::*;

/// The byte string of every node, by walking from the root over children.
fn strings(trie: &Trie<'_>) -> Vec<Vec<u8>> {
    let mut strings = vec![Vec::new(); trie.len()];
    for node in 0..trie.len() as u32 {
        for child in trie.children(node) {
            let mut string = strings[node as usize].clone();
            string.push(trie.byte[child as usize]);
            strings[child as usize] = string;
        }
    }
    strings
}

fn check(tokens: &[(Vec<u8>, TokenKind)]) {
    let data = TrieData::build(tokens).expect("a trie");
    let trie = data.as_trie();
    let mut ids: BTreeMap<&[u8], Vec<u32>> = BTreeMap::new();
    let mut nodes: BTreeMap<&[u8], ()> = BTreeMap::from([(&b""[..], ())]);
    for (id, (bytes, kind)) in tokens.iter().enumerate() {
        if *kind == TokenKind::Text && !bytes.is_empty() {
            ids.entry(bytes).or_default().push(id as u32);
            nodes.extend((1..=bytes.len()).map(|len| (&bytes[..len], ())));
        }
    }
    // Preorder with children in byte order is the order of the strings.
    let strings = strings(&trie);
    assert!(strings.iter().map(Vec::as_slice).eq(nodes.keys().copied()));
    for (node, string) in strings.iter().enumerate() {
        let node = node as u32;
        let at = &trie.token_of_rank[to_usize(trie.tokens_at(node))];
        assert_eq!(at, ids.get(string.as_slice()).map_or(&[][..], Vec::as_slice));
        let below = &trie.token_of_rank[to_usize(trie.tokens_below(node))];
        let expected: Vec<u32> = ids
            .iter()
            .filter(|(s, _)| s.starts_with(string))
            .flat_map(|(_, i)| i.clone())
            .collect();
        assert_eq!(below, expected);
    }
}

fn to_usize(range: std::ops::Range<u32>) -> std::ops::Range<usize> {
    range.start as usize..range.end as usize
}

fn token() -> impl Strategy<Value = (Vec<u8>, TokenKind)> {
    let byte = prop_oneof![Just(0u8), Just(b'a'), Just(b'b'), Just(255)];
    let kind = prop_oneof![
        8 => Just(TokenKind::Text),
        1 => Just(TokenKind::Special),
        1 => Just(TokenKind::Unused)
    ];
    (prop::collection::vec(byte, 0..5), kind)
}

proptest! {
    #[test]
    fn the_trie_is_the_set_of_prefixes_in_order(tokens in prop::collection::vec(token(), 0..40)) {
        check(&tokens);
    }
}

#[test]
fn no_tokens_leave_the_root_alone() {
    let data = TrieData::build(&[]).expect("a trie");
    assert_eq!(
        data,
        TrieData { byte: vec![0], end: vec![1], rank: vec![0, 0], token_of_rank: vec![] }
    );
}

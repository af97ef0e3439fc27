//! Drafts of random networks: every draft is allowed, is what all continuations begin with, and is as the encoder spells
//! it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use grammarc_artifacts::TokenKind;
use proptest::prelude::*;

use super::{Drafter, MAX_DRAFT};
use crate::batch::fill_tree;
use crate::testing::network::{Network, Rule, State};
use crate::testing::{Rng, grammar, matchers};
use crate::{Matcher, Vocabulary};

/// Returns the text tokens of a vocabulary with their bytes, the longest first and then by id.
fn texts(vocabulary: &Vocabulary) -> Vec<(u32, Vec<u8>)> {
    let artifact = vocabulary.artifact();
    let texts =
        (0..artifact.token_count()).filter(|&token| artifact.token_kind(token) == TokenKind::Text);
    let mut texts: Vec<(u32, Vec<u8>)> =
        texts.map(|token| (token, artifact.token_bytes(token).to_vec())).collect();
    texts.sort_by_key(|(token, bytes)| (std::cmp::Reverse(bytes.len()), *token));
    texts
}

/// Returns the tokens of a text by the longest match from the left. `None` if the text cannot be spelled in this way.
fn greedy(texts: &[(u32, Vec<u8>)], text: &str) -> Option<Vec<u32>> {
    let (mut rest, mut tokens) = (text.as_bytes(), Vec::new());
    while !rest.is_empty() {
        let (token, bytes) = texts.iter().find(|(_, bytes)| rest.starts_with(bytes))?;
        tokens.push(*token);
        rest = &rest[bytes.len()..];
    }
    Some(tokens)
}

/// Returns a drafter that encodes by the longest match, with the number of its encodings so far. A failed one counts
/// as a thousand.
fn drafter(vocabulary: &Vocabulary) -> (Drafter, Arc<AtomicUsize>) {
    let (texts, count) = (texts(vocabulary), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&count);
    let encode = move |text: &str| {
        let encoded = greedy(&texts, text);
        counted.fetch_add(if encoded.is_some() { 1 } else { 1000 }, Ordering::Relaxed);
        encoded
    };
    (Drafter::new(encode), count)
}

/// Returns the bytes of the text tokens among `tokens`, up to the first token that is none.
fn spelled(vocabulary: &Vocabulary, tokens: &[u32]) -> Vec<u8> {
    let artifact = vocabulary.artifact();
    let texts = tokens.iter().take_while(|&&token| artifact.token_kind(token) == TokenKind::Text);
    texts.flat_map(|&token| vocabulary.token_bytes(token)).copied().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn drafts_are_what_continuations_begin_with(seed: u64, most in 0usize..12) {
        let random = &mut Rng::new(seed);
        for mut matcher in matchers(random, 4, 80) {
            let vocabulary = matcher.grammar().vocabulary().clone();
            let (drafter, encodings) = drafter(&vocabulary);
            let before = (matcher.export(), matcher.rollback_depth());
            let mut draft = vec![7];
            drafter.draft(&mut matcher, &[], most, &mut draft);
            prop_assert!(draft.len() <= most.min(MAX_DRAFT));
            prop_assert_eq!(matcher.validate(&draft), draft.len());

            // The second time, nothing is encoded, unless an encoding failed.
            let (count, mut again) = (encodings.load(Ordering::Relaxed), Vec::new());
            drafter.draft(&mut matcher, &[], most, &mut again);
            prop_assert_eq!(&again, &draft);
            prop_assert!(count >= 1000 || encodings.load(Ordering::Relaxed) == count);
            prop_assert_eq!((matcher.export(), matcher.rollback_depth()), before);

            let text = spelled(&vocabulary, &draft);
            for _ in 0..4 {
                let (mut walk, mut written) = (matcher.fork(), Vec::new());
                while spelled(&vocabulary, &written).len() < text.len() {
                    let allowed: Vec<u32> = walk.mask().iter().collect();
                    let token = allowed[random.below(allowed.len())];
                    walk.accept(token).unwrap();
                    written.push(token);
                }
                prop_assert!(spelled(&vocabulary, &written).starts_with(&text));
            }

            let mut run = Vec::new();
            drafter.injection(&mut matcher, &[], most, &mut run);
            prop_assert!(draft.starts_with(&run) && draft.len() - run.len() <= 1);
            if let Some((&last, before)) = draft.split_last() {
                let mut ahead = matcher.fork();
                ahead.accept_many(before).unwrap();
                prop_assert_eq!(run.len() < draft.len(), ahead.allows_longer(last));
            }
        }
    }

    #[test]
    fn trees_are_allowed_paths(seed: u64, nodes in 0usize..30, width in 0usize..6) {
        let random = &mut Rng::new(seed);
        for mut matcher in matchers(random, 3, 80) {
            let (drafter, _) = drafter(matcher.grammar().vocabulary());
            let before = matcher.export();
            let tree = drafter.tree(&matcher, &[], nodes, width);
            prop_assert!(tree.len() <= nodes && (nodes > 0 || tree.is_empty()));
            prop_assert_eq!(matcher.export(), before);
            let mut words = vec![0; (tree.len() + 1) * 3];
            let allowed = fill_tree(&mut matcher, &tree.tokens, &tree.parents, &mut words, 3).unwrap();
            prop_assert!(allowed.iter().all(|allowed| *allowed));
            // The tree begins with the draft.
            let mut draft = Vec::new();
            drafter.draft(&mut matcher, &[], nodes, &mut draft);
            prop_assert!(tree.tokens.starts_with(&draft));
            for node in [None].into_iter().chain((0..tree.len() as u32).map(Some)) {
                let children = (0..tree.len()).filter(|&child| tree.parents[child] == node);
                let tokens: Vec<u32> = children.map(|child| tree.tokens[child]).collect();
                prop_assert!(tokens.len() <= width.max(1));
                prop_assert!(tokens.is_sorted_by(|one, other| one < other));
                // Where nothing is forced and few tokens are allowed, each has a branch, unless the tree is full.
                let row = node.map_or(0, |node| node as usize + 1) * 3;
                let count: u32 = words[row..row + 3].iter().map(|word| word.count_ones()).sum();
                let is_full = tree.len() == nodes;
                let is_chain = tokens.len() == 1 && count > 1;
                prop_assert!(is_full || is_chain || count as usize > width || tokens.len() == count as usize || tokens.is_empty());
            }
        }
    }
}

/// A draft after tokens that the tokenizer would join with the forced text is empty; after others it is the rest.
#[test]
fn forced_text_is_encoded_with_the_last_tokens() {
    let text = |bytes: &str| (bytes.as_bytes().to_vec(), TokenKind::Text);
    let tokens = vec![text("a"), text("b"), text("ab"), text("c"), text("bc")];
    let read = |byte: u8, target: usize| State::default().on(&[byte], target);
    let states = [read(b'a', 1), read(b'b', 2), read(b'c', 3), State::default().ending()];
    let grammar = grammar(&Network { rules: vec![Rule::new(states)], shared: 0 }, &tokens, &[]);
    let (drafter, _) = drafter(grammar.vocabulary());
    let mut matcher = Matcher::new(&grammar);
    let mut draft = Vec::new();
    drafter.draft(&mut matcher, &[], 9, &mut draft);
    assert_eq!(draft, [2, 3]);
    matcher.accept(0).unwrap();
    // The tokenizer spells "abc" as "ab", "c", and the output has "a" already.
    drafter.draft(&mut matcher, &[0], 9, &mut draft);
    assert_eq!(draft, [0; 0]);
    // A token that is no text is none to encode with.
    let (unknown, _) = self::drafter(grammar.vocabulary());
    unknown.draft(&mut matcher, &[9], 9, &mut draft);
    assert_eq!(draft, [4]);
    let nothing = Drafter::new(|_: &str| None);
    nothing.draft(&mut matcher, &[], 9, &mut draft);
    assert_eq!(draft, [0; 0]);
    assert!(format!("{nothing:?}").contains("kept: 0"));
}

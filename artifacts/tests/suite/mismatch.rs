//! Grammars that are opened with a vocabulary that they were not compiled for.

use grammarc_artifacts::error::Difference;
use grammarc_artifacts::{
    Error, GrammarArtifact, TokenKind, TrieData, VocabularyArtifact, VocabularyData,
};

use crate::fixtures::*;

/// The error of opening the small grammar with a changed vocabulary.
fn mismatch(change: impl FnOnce(&mut VocabularyData)) -> Error {
    let vocabulary = open_vocabulary(&small_vocabulary());
    let bytes = small_grammar(&vocabulary).to_bytes(&vocabulary).expect("bytes");
    let mut other = small_vocabulary();
    change(&mut other);
    other.meta.name = "other".to_owned();
    other.trie = TrieData::build(&other.tokens).expect("a trie");
    GrammarArtifact::from_buffer(bytes, &open_vocabulary(&other)).expect_err("another vocabulary")
}

fn difference(change: impl FnOnce(&mut VocabularyData)) -> Difference {
    match mismatch(change) {
        Error::VocabularyMismatch { expected, given, difference, .. } => {
            assert_eq!((expected.as_str(), given.as_str()), ("small", "other"));
            difference
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_first_token_that_differs_is_named() {
    let found = difference(|v| v.tokens[5].0 = b"[]".to_vec());
    assert_eq!(found, Difference::Token { id: 5, bytes: Some(b"[]".to_vec()) });
    let found = difference(|v| v.tokens[9].1 = TokenKind::Unused);
    assert_eq!(found, Difference::Token { id: 9, bytes: Some(b"<eos>".to_vec()) });
    let found = difference(|v| v.tokens.push((b"zz".to_vec(), TokenKind::Text)));
    assert_eq!(found, Difference::Token { id: 13, bytes: Some(b"zz".to_vec()) });
    let found = difference(|v| v.end_tokens = vec![10]);
    assert_eq!(found, Difference::EndOrWidth);
    let found = difference(|v| v.logit_width = 17);
    assert_eq!(found, Difference::EndOrWidth);
}

/// The error of opening a grammar of the large vocabulary with a changed one.
fn mismatch_of_large(change: impl FnOnce(&mut VocabularyData)) -> Error {
    let vocabulary = open_vocabulary(&large_vocabulary(2000, 1));
    let bytes = large_grammar(&vocabulary, 20).to_bytes(&vocabulary).expect("bytes");
    let mut other = large_vocabulary(2000, 1);
    change(&mut other);
    other.trie = TrieData::build(&other.tokens).expect("a trie");
    let other = VocabularyArtifact::from_buffer(other.to_bytes().expect("bytes"));
    GrammarArtifact::from_buffer(bytes, &other.expect("a vocabulary")).expect_err("another one")
}

#[test]
fn a_vocabulary_that_ends_early_or_goes_on_is_named_with_both_counts() {
    let shorter = mismatch_of_large(|v| *v = large_vocabulary(1990, 1));
    let Error::VocabularyMismatch { tokens, difference, .. } = shorter else {
        panic!("{shorter:?}")
    };
    let missing = Difference::Token { id: 1990, bytes: None };
    assert_eq!((tokens, difference), ((2000, 1990), missing));
    let longer = mismatch_of_large(|v| {
        v.tokens.push((b"new".to_vec(), TokenKind::Text));
        v.logit_width += 1;
    });
    let message = longer.to_string();
    let said = ["of 2000 tokens", "of 2001 was given", "first at token 2000, here \"new\""];
    assert!(said.iter().all(|said| message.contains(said)), "{message}");
}

#[test]
fn one_change_anywhere_is_located_at_once_or_soon_after() {
    let mut exact = 0;
    for changed in (0..2000).step_by(10) {
        let error = mismatch_of_large(|v| v.tokens[changed].0.push(b'!'));
        let Error::VocabularyMismatch { difference: Difference::Group { first, last }, .. } = error
        else {
            panic!("{error:?}");
        };
        // 2,000 tokens are a thousand groups of two.
        assert_eq!((first % 2, last), (0, first + 1));
        let late = (first as usize).checked_sub(changed).expect("a group before the change");
        assert!(late < 6, "token {changed} changed, {first} to {last} named");
        exact += usize::from(late == 0);
    }
    assert!(exact >= 195, "{exact} of 200 located exactly");
}

#[test]
fn other_shared_rules_are_refused() {
    let error = mismatch(|v| v.tables.rules[0].hash[0] ^= 1);
    assert!(matches!(error, Error::SharedRulesMismatch { .. }), "{error:?}");
}

#[test]
fn token_digests_of_another_length_are_refused() {
    use grammarc_artifacts::container::directory::{Entry, RawEntry};
    use grammarc_artifacts::container::header::HEADER_LEN;
    use grammarc_artifacts::sections::kinds::SectionKind;

    let (vocabulary, grammar) = small_pair();
    let entries = grammar.container().directory().entries();
    let digests = |e: &Entry| e.kind == Some(SectionKind::TokenDigests);
    let index = entries.iter().position(digests).expect("the digests");
    let mut bytes = grammar.container().buffer().to_vec();
    let length =
        HEADER_LEN + index * size_of::<RawEntry>() + std::mem::offset_of!(RawEntry, length);
    bytes[length] -= 1;
    bytes[entries[index].range.end - 1] = 0;
    let error = GrammarArtifact::from_buffer(sealed(bytes), &vocabulary).expect_err("too short");
    let Error::SectionLength { section, expected, found } = error else { panic!("{error:?}") };
    assert_eq!((section, expected, found), ("TOKEN_DIGESTS", 13, 12));
}

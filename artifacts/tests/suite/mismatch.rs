//! Grammars that are opened with a vocabulary that they were not compiled for.

use grammarc_artifacts::error::Difference;
use grammarc_artifacts::{
    Error, GrammarArtifact, TokenKind, TrieData, VocabularyArtifact, VocabularyData,
};

use crate::fixtures::*;

/// The error of opening the small grammar with a changed vocabulary.
fn mismatch(digests: bool, change: impl FnOnce(&mut VocabularyData)) -> Error {
    let vocabulary = open_vocabulary(&small_vocabulary());
    let mut data = small_grammar(&vocabulary);
    data.with_token_digests = digests;
    let bytes = data.to_bytes(&vocabulary).expect("bytes");
    let mut other = small_vocabulary();
    change(&mut other);
    other.meta.name = "other".to_owned();
    other.trie = TrieData::build(&other.tokens).expect("a trie");
    GrammarArtifact::from_buffer(bytes, &open_vocabulary(&other)).expect_err("another vocabulary")
}

fn difference(digests: bool, change: impl FnOnce(&mut VocabularyData)) -> Difference {
    match mismatch(digests, change) {
        Error::VocabularyMismatch { expected, given, difference } => {
            assert_eq!((expected.as_str(), given.as_str()), ("small", "other"));
            difference
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_first_token_that_differs_is_named() {
    let found = difference(true, |v| v.tokens[5].0 = b"[]".to_vec());
    assert_eq!(found, Difference::Token { id: 5, bytes: Some(b"[]".to_vec()) });
    let found = difference(true, |v| v.tokens[9].1 = TokenKind::Unused);
    assert_eq!(found, Difference::Token { id: 9, bytes: Some(b"<eos>".to_vec()) });
    let found = difference(true, |v| v.tokens.push((b"zz".to_vec(), TokenKind::Text)));
    assert_eq!(found, Difference::Extra { id: 13, bytes: b"zz".to_vec() });
    let found = difference(true, |v| v.end_tokens = vec![10]);
    assert_eq!(found, Difference::EndOrWidth);
    let found = difference(true, |v| v.logit_width = 17);
    assert_eq!(found, Difference::EndOrWidth);
    let found = difference(false, |v| v.tokens[5].0 = b"[]".to_vec());
    assert_eq!(found, Difference::Fingerprint);
}

#[test]
fn a_vocabulary_that_ends_early_names_the_missing_token() {
    let longer = large_vocabulary(2000, 1);
    let vocabulary = open_vocabulary(&longer);
    let mut data = large_grammar(&vocabulary, 20);
    data.with_token_digests = true;
    let bytes = data.to_bytes(&vocabulary).expect("bytes");
    let shorter = open_vocabulary(&large_vocabulary(1990, 1));
    let error = GrammarArtifact::from_buffer(bytes, &shorter).expect_err("ten tokens fewer");
    let Error::VocabularyMismatch { difference, .. } = error else { panic!("{error:?}") };
    assert_eq!(difference, Difference::Token { id: 1990, bytes: None });
}

#[test]
fn one_change_anywhere_is_named_at_once_or_soon_after() {
    let vocabulary = open_vocabulary(&large_vocabulary(2000, 1));
    let mut data = large_grammar(&vocabulary, 20);
    data.with_token_digests = true;
    let bytes = data.to_bytes(&vocabulary).expect("bytes");
    let mut exact = 0;
    for changed in (0..2000).step_by(10) {
        let mut other = large_vocabulary(2000, 1);
        other.tokens[changed].0.push(b'!');
        other.trie = TrieData::build(&other.tokens).expect("a trie");
        let other = VocabularyArtifact::from_buffer(other.to_bytes().expect("bytes"));
        let error = GrammarArtifact::from_buffer(bytes.clone(), &other.expect("a vocabulary"));
        let error = error.expect_err("another vocabulary");
        let Error::VocabularyMismatch { difference: Difference::Token { id, .. }, .. } = error
        else {
            panic!("{error:?}");
        };
        let late = id as usize - changed;
        assert!(late < 4, "token {changed} changed, {id} named");
        exact += usize::from(late == 0);
    }
    assert!(exact >= 195, "{exact} of 200 named exactly");
}

#[test]
fn other_shared_rules_are_refused() {
    let error = mismatch(true, |v| v.tables.rules[0].hash[0] ^= 1);
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

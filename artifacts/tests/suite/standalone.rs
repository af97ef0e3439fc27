//! Grammar artifacts with their vocabulary embedded.

use grammarc_artifacts::sections::kinds::SectionKind;
use grammarc_artifacts::{Error, GrammarArtifact, write};

use crate::fixtures::*;

#[test]
fn a_grammar_that_stands_alone_is_the_same_grammar() {
    let (vocabulary, grammar) = small_pair();
    let bytes = grammar.to_standalone().expect("bytes");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.gmask");
    write::replace(&path, &bytes).expect("written");
    let alone = [
        GrammarArtifact::from_standalone(bytes.clone()),
        GrammarArtifact::open_standalone(&path),
        GrammarArtifact::read_standalone(&path),
        // One that stands alone is a grammar artifact like others where the vocabulary is open already.
        GrammarArtifact::from_buffer(bytes.clone(), &vocabulary),
    ];
    for alone in alone {
        let alone = alone.expect("opens");
        let embedded = alone.vocabulary().container().buffer();
        assert_eq!(&**embedded, &**vocabulary.container().buffer());
        assert_eq!(format!("{:?}", alone.tables()), format!("{:?}", grammar.tables()));
        assert_eq!((alone.meta(), alone.start_state()), (grammar.meta(), grammar.start_state()));
        // A standalone artifact made of a standalone artifact is the same, and not nested.
        assert_eq!(&*alone.to_standalone().expect("bytes"), &*bytes);
    }
}

#[test]
fn a_grammar_without_a_vocabulary_says_which_it_needs() {
    let (_, grammar) = small_pair();
    let error = GrammarArtifact::from_standalone(grammar.container().buffer().clone());
    let error = error.expect_err("no vocabulary");
    assert!(matches!(&error, Error::NotStandalone { expected } if expected == "small"), "{error}");
}

#[test]
fn an_embedded_vocabulary_is_checked_like_any() {
    let (_, grammar) = small_pair();
    let whole = grammar.to_standalone().expect("bytes");
    let length = grammar.vocabulary().container().buffer().len();
    // Each byte that the inner checksum covers, or that stands before it.
    for at in 0..length {
        let damaged = patched(&whole, SectionKind::Embedded, |bytes| bytes[at] ^= 1);
        let error = GrammarArtifact::from_standalone(damaged).expect_err("damage");
        assert!(!matches!(error, Error::NotStandalone { .. }), "{at}: {error}");
    }
}

#[test]
fn an_embedded_vocabulary_of_another_grammar_is_refused() {
    let (_, grammar) = small_pair();
    let whole = grammar.to_standalone().expect("bytes");
    let mut other = small_vocabulary();
    other.tokens[5].0 = b"[]".to_vec();
    other.trie = grammarc_artifacts::TrieData::build(&other.tokens).expect("a trie");
    let other = open_vocabulary(&other);
    let other = other.container().buffer();
    let exchanged = patched(&whole, SectionKind::Embedded, |bytes| bytes.copy_from_slice(other));
    let error = GrammarArtifact::from_standalone(exchanged).expect_err("another vocabulary");
    assert!(matches!(error, Error::VocabularyMismatch { .. }), "{error}");
}

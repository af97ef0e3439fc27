//! Damage: every byte of a small file, random bytes of larger ones, every truncation.
//!
//! Two families. As the damage happens, the checksum must detect it: always an error. With the checksum made right
//! again the validation stands alone: an error, or an artifact that is safe to read through every accessor.

use grammarc_artifacts::{Buffer, GrammarArtifact, VocabularyArtifact};
use proptest::prelude::*;

use crate::fixtures::*;
use crate::walk;

/// Opens damaged bytes as both kinds of artifact; whatever opens is read whole. Returns whether either opened.
fn survives(buffer: &Buffer, vocabulary: &VocabularyArtifact) -> bool {
    let as_vocabulary = VocabularyArtifact::from_buffer(buffer.clone()).map(|artifact| {
        walk::vocabulary(&artifact);
    });
    let as_grammar = GrammarArtifact::from_buffer(buffer.clone(), vocabulary).map(|artifact| {
        walk::grammar(&artifact);
    });
    let _ = grammarc_artifacts::dump::inspect(buffer.clone());
    as_vocabulary.is_ok() || as_grammar.is_ok()
}

#[test]
fn a_flip_of_any_byte_is_an_error() {
    let (vocabulary, grammar) = small_pair();
    for artifact in [vocabulary.container().buffer(), grammar.container().buffer()] {
        let mut bytes = artifact.to_vec();
        for at in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xff] {
                bytes[at] ^= flip;
                assert!(!survives(&Buffer::from_bytes(&bytes), &vocabulary), "byte {at} ^ {flip}");
                bytes[at] ^= flip;
            }
        }
    }
}

#[test]
fn a_flip_of_any_byte_behind_a_right_checksum_is_safe() {
    let (vocabulary, grammar) = small_pair();
    for artifact in [vocabulary.container().buffer(), grammar.container().buffer()] {
        let bytes = artifact.to_vec();
        let mut opened = 0;
        for at in 0..bytes.len() {
            for flip in [0x01, 0x02, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= flip;
                opened += u32::from(survives(&sealed(bytes), &vocabulary));
            }
        }
        assert!(opened > 100, "only {opened} damaged files opened, so hardly any was walked");
    }
}

#[test]
fn every_truncation_is_an_error() {
    let (vocabulary, grammar) = small_pair();
    for artifact in [vocabulary.container().buffer(), grammar.container().buffer()] {
        for len in 0..artifact.len() {
            let cut = Buffer::from_bytes(&artifact[..len]);
            assert!(!survives(&cut, &vocabulary), "cut to {len} bytes");
            assert!(!survives(&sealed(artifact[..len].to_vec()), &vocabulary), "and sealed");
        }
        let mut longer = artifact.to_vec();
        longer.push(0);
        assert!(!survives(&sealed(longer), &vocabulary), "one byte more");
    }
}

/// Writes over words of a copy: `(place, value)` with places and values as fractions and special numbers.
fn damaged(buffer: &Buffer, changes: &[(u32, Value)]) -> Vec<u8> {
    let mut bytes = buffer.to_vec();
    let words = bytes.len() as u32 / 4;
    for &(place, ref value) in changes {
        // Behind the magic and the checksum, which the other tests damage.
        let at = (12 + place % (words - 12)) as usize * 4;
        let word = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let word = match *value {
            Value::Word(word) => word,
            Value::Byte(byte) => word & !0xff | u32::from(byte),
            Value::Add(by) => word.wrapping_add_signed(by),
            Value::Copy(from) => {
                let from = (from % words) as usize * 4;
                u32::from_le_bytes(bytes[from..from + 4].try_into().expect("four bytes"))
            }
        };
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

#[derive(Clone, Debug)]
enum Value {
    Word(u32),
    Byte(u8),
    Add(i32),
    Copy(u32),
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        prop_oneof![Just(0), Just(u32::MAX), Just(1 << 31), any::<u32>()].prop_map(Value::Word),
        any::<u8>().prop_map(Value::Byte),
        (-3i32..=3).prop_map(Value::Add),
        any::<u32>().prop_map(Value::Copy),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn random_damage_behind_a_right_checksum_is_safe(
        changes in prop::collection::vec((any::<u32>(), value()), 1..4),
    ) {
        thread_local! {
            static PAIR: (VocabularyArtifact, GrammarArtifact) = small_pair();
        }
        PAIR.with(|(vocabulary, grammar)| {
            for artifact in [vocabulary.container().buffer(), grammar.container().buffer()] {
                survives(&sealed(damaged(artifact, &changes)), vocabulary);
            }
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn random_damage_to_larger_artifacts_is_an_error_or_safe(
        changes in prop::collection::vec((any::<u32>(), value()), 1..4),
    ) {
        thread_local! {
            static PAIR: (VocabularyArtifact, GrammarArtifact) = {
                let vocabulary = open_vocabulary(&large_vocabulary(300, 2));
                let grammar = open_grammar(&large_grammar(&vocabulary, 60), &vocabulary);
                (vocabulary, grammar)
            };
        }
        PAIR.with(|(vocabulary, grammar)| {
            for artifact in [vocabulary.container().buffer(), grammar.container().buffer()] {
                let bytes = damaged(artifact, &changes);
                let changed = bytes != **artifact;
                let opened = survives(&Buffer::from_bytes(&bytes), vocabulary);
                assert!(opened != changed, "damage is an error, and only damage is");
                survives(&sealed(bytes), vocabulary);
            }
        });
    }
}

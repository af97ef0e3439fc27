//! One negative test per header field and per field of the section table, each without and with a right checksum.

use std::mem::offset_of;

use grammarc_artifacts::container::directory::RawEntry;
use grammarc_artifacts::container::header::{HEADER_LEN, RawHeader};
use grammarc_artifacts::sections::kinds::{ArtifactKind, SectionKind};
use grammarc_artifacts::{Buffer, Error, GrammarArtifact, VocabularyArtifact};

use crate::fixtures::*;

/// A change of one byte at each offset of a field, opened as a vocabulary, with the checksum as it was or made right.
fn errors(field: usize, len: usize, seal: bool) -> Vec<Error> {
    let bytes = small_vocabulary().to_bytes().expect("bytes");
    let flip = |at: usize| {
        let mut bytes = bytes.to_vec();
        bytes[at] ^= 0x41;
        let buffer = if seal { sealed(bytes) } else { Buffer::from_bytes(&bytes) };
        VocabularyArtifact::from_buffer(buffer).expect_err("a damaged header")
    };
    (field..field + len).map(flip).collect()
}

/// Requires that every damage to a header field gives an error of this form.
macro_rules! damaged {
    ($test:ident, $field:ident, $seal:literal, $pattern:pat) => {
        #[test]
        fn $test() {
            let header = bytemuck::Zeroable::zeroed();
            let RawHeader { $field: field, .. } = header;
            for error in errors(offset_of!(RawHeader, $field), size_of_val(&field), $seal) {
                assert!(matches!(error, $pattern), "{error:?}");
            }
        }
    };
}

damaged!(magic, magic, true, Error::Magic { .. });
damaged!(damaged_checksum, checksum, false, Error::Checksum { .. });
damaged!(endianness, endian, true, Error::Endianness { .. });
damaged!(major_version, major, true, Error::Version { supported: (2, 1), .. });
damaged!(minor_version, minor, false, Error::Checksum { .. });
damaged!(artifact_kind, kind, true, Error::UnknownArtifactKind { .. });
damaged!(section_count, section_count, false, Error::Checksum { .. });
damaged!(total_length, total_length, true, Error::Truncated { .. } | Error::TooLong { .. });
damaged!(fingerprint, fingerprint, true, Error::Identity { field: "fingerprint", .. });
damaged!(shared_digest, shared_digest, true, Error::Identity { .. });
damaged!(reserved, reserved, true, Error::Padding { .. });

#[test]
fn every_header_byte_is_guarded_by_a_field_or_the_checksum() {
    assert_eq!(errors(0, HEADER_LEN, false).len(), 192);
}

#[test]
fn a_section_count_that_is_wrong_is_noticed_behind_a_right_checksum() {
    let field = offset_of!(RawHeader, section_count);
    for error in errors(field, 4, true) {
        assert!(
            matches!(error, Error::Truncated { .. } | Error::SectionOrder { .. })
                || matches!(error, Error::SectionEntry { .. } | Error::UnknownSection { .. }),
            "{error:?}"
        );
    }
}

#[test]
fn the_other_kind_of_artifact_is_refused() {
    let (vocabulary, grammar) = small_pair();
    let error = VocabularyArtifact::from_buffer(grammar.container().buffer().clone());
    let error = error.expect_err("a grammar is not a vocabulary");
    assert!(matches!(error, Error::ArtifactKind { expected: ArtifactKind::Vocabulary, .. }));
    let bytes = vocabulary.container().buffer().clone();
    let error = GrammarArtifact::from_buffer(bytes, &vocabulary);
    let error = error.expect_err("a vocabulary is not a grammar");
    assert!(matches!(error, Error::ArtifactKind { expected: ArtifactKind::Grammar, .. }));
}

#[test]
fn a_later_minor_version_is_read() {
    let mut bytes = small_vocabulary().to_bytes().expect("bytes").to_vec();
    bytes[offset_of!(RawHeader, minor)] = 9;
    let artifact = VocabularyArtifact::from_buffer(sealed(bytes)).expect("a later minor version");
    assert_eq!(artifact.container().header().version, (2, 9));
}

/// A change to the entry of a section, with a right checksum.
fn entry_error(section: SectionKind, change: impl FnOnce(&mut RawEntry)) -> Error {
    let artifact = open_vocabulary(&small_vocabulary());
    let entries = artifact.container().directory().entries();
    let index = entries.iter().position(|e| e.kind == Some(section)).expect("the section");
    let at = HEADER_LEN + index * size_of::<RawEntry>();
    let mut bytes = artifact.container().buffer().to_vec();
    let slot = &mut bytes[at..at + size_of::<RawEntry>()];
    let mut entry: RawEntry = bytemuck::pod_read_unaligned(slot);
    change(&mut entry);
    slot.copy_from_slice(bytemuck::bytes_of(&entry));
    VocabularyArtifact::from_buffer(sealed(bytes)).expect_err("a damaged section table")
}

#[test]
fn each_field_of_the_section_table_is_checked() {
    let kind = SectionKind::TokenOffsets;
    let field = |error: Error| match error {
        Error::SectionEntry { section, field, .. } => format!("{section} {field}"),
        other => format!("{other:?}"),
    };
    assert_eq!(field(entry_error(kind, |e| e.flags = 1)), "TOKEN_OFFSETS flags");
    assert_eq!(field(entry_error(kind, |e| e.offset += 64)), "TOKEN_OFFSETS offset");
    assert_eq!(field(entry_error(kind, |e| e.length += 1)), "TOKEN_OFFSETS length");
    assert_eq!(field(entry_error(kind, |e| e.length = u64::MAX)), "TOKEN_OFFSETS length");
    assert_eq!(field(entry_error(kind, |e| e.record_size = 8)), "TOKEN_OFFSETS record size");
    assert_eq!(field(entry_error(kind, |e| e.record_size = 0)), "TOKEN_OFFSETS record size");
    assert_eq!(field(entry_error(kind, |e| e.reserved = 1)), "TOKEN_OFFSETS reserved field");
    let error = entry_error(kind, |e| e.kind = SectionKind::Vocabulary as u32);
    assert!(matches!(error, Error::SectionOrder { before: 16, found: 16 }), "{error:?}");
    let error = entry_error(SectionKind::ClassNodes, |e| e.kind = 99);
    assert!(matches!(error, Error::UnknownSection { kind: 99, .. }), "{error:?}");
    let error = entry_error(SectionKind::ClassNodes, |e| (e.kind, e.flags) = (99, 1));
    assert!(matches!(error, Error::MissingSection { section: "CLASS_NODES" }), "{error:?}");
    let error = entry_error(SectionKind::TokenOfRank, |e| e.kind = SectionKind::Grammar as u32);
    assert!(matches!(error, Error::UnknownSection { kind: 32, .. }), "{error:?}");
}

#[test]
fn padding_must_be_zero() {
    let artifact = open_vocabulary(&small_vocabulary());
    let end = artifact.container().directory().get(SectionKind::TokenKinds).expect("it").range.end;
    let mut bytes = artifact.container().buffer().to_vec();
    bytes[end] = 1;
    let error = VocabularyArtifact::from_buffer(sealed(bytes)).expect_err("padding that is not 0");
    assert!(matches!(error, Error::Padding { offset } if offset == end as u64), "{error:?}");
}

#[test]
fn messages_say_what_to_do() {
    let error = VocabularyArtifact::from_buffer(Buffer::from_bytes(b"{\"type\": \"object\"}"));
    let message = error.expect_err("not an artifact").to_string();
    assert!(message.contains("begins with \"{\\\"type\\\""), "{message}");
    assert!(message.contains("check the path"), "{message}");
    let error = VocabularyArtifact::from_buffer(Buffer::from_bytes(b""));
    assert!(matches!(error, Err(Error::Magic { .. })));
}

//! Typed errors of artifacts. A message has the expected value, the actual value, and a remedy.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::sections::kinds::ArtifactKind;
use crate::validate::Violation;

/// The reason that an artifact was not read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system failed.
    #[error("could not {action} {}: {source}", path.display())]
    Io {
        /// The attempted action, as a verb.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file does not begin with the magic of an artifact.
    #[error(
        "not an artifact of grammarc: it begins with {}, not with \\x89grammarc; check the path, and that the file \
         was not transferred as text",
        Escaped(found)
    )]
    Magic {
        /// The first bytes of the file, 16 at most.
        found: Vec<u8>,
    },
    /// The file was written, or is being read, in the wrong byte order.
    #[error(
        "the endianness marker reads {found:#010x} and should read 0x0a0b0c0d; artifacts are little-endian and are \
         read on little-endian machines only"
    )]
    Endianness {
        /// The marker as read.
        found: u32,
    },
    /// The file's major format version is not this reader's.
    #[error(
        "format version {}.{} is not one that this reader knows ({}.x); compile the artifact again with this version \
         of grammarc, or read it with the one that wrote it",
        found.0, found.1, supported.0
    )]
    Version {
        /// The file's version.
        found: (u16, u16),
        /// This reader's version.
        supported: (u16, u16),
    },
    /// The header has an unknown kind of artifact.
    #[error(
        "the header names artifact kind {found}, and there are only 1 and 2; the file is damaged, compile it again"
    )]
    UnknownArtifactKind {
        /// The number in the header.
        found: u32,
    },
    /// A file of the other kind was given.
    #[error("expected a {expected} and found a {found}; check the order of the two files")]
    ArtifactKind {
        /// The kind asked for.
        expected: ArtifactKind,
        /// The kind in the header.
        found: ArtifactKind,
    },
    /// The file is shorter than it says.
    #[error(
        "the file is truncated: {expected} bytes expected, {found} found; copy or compile it again"
    )]
    Truncated {
        /// Length that the header or the section table asks for.
        expected: u64,
        /// Length of the file.
        found: u64,
    },
    /// The file is longer than it says.
    #[error(
        "the file is too long: {expected} bytes expected, {found} found; copy or compile it again"
    )]
    TooLong {
        /// Length that the header or the section table asks for.
        expected: u64,
        /// Length of the file.
        found: u64,
    },
    /// The bytes changed after they were written.
    #[error(
        "the checksum is {} and the header says {}; the file is damaged, copy or compile it again",
        Hex(found),
        Hex(expected)
    )]
    Checksum {
        /// The checksum in the header.
        expected: [u8; 32],
        /// The checksum of the bytes.
        found: [u8; 32],
    },
    /// A byte that must be zero is not.
    #[error(
        "the byte at offset {offset} is padding and should be zero; the file was not written by grammarc"
    )]
    Padding {
        /// Offset from the start of the file.
        offset: u64,
    },
    /// The kinds in the section table do not ascend.
    #[error(
        "section kind {found} follows section kind {before}, and kinds should ascend; the file was not written by \
         grammarc"
    )]
    SectionOrder {
        /// Kind of the section before.
        before: u32,
        /// Kind of the section.
        found: u32,
    },
    /// A field of the section table is wrong.
    #[error(
        "section {section}: the {field} is {found} where {expected} was expected; the file was not written by grammarc"
    )]
    SectionEntry {
        /// Name of the section.
        section: String,
        /// Name of the field.
        field: &'static str,
        /// The expected number. For a length, the largest possible one.
        expected: u64,
        /// The number in the file.
        found: u64,
    },
    /// A required section has a kind that this reader does not know.
    #[error(
        "section kind {kind} has no meaning in a {artifact}; if a later version of grammarc wrote the file, read it \
         with that version"
    )]
    UnknownSection {
        /// Number of the kind.
        kind: u32,
        /// Kind of artifact.
        artifact: ArtifactKind,
    },
    /// A grammar artifact was opened without a vocabulary, and has none embedded.
    #[error(
        "the artifact has no vocabulary in it: open it with the vocabulary artifact of {expected}, or compile it with --standalone"
    )]
    NotStandalone {
        /// Name of the vocabulary that the grammar was compiled for.
        expected: String,
    },
    /// A required section is missing.
    #[error("section {section} is missing; the file was not written by grammarc")]
    MissingSection {
        /// Name of the section.
        section: &'static str,
    },
    /// A section holds too many or too few records.
    #[error(
        "section {section} holds {found} records where {expected} were expected; the file was not written by grammarc"
    )]
    SectionLength {
        /// Name of the section.
        section: &'static str,
        /// Records expected.
        expected: u64,
        /// Records found.
        found: u64,
    },
    /// The nested section is not a valid archive.
    #[error("section META is not a valid archive: {detail}; the file was not written by grammarc")]
    Meta {
        /// The message of rkyv.
        detail: String,
    },
    /// The nested section could not be written.
    #[error("could not archive the metadata: {detail}; shorten the names and the report")]
    MetaEncode {
        /// The message of rkyv.
        detail: String,
    },
    /// An invariant that readers rely on does not hold.
    #[error("{0}; the file was not written by a correct compiler, please report it")]
    Invalid(Box<Violation>),
    /// The digest in the header is not that of the content.
    #[error(
        "the header's {field} is {} and the content's is {}; the file was not written by grammarc",
        Hex(expected),
        Hex(found)
    )]
    Identity {
        /// The name of the digest.
        field: &'static str,
        /// The digest in the header.
        expected: [u8; 32],
        /// The digest of the content.
        found: [u8; 32],
    },
    /// The grammar was compiled for another vocabulary.
    #[error(
        "the grammar was compiled for vocabulary {expected:?} of {} tokens and vocabulary {given:?} of {} was given: \
         {difference}; compile the grammar again for this vocabulary",
        tokens.0,
        tokens.1
    )]
    VocabularyMismatch {
        /// Name of the vocabulary that the grammar was compiled for.
        expected: String,
        /// Name of the vocabulary given.
        given: String,
        /// Number of token ids of the expected vocabulary, and of the given one.
        tokens: (u32, u32),
        /// The first difference between the two.
        difference: Difference,
    },
    /// The vocabulary's tokens are right, but its shared rules are not those that the grammar was compiled with.
    #[error(
        "vocabulary {given:?} has the right tokens, but its shared rules are not those that the grammar was compiled \
         with; give the vocabulary artifact that was used then, or compile the grammar again"
    )]
    SharedRulesMismatch {
        /// Name of the vocabulary given.
        given: String,
    },
    /// A number exceeds the limits of the format.
    #[error("the {what} is {found} and the format's limit is {limit}")]
    TooLarge {
        /// The name of the thing: a singular noun.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// The number.
        found: u64,
    },
}

/// The first difference between two vocabularies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The first token that differs.
    Token {
        /// Token id.
        id: u32,
        /// The bytes of the token in the given vocabulary. `None` if that has fewer tokens.
        bytes: Option<Vec<u8>>,
    },
    /// The group of tokens that contains the first difference. Grammar artifacts of large vocabularies hold a digest for each
    /// group, and not for each token.
    Group {
        /// First token id of the group.
        first: u32,
        /// Last token id of the group.
        last: u32,
    },
    /// All tokens are equal. The end tokens or the logit widths differ.
    EndOrWidth,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token { id, bytes: Some(bytes) } => {
                write!(f, "they differ first at token {id}, here {}", Escaped(bytes))
            }
            Self::Token { id, bytes: None } => {
                write!(f, "they differ first at token {id}, which is missing here")
            }
            Self::Group { first, last } => {
                write!(f, "they differ first among tokens {first} to {last}")
            }
            Self::EndOrWidth => {
                f.write_str("their tokens agree, but the end tokens or the logit width do not")
            }
        }
    }
}

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::Io { action, path: path.to_owned(), source }
    }
}

/// Bytes in quotes, with those outside printable ASCII escaped.
struct Escaped<'a>(&'a [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

/// The first bytes of a digest in hexadecimal, enough to distinguish two.
struct Hex<'a>(&'a [u8; 32]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in &self.0[..8] {
            write!(f, "{byte:02x}")?;
        }
        f.write_str("..")
    }
}

//! Typed errors of artifacts. A message has the expected value, the actual value, and a remedy.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::sections::kinds::ArtifactKind;
use crate::validate::Violation;

/// The reason why an artifact could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system could not open, map, read or write a file.
    #[error("could not {action} {}: {source}", path.display())]
    Io {
        /// Verb of the attempted action, such as "open".
        action: &'static str,
        /// Path of the file that could not be processed.
        path: PathBuf,
        /// Error that the operating system returned.
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
    /// The file was written, or is being read, in big-endian byte order.
    #[error(
        "the endianness marker reads {found:#010x} and should read 0x0a0b0c0d; artifacts are little-endian and are \
         read on little-endian machines only"
    )]
    Endianness {
        /// Byte order marker in the header, as read.
        found: u32,
    },
    /// The major format version of the file is not that of this reader.
    #[error(
        "format version {}.{} is not one that this reader knows ({}.x); compile the artifact again with this version \
         of grammarc, or read it with the one that wrote it",
        found.0, found.1, supported.0
    )]
    Version {
        /// Version of the file: major and minor.
        found: (u16, u16),
        /// Version of this reader: major and minor.
        supported: (u16, u16),
    },
    /// The header has an unknown number as the kind of artifact.
    #[error(
        "the header names artifact kind {found}, and there are only 1 and 2; the file is damaged, compile it again"
    )]
    UnknownArtifactKind {
        /// Number in the header for the kind of artifact.
        found: u32,
    },
    /// A vocabulary artifact was given in place of a grammar artifact, or the reverse.
    #[error("expected a {expected} and found a {found}; check the order of the two files")]
    ArtifactKind {
        /// Kind of artifact that the call needs.
        expected: ArtifactKind,
        /// Kind of artifact in the header.
        found: ArtifactKind,
    },
    /// The file is shorter than its header or section table says.
    #[error(
        "the file is truncated: {expected} bytes expected, {found} found; copy or compile it again"
    )]
    Truncated {
        /// Length in bytes by the header or the section table.
        expected: u64,
        /// Length of the file in bytes.
        found: u64,
    },
    /// The file is longer than its header or section table says.
    #[error(
        "the file is too long: {expected} bytes expected, {found} found; copy or compile it again"
    )]
    TooLong {
        /// Length in bytes by the header or the section table.
        expected: u64,
        /// Length of the file in bytes.
        found: u64,
    },
    /// The bytes of the file do not match its checksum: they changed after they were written.
    #[error(
        "the checksum is {} and the header says {}; the file is damaged, copy or compile it again",
        Hex(found),
        Hex(expected)
    )]
    Checksum {
        /// Checksum in the header.
        expected: [u8; 32],
        /// Checksum of the bytes.
        found: [u8; 32],
    },
    /// A byte that must be zero is not.
    #[error(
        "the byte at offset {offset} is padding and should be zero; the file was not written by grammarc"
    )]
    Padding {
        /// Offset of the byte from the start of the file.
        offset: u64,
    },
    /// The kinds of the entries in the section table do not ascend.
    #[error(
        "section kind {found} follows section kind {before}, and kinds should ascend; the file was not written by \
         grammarc"
    )]
    SectionOrder {
        /// Number of the preceding entry's kind.
        before: u32,
        /// Number of the kind of the entry that is out of order.
        found: u32,
    },
    /// A field of an entry in the section table has a wrong value.
    #[error(
        "section {section}: the {field} is {found} where {expected} was expected; the file was not written by grammarc"
    )]
    SectionEntry {
        /// Name of the section whose entry is wrong.
        section: String,
        /// Name of the wrong field of the entry.
        field: &'static str,
        /// Expected value. For a length, the largest possible value.
        expected: u64,
        /// Value of the field in the file.
        found: u64,
    },
    /// A section that is not optional has a kind that this reader does not know, or that the artifact may not have.
    #[error(
        "section kind {kind} has no meaning in a {artifact}; if a later version of grammarc wrote the file, read it \
         with that version"
    )]
    UnknownSection {
        /// Number of the section's kind.
        kind: u32,
        /// Kind of the artifact that has the section.
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
        /// Name of the missing section.
        section: &'static str,
    },
    /// A section holds too many or too few records.
    #[error(
        "section {section} holds {found} records where {expected} were expected; the file was not written by grammarc"
    )]
    SectionLength {
        /// Name of the section with the wrong number of records.
        section: &'static str,
        /// Expected number of records in the section.
        expected: u64,
        /// Number of records in the section of the file.
        found: u64,
    },
    /// The nested section, which holds the metadata, is not a valid rkyv archive.
    #[error("section META is not a valid archive: {detail}; the file was not written by grammarc")]
    Meta {
        /// Message of rkyv, or the reason.
        detail: String,
    },
    /// The nested section, which holds the metadata, could not be written as an archive.
    #[error("could not archive the metadata: {detail}; shorten the names and the report")]
    MetaEncode {
        /// Message of rkyv, or the reason.
        detail: String,
    },
    /// An invariant on which readers rely does not hold.
    #[error("{0}; the file was not written by a correct compiler, please report it")]
    Invalid(Box<Violation>),
    /// A digest in the header is not the digest of the content.
    #[error(
        "the header's {field} is {} and the content's is {}; the file was not written by grammarc",
        Hex(expected),
        Hex(found)
    )]
    Identity {
        /// Name of the digest: of the vocabulary or of its shared tables.
        field: &'static str,
        /// Digest that the header has.
        expected: [u8; 32],
        /// Digest that was computed from the content.
        found: [u8; 32],
    },
    /// The grammar was compiled for a vocabulary with other tokens.
    #[error(
        "the grammar was compiled for vocabulary {} of {} tokens and vocabulary {} of {} was given: {difference}; compile \
         the grammar again for this vocabulary",
        Escaped(expected.as_bytes()),
        tokens.0,
        Escaped(given.as_bytes()),
        tokens.1
    )]
    VocabularyMismatch {
        /// Name of the vocabulary that the grammar was compiled for.
        expected: String,
        /// Name of the vocabulary that was given.
        given: String,
        /// Number of token ids of the expected vocabulary, and of the given one.
        tokens: (u32, u32),
        /// First difference between the expected and the given vocabulary.
        difference: Difference,
    },
    /// The vocabulary has the right tokens, but not the shared rules with which the grammar was compiled.
    #[error(
        "vocabulary {} has the right tokens, but its shared rules are not those that the grammar was compiled with; \
         give the vocabulary artifact that was used then, or compile the grammar again",
        Escaped(given.as_bytes())
    )]
    SharedRulesMismatch {
        /// Name of the vocabulary that was given.
        given: String,
    },
    /// A length or a count exceeds the limit of the format.
    #[error("the {what} is {found} and the format's limit is {limit}")]
    TooLarge {
        /// Name of the length or count: a singular noun.
        what: &'static str,
        /// Largest value that the format allows.
        limit: u64,
        /// Length or count that was found.
        found: u64,
    },
}

/// The first difference between the vocabulary that a grammar needs and the given one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// One token differs in its bytes or kind, or exists in one vocabulary only.
    Token {
        /// Id of the first token that differs.
        id: u32,
        /// Bytes of the token in the given vocabulary. `None` if the given vocabulary has fewer tokens.
        bytes: Option<Vec<u8>>,
    },
    /// A group of tokens differs. Grammar artifacts of large vocabularies hold a digest for each group, and not for
    /// each token.
    Group {
        /// Id of the first token of the group.
        first: u32,
        /// Id of the last token of the group, inclusive.
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

/// Displays bytes in quotes, with bytes outside printable ASCII escaped.
struct Escaped<'a>(&'a [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

/// Displays the first 8 bytes of a digest in hexadecimal, enough to distinguish two digests.
struct Hex<'a>(&'a [u8; 32]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in &self.0[..8] {
            write!(f, "{byte:02x}")?;
        }
        f.write_str("..")
    }
}

//! The two file formats of grammarc: the vocabulary artifact (`.gvocab`) and the grammar artifact (`.gmask`).
//!
//! An artifact is a header, a section table and sections. Nearly all sections are *flat*: arrays of little-endian
//! fixed-width records ([`sections`]). They are read in place, from a memory map, from the heap or from GPU memory, by
//! the same offsets. The nested section has names, options, the exactness report and statistics ([`meta`]) as an rkyv
//! archive. `README.md` of this crate is the specification of the format.
//!
//! | to do this | use |
//! | --- | --- |
//! | write a vocabulary artifact | [`VocabularyData::to_bytes`], [`VocabularyData::write`] |
//! | read one | [`VocabularyArtifact::open`] |
//! | write a grammar artifact | [`GrammarData::to_bytes`], [`GrammarData::write`] |
//! | read one | [`GrammarArtifact::open`], with the vocabulary artifact that it was compiled for |
//! | inspect one without a vocabulary | [`dump::inspect`] |
//!
//! # Trust
//!
//! Opening an artifact checks everything: the header, the checksum, the section table, the archive, and each invariant
//! that a reader relies on ([`validate`]). So accessors neither panic nor read out of bounds, whatever the file holds.
//! Each damaged, truncated, foreign or mismatched file is a typed [`Error`].
//!
//! # Cost
//!
//! Opening an artifact is linear in the file: one pass for the checksum and one for the invariants. Only the nested
//! section is copied.
//!
//! Tests: `tests/suite/`; `tests/tests/suite/robustness.rs` of the workspace damages artifacts of real grammars.

pub mod buffer;
pub mod container;
mod digests;
pub mod dump;
mod early;
pub mod error;
pub mod grammar;
pub mod meta;
pub mod packed_strings;
pub mod pool;
pub mod sections;
mod stored;
pub mod suffix_trie;
pub mod tables;
pub mod tokens;
pub mod trie;
pub mod validate;
pub mod vocabulary;
pub mod write;

pub use buffer::{AlignedBytes, Buffer};
pub use early::EarlyArtifact;
pub use error::Error;
pub use grammar::{GrammarArtifact, GrammarData};
pub use meta::{
    GrammarMeta, Marker, MarkerPart, Places, Region, RegionKind, Report, ReportEntry, Verdict,
    VocabularyMeta, WorkBound,
};
pub use pool::{MaskPool, StoredMask};
pub use sections::network::NONE;
pub use sections::vocabulary::{ExpressionRecord, TokenKind, Trie};
pub use tables::{Bases, Joined, Tables, TablesData, row_words};
pub use tokens::Tokens;
pub use trie::TrieData;
pub use vocabulary::{VocabularyArtifact, VocabularyData};

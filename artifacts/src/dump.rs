//! The contents of an artifact as data, for `grammarc inspect`.
//!
//! Only the frame of the file and its nested section are read, so a grammar artifact is inspected without its vocabulary. The
//! tables are not validated. For a file that would not open, the counts may be wrong, but no call panics.

use crate::buffer::Buffer;
use crate::container::Container;
use crate::container::header::Header;
use crate::error::Error;
use crate::meta::{self, GrammarMeta, VocabularyMeta};
use crate::sections::kinds::{ArtifactKind, SectionKind};
use crate::sections::network::NONE;
use crate::sections::numbers::{GrammarRecord, VocabularyRecord};
use crate::stored::StoredTables;
use crate::tables::Bases;

/// One section with its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionSize {
    /// Number of the section's kind.
    pub kind: u32,
    /// Name of the section's kind, or `unknown`.
    pub name: &'static str,
    /// Number of records.
    pub records: u64,
    /// Length in bytes, without padding.
    pub bytes: u64,
}

/// Counts over an artifact's own tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableCounts {
    /// Numbers that come before the artifact's own.
    pub bases: Bases,
    /// Rules.
    pub rules: u32,
    /// States.
    pub states: u32,
    /// Byte edges.
    pub byte_edges: u32,
    /// Call edges.
    pub call_edges: u32,
    /// Call edges in tail position.
    pub tail_calls: u32,
    /// Token edges.
    pub token_edges: u32,
    /// Masks made from a dense row.
    pub dense_masks: u32,
    /// Masks that are a list alone.
    pub sparse_masks: u32,
    /// Dense rows.
    pub rows: u32,
    /// Tokens in the lists of all masks.
    pub listed_tokens: u32,
    /// Follow entries.
    pub follows: u32,
    /// Exit classes.
    pub classes: u32,
    /// Trie nodes in all exit classes.
    pub class_nodes: u32,
}

/// The contents that only one kind of artifact has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The contents of a vocabulary artifact.
    Vocabulary {
        /// Name, source and warnings.
        meta: VocabularyMeta,
        /// Number of token ids.
        token_count: u32,
        /// Length of the model's logit row.
        logit_width: u32,
        /// Number of trie nodes.
        trie_nodes: u32,
        /// Number of special tokens.
        special_tokens: u32,
    },
    /// The contents of a grammar artifact.
    Grammar {
        /// Source, options, report and statistics.
        meta: GrammarMeta,
        /// Rule in whose initial state a sequence begins.
        start_rule: u32,
    },
}

/// The contents of an artifact as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// The header.
    pub header: Header,
    /// The sections, in file order.
    pub sections: Vec<SectionSize>,
    /// Counts over the tables.
    pub tables: TableCounts,
    /// The contents that only this kind of artifact has.
    pub content: Content,
}

/// Reads an artifact of either kind. O(length) for the checksum.
pub fn inspect(buffer: Buffer) -> Result<Inspection, Error> {
    let container = Container::parse(buffer)?;
    let content = match container.header().artifact {
        ArtifactKind::Vocabulary => {
            let record: VocabularyRecord = container.single(SectionKind::Vocabulary)?;
            Content::Vocabulary {
                meta: meta::decode_vocabulary(&container)?,
                token_count: record.token_count,
                logit_width: record.logit_width,
                trie_nodes: records(&container, SectionKind::TrieByte),
                special_tokens: records(&container, SectionKind::SpecialTokens),
            }
        }
        ArtifactKind::Grammar => {
            let record: GrammarRecord = container.single(SectionKind::Grammar)?;
            let meta = meta::decode_grammar(&container)?;
            Content::Grammar { meta, start_rule: record.start_rule }
        }
    };
    let sections = container.directory().entries().iter().map(|entry| SectionSize {
        kind: entry.number,
        name: entry.kind.map_or("unknown", SectionKind::name),
        records: entry.range.len() as u64 / u64::from(entry.record_size),
        bytes: entry.range.len() as u64,
    });
    Ok(Inspection {
        header: container.header().clone(),
        sections: sections.collect(),
        tables: count(&container)?,
        content,
    })
}

/// Number of records in a section. 0 if it is missing.
fn records(container: &Container, kind: SectionKind) -> u32 {
    let entry = container.directory().get(kind);
    entry.map_or(0, |entry| entry.range.len() as u32 / entry.record_size)
}

/// Counts the records of an artifact's own tables.
fn count(container: &Container) -> Result<TableCounts, Error> {
    let tables = StoredTables::locate(container)?.get(container.buffer());
    let dense = tables.masks.iter().filter(|mask| mask.row != NONE).count() as u32;
    Ok(TableCounts {
        bases: tables.bases,
        rules: tables.rules.len() as u32,
        states: tables.state_count(),
        byte_edges: tables.byte_edges.len() as u32,
        call_edges: tables.call_edges.len() as u32,
        tail_calls: tables.call_edges.iter().filter(|edge| edge.ret == NONE).count() as u32,
        token_edges: tables.token_edges.len() as u32,
        dense_masks: dense,
        sparse_masks: tables.masks.len() as u32 - dense,
        rows: tables.row_count(),
        listed_tokens: tables.lists.len() as u32,
        follows: tables.follows.len() as u32,
        classes: tables.classes.len() as u32,
        class_nodes: tables.class_nodes.len() as u32,
    })
}

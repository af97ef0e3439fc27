//! The contents of an artifact as data, for `grammarc inspect`.
//!
//! Only the frame of the file and its nested section are read, so a grammar artifact is inspected without its
//! vocabulary. The tables are not validated. For a file that would not open, the counts may be wrong, but no call
//! panics.

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

/// The size of one section of an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionSize {
    /// Number of the section's kind, as in the section table.
    pub kind: u32,
    /// Name of the section's kind. `unknown` for a kind of a later format version.
    pub name: &'static str,
    /// Number of records in the section.
    pub records: u64,
    /// Length of the section in bytes, without padding.
    pub bytes: u64,
}

/// Numbers of records in an artifact's own tables. A grammar's counts leave out its vocabulary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableCounts {
    /// First ids of the artifact's rules, states, masks, dense rows and exit classes.
    pub bases: Bases,
    /// Number of rules.
    pub rules: u32,
    /// Number of states, without the sentinel.
    pub states: u32,
    /// Number of byte edges.
    pub byte_edges: u32,
    /// Number of call edges, tail calls included.
    pub call_edges: u32,
    /// Number of call edges that are tail calls, which push no frame.
    pub tail_calls: u32,
    /// Number of token edges.
    pub token_edges: u32,
    /// Number of masks that refer to a dense row.
    pub dense_masks: u32,
    /// Number of masks that are only a token list.
    pub sparse_masks: u32,
    /// Number of dense rows.
    pub rows: u32,
    /// Number of token ids in the lists of all masks.
    pub listed_tokens: u32,
    /// Number of follow entries: masks of tokens that return to a state through an exit class.
    pub follows: u32,
    /// Number of exit classes: sets of trie nodes at which tokens leave a rule.
    pub classes: u32,
    /// Number of trie nodes in all exit classes.
    pub class_nodes: u32,
}

/// The contents that only a vocabulary or only a grammar artifact has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The contents that only a vocabulary artifact has.
    Vocabulary {
        /// Metadata of the vocabulary: name, source, properties and warnings.
        meta: VocabularyMeta,
        /// Number of token ids.
        token_count: u32,
        /// Length of the model's logit row, in tokens.
        logit_width: u32,
        /// Number of nodes of the token trie.
        trie_nodes: u32,
        /// Number of special tokens.
        special_tokens: u32,
    },
    /// The contents that only a grammar artifact has.
    Grammar {
        /// Names of the source and the compiler, options, exactness report and statistics.
        meta: GrammarMeta,
        /// Id of the rule in whose initial state a sequence begins.
        start_rule: u32,
    },
}

/// The contents of an artifact as data, for display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// Header of the artifact.
    pub header: Header,
    /// Sizes of all sections, in the order of the file.
    pub sections: Vec<SectionSize>,
    /// Numbers of rules, states, edges and masks in the artifact's own tables.
    pub tables: TableCounts,
    /// Contents that only a vocabulary or only a grammar artifact has.
    pub content: Content,
}

/// Reads the contents of an artifact of either kind. O(length) for the checksum.
///
/// # Errors
///
/// The header, the checksum, the section table or the metadata is invalid.
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

/// Returns the number of records in a section. 0 if the section is missing.
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

//! Sections of exactly one record: numbers that readers of the other sections need.

use bytemuck::{Pod, Zeroable};

/// Numbers of a vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct VocabularyRecord {
    /// Number of token ids.
    pub token_count: u32,
    /// Length of the model's logit row, at least the number of token ids.
    pub logit_width: u32,
}

/// Numbers of a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct GrammarRecord {
    /// Rule in whose initial state a sequence begins.
    pub start_rule: u32,
    /// Number of token ids of the vocabulary that the grammar was compiled for.
    pub token_count: u32,
}

/// Numbers of an artifact's tables: [`Bases`](crate::tables::Bases), and the width of a dense row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct TablesRecord {
    /// Rules before this artifact's own.
    pub rules: u32,
    /// States before this artifact's own.
    pub states: u32,
    /// Masks before this artifact's own.
    pub masks: u32,
    /// Dense rows before this artifact's own.
    pub rows: u32,
    /// Exit classes before this artifact's own.
    pub classes: u32,
    /// u32 words of a dense row.
    pub row_words: u32,
}

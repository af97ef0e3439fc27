//! Sections with exactly one record: numbers that readers of the other sections need.

use bytemuck::{Pod, Zeroable};

/// The numbers of a vocabulary artifact that other sections depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct VocabularyRecord {
    /// Number of token ids. Ids are less than this.
    pub token_count: u32,
    /// Length of the model's logit row, in tokens. At least the number of token ids.
    pub logit_width: u32,
}

/// The numbers of a grammar artifact that other sections depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct GrammarRecord {
    /// Id of the rule in whose initial state a sequence begins.
    pub start_rule: u32,
    /// Number of token ids of the vocabulary that the grammar was compiled for.
    pub token_count: u32,
}

/// First ids of an artifact's tables, as in [`Bases`](crate::tables::Bases), and the width of a
/// dense row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct TablesRecord {
    /// Id of the artifact's first rule: the number of rules before it.
    pub rules: u32,
    /// Id of the artifact's first state: the number of states before it.
    pub states: u32,
    /// Id of the artifact's first mask: the number of masks before it.
    pub masks: u32,
    /// Id of the artifact's first dense row: the number of dense rows before it.
    pub rows: u32,
    /// Id of the artifact's first exit class: the number of exit classes before it.
    pub classes: u32,
    /// Number of 32-bit words of a dense row: the logit width in bits, rounded up to 64 bytes.
    pub row_words: u32,
}

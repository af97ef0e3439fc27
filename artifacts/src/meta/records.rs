//! The metadata of artifacts, as readers see it.

use rkyv::{Archive, Deserialize, Serialize};

use super::regions::Region;
use super::report::Report;

/// The meta section of a vocabulary artifact.
#[derive(Clone, Debug, Default, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct VocabularyMeta {
    /// The name of the vocabulary, for users.
    pub name: String,
    /// The origin, such as the name of the tokenizer file.
    pub source: String,
    /// Name and version of the program that wrote the artifact.
    pub compiler: String,
    /// Facts about the source, as keys and values in display order.
    pub properties: Vec<(String, String)>,
    /// The importer's warnings, such as a byte that no token spells.
    pub warnings: Vec<String>,
    /// Names of the shared rules, by rule id. Empty if they were not kept.
    pub rule_names: Vec<String>,
}

/// The meta section of a grammar artifact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrammarMeta {
    /// The name of the source, for users.
    pub source_name: String,
    /// The source's language: `json-schema`, `gbnf` or `regex`.
    pub source_kind: String,
    /// blake3 of the source text.
    pub source_hash: [u8; 32],
    /// Name and version of the program that wrote the artifact.
    pub compiler: String,
    /// Name of the vocabulary that the grammar was compiled for.
    pub vocabulary_name: String,
    /// Options of the compilation, as keys and values.
    pub options: Vec<(String, String)>,
    /// The exactness report.
    pub report: Report,
    /// Figures of the compilation.
    pub statistics: Vec<(String, u64)>,
    /// Bound on the work of one step.
    pub work: WorkBound,
    /// Names of the grammar's own rules, by rule id. Empty if they were not kept.
    pub rule_names: Vec<String>,
    /// The regions of the grammar, by number. Most sources have none.
    pub regions: Vec<Region>,
}

/// Bound on the work of one step, derived from the tables by the compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct WorkBound {
    /// Most follow masks in the union of one mask. [`WorkBound::UNBOUNDED`] if the number grows with the nesting depth.
    pub longest_chain: u32,
    /// Rules on the longest chain.
    pub chain_rules: Vec<String>,
    /// Most configurations of one position. [`WorkBound::UNBOUNDED`] if the number grows with the input.
    pub most_configurations: u32,
    /// Rules that are ambiguous together.
    pub configuration_rules: Vec<String>,
    /// Bytes of one sequence's state at nesting depth zero.
    pub state_bytes: u64,
}

impl WorkBound {
    /// Value in place of a number: there is no bound.
    pub const UNBOUNDED: u32 = u32::MAX;
}

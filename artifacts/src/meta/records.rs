//! The meta sections as their readers have them.

use rkyv::{Archive, Deserialize, Serialize};

use super::regions::Region;
use super::report::Report;

/// The meta section of a vocabulary artifact.
#[derive(Clone, Debug, Default, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct VocabularyMeta {
    /// The name that users know the vocabulary by.
    pub name: String,
    /// The origin, such as the name of the tokenizer file.
    pub source: String,
    /// Name and version of the program that wrote the artifact.
    pub compiler: String,
    /// Facts about the source, as keys and values in the order to show them.
    pub properties: Vec<(String, String)>,
    /// The importer's warnings, such as a byte that no token spells.
    pub warnings: Vec<String>,
    /// Names of the shared rules, by rule id; empty where they were not kept.
    pub rule_names: Vec<String>,
}

/// The meta section of a grammar artifact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrammarMeta {
    /// The name that users know the source by.
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
    /// Names of the grammar's own rules, in the order of their ids; empty where they were not kept.
    pub rule_names: Vec<String>,
    /// The regions of the grammar, by number; none for most sources.
    pub regions: Vec<Region>,
}

/// Bound on the work of one step, as the compiler derives it from the tables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct WorkBound {
    /// Most follow masks that one mask is made of; [`WorkBound::UNBOUNDED`] where it grows with the nesting depth.
    pub longest_chain: u32,
    /// Rules that the longest chain goes through.
    pub chain_rules: Vec<String>,
    /// Most configurations of one parse position; [`WorkBound::UNBOUNDED`] where it grows with the input.
    pub most_configurations: u32,
    /// Rules that are ambiguous together.
    pub configuration_rules: Vec<String>,
    /// Bytes of one sequence's state at nesting depth zero.
    pub state_bytes: u64,
}

impl WorkBound {
    /// In place of a number: there is no bound.
    pub const UNBOUNDED: u32 = u32::MAX;
}

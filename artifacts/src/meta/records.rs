//! The metadata of artifacts, as readers see it.

use rkyv::{Archive, Deserialize, Serialize};

use super::regions::Region;
use super::report::Report;

/// The metadata of a vocabulary artifact: name, origin, warnings and rule names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct VocabularyMeta {
    /// Name of the vocabulary, for display.
    pub name: String,
    /// Origin of the vocabulary, such as the name of the tokenizer file.
    pub source: String,
    /// Name and version of the program that wrote the artifact.
    pub compiler: String,
    /// Facts about the source, as pairs of key and value in display order.
    pub properties: Vec<(String, String)>,
    /// Warnings of the importer, such as a byte that no token spells.
    pub warnings: Vec<String>,
    /// Names of the shared rules, indexed by rule id. Empty if the names were not stored.
    pub rule_names: Vec<String>,
}

/// The metadata of a grammar artifact: source, options, exactness report, statistics and names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrammarMeta {
    /// Name of the source, for display.
    pub source_name: String,
    /// Language of the source: `json-schema`, `gbnf` or `regex`.
    pub source_kind: String,
    /// blake3 hash of the source text.
    pub source_hash: [u8; 32],
    /// Name and version of the program that wrote the artifact.
    pub compiler: String,
    /// Name of the vocabulary that the grammar was compiled for.
    pub vocabulary_name: String,
    /// Options of the compilation, as pairs of key and value.
    pub options: Vec<(String, String)>,
    /// Exactness report: for each keyword of the source, how exactly the grammar implements it.
    pub report: Report,
    /// Figures of the compilation, as pairs of name and number.
    pub statistics: Vec<(String, u64)>,
    /// Bound on the work of one step of the runtime.
    pub work: WorkBound,
    /// Names of the grammar's own rules, in the order of their ids. Empty if the names were not stored.
    pub rule_names: Vec<String>,
    /// Regions of the grammar: parts of an output that a host distinguishes. Rules refer to them by index. Empty for
    /// most sources.
    pub regions: Vec<Region>,
}

/// Bounds on the work and the memory of one step of the runtime. The compiler derives them from the tables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct WorkBound {
    /// Largest number of follow masks in one mask: stack frames into which one token can reach.
    /// [`WorkBound::UNBOUNDED`] if the number grows with the nesting depth.
    pub longest_chain: u32,
    /// Names of the rules on the longest chain of such frames.
    pub chain_rules: Vec<String>,
    /// Largest number of configurations (parses) of one position. [`WorkBound::UNBOUNDED`] if the number grows with the
    /// input.
    pub most_configurations: u32,
    /// Names of the rules that are ambiguous together, and so need several configurations.
    pub configuration_rules: Vec<String>,
    /// Memory of one sequence in bytes, at nesting depth zero.
    pub state_bytes: u64,
}

impl WorkBound {
    /// Value in place of a bound that does not exist.
    pub const UNBOUNDED: u32 = u32::MAX;
}

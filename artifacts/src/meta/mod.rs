//! The nested part of an artifact: names, options, the exactness report, statistics.
//!
//! This is the one section that is not a flat table. It is an rkyv archive, checked by rkyv's own validation when the
//! artifact is opened. A grammar's is [stored] more tightly than it is read, and copied out when it is first asked
//! for; no step of the runtime reads it.

use rkyv::{Archive, Deserialize, Serialize, rancor};

use crate::container::Container;
use crate::error::Error;
use crate::sections::kinds::SectionKind;

mod regions;
mod report;
mod stored;

pub use regions::{Marker, MarkerPart, Region, RegionKind};
pub(crate) use regions::{count_regions, encode_regions};
pub use report::{Report, ReportEntry, Verdict};
pub(crate) use stored::ArchivedStoredGrammar;
use stored::StoredGrammar;

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

pub(crate) fn encode_vocabulary(meta: &VocabularyMeta) -> Result<rkyv::util::AlignedVec, Error> {
    rkyv::to_bytes(meta).map_err(unwritable)
}

pub(crate) fn decode_vocabulary(container: &Container) -> Result<VocabularyMeta, Error> {
    let section = container.flat::<u8>(SectionKind::Meta)?;
    rkyv::from_bytes(section.get(container.buffer())).map_err(unreadable)
}

pub(crate) fn encode_grammar(meta: &GrammarMeta) -> Result<rkyv::util::AlignedVec, Error> {
    rkyv::to_bytes(&StoredGrammar::new(meta)?).map_err(unwritable)
}

pub(crate) fn check_grammar(container: &Container) -> Result<&ArchivedStoredGrammar<'_>, Error> {
    let meta = access(container)?;
    meta.check()?;
    Ok(meta)
}

pub(crate) fn decode_grammar(container: &Container) -> Result<GrammarMeta, Error> {
    let stored = rkyv::deserialize::<StoredGrammar<'_>, _>(access(container)?);
    let meta = stored.map_err(unreadable)?.read()?;
    Ok(GrammarMeta { regions: regions::decode_regions(container)?, ..meta })
}

fn access(container: &Container) -> Result<&ArchivedStoredGrammar<'_>, Error> {
    let section = container.flat::<u8>(SectionKind::Meta)?;
    rkyv::access(section.get(container.buffer())).map_err(unreadable)
}

/// Writing fails only where memory does, or where the archive is longer than 2 GiB.
fn unwritable(error: rancor::Error) -> Error {
    Error::MetaEncode { detail: error.to_string() }
}

fn unreadable(error: rancor::Error) -> Error {
    Error::Meta { detail: error.to_string() }
}

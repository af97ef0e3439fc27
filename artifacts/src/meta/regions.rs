//! Regions of a grammar: the parts of an output that a host tells apart.
//!
//! A region is a rule: what an activation of it reads, save in regions within it, is of the region. Free text ends with
//! what ends it in the same rule, so that it takes the region's markers to tell the two apart.

use rkyv::{Archive, Deserialize, Serialize};

use super::faults::{unreadable, unwritable};
use crate::container::Container;
use crate::error::Error;
use crate::sections::kinds::SectionKind;

/// Kinds of regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Archive, Serialize, Deserialize)]
#[rkyv(compare(PartialEq))]
pub enum RegionKind {
    /// Free text.
    Text,
    /// Free text that is the model's reasoning.
    Reasoning,
    /// A JSON value.
    Json,
    /// A value written as tags.
    Xml,
    /// A text of an inner grammar.
    Grammar,
    /// A text that a pattern matches.
    Pattern,
    /// A tag: what it reads outside regions within it is markup.
    Tag,
    /// A tag that is the call of a tool.
    Call,
}

impl RegionKind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Text,
        Self::Reasoning,
        Self::Json,
        Self::Xml,
        Self::Grammar,
        Self::Pattern,
        Self::Tag,
        Self::Call,
    ];

    /// Its name in messages and bindings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Reasoning => "reasoning",
            Self::Json => "json",
            Self::Xml => "xml",
            Self::Grammar => "grammar",
            Self::Pattern => "pattern",
            Self::Tag => "tag",
            Self::Call => "call",
        }
    }

    /// Whether what it reads itself is markup.
    pub fn is_tag(self) -> bool {
        matches!(self, Self::Tag | Self::Call)
    }
}

/// A region.
#[derive(Clone, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct Region {
    /// The kind of the region.
    pub kind: RegionKind,
    /// The name of the tool that is called, or how the tag begins; empty for the others.
    pub label: String,
    /// Texts that end free text: beginnings of the tags in it, and ends of the tag around it.
    pub markers: Vec<Marker>,
}

/// A text with special tokens in it.
pub type Marker = Vec<MarkerPart>;

/// A part of a marker.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Archive, Serialize, Deserialize)]
pub enum MarkerPart {
    /// Bytes, however they are cut into tokens.
    Bytes(Vec<u8>),
    /// A token that a token edge takes.
    Token(u32),
}

/// The archive of regions; none where there are no regions.
pub(crate) fn encode_regions(
    regions: &Vec<Region>,
) -> Result<Option<rkyv::util::AlignedVec>, Error> {
    match regions.is_empty() {
        true => Ok(None),
        false => rkyv::to_bytes(regions).map(Some).map_err(unwritable),
    }
}

/// Checks the archive, and counts the regions.
pub(crate) fn count_regions(container: &Container) -> Result<usize, Error> {
    Ok(access(container)?.map_or(0, |regions| regions.len()))
}

pub(super) fn decode_regions(container: &Container) -> Result<Vec<Region>, Error> {
    let regions = access(container)?;
    regions.map_or(Ok(Vec::new()), |regions| rkyv::deserialize(regions).map_err(unreadable))
}

fn access(container: &Container) -> Result<Option<&rkyv::vec::ArchivedVec<ArchivedRegion>>, Error> {
    if container.directory().get(SectionKind::Regions).is_none() {
        return Ok(None);
    }
    let section = container.flat::<u8>(SectionKind::Regions)?;
    rkyv::access(section.get(container.buffer())).map(Some).map_err(unreadable)
}

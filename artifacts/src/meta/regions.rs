//! Regions of a grammar: the parts of an output that a host distinguishes.
//!
//! A region is a rule. The text that an activation of the rule reads, outside regions within it, belongs to the region. The
//! rule of free text also reads the marker that ends the text. So the markers are stored, to separate the two.

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
    /// A tag. Its text outside regions within it is markup.
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

    /// The name of the kind, for messages and bindings.
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

    /// Whether the text of the region itself is markup.
    pub fn is_tag(self) -> bool {
        matches!(self, Self::Tag | Self::Call)
    }
}

/// One region of a grammar.
#[derive(Clone, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct Region {
    /// The kind of the region.
    pub kind: RegionKind,
    /// The name of the called tool, or the beginning of the tag. Empty for other regions.
    pub label: String,
    /// Texts that end free text: the beginnings of tags in it, and the ends of the enclosing tag.
    pub markers: Vec<Marker>,
}

/// A text with special tokens in it.
pub type Marker = Vec<MarkerPart>;

/// A part of a marker.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Archive, Serialize, Deserialize)]
pub enum MarkerPart {
    /// Bytes, however tokens divide them.
    Bytes(Vec<u8>),
    /// A token that a token edge takes.
    Token(u32),
}

/// Writes the archive of regions. Empty if there are no regions.
pub(crate) fn encode_regions(
    regions: &Vec<Region>,
) -> Result<Option<rkyv::util::AlignedVec>, Error> {
    match regions.is_empty() {
        true => Ok(None),
        false => rkyv::to_bytes(regions).map(Some).map_err(unwritable),
    }
}

/// Checks the archive, and returns the number of regions.
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

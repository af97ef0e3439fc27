//! Regions of a grammar: the parts of an output that a host distinguishes.
//!
//! A region is a rule. The text that a call of the rule reads, outside regions within it, belongs to the region. The
//! rule of free text also reads the marker that ends the text. So the markers are stored, to separate the two.

use rkyv::{Archive, Deserialize, Serialize};

use super::faults::{checked, owned, unwritable};
use crate::container::Container;
use crate::error::Error;
use crate::sections::kinds::SectionKind;

/// The kind of a region, a part of an output that a host distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Archive, Serialize, Deserialize)]
#[rkyv(compare(PartialEq))]
pub enum RegionKind {
    /// Free text, up to a marker.
    Text,
    /// Free text that is the reasoning of the model, up to a marker.
    Reasoning,
    /// A JSON value, such as the arguments of a tool.
    Json,
    /// A value that is written as XML-like tags.
    Xml,
    /// A text of an inner grammar of another language.
    Grammar,
    /// A text that a regular expression matches.
    Pattern,
    /// A tag. Its text outside inner regions is markup.
    Tag,
    /// A tag that is a call of a tool. Its text outside inner regions is markup.
    Call,
}

impl RegionKind {
    /// All kinds of regions (parts of an output).
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

    /// Returns the name of the kind, for messages and bindings: a lower-case word.
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

    /// Whether the region is a tag, so that its text outside inner regions is markup.
    pub fn is_tag(self) -> bool {
        matches!(self, Self::Tag | Self::Call)
    }
}

/// One region of a grammar: a part of an output that a host distinguishes.
#[derive(Clone, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct Region {
    /// Kind of the region: text, JSON, tag and so on.
    pub kind: RegionKind,
    /// Name of the called tool, or the beginning of the tag. Empty for regions that are no tags.
    pub label: String,
    /// Texts that end a region of free text: the beginnings of tags in it, and the ends of the enclosing tag. Empty for
    /// other regions.
    pub markers: Vec<Marker>,
}

/// A text that ends free text, in parts. Special tokens may stand between bytes.
pub type Marker = Vec<MarkerPart>;

/// One part of a marker.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Archive, Serialize, Deserialize)]
pub enum MarkerPart {
    /// Bytes of text, however tokens divide them.
    Bytes(Vec<u8>),
    /// Id of a special token that a token edge reads.
    Token(u32),
}

/// Returns the archive of regions. `None` if there are no regions. Returns an error if the archive cannot be written.
pub(crate) fn encode_regions(
    regions: &Vec<Region>,
) -> Result<Option<rkyv::util::AlignedVec>, Error> {
    match regions.is_empty() {
        true => Ok(None),
        false => rkyv::to_bytes(regions).map(Some).map_err(unwritable),
    }
}

/// Checks the archive of regions, and returns their number. 0 if the artifact has no archive of regions. Returns an
/// error if the archive is invalid.
pub(crate) fn count_regions(container: &Container) -> Result<usize, Error> {
    Ok(access(container)?.map_or(0, |regions| regions.len()))
}

pub(super) fn decode_regions(container: &Container) -> Result<Vec<Region>, Error> {
    let regions = access(container)?;
    regions.map_or(Ok(Vec::new()), owned)
}

fn access(container: &Container) -> Result<Option<&rkyv::vec::ArchivedVec<ArchivedRegion>>, Error> {
    if container.directory().get(SectionKind::Regions).is_none() {
        return Ok(None);
    }
    let section = container.flat::<u8>(SectionKind::Regions)?;
    checked(section.get(container.buffer())).map(Some)
}

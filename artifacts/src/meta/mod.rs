//! The nested part of an artifact: names, options, exactness report and statistics.
//!
//! This section is not a flat table but an rkyv archive. rkyv validates it when the artifact is opened. The metadata of
//! a grammar is stored in delta encoding, and decoded on first use. No step of the runtime reads it.
//!
//! Tests: `tests/suite/round_trip.rs`; unit tests in `stored`.

use crate::container::Container;
use crate::error::Error;
use crate::sections::kinds::SectionKind;

mod faults;
mod places;
mod records;
mod regions;
mod report;
mod stored;

use faults::{checked, owned, unwritable};
pub use places::Places;
pub(crate) use places::{check_places, decode_places, encode_places};
use records::ArchivedVocabularyMeta;
pub use records::{GrammarMeta, VocabularyMeta, WorkBound};
pub use regions::{Marker, MarkerPart, Region, RegionKind};
pub(crate) use regions::{count_regions, encode_regions};
pub use report::{Report, ReportEntry, Verdict};
pub(crate) use stored::ArchivedStoredGrammar;
use stored::StoredGrammar;

pub(crate) fn encode_vocabulary(meta: &VocabularyMeta) -> Result<rkyv::util::AlignedVec, Error> {
    rkyv::to_bytes(meta).map_err(unwritable)
}

pub(crate) fn decode_vocabulary(container: &Container) -> Result<VocabularyMeta, Error> {
    let section = container.flat::<u8>(SectionKind::Meta)?;
    owned(checked::<ArchivedVocabularyMeta>(section.get(container.buffer()))?)
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
    let meta = access(container)?.read()?;
    Ok(GrammarMeta { regions: regions::decode_regions(container)?, ..meta })
}

fn access(container: &Container) -> Result<&ArchivedStoredGrammar<'_>, Error> {
    let section = container.flat::<u8>(SectionKind::Meta)?;
    checked(section.get(container.buffer()))
}

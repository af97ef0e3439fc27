//! Places of states: which parts of the source say what may come next.
//!
//! The section PLACES is an rkyv archive. A state has the number of a set of places, and a set is a list of JSON
//! pointers. Explanations of refused tokens use it; no step of the runtime does.

use std::collections::HashMap;

use rkyv::{Archive, Deserialize, Serialize};

use super::faults::{checked, invalid, unwritable};
use super::report::Report;
use crate::container::Container;
use crate::error::Error;
use crate::sections::kinds::SectionKind;

/// For each state of a grammar, places in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// JSON pointers into the source, without repetition.
    pub pointers: Vec<String>,
    /// Sets of places, as indices of pointers.
    pub sets: Vec<Vec<u32>>,
    /// For each own state of the grammar, one more than the index of its set of places. 0 for a state without places.
    pub of_states: Vec<u16>,
}

impl Places {
    /// Returns the pointers of a state, given by its index among the grammar's own states. None for a state without
    /// places.
    pub fn of(&self, index: usize) -> impl Iterator<Item = &str> {
        let set = self.of_states.get(index).and_then(|set| set.checked_sub(1));
        let set = set.and_then(|set| self.sets.get(usize::from(set))).into_iter().flatten();
        set.filter_map(|&pointer| self.pointers.get(pointer as usize)).map(String::as_str)
    }
}

/// [`Places`] as the archive stores them. A place is the number of a report entry, whose keyword is one of the schema at
/// that place: the report has the pointers already.
#[derive(Archive, Serialize, Deserialize)]
struct StoredPlaces {
    /// Numbers of report entries, set by set.
    entries: Vec<u32>,
    /// For each set, the exclusive end of its entries.
    ends: Vec<u32>,
    of_states: Vec<u16>,
}

/// Returns the JSON pointer to the schema that has the keyword at `pointer`.
fn schema_of(pointer: &str) -> &str {
    pointer.rsplit_once('/').map_or("", |(schema, _)| schema)
}

/// Returns the archive of places. Places of which the report has no keyword are left out. Returns an error if the archive
/// cannot be written.
pub(crate) fn encode_places(
    places: &Places,
    report: &Report,
) -> Result<rkyv::util::AlignedVec, Error> {
    let mut first: HashMap<&str, u32> = HashMap::new();
    for (entry, number) in report.entries().zip(0..) {
        first.entry(schema_of(entry.pointer)).or_insert(number);
    }
    let (mut entries, mut ends) = (Vec::new(), Vec::with_capacity(places.sets.len()));
    for set in &places.sets {
        let pointers = set.iter().filter_map(|&pointer| places.pointers.get(pointer as usize));
        entries.extend(pointers.filter_map(|pointer| first.get(pointer.as_str())));
        ends.push(entries.len() as u32);
    }
    let of_states = places.of_states.clone();
    rkyv::to_bytes(&StoredPlaces { entries, ends, of_states }).map_err(unwritable)
}

/// Checks the archive of places: each of `states` states has a known set, and each set entries among the `report_entries`
/// of the report. Nothing is checked if the artifact has no places. Returns an error if the archive is invalid.
pub(crate) fn check_places(
    container: &Container,
    states: usize,
    report_entries: usize,
) -> Result<(), Error> {
    let Some(places) = access(container)? else { return Ok(()) };
    let mut entries = places.entries.iter();
    let are_known = entries.all(|entry| (entry.to_native() as usize) < report_entries);
    let ends = || places.ends.iter().map(|end| end.to_native() as usize);
    let are_ascending = ends().is_sorted() && ends().all(|end| end <= places.entries.len());
    let mut of_states = places.of_states.iter();
    let have_sets = of_states.all(|set| usize::from(set.to_native()) <= places.ends.len());
    match places.of_states.len() == states && are_known && are_ascending && have_sets {
        true => Ok(()),
        false => Err(invalid("the places of states are not in order")),
    }
}

/// Returns the places of an artifact, whose report is `report`. `None` if it has none. Returns an error if the archive is
/// invalid.
pub(crate) fn decode_places(
    container: &Container,
    report: &Report,
) -> Result<Option<Places>, Error> {
    let Some(stored) = access(container)? else { return Ok(None) };
    let schemas: Vec<&str> = report.entries().map(|entry| schema_of(entry.pointer)).collect();
    let mut places = Places::default();
    // For each report entry, the number of its pointer. The writer names each place by one entry.
    let mut numbers: Vec<Option<u32>> = vec![None; schemas.len()];
    let mut from = 0;
    for end in stored.ends.iter().map(|end| end.to_native() as usize) {
        let entries = stored.entries.get(from..end).unwrap_or_default();
        from = end;
        let set = entries.iter().filter_map(|entry| {
            let entry = entry.to_native() as usize;
            let pointer = schemas.get(entry)?;
            let new = places.pointers.len() as u32;
            Some(*numbers.get_mut(entry)?.get_or_insert_with(|| {
                places.pointers.push((*pointer).to_owned());
                new
            }))
        });
        let set = set.collect();
        places.sets.push(set);
    }
    places.of_states = stored.of_states.iter().map(|set| set.to_native()).collect();
    Ok(Some(places))
}

fn access(container: &Container) -> Result<Option<&ArchivedStoredPlaces>, Error> {
    if container.directory().get(SectionKind::Places).is_none() {
        return Ok(None);
    }
    let section = container.flat::<u8>(SectionKind::Places)?;
    checked(section.get(container.buffer())).map(Some)
}

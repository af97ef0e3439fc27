//! Divides the bytes of an artifact among the places of its states.
//!
//! The bytes of a state (its record, edges and follow entries) are divided equally among its places. The bytes of a
//! mask are divided among the states that refer to it. So all shares and the rest add up to the artifact.

use grammarc_artifacts::GrammarArtifact;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::Tables;
use indexmap::IndexMap;
use serde::Serialize;

/// The share of one place.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Share {
    /// JSON pointer to the schema. Empty for the whole.
    pub(crate) pointer: String,
    /// Number of states. A state of `n` places counts as `1/n` for each.
    pub(crate) states: f64,
    pub(crate) bytes: f64,
    /// Fraction of the artifact's bytes, from 0 to 1.
    pub(crate) share: f64,
}

/// Returns the shares of all places, the largest first. Empty for an artifact without places.
pub(super) fn shares(artifact: &GrammarArtifact) -> Vec<Share> {
    let (tables, Some(places)) = (artifact.tables(), artifact.places()) else { return Vec::new() };
    let masks = of_masks(&tables);
    let mut shares: IndexMap<&str, (f64, f64)> = IndexMap::new();
    for index in 0..tables.state_count() as usize {
        let bytes = of_state(&tables, index, &masks);
        let of: Vec<&str> = places.of(index).collect();
        let part = 1.0 / of.len() as f64;
        for pointer in of {
            let (states, sum) = shares.entry(pointer).or_default();
            *states += part;
            *sum += bytes * part;
        }
    }
    let whole = artifact.byte_length() as f64;
    let share = |(pointer, (states, bytes)): (&str, (f64, f64))| Share {
        pointer: pointer.to_owned(),
        states,
        bytes,
        share: bytes / whole,
    };
    let mut shares: Vec<Share> = shares.into_iter().map(share).collect();
    shares.sort_by(|a, b| b.bytes.total_cmp(&a.bytes));
    shares
}

/// Returns the bytes of a state: its record, its places, its edges, its follow entries, and its part of masks.
fn of_state(tables: &Tables<'_>, index: usize, masks: &[f64]) -> f64 {
    let own = size_of_val(&tables.states[index])
        + size_of::<u16>()
        + size_of_val(tables.byte_edges_of(index))
        + size_of_val(tables.call_edges_of(index))
        + size_of_val(tables.token_edges_of(index))
        + size_of_val(tables.follows_of(index));
    let of_masks = masks_of(tables, index).map(|mask| masks[mask]);
    own as f64 + of_masks.sum::<f64>()
}

/// Returns the indices of the grammar's own masks to which a state refers.
fn masks_of<'t>(tables: &Tables<'t>, index: usize) -> impl Iterator<Item = usize> + use<'t> {
    let base = tables.bases.masks;
    let follows = tables.follows_of(index).iter().map(|entry| entry.mask);
    let tokens = tables.token_edges_of(index).iter().map(|edge| edge.tokens);
    let all = [tables.states[index].base].into_iter().chain(follows).chain(tokens);
    let count = tables.masks.len();
    all.filter(|&mask| mask != NONE)
        .filter_map(move |mask| mask.checked_sub(base).map(|mask| mask as usize))
        .filter(move |&mask| mask < count)
}

/// Returns for each of the grammar's own masks its bytes, divided by the number of references to it.
fn of_masks(tables: &Tables<'_>) -> Vec<f64> {
    let mut references = vec![0_u32; tables.masks.len()];
    let states = tables.state_count() as usize;
    (0..states).flat_map(|index| masks_of(tables, index)).for_each(|mask| references[mask] += 1);
    let mut of_rows = vec![0_u32; tables.row_count() as usize];
    let own_row = |row: u32| row.checked_sub(tables.bases.rows).filter(|_| row != NONE);
    for row in tables.masks.iter().filter_map(|mask| own_row(mask.row)) {
        if let Some(count) = of_rows.get_mut(row as usize) {
            *count += 1;
        }
    }
    let row_bytes = f64::from(tables.row_words) * 4.0;
    let bytes = tables.masks.iter().zip(references).map(|(mask, references)| {
        let lists = 4.0 * f64::from(mask.minus_len + mask.plus_len);
        let row = own_row(mask.row).and_then(|row| of_rows.get(row as usize));
        let row = row.map_or(0.0, |&count| row_bytes / f64::from(count.max(1)));
        (size_of_val(mask) as f64 + lists + row) / f64::from(references.max(1))
    });
    bytes.collect()
}

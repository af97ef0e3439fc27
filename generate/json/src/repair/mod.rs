//! Repair: converts a text that is nearly JSON to JSON.
//!
//! ```text
//! source ─ outside: where it may begin ─┐
//!          lattice, strings: readings ──┼─► search: the cheapest that the grammar accepts ─► path ─► edits ─► text
//!          costs ───────────────────────┘        ▲                                                       │
//!                                                 └──────── no JSON, or no instance ◄── strict, schema ───┘
//! ```
//!
//! The relaxed grammar of the schema guides the search; without a schema, the grammar of JSON does.
//! The result is parsed and validated again. Outside of the edits, the source's spelling is kept.
//!
//! # Invariants
//!
//! No key or value is invented, and no default is filled in. No member is dropped, moved or merged,
//! except an incomplete one at the end of the text. No type is changed (`"5"` stays a string), and
//! no digit. Duplicate keys, `NaN`, `undefined` and two adjacent strings are rejected. The option
//! `coerce` permits changes of types and of `NaN`. Valid JSON is returned byte for byte.
//!
//! Several documents in one text are not merged, and none is dropped silently. See
//! [`RepairError::Several`].
//!
//! A document that is escaped as a whole is recognized before the search (module `escaped`).
//!
//! A text that parses but violates the schema is not repaired.
//!
//! Tests: `tests.rs` and unit tests in most files; `tests/{never,truncation,suites}.rs` of this crate.

mod branches;
mod bucket_queue;
mod coerce;
mod costs;
mod documents;
mod edit_path;
mod edits;
mod escaped;
mod escapes;
mod lattice;
mod layout;
mod limits;
mod numbers;
mod outside;
mod quotes;
mod readings;
mod result;
mod scalars;
mod search;
mod spell;
mod strings;
mod wide;
mod words;

#[cfg(test)]
mod tests;

use crate::schema::JsonSchema;
use crate::strict;

use readings::readings_of;

pub use edits::{Edit, EditKind, Grade, replay};
pub use limits::{Limit, OpenStrings, RepairLimits, RepairOptions};
pub use result::{MAX_CANDIDATES, RepairError, Repaired};

/// Repairs a text. The edits may be certain or only likely.
///
/// ```
/// use grammarc_json::repair::{RepairOptions, repair};
///
/// let repaired = repair("{'a': True, b: [1, 2", None, &RepairOptions::default())?;
/// assert_eq!(repaired.text, r#"{"a": true, "b": [1, 2]}"#);
/// # Ok::<(), grammarc_json::RepairError>(())
/// ```
///
/// Linear in the text for a fixed cost of the repair, never exponential, and bounded by the limits.
///
/// # Errors
///
/// See [`RepairError`]. [`Ambiguous`](RepairError::Ambiguous) and
/// [`Uncertain`](RepairError::Uncertain) do not occur; the result itself reports these cases.
pub fn repair(
    source: &str,
    schema: Option<&JsonSchema>,
    options: &RepairOptions,
) -> Result<Repaired, RepairError> {
    candidates(source, schema, options).map(|mut found| found.swap_remove(0))
}

/// Returns the equally good best readings of a text, at least one and at most [`MAX_CANDIDATES`].
/// If there are several, all are marked as ambiguous.
///
/// # Errors
///
/// As [`repair`].
pub fn candidates(
    source: &str,
    schema: Option<&JsonSchema>,
    options: &RepairOptions,
) -> Result<Vec<Repaired>, RepairError> {
    let documents = match strict::parse(source) {
        Err(_) if source.len() <= options.limits.bytes => documents::documents(source),
        _ => Vec::new(),
    };
    if documents.is_empty() {
        return readings_of(source, schema, options);
    }
    // Brackets in strings of other notations look like documents. So a certain reading of the whole
    // text has precedence.
    match readings_of(source, schema, options) {
        Ok(found) if found.len() == 1 && found[0].is_certain() && !leaves_out(&found[0]) => {
            Ok(found)
        }
        _ => documents::choose(source, documents, schema, options),
    }
}

/// Whether a reading removes brackets as part of prose.
fn leaves_out(repaired: &Repaired) -> bool {
    let mut outside = repaired.edits.iter().filter(|edit| edit.kind == EditKind::Outside);
    outside.any(|edit| edit.removed.contains(['{', '[']))
}

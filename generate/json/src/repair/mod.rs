//! Repair: converts a text that is nearly JSON to JSON.
//!
//! ```text
//! source ─ outside: where it may begin ─┐
//!          lattice, strings: readings ──┼─► search: the cheapest that the grammar accepts ─► path ─► edits ─► text
//!          costs ───────────────────────┘        ▲                                                       │
//!                                                 └──────── no JSON, or no instance ◄── strict, schema ───┘
//! ```
//!
//! The search is guided by the relaxed grammar of the schema, or by JSON itself without a schema. Its result is
//! parsed and validated again, and the source's spelling stays outside of the edits.
//!
//! # Invariants
//!
//! No key and no value is made up, and nothing takes a default. No member is dropped, moved or merged, but for what is broken
//! off at the end of the text. No type is changed (`"5"` stays a string) and no digit. A key that occurs twice is refused, and
//! so are `NaN`, `undefined` and two strings side by side. The option `coerce` alone lifts this of types and of `NaN`. Valid JSON is returned byte for byte.
//!
//! Several documents in one text are not merged, and no document is dropped silently: see [`RepairError::Several`].
//!
//! A document that is escaped as a whole is read by itself, before the search (`escaped`).
//!
//! A text that parses and violates the schema is not repaired.
//!
//! Tests: `tests.rs` and unit tests in most files; `tests/{never,truncation,suites}.rs` of this crate.

mod branches;
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

/// Repairs a text, with edits of every grade.
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
/// See [`RepairError`]; neither [`Ambiguous`](RepairError::Ambiguous) nor [`Uncertain`](RepairError::Uncertain), for which
/// the result says so itself.
pub fn repair(
    source: &str,
    schema: Option<&JsonSchema>,
    options: &RepairOptions,
) -> Result<Repaired, RepairError> {
    candidates(source, schema, options).map(|mut found| found.swap_remove(0))
}

/// The readings of a text that are as good as the best, which is the first: at most [`MAX_CANDIDATES`] and at least one.
/// All are marked ambiguous where there are several.
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
    // Brackets in strings of other styles look like documents: a certain reading of all of it says that there is one.
    match readings_of(source, schema, options) {
        Ok(found) if found.len() == 1 && found[0].is_certain() && !leaves_out(&found[0]) => {
            Ok(found)
        }
        _ => documents::choose(source, documents, schema, options),
    }
}

/// Whether a reading leaves out brackets as prose.
fn leaves_out(repaired: &Repaired) -> bool {
    let mut outside = repaired.edits.iter().filter(|edit| edit.kind == EditKind::Outside);
    outside.any(|edit| edit.removed.contains(['{', '[']))
}

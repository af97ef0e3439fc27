//! Repair: what a text that is nearly JSON says.
//!
//! ```text
//! source ─ outside: where it may begin ─┐
//!          lattice, strings: readings ──┼─► search: the cheapest that the grammar accepts ─► way ─► edits ─► text
//!          costs ───────────────────────┘        ▲                                                       │
//!                                                 └──────── no JSON, or no instance ◄── strict, schema ───┘
//! ```
//!
//! The search is guided by the wide twin of the schema, or by JSON itself where there is none. What it finds is parsed and
//! validated again, and the source's spelling stays outside of the edits.
//!
//! # What is never done
//!
//! No key and no value is made up, and nothing takes a default. No member is dropped, moved or merged, but for what is broken
//! off at the end of the text. No type is changed (`"5"` stays a string) and no digit. A key that occurs twice is refused, and
//! so are `NaN`, `undefined` and two strings side by side. The option `coerce` alone lifts this of types and of `NaN`. Valid JSON is returned byte for byte.
//!
//! Several documents in one text are not made one, and none is left out silently: see [`RepairError::Several`].
//!
//! A text that parses and violates the schema is not repaired: it says what it says.

mod branches;
mod coerce;
mod costs;
mod documents;
mod edits;
mod lattice;
mod layout;
mod limits;
mod outside;
mod scalars;
mod search;
mod spell;
mod strings;
mod way;

#[cfg(test)]
mod tests;

use std::ops::Range;

use grammarc_runtime::Grammar;
use serde_json::Value;

use crate::schema::{JsonSchema, ValidationError, any_json};
use crate::strict::{self, ParseError};

use search::Search;

pub use edits::{Edit, EditKind, Grade, replay};
pub use limits::{Limit, OpenStrings, RepairLimits, RepairOptions};

/// Most candidates that an ambiguous text is told with.
pub const MAX_CANDIDATES: usize = 4;
/// Ends of a document that are no JSON or no instance, after which a repair is given up.
const MOST_REFUSED: usize = 64;

/// A text as JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// The source with its edits: JSON.
    pub text: String,
    /// Its value.
    pub value: Value,
    /// The changes, in the order of the source: none if the source was JSON.
    pub edits: Vec<Edit>,
    /// Another value is as good a reading, or a number at the end of a broken-off text may have had more digits.
    pub ambiguous: bool,
    /// The text ended before its document did.
    pub truncated: bool,
}

impl Repaired {
    /// The grade of the least sure edit.
    pub fn grade(&self) -> Grade {
        self.edits.iter().map(|edit| edit.grade).max().unwrap_or(Grade::Certain)
    }

    /// Whether every edit is certain and the value the only one.
    pub fn is_certain(&self) -> bool {
        self.grade() == Grade::Certain && !self.ambiguous
    }

    /// The same, but for scalars that were coerced.
    pub(crate) fn is_certain_but_for_types(&self) -> bool {
        let sure = |edit: &Edit| edit.grade == Grade::Certain || edit.kind == EditKind::Coerced;
        self.edits.iter().all(sure) && !self.ambiguous
    }
}

/// Why a text was not repaired.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepairError {
    /// The text is JSON, and no instance of the schema.
    #[error("the text is JSON, but not what the schema says: {0}")]
    Invalid(ValidationError),
    /// No reading of the text is JSON that the schema accepts.
    #[error("no reading of the text is {}", if *with_schema { "JSON that the schema accepts" } else { "JSON" })]
    NotFound {
        /// How far the farthest came, in bytes.
        at: usize,
        /// Whether there is a schema.
        with_schema: bool,
        /// Why it is no JSON as it stands.
        source: ParseError,
    },
    /// The text is broken off before members that the schema requires.
    #[error("the text ends before {}", missing.join(", "))]
    Incomplete {
        /// JSON pointers to them.
        missing: Vec<String>,
    },
    /// Several readings are as good as each other, and the best was asked for alone.
    #[error("the text can be read in {} ways or more", candidates.len().max(2))]
    Ambiguous {
        /// The readings, at most [`MAX_CANDIDATES`].
        candidates: Vec<Repaired>,
    },
    /// The best reading is not certain, and a certain one was asked for.
    #[error("the likeliest reading of the text is not certain")]
    Uncertain {
        /// The reading.
        repaired: Box<Repaired>,
    },
    /// The text holds several documents, of several values, and the schema does not choose one of them.
    #[error("the text holds {} documents: at bytes {}", documents.len(), ranges(documents))]
    Several {
        /// The range of each of them, in bytes.
        documents: Vec<Range<usize>>,
    },
    /// A limit was met.
    #[error("the repair met its limit on {}", name(*limit))]
    Limit {
        /// Which.
        limit: Limit,
    },
}

/// The first few ranges, for a message.
fn ranges(documents: &[Range<usize>]) -> String {
    let told = documents.iter().take(MAX_CANDIDATES).map(|at| format!("{}..{}", at.start, at.end));
    let more = if documents.len() > MAX_CANDIDATES { ", …" } else { "" };
    told.collect::<Vec<_>>().join(", ") + more
}

fn name(limit: Limit) -> &'static str {
    match limit {
        Limit::Bytes => "the length of the text",
        Limit::Nodes => "places of the search",
        Limit::Steps => "steps of the search",
        Limit::Time => "time",
    }
}

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
/// Linear in the text for what costs the same to repair; exponential nowhere, and bounded by the limits.
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

/// The same for a text that is one document.
fn readings_of(
    source: &str,
    schema: Option<&JsonSchema>,
    options: &RepairOptions,
) -> Result<Vec<Repaired>, RepairError> {
    let error = match strict::parse(source) {
        Ok(value) => {
            let valid = schema.map_or(Ok(()), |schema| schema.validate(&value));
            let text = source.to_owned();
            let read =
                Repaired { text, value, edits: Vec::new(), ambiguous: false, truncated: false };
            let coerced = |read| coerce::coerced(source, read, schema.filter(|_| options.coerce)?);
            return match valid {
                Ok(()) => Ok(vec![read]),
                Err(error) => match coerced(read) {
                    Some(read) => Ok(vec![read]),
                    None => Err(RepairError::Invalid(error)),
                },
            };
        }
        Err(error) => error,
    };
    if source.len() > options.limits.bytes {
        return Err(RepairError::Limit { limit: Limit::Bytes });
    }
    let any = any_json().expect("JSON itself compiles");
    let guide = schema.and_then(JsonSchema::twin).unwrap_or(any);
    let closed = schema.and_then(JsonSchema::closed_twin);
    let named =
        closed.map(|closed| readings(source, &closed.grammar, schema, options, costs::MOST));
    let named = named.transpose()?.filter(|named| !named.found.is_empty());
    let least = named.as_ref().map_or(costs::MOST, |named| named.cost);
    let mut all = readings(source, &guide.grammar, schema, options, least)?;
    if let Some(named) = named
        && (all.found.is_empty() || named.cost <= all.cost + costs::CLOSED_MARGIN)
    {
        all = named;
    }
    if !all.found.is_empty() {
        return Ok(all.found);
    }
    if let Some(schema) = schema.filter(|_| options.coerce) {
        let read = readings(source, &any.grammar, None, options, costs::MOST)?.found;
        let coerced = read.into_iter().filter_map(|read| coerce::coerced(source, read, schema));
        let coerced: Vec<Repaired> = coerced.collect();
        if !coerced.is_empty() {
            return Ok(coerced);
        }
    }
    if schema.is_some()
        && let Some(missing) = missing(source, &any.grammar, schema, options)
    {
        return Err(RepairError::Incomplete { missing });
    }
    Err(RepairError::NotFound { at: all.farthest, with_schema: schema.is_some(), source: error })
}

/// The cheapest readings of a source.
struct Readings {
    found: Vec<Repaired>,
    cost: costs::Cost,
    /// How far the search came, in bytes.
    farthest: usize,
}

/// The cheapest readings that are JSON and instances, and cost at most `most`.
fn readings(
    source: &str,
    grammar: &Grammar,
    schema: Option<&JsonSchema>,
    options: &RepairOptions,
    mut most: costs::Cost,
) -> Result<Readings, RepairError> {
    let mut search = Search::new(source, grammar, *options);
    let mut found: Vec<(costs::Cost, Repaired)> = Vec::new();
    let (mut best, mut refused) = (most, 0);
    // If a closer is lost, ways that put it elsewhere are looked at once all of them are known.
    let (mut ends, mut margin) = (Vec::new(), 0);
    loop {
        let next = search.next_end(most).map_err(|limit| RepairError::Limit { limit })?;
        let (end, cost, beyond) = match next {
            Some((end, cost)) => {
                ends.push((end, cost));
                (end, cost, 0)
            }
            None if margin == 0 => break,
            None => match ends.pop() {
                Some((end, cost)) => (end, cost, margin),
                None => break,
            },
        };
        for way in search.ways(end, beyond) {
            let told = way::edits(source, &way);
            let text = replay(source, &told.edits);
            let parsed = strict::parse(&text);
            // A source that has a key twice is read as it stands; only another place of a closer may be another way to
            // read it.
            if found.is_empty() && matches!(parsed, Err(ParseError::DuplicateKey { .. })) {
                most = most.min(cost + costs::CLOSER_MARGIN);
            }
            let value = parsed.ok();
            let value = value.filter(|value| schema.is_none_or(|schema| schema.is_valid(value)));
            let Some(value) = value else {
                refused += 1;
                continue;
            };
            if found.is_empty() {
                best = cost;
                margin = if told.closer_lost { costs::CLOSER_MARGIN } else { 0 };
                most = most.min(cost + margin);
            }
            let is_rival =
                cost == best || told.edits.iter().any(|edit| edit.kind == EditKind::MissingCloser);
            if is_rival && found.iter().all(|(_, known)| known.value != value) {
                let (edits, truncated) = (told.edits, told.truncated);
                let ambiguous = told.open_number;
                let repaired = Repaired { text, value, edits, ambiguous, truncated };
                found.push((cost + beyond, repaired));
            }
        }
        if refused > MOST_REFUSED || found.len() > MAX_CANDIDATES {
            break;
        }
    }
    found.sort_by_key(|(cost, repaired)| {
        (*cost, repaired.edits.len(), repaired.edits.first().map_or(0, |edit| edit.at.start))
    });
    let several = found.len() > 1;
    let found = found
        .into_iter()
        .take(MAX_CANDIDATES)
        .map(|(_, repaired)| Repaired { ambiguous: repaired.ambiguous || several, ..repaired });
    let found = found.collect();
    Ok(Readings { found, cost: best, farthest: search.farthest })
}

/// The members that a schema requires and a text that was broken off does not have, if that is all that is wrong with it.
fn missing(
    source: &str,
    any: &Grammar,
    schema: Option<&JsonSchema>,
    options: &RepairOptions,
) -> Option<Vec<String>> {
    let found = readings(source, any, None, options, costs::MOST).ok()?.found;
    let repaired = found.into_iter().next().filter(|repaired| repaired.truncated)?;
    let violations = schema?.validate(&repaired.value).err()?.violations;
    let missing: Vec<String> =
        violations.iter().filter_map(|violation| violation.missing()).collect();
    (missing.len() == violations.len() && !missing.is_empty()).then_some(missing)
}

//! Finds the readings of a text with one document: the cheapest results of a search.
//!
//! With a schema, its relaxed grammar guides the search. A first search accepts only declared keys,
//! so that readings with such keys are preferred. If nothing is found, scalars may be coerced. If
//! only required members are missing, the error names them.
//!
//! Cost: a few searches, each within the limits.

use grammarc_runtime::Grammar;

use super::edits::{EditKind, replay};
use super::limits::{Limit, RepairOptions};
use super::result::{MAX_CANDIDATES, RepairError, Repaired};
use super::search::Search;
use super::{coerce, costs, edit_path, escaped};
use crate::schema::{JsonSchema, any_json};
use crate::strict::{self, ParseError};

/// Maximum number of search results that are not JSON or violate the schema. If more occur, the
/// search ends with the readings found so far.
const MOST_REFUSED: usize = 64;

/// Returns the readings of a text with one document, as [`candidates`](super::candidates) does.
pub(super) fn readings_of(
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
    if let Some(read) = escaped::unescaped(source, schema) {
        return Ok(vec![read]);
    }
    let any = any_json().expect("JSON itself compiles");
    let guide = schema.and_then(JsonSchema::relaxed).unwrap_or(any);
    let closed = schema.and_then(JsonSchema::closed_relaxed);
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
    /// Largest byte offset that the search reached.
    farthest: usize,
}

/// Returns the cheapest readings that are JSON, satisfy the schema, and cost at most `most`.
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
    // If a closing bracket is missing, paths that insert it elsewhere are compared when all of them
    // are known.
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
        for path in search.paths(end, beyond) {
            let path_edits = edit_path::edits(source, &path);
            let text = replay(source, &path_edits.edits);
            let parsed = strict::parse(&text);
            // If the best reading has a duplicate key, only another position of a closing bracket
            // may give another reading.
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
                margin = if path_edits.closer_lost { costs::CLOSER_MARGIN } else { 0 };
                most = most.min(cost + margin);
            }
            let is_rival = cost == best
                || path_edits.edits.iter().any(|edit| edit.kind == EditKind::MissingCloser);
            if is_rival && found.iter().all(|(_, known)| known.value != value) {
                let (edits, truncated) = (path_edits.edits, path_edits.truncated);
                let ambiguous = path_edits.open_number;
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

/// Returns the JSON pointers of the required members that a truncated text lacks. `None` if nothing
/// is missing, or there are other violations.
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

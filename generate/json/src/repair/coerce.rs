//! Coercion: converts scalars to the type that the schema requires. Off by default.
//!
//! | source | type in the schema | result |
//! | --- | --- | --- |
//! | `"5"`, `"true"`, `"null"` | a number, a boolean, null | `5`, `true`, `null` |
//! | `5`, `true` | a string | `"5"`, `"true"` |
//!
//! The content of a string has to be exactly a JSON scalar, so no digit changes. A string that the
//! schema accepts stays a string. Scalars are converted where the validator reports `type`, `enum`
//! or `const`. Below a union, only the errors of the single branch that accepts the result count
//! ([`branches`](super::branches)). Each conversion is an [edit](EditKind::Coerced) that is never
//! certain.
//!
//! Cost for each round: a validation of the value and a pass over the text. There are usually two
//! rounds.

use std::ops::Range;

use crate::schema::{JsonSchema, MAX_ERRORS};
use crate::strict;

use super::branches::places;
use super::edits::{Edit, EditKind, replay};
use super::result::Repaired;
use super::scalars::changes;

/// Maximum number of rounds of coercion. Several rounds are needed, because a violation may hide
/// others, and only [`MAX_ERRORS`] are reported. Beyond this number, the value is rejected.
const ROUNDS: usize = 64;

/// Returns a repaired text with its scalars coerced. `None` if the result still violates the
/// schema.
pub(super) fn coerced(source: &str, read: Repaired, schema: &JsonSchema) -> Option<Repaired> {
    let mut read = read;
    for _ in 0..ROUNDS {
        if schema.is_valid(&read.value) {
            return Some(read);
        }
        let errors: Vec<_> = schema.errors(&read.value).take(MAX_ERRORS).collect();
        let changes = changes(&read.text, &places(&errors, &read.text, schema));
        if changes.is_empty() {
            return None;
        }
        let edits = joined(source, &read.edits, changes);
        let text = replay(source, &edits);
        let value = strict::parse(&text).ok()?;
        read = Repaired { text, value, edits, ..read };
    }
    None
}

/// Combines the edits of a repair with later changes of its text, all as edits of the source. An
/// edit within a later change becomes part of it.
fn joined(source: &str, edits: &[Edit], changes: Vec<(Range<usize>, String)>) -> Vec<Edit> {
    let mut all = Vec::new();
    let mut rest = edits.iter().peekable();
    // Difference between an offset in the repaired text and the same position in the source.
    let mut shift = 0_isize;
    for (range, inserted) in changes {
        let source_at = |at: usize, shift: isize| (at as isize - shift) as usize;
        while let Some(edit) = rest.next_if(|edit| {
            let at = (edit.at.start as isize + shift) as usize;
            at + edit.inserted.len() <= range.start
        }) {
            shift += edit.inserted.len() as isize - edit.at.len() as isize;
            all.push(edit.clone());
        }
        let start = source_at(range.start, shift);
        while let Some(edit) = rest.next_if(|edit| {
            let at = (edit.at.start as isize + shift) as usize;
            at < range.end && at + edit.inserted.len() <= range.end
        }) {
            shift += edit.inserted.len() as isize - edit.at.len() as isize;
        }
        let end = source_at(range.end, shift);
        let (at, kind) = (start..end, EditKind::Coerced);
        let removed = source[at.clone()].to_owned();
        all.push(Edit { at, kind, removed, inserted, grade: kind.grade() });
    }
    all.extend(rest.cloned());
    all
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{RepairOptions, repair};
    use super::*;

    fn read(source: &str, schema: Value) -> Option<Repaired> {
        let schema = JsonSchema::from_value(schema).unwrap();
        let options = RepairOptions { coerce: true, ..RepairOptions::default() };
        let repaired = repair(source, Some(&schema), &options).ok()?;
        assert_eq!(replay(source, &repaired.edits), repaired.text);
        Some(repaired)
    }

    #[test]
    fn scalars_become_what_the_schema_wants_character_by_character() {
        let schema = json!({"properties": {
            "n": {"type": "number"}, "b": {"type": "boolean"}, "s": {"type": "string"},
            "e": {"enum": [1, 2]}, "l": {"items": {"type": "integer"}}}});
        let source = r#"{"n": "1.50", "b": "true", "s": 12e3, "e": "2", "l": ["1", 2, "-3"]}"#;
        let found = read(source, schema.clone()).unwrap();
        assert_eq!(found.text, r#"{"n": 1.50, "b": true, "s": "12e3", "e": 2, "l": [1, 2, -3]}"#);
        assert!(found.edits.iter().all(|edit| edit.kind == EditKind::Coerced));
        assert!(!found.is_certain());
        let broken = read("Sure: {'n': '1.50', s: 5, \"l\": ['7',]", schema.clone()).unwrap();
        assert_eq!(broken.text, r#"{"n": 1.50, "s": "5", "l": [7]}"#);
        for source in [
            r#"{"n": "1,5"}"#,
            r#"{"n": " 1"}"#,
            r#"{"b": "True"}"#,
            r#"{"s": null}"#,
            r#"{"n": []}"#,
        ] {
            assert!(read(source, schema.clone()).is_none(), "{source}");
        }
    }

    #[test]
    fn what_the_schema_accepts_stays() {
        let either = json!({"items": {"type": ["string", "integer"]}});
        assert_eq!(read(r#"["5", 5,]"#, either).unwrap().value, json!(["5", 5]));
    }

    #[test]
    fn what_is_no_value_in_json_is_null_only_then() {
        let source = "[NaN, undefined, -Infinity]";
        assert_eq!(read(source, json!(true)).unwrap().value, json!([null, null, null]));
        assert!(read("[NaN]", json!({"items": {"type": "number"}})).is_none());
        assert!(repair(source, None, &RepairOptions::default()).is_err());
    }
}

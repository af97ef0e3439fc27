//! Formats as patterns. Exact for the formats of [`PATTERNS`], which a test compares with the compiler's own.
//!
//! A name that no draft defines constrains nothing and is left out.

use grammarc_json_schema::support_table;
use serde_json::{Value, json};

use super::task::{Outcome, Task};
use crate::lower::options::Gives;

/// Patterns with the strings of formats.
const PATTERNS: [(&str, &str); 4] = [
    ("uuid", "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"),
    (
        "ipv4",
        "^(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])([.](25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])){3}$",
    ),
    ("json-pointer", "^(/([^~/]|~[01])*)*$"),
    ("relative-json-pointer", "^(0|[1-9][0-9]*)(#|(/([^~/]|~[01])*)*)$"),
];

pub(super) fn rewrite(task: &mut Task<'_>) -> Option<Outcome> {
    let takes_patterns =
        task.takes("pattern") && !task.pack.rules.iter().any(|rule| rule.id == "pattern-anchors");
    let schema = task.schema()?;
    let name = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    if !support_table().any(|row| row.drafts.is_none() && row.name == name) {
        schema.shift_remove("format");
        return Outcome::keyword(Gives::Equal);
    }
    let pattern =
        PATTERNS.iter().find(|(format, _)| *format == name).map(|(_, pattern)| *pattern)?;
    if !takes_patterns || schema.contains_key("pattern") {
        return None;
    }
    schema.shift_remove("format");
    schema.insert("pattern".to_owned(), json!(pattern));
    Outcome::schema(Gives::Equal)
}

#[cfg(test)]
mod tests {
    use grammarc_grammar::diagnostics::Source;
    use grammarc_json_schema::relation::{Relation, RelationOptions, compare};

    use super::*;

    #[test]
    fn patterns_have_the_strings_of_their_formats() {
        for (name, pattern) in PATTERNS {
            let source = |schema: Value| Source::new("<test>", schema.to_string());
            let (format, written) =
                (source(json!({ "format": name })), source(json!({ "pattern": pattern })));
            let compared = compare(&format, &written, &RelationOptions::default()).unwrap();
            assert_eq!(compared.relation, Relation::Equal, "{name}: {compared:?}");
        }
    }
}

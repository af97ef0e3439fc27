//! Excludes texts: restricts a schema to instances in which no string and no key contains one of the given texts.
//!
//! The result is the conjunction of the schema and a recursive schema that excludes the texts from a value and
//! everything in it. Lengths, patterns and formats of the schema are kept, because both schemas are intersected like
//! any others.
//!
//! A text is excluded from the value of a string and from its JSON text: with escapes, `n` also occurs in `\n`. The
//! caller must reject a text with a backslash, which only an escape could contain. Cost: the strings differ from those
//! of the vocabulary's shared rules, so their token masks are computed anew.

use grammarc_grammar::automata::{StateBudget, StateLimit};

use super::schema::{Part, Schema, SchemaId, Schemas};
use crate::values::strings::StringSet;
use crate::values::strings::escaped::push_quoted;

/// Restricts a schema to values in which no string and no key contains one of `texts`. Returns the new root. No text
/// may be empty.
pub(crate) fn exclude(
    schemas: &mut Schemas,
    root: SchemaId,
    texts: &[String],
    limit: StateBudget<'_>,
) -> Result<SchemaId, StateLimit> {
    let mut held: Vec<String> = texts.to_vec();
    held.extend(texts.iter().flat_map(|text| within_escapes(text)));
    held.sort();
    held.dedup();
    let held: Vec<&str> = held.iter().map(String::as_str).collect();
    let strings = StringSet::all().minus(&StringSet::holding(&held, limit)?, limit)?;
    let at = schemas.node(root);
    let names = schemas.add(at);
    schemas.insert(names, Schema::Parts(vec![(at, Part::Strings(strings.clone()))]));
    let everywhere = schemas.add(at);
    let parts = [
        Part::Strings(strings),
        Part::Names(names),
        Part::Members(StringSet::all(), everywhere),
        Part::Items(0, everywhere),
    ];
    schemas.insert(everywhere, Schema::Parts(parts.map(|part| (at, part)).to_vec()));
    let both = schemas.add(at);
    schemas.insert(both, Schema::Parts(vec![(at, Part::All(vec![root, everywhere]))]));
    Ok(both)
}

/// Returns the shortest strings whose JSON text contains `text` from within an escape on. Every other such string
/// contains one of them.
fn within_escapes(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for c in ('\0'..' ').chain(['"', '\\']) {
        let mut quoted = String::new();
        push_quoted(&mut quoted, &c.to_string());
        let escape = quoted.trim_start_matches('"').strip_suffix('"').unwrap_or_default();
        if escape.contains(text) {
            found.push(c.to_string());
        }
        for at in 1..escape.len() {
            if let Some(rest) = text.strip_prefix(&escape[at..]) {
                found.push(format!("{c}{rest}"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_may_stand_within_an_escape() {
        assert!(within_escapes("<tool_call>").is_empty());
        let found = within_escapes("nab");
        assert!(found.contains(&"\nab".to_owned()), "{found:?}");
        assert!(within_escapes("u001").contains(&"\u{1f}".to_owned()));
    }
}

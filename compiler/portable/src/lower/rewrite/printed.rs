//! The values of a schema, printed by the compiler in plain keywords.
//!
//! A printed schema is used only if the compiler proves it equal to the schema. Annotations are kept. At most
//! [`MOST_TRIES`] schemas of a document are printed, each step within [`TIME`].

use std::time::Duration;

use grammarc_grammar::diagnostics::Source;
use grammarc_json_schema::printed::printed;
use grammarc_json_schema::relation::{Relation, RelationOptions, relate};
use serde_json::{Map, Value};

use super::task::{Outcome, Task};
use crate::lower::options::Gives;
use crate::places::Places;
use crate::places::alone::alone;
use crate::places::keywords::is_annotation;

/// Most schemas of one document that are printed. Later schemas are left to other rewritings.
const MOST_TRIES: usize = 24;
/// Time limit of each step.
const TIME: Duration = Duration::from_millis(100);

pub(super) fn rewrite(task: &mut Task<'_>) -> Option<Outcome> {
    if task.tries.get() >= MOST_TRIES {
        return None;
    }
    task.tries.set(task.tries.get() + 1);
    let options = RelationOptions {
        time: TIME.min(task.options.relation.time),
        ..task.options.relation.clone()
    };
    let schema = task.root.pointer(task.pointer)?.as_object()?;
    let document = alone(task.root, &Value::Object(schema.clone()));
    let source = |value: &Value| Source::new("<part>", value.to_string());
    let before = source(&document);
    let plain = printed(&before, &options)?;
    // The keyword at fault is gone, and so are those that would bring it back.
    let found = plain
        .as_object()
        .filter(|found| !found.contains_key(task.keyword) || task.keyword == "pattern")?;
    if has_objects_alone(task.root) && has_booleans(&plain) {
        return None;
    }
    let after = source(&alone(task.root, &plain));
    if relate(&before, &after, &options).ok()?.relation != Relation::Equal {
        return None;
    }
    let mut written = Map::new();
    for (keyword, value) in schema.iter().filter(|(keyword, _)| is_annotation(keyword)) {
        written.insert(keyword.clone(), value.clone());
    }
    written.extend(found.clone());
    *task.value()? = Value::Object(written);
    Outcome::schema(Gives::Equal)
}

/// Whether the document declares a draft in which a schema is an object, and never `true` or `false`.
fn has_objects_alone(root: &Value) -> bool {
    let declared = root.get("$schema").and_then(Value::as_str).unwrap_or_default();
    ["draft-03", "draft-04"].iter().any(|draft| declared.contains(draft))
}

/// Whether a schema has `true` or `false` where draft 4 has no boolean.
fn has_booleans(schema: &Value) -> bool {
    let places = Places::of(schema);
    let is_free = |keyword: &str| matches!(keyword, "additionalProperties" | "additionalItems");
    places.all.iter().any(|place| place.schema.is_boolean() && !is_free(place.keyword))
}

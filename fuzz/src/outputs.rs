//! Outputs of models: repaired, read by lines, and read while they come.

use grammarc_json::repair::{RepairLimits, RepairOptions, repair, replay};
use grammarc_json::{JsonSchema, JsonlOptions, JsonlStream, PartialJson, parse, parse_jsonl};

use crate::input::Input;

/// Schemas of the texts; the absence of a schema is one more choice.
const SCHEMAS: [&str; 4] = [
    r#"{"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}, "b": {"enum": ["x", "yz", null]}}}"#,
    r##"{"type": "array", "items": {"anyOf": [{"type": "string"}, {"$ref": "#"}]}}"##,
    r#"{"type": "object", "additionalProperties": {"type": "number"}}"#,
    r#"{"type": "string", "format": "date"}"#,
];

/// Reads a text in every way. The first bytes choose the schema, the options, and the length of the parts.
///
/// # Panics
///
/// If a guarantee is violated.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let schema = SCHEMAS.get(input.below(SCHEMAS.len() + 1));
    let schema = schema.map(|text| text.parse::<JsonSchema>().expect("a schema"));
    let (cut, coerce) = (input.below(2) == 1, input.below(2) == 1);
    let part = 1 + input.below(7);
    let text = String::from_utf8_lossy(input.0);
    repaired(&text, schema.as_ref(), cut, coerce);
    lines(&text, schema.as_ref(), part);
    partial(&text, schema, part);
}

/// A repair is JSON that the schema accepts, made of the source by its edits, and has nothing more to repair.
fn repaired(text: &str, schema: Option<&JsonSchema>, cut: bool, coerce: bool) {
    let limits = RepairLimits { steps: 200_000, ..RepairLimits::default() };
    let options = RepairOptions { limits, cut, coerce, ..RepairOptions::default() };
    let Ok(found) = repair(text, schema, &options) else { return };
    assert_eq!(parse(&found.text).expect("JSON"), found.value, "of {text:?}");
    assert!(schema.is_none_or(|schema| schema.is_valid(&found.value)), "{text:?}");
    assert_eq!(replay(text, &found.edits), found.text, "of {text:?}");
    assert!(found.edits.is_sorted_by_key(|edit| edit.at.start), "{text:?}");
    let again = repair(&found.text, schema, &options).expect("what is JSON is repaired");
    assert!(again.edits.is_empty() && again.text == found.text, "{text:?}");
}

/// Checks that a stream in parts of any length gives the same as the whole text, and that the schema accepts all
/// items.
fn lines(text: &str, schema: Option<&JsonSchema>, part: usize) {
    let whole = parse_jsonl(text, schema, &JsonlOptions::default());
    let is_valid = |value| schema.is_none_or(|schema| schema.is_valid(value));
    assert!(whole.items.iter().all(|item| is_valid(&item.value)), "{text:?}");
    if whole.from_array {
        return;
    }
    let mut stream = JsonlStream::new(schema.cloned(), JsonlOptions::default());
    let mut found: Vec<_> = parts(text, part).flat_map(|part| stream.push(&part)).collect();
    found.extend(stream.finish());
    let items: Vec<_> = found.into_iter().filter_map(Result::ok).collect();
    assert_eq!(items, whole.items, "{text:?}");
}

/// Checks that partial values, once complete, equal those of the strict parser.
fn partial(text: &str, schema: Option<JsonSchema>, part: usize) {
    let mut partial = PartialJson::new(schema);
    let pushed = parts(text, part).try_for_each(|part| partial.push(&part).map(drop));
    let last = pushed.and_then(|()| partial.finish());
    match (last, parse(text)) {
        (Ok(last), Ok(strict)) => assert_eq!(last, strict, "{text:?}"),
        (Err(_), Err(_)) => {}
        (last, strict) => panic!("{text:?}: {last:?} and {strict:?}"),
    }
}

fn parts(text: &str, length: usize) -> impl Iterator<Item = String> {
    let characters: Vec<char> = text.chars().collect();
    let parts: Vec<String> = characters.chunks(length).map(|part| part.iter().collect()).collect();
    parts.into_iter()
}

//! Advice on values that a keyword does not accept: what the author probably meant.
//!
//! Authors write schemas from memory: types of programming languages (`"int"`), values in quotes (`"minimum": "5"`),
//! and `required` as in draft 3. The help of the error says what to write instead. Used only after a value was
//! rejected.

use crate::document::{Document, Json, NodeId};
use grammarc_grammar::suggest::nearest;

use crate::values::formats;

/// The names of JSON types that the keyword `type` accepts.
const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

/// Maps each JSON type to the names, in lower case, that it has in programming languages and databases.
const OTHER_TYPES: &[(&str, &[&str])] = &[
    ("array", &["list", "sequence", "set", "slice", "tuple", "vec", "vector"]),
    ("boolean", &["bool", "flag", "logical"]),
    ("integer", &["bigint", "int", "int16", "int32", "int64", "long", "short", "uint", "whole"]),
    ("null", &["nil", "none", "nonetype", "undefined", "void"]),
    ("number", &["decimal", "double", "float", "float32", "float64", "num", "numeric", "real"]),
    ("object", &["dict", "dictionary", "hash", "json", "map", "mapping", "record", "struct"]),
    ("string", &["char", "enum", "str", "text", "varchar"]),
];

/// Type names of other systems that allow every type, in lower case.
const ANY: [&str; 4] = ["any", "mixed", "unknown", "*"];

/// Maps each keyword whose values authors often write wrongly to advice with its right form.
const FORMS: &[(&str, &str)] = &[
    ("allOf", "write a list of schemas: `\"allOf\": [{\"minimum\": 1}]`"),
    (
        "anyOf",
        "write a list of schemas: `\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"null\"}]`",
    ),
    ("dependencies", "write an object of lists: `\"dependencies\": {\"a\": [\"b\"]}`"),
    ("dependentRequired", "write an object of lists: `\"dependentRequired\": {\"a\": [\"b\"]}`"),
    ("enum", "write a list of values: `\"enum\": [\"a\", \"b\"]`"),
    (
        "oneOf",
        "write a list of schemas: `\"oneOf\": [{\"type\": \"string\"}, {\"type\": \"null\"}]`",
    ),
    (
        "patternProperties",
        "write an object: `\"patternProperties\": {\"^x-\": {\"type\": \"string\"}}`",
    ),
    ("prefixItems", "write a list of schemas: `\"prefixItems\": [{\"type\": \"string\"}]`"),
    ("properties", "write an object: `\"properties\": {\"name\": {\"type\": \"string\"}}`"),
    ("required", "write the list of names in the schema of the object: `\"required\": [\"name\"]`"),
];

/// Returns advice on the right form of the value at `node` under the keyword `key`. Returns `None` if there is no
/// advice.
pub(crate) fn advice(document: &Document<'_>, key: &str, node: NodeId) -> Option<String> {
    let form =
        || FORMS.iter().find(|(keyword, _)| *keyword == key).map(|(_, form)| (*form).to_owned());
    match (document.json(node), key) {
        (Json::Bool(required), "required") => Some(required_flag(document, node, *required)),
        (Json::String(name), "required") => {
            Some(format!("write a list: `\"required\": [{name:?}]`"))
        }
        (Json::String(text), _) => unquoted(text).or_else(form),
        _ => form(),
    }
}

/// Returns the help for a boolean `required` in a property, as in draft 3.
fn required_flag(document: &Document<'_>, node: NodeId, required: bool) -> String {
    let property = document.parent(node).filter(|&schema| {
        document.parent(schema).is_some_and(|holder| document.key(holder) == "properties")
    });
    match (property.map(|schema| document.key(schema)), required) {
        (Some(name), true) => {
            format!(
                "write it in the schema of the object that has the property: `\"required\": [{name:?}]`"
            )
        }
        (_, true) => {
            "write the list of names in the schema of the object: `\"required\": [\"name\"]`"
                .to_owned()
        }
        (_, false) => "leave it out: properties that no `required` lists are optional".to_owned(),
    }
}

/// Returns the help for a string that contains the JSON text of a value, or `None` for other strings.
fn unquoted(text: &str) -> Option<String> {
    let text = text.trim();
    let literal = match text {
        "True" => "true",
        "False" => "false",
        "None" => "null",
        other => other,
    };
    let value: serde_json::Value = serde_json::from_str(literal).ok()?;
    Some(match value.is_object() || value.is_array() {
        true => {
            "the value is encoded twice: write what the string holds, without the quotes around it"
                .to_owned()
        }
        false => format!("write `{literal}`, without quotes"),
    })
}

/// Returns the help for an unknown type name: the type to write instead.
pub(crate) fn of_type(name: &str) -> String {
    let plain = name.trim().to_ascii_lowercase();
    let other = |name: &str| {
        let named = OTHER_TYPES.iter().find(|(_, others)| others.contains(&name));
        named.map(|(known, _)| *known).or_else(|| TYPES.into_iter().find(|known| *known == name))
    };
    if ANY.contains(&&*plain) {
        return "leave `type` out: without it every type is allowed".to_owned();
    }
    if let Some(known) = other(&plain) {
        return format!("did you mean `\"type\": {known:?}`?");
    }
    let several: Option<Vec<&str>> =
        plain.split(['|', ',']).map(|part| other(part.trim())).collect();
    if let Some(several) = several.filter(|several| several.len() > 1) {
        return format!("write a list: `\"type\": {several:?}`");
    }
    if let Some(format) = formats::format(&plain) {
        return format!("write `\"type\": \"string\", \"format\": {:?}`", format.name);
    }
    if let Some(format) = formats::meant(&plain) {
        return format!("write `\"type\": \"string\"`; of its `format`: {format}");
    }
    match nearest(&plain, TYPES) {
        Some(near) => format!("did you mean `\"type\": {near:?}`?"),
        None => "the types are null, boolean, integer, number, string, array and object".to_owned(),
    }
}

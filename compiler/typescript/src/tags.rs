//! Reads tags of documentation comments as keywords of JSON Schema, such as `@minimum 0` before a member or
//! declaration.
//!
//! The tags have the names of keywords, as in other generators of schemas from TypeScript. Other tags are
//! documentation. A tag that resembles a keyword is warned of, since it constrains nothing.

use std::ops::Range;

use serde_json::{Number, Value};

use super::codes;
use super::schema_source::Node;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::suggest::nearest;

/// A documentation tag that constrains values.
#[derive(Clone, Debug)]
pub(super) struct Tag {
    pub(super) kind: TagKind,
    pub(super) value: Node,
}

/// What a [`Tag`] changes in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagKind {
    /// The tag sets a keyword of the schema.
    Keyword(&'static str),
    /// The tag replaces the written type, for example by `integer`.
    Type,
    /// The tag allows `null` as well.
    Nullable,
}

/// The form of a tag's value, which is the text after the tag's name.
#[derive(Clone, Copy, Debug)]
enum Form {
    Number,
    Count,
    Text,
    /// The value is a boolean: `true` if there is no text after the tag's name.
    Flag,
    Type,
    Nothing,
}

/// The names of all tags, each with the form of its value.
const TAGS: [(&str, Form); 22] = [
    ("minimum", Form::Number),
    ("maximum", Form::Number),
    ("exclusiveMinimum", Form::Number),
    ("exclusiveMaximum", Form::Number),
    ("multipleOf", Form::Number),
    ("minLength", Form::Count),
    ("maxLength", Form::Count),
    ("minItems", Form::Count),
    ("maxItems", Form::Count),
    ("minProperties", Form::Count),
    ("maxProperties", Form::Count),
    ("pattern", Form::Text),
    ("format", Form::Text),
    ("title", Form::Text),
    ("description", Form::Text),
    ("uniqueItems", Form::Flag),
    ("additionalProperties", Form::Flag),
    ("asType", Form::Type),
    ("TJS-type", Form::Type),
    ("type", Form::Type),
    ("integer", Form::Nothing),
    ("nullable", Form::Nothing),
];

/// Names of documentation tags that resemble a keyword. They are not warned of.
const DOCUMENTATION: [&str; 6] = ["template", "typedef", "param", "property", "todo", "types"];

/// Reads the tags of a documentation comment. `text` is the comment with `/**` and `*/`, and `start` its byte offset.
/// Wrong tags are added to `found`.
pub(super) fn read(text: &str, start: usize, found: &mut Vec<Diagnostic>) -> Vec<Tag> {
    let Some(inside) = text.strip_prefix("/**").and_then(|text| text.strip_suffix("*/")) else {
        return Vec::new();
    };
    let mut tags = Vec::new();
    let mut at = start + 3;
    for line in inside.split_inclusive(['\n', '\r']) {
        let body = line.trim_start().trim_start_matches('*').trim_start();
        let begin = at + (line.len() - body.len());
        at += line.len();
        // A line may have several tags, and text before the first one.
        let is_tag = |at: &usize| {
            let before = body[..*at].chars().next_back().is_none_or(char::is_whitespace);
            before && body[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic())
        };
        let starts: Vec<usize> = body.match_indices('@').map(|(at, _)| at).filter(is_tag).collect();
        for (nth, &from) in starts.iter().enumerate() {
            let to = starts.get(nth + 1).copied().unwrap_or(body.len());
            let body = body[from + 1..to].trim_end();
            let length = body.find(|c: char| !c.is_alphanumeric() && c != '-');
            let (name, value) = body.split_at(length.unwrap_or(body.len()));
            let span = begin + from..begin + from + 1 + body.len();
            match TAGS.iter().find(|(known, _)| *known == name) {
                Some(&(known, form)) => match tag(known, form, value.trim(), &span) {
                    Ok(tag) => tags.push(tag),
                    Err(error) => found.push(error),
                },
                None => found.extend(misspelled(name, &span)),
            }
        }
    }
    tags
}

fn tag(name: &'static str, form: Form, text: &str, span: &Range<usize>) -> Result<Tag, Diagnostic> {
    let wrong = |what: &str| {
        let message = format!("`@{name}` takes {what}");
        Diagnostic::error(codes::TAG, message).with_label(span.clone(), "")
    };
    let keyword =
        |value: Value| Tag { kind: TagKind::Keyword(name), value: Node::value(value, span) };
    match form {
        Form::Number => {
            let number: Number = serde_json::from_str(text).map_err(|_| wrong("a number"))?;
            Ok(keyword(number.into()))
        }
        Form::Count => {
            let count: u64 = text.parse().map_err(|_| wrong("a whole number from 0 on"))?;
            Ok(keyword(count.into()))
        }
        Form::Text if text.is_empty() && name != "description" => Err(wrong("a text")),
        Form::Text => Ok(keyword(text.into())),
        Form::Flag => match text {
            "" | "true" => Ok(keyword(true.into())),
            "false" => Ok(keyword(false.into())),
            _ => Err(wrong("`true` or `false`")),
        },
        Form::Type => {
            let text = text.trim_matches(['{', '}', '"', ' ']);
            let types = ["integer", "number", "string", "boolean", "null", "object", "array"];
            match types.contains(&text) {
                true => Ok(Tag { kind: TagKind::Type, value: Node::value(text, span) }),
                false => Err(wrong(&format!("one of {}", types.join(", ")))),
            }
        }
        Form::Nothing if name == "integer" => {
            Ok(Tag { kind: TagKind::Type, value: Node::value("integer", span) })
        }
        Form::Nothing => Ok(Tag { kind: TagKind::Nullable, value: Node::value(true, span) }),
    }
}

/// Returns a warning if an unknown tag resembles a keyword. `None` otherwise.
fn misspelled(name: &str, span: &Range<usize>) -> Option<Diagnostic> {
    if name.len() < 5 || DOCUMENTATION.contains(&name) {
        return None;
    }
    let near = nearest(name, TAGS.iter().map(|(known, _)| *known))?;
    let text = format!("the tag `@{name}` constrains nothing");
    let warning = Diagnostic::warning(codes::UNKNOWN_TAG, text).with_label(span.clone(), "");
    Some(warning.with_help(format!("did you mean `@{near}`?")))
}

/// Returns a schema with the keywords and types of tags.
pub(super) fn apply(mut schema: Node, tags: &[Tag]) -> Node {
    for Tag { kind, value } in tags {
        match kind {
            TagKind::Keyword(name) => schema.set(name, value.clone()),
            TagKind::Type => schema.set("type", value.clone()),
            TagKind::Nullable => {
                let null = Node::of_type("null", &value.span);
                let span = schema.span.clone();
                schema = Node::keyword("anyOf", Node::list(vec![schema, null], &span));
            }
        }
    }
    schema
}

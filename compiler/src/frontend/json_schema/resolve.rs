//! References: `$ref` to a place of the same document, by JSON pointer.
//!
//! The base of a reference is the nearest enclosing schema with an identifier, as every draft says. References to
//! other documents and by anchor are refused.

use crate::diagnostics::Diagnostic;

use super::dialect::{Dialect, Draft};
use super::document::{Document, Json, NodeId};

/// The value that the `$ref` of `schema` refers to; `node` is the value of the keyword.
pub(crate) fn resolve(
    document: &Document,
    dialect: Dialect,
    schema: NodeId,
    node: NodeId,
) -> Result<NodeId, Diagnostic> {
    let Json::String(reference) = document.json(node) else {
        let found = document.json(node).kind();
        return Err(document.error(
            "json-schema::invalid-keyword",
            node,
            format!("`$ref` takes a string, and this is {found}"),
        ));
    };
    let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    let resource = if uri.is_empty() {
        let start = if dialect.siblings_of_ref() { Some(schema) } else { document.parent(schema) };
        start.map_or(document.root(), |start| resource_of(document, dialect, start))
    } else {
        let root = document.root();
        let is_root = identifier(document, dialect, root)
            .is_some_and(|id| id.trim_end_matches('#') == uri && id.contains(':'));
        if !is_root {
            return Err(document
                .error(
                    "json-schema::unsupported-reference",
                    node,
                    format!("the reference {reference:?} leaves the document"),
                )
                .with_help("copy the schema under `$defs` and refer to it as `#/$defs/NAME`"));
        }
        root
    };
    let Some(pointer) = decode_percent(fragment) else {
        return Err(unresolved(document, node, reference));
    };
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return Err(document
            .error(
                "json-schema::unsupported-reference",
                node,
                format!("the reference {reference:?} is by anchor"),
            )
            .with_help("refer to the schema by JSON pointer, such as `#/$defs/NAME`"));
    }
    walk(document, resource, &pointer).ok_or_else(|| unresolved(document, node, reference))
}

fn unresolved(document: &Document, node: NodeId, reference: &str) -> Diagnostic {
    document
        .error(
            "json-schema::unresolved-reference",
            node,
            format!("the reference {reference:?} points at nothing"),
        )
        .with_help("a reference is `#` and a JSON pointer, such as `#/$defs/NAME`")
}

/// The identifier of a schema, where it has one that sets a base.
fn identifier(document: &Document, dialect: Dialect, node: NodeId) -> Option<&str> {
    let keyword = if dialect.declared && dialect.draft == Draft::Draft4 { "id" } else { "$id" };
    match document.json(document.get(node, keyword)?) {
        Json::String(id) if !id.starts_with('#') => Some(id),
        _ => None,
    }
}

/// The nearest schema at or above `node` that a pointer starts from.
fn resource_of(document: &Document, dialect: Dialect, node: NodeId) -> NodeId {
    let mut at = node;
    loop {
        if identifier(document, dialect, at).is_some() {
            return at;
        }
        match document.parent(at) {
            Some(parent) => at = parent,
            None => return at,
        }
    }
}

fn walk(document: &Document, from: NodeId, pointer: &str) -> Option<NodeId> {
    pointer.split('/').skip(1).try_fold(from, |at, segment| {
        let key = segment.replace("~1", "/").replace("~0", "~");
        match document.json(at) {
            Json::Array(items) => items.get(key.parse::<usize>().ok()?).copied(),
            _ => document.get(at, &key),
        }
    })
}

/// Decodes `%XX`; `None` where that is malformed or not UTF-8.
fn decode_percent(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let high = char::from(rest.next()?).to_digit(16)?;
                let low = char::from(rest.next()?).to_digit(16)?;
                (high * 16 + low) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Source;

    fn target(text: &str, schema: &str) -> Result<String, &'static str> {
        let document = Document::parse(&Source::new("<test>", text)).unwrap();
        let schema = walk(&document, document.root(), schema).unwrap();
        let node = document.get(schema, "$ref").unwrap();
        let dialect = Dialect::of(&document, &mut Vec::new());
        resolve(&document, dialect, schema, node)
            .map(|node| document.pointer(node))
            .map_err(|error| error.code)
    }

    #[test]
    fn pointers_with_escapes() {
        let text = r##"{"$defs": {"a/b~c d": [1, {"$ref": "#/$defs/a~1b~0c%20d/0"}]}}"##;
        assert_eq!(target(text, "/$defs/a~1b~0c d/1").unwrap(), "/$defs/a~1b~0c d/0");
    }

    #[test]
    fn bases_nest() {
        let text = r##"{"$id": "http://x/root", "a": {"$id": "inner", "b": {"$ref": "#/c"}, "c": 1},
            "d": {"$ref": "http://x/root#/a/c"}, "e": {"$ref": "other.json"}, "f": {"$ref": "#name"},
            "g": {"$ref": "#/nowhere"}, "h": {"$ref": 5}, "i": {"$ref": "#"}}"##;
        assert_eq!(target(text, "/a/b").unwrap(), "/a/c");
        assert_eq!(target(text, "/d").unwrap(), "/a/c");
        assert_eq!(target(text, "/e"), Err("json-schema::unsupported-reference"));
        assert_eq!(target(text, "/f"), Err("json-schema::unsupported-reference"));
        assert_eq!(target(text, "/g"), Err("json-schema::unresolved-reference"));
        assert_eq!(target(text, "/h"), Err("json-schema::invalid-keyword"));
        assert_eq!(target(text, "/i").unwrap(), "");
    }
}

//! The schema document as an arena of JSON values that know their place in the text.
//!
//! serde_json checks the syntax and its depth limit (128) bounds every recursion over values in this front end; it
//! gives no positions, so a second pass over the text, which may now trust it, builds the arena. A [`NodeId`] is at
//! once the value and its place: span and JSON pointer follow from it. O(text).

use std::fmt::Write as _;
use std::ops::Range;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::diagnostics::{Diagnostic, Source};

/// Number of a value within its document, in the order of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

impl NodeId {
    /// Index for tables with one entry per value.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct Member {
    /// Place of the key, with its quotes.
    pub(crate) key_span: Range<usize>,
    /// The value.
    pub(crate) value: NodeId,
}

/// Members by decoded key, in the order of the text.
pub(crate) type Members = IndexMap<Box<str>, Member, FxBuildHasher>;

/// A JSON value.
#[derive(Debug)]
pub(crate) enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as it stands in the text.
    Number(Box<str>),
    /// A string, decoded.
    String(Box<str>),
    /// An array.
    Array(Vec<NodeId>),
    /// An object.
    Object(Members),
}

impl Json {
    /// What the value is, with its article, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

#[derive(Debug)]
struct Node {
    json: Json,
    span: Range<usize>,
    /// The container and the position in it.
    parent: Option<(NodeId, usize)>,
}

/// A parsed document.
#[derive(Debug)]
pub(crate) struct Document {
    nodes: Vec<Node>,
}

impl Document {
    /// Parses the source. Duplicate keys are refused: parsers disagree on which one counts.
    pub(crate) fn parse(source: &Source) -> Result<Self, Diagnostic> {
        if let Err(error) = serde_json::from_str::<serde_json::Value>(&source.text) {
            let at = offset(&source.text, error.line(), error.column());
            let message = error.to_string();
            let what = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
            return Err(Diagnostic::error("json-schema::syntax", format!("not JSON: {what}"))
                .with_label(at..(at + 1).min(source.text.len()), "here"));
        }
        let mut scanner = Scanner { text: &source.text, at: 0, nodes: Vec::new(), duplicate: None };
        scanner.value(None);
        match scanner.duplicate {
            Some((key, first, second)) => Err(Diagnostic::error(
                "json-schema::duplicate-key",
                format!("the key {key:?} occurs twice in one object"),
            )
            .with_label(second, "again here")
            .with_label(first, "first here")
            .with_help("remove one of the two")),
            None => Ok(Self { nodes: scanner.nodes }),
        }
    }

    /// The outermost value.
    pub(crate) fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// Number of values.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All nodes in the order of the text.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The value of a node.
    pub(crate) fn json(&self, node: NodeId) -> &Json {
        &self.nodes[node.index()].json
    }

    /// Byte range of a node in the text.
    pub(crate) fn span(&self, node: NodeId) -> Range<usize> {
        self.nodes[node.index()].span.clone()
    }

    /// The container of a node.
    pub(crate) fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node.index()].parent.map(|(parent, _)| parent)
    }

    /// The value of a key, where the node is an object that has it.
    pub(crate) fn get(&self, node: NodeId, key: &str) -> Option<NodeId> {
        match self.json(node) {
            Json::Object(members) => members.get(key).map(|member| member.value),
            _ => None,
        }
    }

    /// JSON pointer to a node. O(its length).
    pub(crate) fn pointer(&self, node: NodeId) -> String {
        let mut path = Vec::new();
        let mut at = node;
        while let Some((parent, position)) = self.nodes[at.index()].parent {
            path.push((parent, position));
            at = parent;
        }
        let mut pointer = String::new();
        for (parent, position) in path.into_iter().rev() {
            match self.json(parent) {
                Json::Object(members) => {
                    let key = members.get_index(position).map_or("", |(key, _)| key);
                    pointer.push('/');
                    pointer.push_str(&escape_pointer(key));
                }
                _ => write!(pointer, "/{position}").expect("writing to a string does not fail"),
            }
        }
        pointer
    }

    /// The key that a node stands under; empty where its container is not an object.
    pub(crate) fn key(&self, node: NodeId) -> &str {
        self.member(node).map_or("", |(key, _)| key)
    }

    fn member(&self, node: NodeId) -> Option<(&str, &Member)> {
        let (parent, position) = self.nodes[node.index()].parent?;
        match self.json(parent) {
            Json::Object(members) => {
                members.get_index(position).map(|(key, member)| (&**key, member))
            }
            _ => None,
        }
    }

    /// Place of the key that a node stands under, or of the node where its container is not an object.
    pub(crate) fn key_span(&self, node: NodeId) -> Range<usize> {
        self.member(node).map_or_else(|| self.span(node), |(_, member)| member.key_span.clone())
    }

    /// An error at a node.
    pub(crate) fn error(&self, code: &'static str, node: NodeId, text: String) -> Diagnostic {
        self.place(Diagnostic::error(code, text), node)
    }

    /// Points a diagnostic at a node: pointer and main label.
    pub(crate) fn place(&self, diagnostic: Diagnostic, node: NodeId) -> Diagnostic {
        diagnostic.with_pointer(self.pointer(node)).with_label(self.key_span(node), "")
    }
}

/// A key as a segment of a JSON pointer.
fn escape_pointer(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Byte offset of serde_json's line and column, which counts bytes from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (before + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Walks over text that is known to be JSON. Where it is not, the walk ends early and nothing worse.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
    nodes: Vec<Node>,
    duplicate: Option<(String, Range<usize>, Range<usize>)>,
}

impl Scanner<'_> {
    fn peek(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        bytes.get(self.at).copied().unwrap_or(b']')
    }

    fn value(&mut self, parent: Option<(NodeId, usize)>) -> NodeId {
        let first = self.peek();
        let start = self.at;
        let id = NodeId(u32::try_from(self.nodes.len()).expect("a value takes a byte of the text"));
        self.nodes.push(Node { json: Json::Null, span: start..start, parent });
        let json = match first {
            b'{' => self.object(id),
            b'[' => self.array(id),
            b'"' => Json::String(self.string().0),
            _ => self.scalar(),
        };
        self.nodes[id.index()].json = json;
        self.nodes[id.index()].span.end = self.at;
        id
    }

    fn object(&mut self, id: NodeId) -> Json {
        let mut members = Members::default();
        self.at += 1;
        while self.peek() == b'"' {
            let (key, key_span) = self.string();
            self.peek();
            self.at += 1;
            let value = self.value(Some((id, members.len())));
            if let Some(first) = members.get(&key) {
                let places = (key.to_string(), first.key_span.clone(), key_span.clone());
                self.duplicate.get_or_insert(places);
            }
            members.insert(key, Member { key_span, value });
            if self.peek() == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
        Json::Object(members)
    }

    fn array(&mut self, id: NodeId) -> Json {
        let mut items = Vec::new();
        self.at += 1;
        while self.peek() != b']' {
            items.push(self.value(Some((id, items.len()))));
            if self.peek() == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
        Json::Array(items)
    }

    fn string(&mut self) -> (Box<str>, Range<usize>) {
        let start = self.at;
        let bytes = self.text.as_bytes();
        self.at += 1;
        while let Some(&byte) = bytes.get(self.at) {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                break;
            }
        }
        let raw = self.text.get(start..self.at).unwrap_or("\"\"");
        (serde_json::from_str(raw).unwrap_or_default(), start..self.at)
    }

    fn scalar(&mut self) -> Json {
        let start = self.at;
        let rest = &self.text[start..];
        self.at += rest.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(rest.len());
        match &self.text[start..self.at] {
            "null" => Json::Null,
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            number => Json::Number(number.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Document, Diagnostic> {
        Document::parse(&Source::new("<test>", text))
    }

    #[test]
    fn nodes_know_span_and_pointer() {
        let text = r#" {"a/b": [1, {"~": "\u00e9x"}], "c": true} "#;
        let document = parse(text).unwrap();
        let all: Vec<_> = document
            .nodes()
            .map(|node| (document.pointer(node), &text[document.span(node)]))
            .collect();
        assert_eq!(
            all,
            [
                (String::new(), text.trim()),
                ("/a~1b".into(), r#"[1, {"~": "\u00e9x"}]"#),
                ("/a~1b/0".into(), "1"),
                ("/a~1b/1".into(), r#"{"~": "\u00e9x"}"#),
                ("/a~1b/1/~0".into(), r#""\u00e9x""#),
                ("/c".into(), "true"),
            ]
        );
        assert!(matches!(document.json(NodeId(4)), Json::String(text) if &**text == "éx"));
    }

    #[test]
    fn syntax_errors_have_a_place() {
        let error = parse("{\n  \"a\": nil\n}").unwrap_err();
        assert_eq!(error.code, "json-schema::syntax");
        let source = Source::new("<test>", "{\n  \"a\": nil\n}");
        assert_eq!(source.line_column(error.labels[0].span.start).0, 2);
        assert!(parse("").is_err());
        assert!(parse(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn duplicate_keys_are_refused() {
        let error = parse(r#"{"a": {"b": 1, "\u0062": 2}}"#).unwrap_err();
        assert_eq!(error.code, "json-schema::duplicate-key");
        assert_eq!(error.labels[0].span, 15..23);
    }
}

//! A JSON document as an arena of values with positions in the text.
//!
//! serde_json defines what is JSON ([`tree`]), and its depth limit (128) bounds every recursion over values in front
//! ends. It gives no positions, so a separate pass over the text ([`scan`]) builds the arena. A [`NodeId`] identifies
//! both a value and its position: the span and the JSON pointer follow from it. O(text).
//!
//! Schemas from other documents are grafted after the document's own values. Their pointers start with the URI, and
//! their span is that of the reference to them. So every node can be shown.
//!
//! Tests: unit tests in each file, against serde_json.

mod id;
mod inside;
mod members;
mod node;
mod not_json;
mod pointers;
mod scan;
mod tree;

use std::ops::Range;

use serde_json::Value;

use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::{Diagnostic, Source};

pub use id::NodeId;
pub(crate) use inside::Written;
pub(crate) use members::{Member, Members};
use node::Node;
pub use node::{Json, MAX_DEPTH};
use not_json::not_json;
pub(crate) use pointers::Pointers;
use scan::{Duplicate, Scanner};
pub(crate) use tree::Tree;

/// Codes of the errors of a text that is no document.
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    /// The text is not JSON.
    pub syntax: &'static str,
    /// A key occurs twice in one object.
    pub duplicate_key: &'static str,
}

/// A parsed document and its grafts. Strings borrow from the text, except those with escapes and those of grafts.
#[derive(Debug)]
pub struct Document<'s> {
    nodes: Vec<Node<'s>>,
    /// The outermost value of each graft, with its URI.
    grafts: Vec<(NodeId, Box<str>)>,
    text: &'s str,
}

impl<'s> Document<'s> {
    /// Parses the source, also into the values of the reference library. Duplicate keys are rejected, because parsers
    /// disagree on which one counts. If the budget is spent, only the beginning of the text is read.
    pub fn parse(
        source: &'s Source,
        codes: Codes,
        budget: &Budget,
    ) -> Result<(Self, Tree<'s>), Diagnostic> {
        let mut scanner = Scanner::new(&source.text, budget);
        scanner.document();
        if !scanner.sure {
            tree::check(&source.text)
                .map_err(|error| not_json(&source.text, codes.syntax, &error))?;
        }
        match scanner.duplicate {
            Some(Duplicate { key, places: [first, second], .. }) => Err(Diagnostic::error(
                codes.duplicate_key,
                format!("the key {key:?} occurs twice in one object"),
            )
            .with_label(second, "again here")
            .with_label(first, "first here")
            .with_help("remove one of the two")),
            None => {
                let text = &source.text;
                let document = Self { nodes: scanner.nodes, grafts: Vec::new(), text };
                Ok((document, Tree::new(&source.text)))
            }
        }
    }

    /// Grafts the value of a URI, for the reference at node `reference`.
    pub(crate) fn graft(&mut self, uri: &str, value: &Value, reference: NodeId) -> NodeId {
        let span = self.span(reference);
        let root = self.copy(value, None, &span);
        self.grafts.push((root, uri.into()));
        root
    }

    fn copy(
        &mut self,
        value: &Value,
        parent: Option<(NodeId, usize)>,
        span: &Range<usize>,
    ) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).expect("values take memory"));
        self.nodes.push(Node { json: Json::Null, span: span.clone(), parent });
        let json = match value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(number) => Json::Number(number.to_string().into()),
            Value::String(text) => Json::String(text.clone().into()),
            Value::Array(items) => {
                let items = items.iter().enumerate();
                Json::Array(items.map(|(at, item)| self.copy(item, Some((id, at)), span)).collect())
            }
            Value::Object(members) => {
                let members = members.iter().enumerate().map(|(at, (key, value))| {
                    let value = self.copy(value, Some((id, at)), span);
                    (key.clone().into(), Member { key_span: span.clone(), value })
                });
                Json::Object(Members::new(members).0)
            }
        };
        self.nodes[id.index()].json = json;
        id
    }

    /// The outermost value.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// Number of values.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All nodes: those of the document in text order, then those of grafts.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The value of a node.
    pub fn json(&self, node: NodeId) -> &Json<'s> {
        &self.nodes[node.index()].json
    }

    /// Byte range of a node in the text.
    pub fn span(&self, node: NodeId) -> Range<usize> {
        self.nodes[node.index()].span.clone()
    }

    /// The container of a node.
    pub(crate) fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node.index()].parent.map(|(parent, _)| parent)
    }

    /// The value of a key. `None` if the node is not an object with that key.
    pub fn get(&self, node: NodeId, key: &str) -> Option<NodeId> {
        match self.json(node) {
            Json::Object(members) => members.get(key).map(|member| member.value),
            _ => None,
        }
    }

    /// The outermost value around a node: that of the document, or of a graft.
    pub(crate) fn outermost(&self, node: NodeId) -> NodeId {
        let mut at = node;
        while let Some(parent) = self.parent(at) {
            at = parent;
        }
        at
    }

    /// The target of a JSON pointer from a node.
    pub fn walk(&self, from: NodeId, pointer: &str) -> Option<NodeId> {
        pointer.split('/').skip(1).try_fold(from, |at, segment| {
            let key = referencing::unescape_segment(segment);
            match self.json(at) {
                Json::Array(items) => items.get(key.parse::<usize>().ok()?).copied(),
                _ => self.get(at, &key),
            }
        })
    }

    /// JSON pointer to a node, after the URI if the node is in a graft. O(its length).
    pub fn pointer(&self, node: NodeId) -> String {
        let mut pointer = String::new();
        self.pointers().write(node, &mut pointer);
        pointer
    }

    /// JSON pointers to many nodes.
    pub(crate) fn pointers(&self) -> Pointers<'_> {
        Pointers::new(self)
    }

    /// The URI of a graft, by its outermost value.
    fn uri(&self, node: NodeId) -> Option<&str> {
        let graft = self.grafts.binary_search_by_key(&node, |(root, _)| *root).ok()?;
        Some(&self.grafts[graft].1)
    }

    /// The key of a member's value. Empty for other nodes.
    pub(crate) fn key(&self, node: NodeId) -> &str {
        self.member(node).map_or("", |(key, _)| key)
    }

    fn member(&self, node: NodeId) -> Option<(&str, &Member)> {
        let (parent, position) = self.nodes[node.index()].parent?;
        match self.json(parent) {
            Json::Object(members) => members.at(position),
            _ => None,
        }
    }

    /// Byte range of the key of a member's value. For other nodes, the range of the node.
    pub fn key_span(&self, node: NodeId) -> Range<usize> {
        self.member(node).map_or_else(|| self.span(node), |(_, member)| member.key_span.clone())
    }

    /// Byte range of a part of the string at a node, or of its key if `is_key`; `value` is a range of the string's
    /// bytes. For grafts, the range of the whole node.
    pub(crate) fn inside(&self, node: NodeId, is_key: bool, value: &Range<usize>) -> Range<usize> {
        let span = if is_key { self.key_span(node) } else { self.span(node) };
        let is_string = self.text.as_bytes().get(span.start) == Some(&b'"');
        match self.grafts.first() {
            Some((first, _)) if node >= *first => span,
            _ if !is_string => span,
            _ => Written::new(self.text, &span).span(value),
        }
    }

    /// The mapping between the value and the text of the string at a node of the document itself.
    pub fn written(&self, node: NodeId) -> Written {
        Written::new(self.text, &self.span(node))
    }

    /// An error at a node.
    pub fn error(&self, code: &'static str, node: NodeId, text: String) -> Diagnostic {
        self.place(Diagnostic::error(code, text), node)
    }

    /// Sets the pointer and the main label of a diagnostic.
    pub fn place(&self, diagnostic: Diagnostic, node: NodeId) -> Diagnostic {
        diagnostic.with_pointer(self.pointer(node)).with_label(self.key_span(node), "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODES: Codes = Codes { syntax: "test::syntax", duplicate_key: "test::duplicate-key" };

    fn source(text: &str) -> Source {
        Source::new("<test>", text)
    }

    fn parse(source: &Source) -> Result<Document<'_>, Diagnostic> {
        Document::parse(source, CODES, &Budget::new()).map(|(document, _)| document)
    }

    #[test]
    fn nodes_know_span_and_pointer() {
        let text = r#" {"a/b": [1, {"~": "\u00e9x"}], "c": true} "#;
        let source = source(text);
        let document = parse(&source).unwrap();
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
        let text = source("{\n  \"a\": nil\n}");
        let error = parse(&text).unwrap_err();
        assert_eq!(error.code, CODES.syntax);
        assert_eq!(text.line_column(error.labels[0].span.start).0, 2);
        assert!(parse(&source("")).is_err());
        assert!(parse(&source(&"[".repeat(100_000))).is_err());
    }

    #[test]
    fn duplicate_keys_are_refused() {
        let error = parse(&source(r#"{"a": {"b": 1, "\u0062": 2}}"#)).unwrap_err();
        assert_eq!(error.code, CODES.duplicate_key);
        assert_eq!(error.labels[0].span, 15..23);
    }

    #[test]
    fn grafts_have_a_uri_and_the_place_of_their_reference() {
        let source = source(r#"{"a": {"$ref": "x:y"}}"#);
        let mut document = parse(&source).unwrap();
        let reference = document.walk(document.root(), "/a/$ref").unwrap();
        let value = serde_json::json!({"b": [1.50, {"c/d": "e"}], "f": null});
        let root = document.graft("x:y", &value, reference);
        let node = document.walk(root, "/b/1/c~1d").unwrap();
        assert_eq!(document.pointer(node), "x:y#/b/1/c~1d");
        assert_eq!(document.pointer(root), "x:y#");
        assert_eq!(document.span(node), document.span(reference));
        assert_eq!(document.outermost(node), root);
        assert_eq!(document.key(node), "c/d");
        assert!(matches!(document.json(node), Json::String(text) if &**text == "e"));
        assert_eq!(document.walk(document.root(), "/b"), None);
    }
}

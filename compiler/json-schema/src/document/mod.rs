//! A JSON document as an arena of values, each with its position in the text.
//!
//! serde_json defines what is JSON ([`tree`]), and its depth limit (128) bounds every recursion over values in front
//! ends. It gives no positions, so a separate pass over the text ([`scan`]) builds the arena. A [`NodeId`] identifies
//! both a value and its place: the byte range and the JSON pointer follow from it. Cost: linear in the text.
//!
//! Schemas from other documents are grafted: copied after the document's own values. Their pointers begin with the URI,
//! and their byte range is that of the reference to them. So every value can be shown to the user.
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

/// Error codes for a text that is not accepted as a document.
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    /// The error code of a text that is not JSON.
    pub syntax: &'static str,
    /// The error code of a key that occurs twice in one object.
    pub duplicate_key: &'static str,
}

/// A parsed document and its grafts (values copied from other documents). Strings borrow from the text, except those
/// with escapes and those of grafts.
#[derive(Debug)]
pub struct Document<'s> {
    /// The JSON values of the document and of its grafts; the index of a value is its number.
    nodes: Vec<Node<'s>>,
    /// The outermost value of each graft (value copied from another document), with the URI of the graft; ascending.
    grafts: Vec<(NodeId, Box<str>)>,
    /// The text of the document.
    text: &'s str,
}

impl<'s> Document<'s> {
    /// Parses a source, and prepares its values for the reference library. Duplicate keys are rejected, because parsers
    /// disagree on which one counts. If the budget is exhausted, only the beginning of the text is read.
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

    /// Copies the value of another document, found at `uri`, into this one. `reference` is the place of the reference
    /// to it. Returns the place of the copy.
    pub(crate) fn graft(&mut self, uri: &str, value: &Value, reference: NodeId) -> NodeId {
        let span = self.span(reference);
        let root = self.copy(value, None, &span);
        self.grafts.push((root, uri.into()));
        root
    }

    /// Copies a value of another document and all values inside it. All copies get the byte range `span`.
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

    /// Returns the outermost value of the document.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// Returns the number of JSON values in the document, including those of grafts (values copied from other
    /// documents).
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the numbers of all JSON values: those of the document in text order, then those of grafts (values copied
    /// from other documents).
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// Returns the numbers of a value and of all values inside it. The value must be of the document itself, not of a
    /// graft.
    pub(crate) fn inside_of(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        let end = self.span(node).end;
        let grafts = self.grafts.first().map_or(self.nodes.len(), |(first, _)| first.index());
        let inside = self.nodes[node.index()..grafts].iter();
        let count = inside.take_while(|inner| inner.span.start < end).count() as u32;
        (node.0..node.0 + count).map(NodeId)
    }

    /// Returns the JSON value at a node.
    pub fn json(&self, node: NodeId) -> &Json<'s> {
        &self.nodes[node.index()].json
    }

    /// Returns the byte range of a value in the document text. For a graft (value copied from another document),
    /// returns the range of the reference to it.
    pub fn span(&self, node: NodeId) -> Range<usize> {
        self.nodes[node.index()].span.clone()
    }

    /// Returns the array or object that directly contains a value, or `None` for an outermost value.
    pub(crate) fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node.index()].parent.map(|(parent, _)| parent)
    }

    /// Returns the value under a key, or `None` if the node is not an object with that key.
    pub fn get(&self, node: NodeId, key: &str) -> Option<NodeId> {
        match self.json(node) {
            Json::Object(members) => members.get(key).map(|member| member.value),
            _ => None,
        }
    }

    /// Returns the outermost value around a node: `root` if that contains it, or else a value without a container, such
    /// as that of a graft (value copied from another document).
    pub(crate) fn outermost(&self, node: NodeId, root: NodeId) -> NodeId {
        let mut at = node;
        while at != root
            && let Some(parent) = self.parent(at)
        {
            at = parent;
        }
        at
    }

    /// Returns the target of a JSON pointer from a node, or `None` if there is no such value.
    pub fn walk(&self, from: NodeId, pointer: &str) -> Option<NodeId> {
        pointer.split('/').skip(1).try_fold(from, |at, segment| {
            let key = referencing::unescape_segment(segment);
            match self.json(at) {
                Json::Array(items) => items.get(key.parse::<usize>().ok()?).copied(),
                _ => self.get(at, &key),
            }
        })
    }

    /// Returns the JSON pointer to a node. If the node is in a graft (value copied from another document), its URI
    /// comes first. Cost: linear in the length of the pointer.
    pub fn pointer(&self, node: NodeId) -> String {
        let mut pointer = String::new();
        self.pointers().write(node, &mut pointer);
        pointer
    }

    /// Returns a writer of JSON pointers, which is faster for many nodes in text order.
    pub(crate) fn pointers(&self) -> Pointers<'_> {
        Pointers::new(self)
    }

    /// Whether two values of a document are equal, with members in any order.
    pub(crate) fn is_same(&self, left: NodeId, right: NodeId) -> bool {
        let mut open = vec![(left, right)];
        while let Some((left, right)) = open.pop() {
            match (self.json(left), self.json(right)) {
                (Json::Null, Json::Null) => {}
                (Json::Bool(a), Json::Bool(b)) if a == b => {}
                (Json::Number(a), Json::Number(b)) | (Json::String(a), Json::String(b))
                    if a == b => {}
                (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
                    open.extend(a.iter().copied().zip(b.iter().copied()));
                }
                (Json::Object(a), Json::Object(b)) if a.iter().count() == b.iter().count() => {
                    for (key, member) in a.iter() {
                        let Some(other) = b.get(key) else { return false };
                        open.push((member.value, other.value));
                    }
                }
                _ => return false,
            }
        }
        true
    }

    /// Returns the URI of a graft by its outermost value, or `None` for other nodes.
    fn uri(&self, node: NodeId) -> Option<&str> {
        let graft = self.grafts.binary_search_by_key(&node, |(root, _)| *root).ok()?;
        Some(&self.grafts[graft].1)
    }

    /// Returns the key of a node that is a member's value. Empty for other nodes.
    pub(crate) fn key(&self, node: NodeId) -> &str {
        self.member(node).map_or("", |(key, _)| key)
    }

    /// Returns the key and member of a node that is a member's value, or `None`.
    fn member(&self, node: NodeId) -> Option<(&str, &Member)> {
        let (parent, position) = self.nodes[node.index()].parent?;
        match self.json(parent) {
            Json::Object(members) => members.at(position),
            _ => None,
        }
    }

    /// Returns the byte range of the key of a node that is a member's value. For other nodes, the range of the node.
    pub fn key_span(&self, node: NodeId) -> Range<usize> {
        self.member(node).map_or_else(|| self.span(node), |(_, member)| member.key_span.clone())
    }

    /// Returns the byte range in the text of a part of the string at a node, or of its key if `is_key`. `value` is a
    /// byte range of the decoded string. For grafts (values copied from other documents), returns the range of the
    /// whole node.
    pub(crate) fn inside(&self, node: NodeId, is_key: bool, value: &Range<usize>) -> Range<usize> {
        let span = if is_key { self.key_span(node) } else { self.span(node) };
        let is_string = self.text.as_bytes().get(span.start) == Some(&b'"');
        match self.grafts.first() {
            Some((first, _)) if node >= *first => span,
            _ if !is_string => span,
            _ => Written::new(self.text, &span).span(value),
        }
    }

    /// Returns the mapping from byte offsets of the decoded string at a node to byte offsets of the document text. The
    /// node must be a string of the document itself, not of a graft.
    pub fn written(&self, node: NodeId) -> Written {
        Written::new(self.text, &self.span(node))
    }

    /// Returns an error whose pointer and label show a node.
    pub fn error(&self, code: &'static str, node: NodeId, text: String) -> Diagnostic {
        self.place(Diagnostic::error(code, text), node)
    }

    /// Sets the pointer and the main label of a diagnostic to those of a node.
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
        assert_eq!(document.outermost(node, root), root);
        assert_eq!(document.key(node), "c/d");
        assert!(matches!(document.json(node), Json::String(text) if &**text == "e"));
        assert_eq!(document.walk(document.root(), "/b"), None);
    }
}

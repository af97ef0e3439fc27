//! JSON pointers of nodes.
//!
//! A report has a pointer for every keyword, and consecutive values share most of their containers. So the pointer to
//! the current container is kept, with the lengths of its prefixes. Each segment is then written once for all values in
//! its container.

use std::fmt::Write as _;

use super::{Document, Json, NodeId};

/// Initial capacity of a pointer, in bytes; most pointers are shorter.
const SHORT: usize = 64;
/// Initial capacity for the list of arrays and objects around a node; most nodes have fewer.
const DEPTH: usize = 16;

/// Writes the JSON pointers of the nodes of a document. Any order is possible, and text order is the cheapest: O(length
/// of the pointer) for each node.
pub(crate) struct Pointers<'d> {
    /// The document whose nodes get pointers.
    document: &'d Document<'d>,
    /// The pointer to the innermost container of the node that was written last.
    text: String,
    /// The arrays and objects around the node that was written last, outermost first. Each has the length in bytes of
    /// its pointer, a prefix of `text`.
    around: Vec<(NodeId, usize)>,
}

impl<'d> Pointers<'d> {
    pub(super) fn new(document: &'d Document<'d>) -> Self {
        Self { document, text: String::with_capacity(SHORT), around: Vec::with_capacity(DEPTH) }
    }

    /// Appends the pointer to a node, after the URI if the node is in a graft (a value copied from another document).
    pub(crate) fn write(&mut self, node: NodeId, pointer: &mut String) {
        let parent = self.document.nodes[node.index()].parent;
        self.enter(parent.map_or(node, |(parent, _)| parent));
        pointer.push_str(&self.text);
        if let Some((parent, position)) = parent {
            push_segment(self.document, pointer, parent, position);
        }
    }

    /// Makes `text` the JSON pointer to an array or object. Recurses over the containers around it, at most
    /// [`MAX_DEPTH`](super::MAX_DEPTH).
    fn enter(&mut self, container: NodeId) {
        // A container has a smaller number than the values inside it.
        while self.around.last().is_some_and(|&(last, _)| last > container) {
            self.around.pop();
        }
        match self.around.last() {
            Some(&(last, length)) if last == container => return self.text.truncate(length),
            _ => {}
        }
        match self.document.nodes[container.index()].parent {
            Some((parent, position)) => {
                self.enter(parent);
                push_segment(self.document, &mut self.text, parent, position);
            }
            None => {
                self.around.clear();
                self.text.clear();
                if let Some(uri) = self.document.uri(container) {
                    self.text.push_str(uri);
                    self.text.push('#');
                }
            }
        }
        self.around.push((container, self.text.len()));
    }
}

/// Appends the pointer segment of the value at index `position` in the container `parent`.
fn push_segment(document: &Document<'_>, pointer: &mut String, parent: NodeId, position: usize) {
    pointer.push('/');
    match document.json(parent) {
        Json::Object(members) => {
            push_escaped(pointer, members.at(position).map_or("", |(key, _)| key));
        }
        _ => write!(pointer, "{position}").expect("writing to a string does not fail"),
    }
}

/// Appends a key as a segment of a JSON pointer, with `~` and `/` escaped.
fn push_escaped(pointer: &mut String, key: &str) {
    if !key.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
        pointer.push_str(key);
        return;
    }
    let mut from = 0;
    for (at, byte) in key.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'~' | b'/')) {
        pointer.push_str(&key[from..at]);
        pointer.push_str(if byte == b'~' { "~0" } else { "~1" });
        from = at + 1;
    }
    pointer.push_str(&key[from..]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::document::Codes;
    use grammarc_grammar::budget::Budget;
    use grammarc_grammar::diagnostics::Source;

    const TEXT: &str = r#"{"a/b": [1, {"~": [2, {"": {}}]}], "c": {"d": {}, "e": [[3], []]}}"#;

    fn document(source: &Source) -> Document<'_> {
        let (mut document, _) =
            Document::parse(source, Codes { syntax: "", duplicate_key: "" }, &Budget::new())
                .unwrap();
        for uri in ["x:y", "x:z"] {
            let value = serde_json::json!({"b": [1.50, {"c/d": "e"}], "f": {"g": null}});
            document.graft(uri, &value, document.root());
        }
        document
    }

    /// The pointer of a single node, from the inside out.
    fn alone(document: &Document<'_>, node: NodeId) -> String {
        let Some(parent) = document.parent(node) else {
            return document.uri(node).map_or_else(String::new, |uri| format!("{uri}#"));
        };
        let segment = match document.json(parent) {
            Json::Array(items) => items.iter().position(|&item| item == node).unwrap().to_string(),
            _ => document.key(node).replace('~', "~0").replace('/', "~1"),
        };
        format!("{}/{segment}", alone(document, parent))
    }

    proptest! {
        #[test]
        fn any_order_gives_the_same_pointers(places in prop::collection::vec(any::<prop::sample::Index>(), 1..40)) {
            let source = Source::new("<test>", TEXT);
            let document = document(&source);
            let mut pointers = document.pointers();
            for place in places {
                let node = document.nodes().nth(place.index(document.len())).unwrap();
                let mut pointer = String::new();
                pointers.write(node, &mut pointer);
                prop_assert_eq!(pointer, alone(&document, node));
            }
        }
    }
}

//! A JSON Schema translated from another language, as text with places in the source.
//!
//! Each value has its place in the source. The text of the document comes with a table that maps its ranges to these
//! places. So a finding about the document becomes a finding about the source. Cost: linear. The bounded depth of types
//! bounds the recursion.

use std::ops::Range;

use serde_json::Value;

/// A JSON value of the schema, with its place in the source in bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) json: Json,
    pub(super) span: Range<usize>,
}

/// The content of a [`Node`], a value of the schema.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    /// A value that has one place as a whole.
    Value(Value),
    /// An array, whose items have their own places.
    List(Vec<Node>),
    /// An object, whose members have their own places.
    Object(Vec<(String, Node)>),
}

impl Node {
    /// Returns a value that has one place as a whole.
    pub(super) fn value(value: impl Into<Value>, span: &Range<usize>) -> Self {
        Self { json: Json::Value(value.into()), span: span.clone() }
    }

    /// Returns an array of nodes.
    pub(super) fn list(items: Vec<Self>, span: &Range<usize>) -> Self {
        Self { json: Json::List(items), span: span.clone() }
    }

    /// Returns an object of nodes.
    pub(super) fn object(members: Vec<(String, Self)>, span: &Range<usize>) -> Self {
        Self { json: Json::Object(members), span: span.clone() }
    }

    /// Returns the object `{key: value}`.
    pub(super) fn keyword(key: &str, value: Self) -> Self {
        let span = value.span.clone();
        Self::object(vec![(key.to_owned(), value)], &span)
    }

    /// Returns the schema `{"type": name}`.
    pub(super) fn of_type(name: &str, span: &Range<usize>) -> Self {
        Self::keyword("type", Self::value(name, span))
    }

    /// Whether the node is the boolean `value`.
    pub(super) fn is(&self, value: bool) -> bool {
        self.json == Json::Value(Value::Bool(value))
    }

    /// Sets a member of an object. The schema `true` first becomes an empty object. Any other node stays as it is.
    pub(super) fn set(&mut self, key: &str, value: Self) {
        if self.is(true) {
            self.json = Json::Object(Vec::new());
        }
        if let Json::Object(members) = &mut self.json {
            match members.iter_mut().find(|(known, _)| known == key) {
                Some((_, old)) => *old = value,
                None => members.push((key.to_owned(), value)),
            }
        }
    }

    /// Writes the node as the text of a document, with the table of places.
    pub(super) fn write(&self) -> SchemaSource {
        let mut written = SchemaSource::default();
        written.add(self, None);
        written
    }
}

/// The text of a document, with the table that maps its parts to places in the source.
#[derive(Debug, Default)]
pub(super) struct SchemaSource {
    pub(super) text: String,
    /// The parts of the document, in the order in which they begin.
    places: Vec<Place>,
}

#[derive(Debug)]
struct Place {
    text: Range<usize>,
    source: Range<usize>,
    around: Option<usize>,
}

impl SchemaSource {
    fn add(&mut self, node: &Node, around: Option<usize>) {
        let start = self.text.len();
        let place = self.places.len();
        self.places.push(Place { text: start..start, source: node.span.clone(), around });
        match &node.json {
            Json::Value(value) => self.text.push_str(&value.to_string()),
            Json::List(items) => {
                self.text.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        self.text.push(',');
                    }
                    self.add(item, Some(place));
                }
                self.text.push(']');
            }
            Json::Object(members) => {
                self.text.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    if at > 0 {
                        self.text.push(',');
                    }
                    // The key has the place of its value.
                    let key_at = self.text.len();
                    self.text.push_str(&Value::from(key.as_str()).to_string());
                    let end = self.text.len();
                    let source = value.span.clone();
                    self.places.push(Place { text: key_at..end, source, around: Some(place) });
                    self.text.push(':');
                    self.add(value, Some(place));
                }
                self.text.push('}');
            }
        }
        self.places[place].text.end = self.text.len();
    }

    /// Returns the place in the source for a range of the document: that of the smallest part that contains the range.
    /// Cost: O(log of the number of parts + depth).
    pub(super) fn source(&self, range: &Range<usize>) -> Range<usize> {
        let begun = self.places.partition_point(|place| place.text.start <= range.start);
        let mut at = begun.checked_sub(1);
        while let Some(place) = at.and_then(|at| self.places.get(at)) {
            if place.text.end >= range.end {
                return place.source.clone();
            }
            at = place.around;
        }
        self.places.first().map_or(0..0, |place| place.source.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_lead_to_the_smallest_part() {
        let inner = Node::object(vec![("b\"".into(), Node::value(1, &(3..4)))], &(2..5));
        let list = Node::list(vec![inner, Node::value("x", &(6..7))], &(1..8));
        let written = Node::object(vec![("a".into(), list)], &(0..9)).write();
        assert_eq!(written.text, r#"{"a":[{"b\"":1},"x"]}"#);
        let source = |part: &str| {
            let start = written.text.find(part).unwrap();
            written.source(&(start..start + part.len()))
        };
        assert_eq!(source("1"), 3..4);
        assert_eq!(source(r#""b\"""#), 3..4);
        assert_eq!(source(r#"{"b\"":1}"#), 2..5);
        assert_eq!(source(r#""x""#), 6..7);
        assert_eq!(source(r#"1},"x""#), 1..8);
        assert_eq!(source(r#""a""#), 1..8);
        assert_eq!(source("]}"), 0..9);
        assert_eq!(written.source(&(50..60)), 0..9);
    }
}

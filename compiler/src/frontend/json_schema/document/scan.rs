//! Reads text that serde_json has accepted into the arena.
//!
//! serde_json checks the syntax and gives no positions; this walk may trust the text and finds the positions. O(text).

use std::ops::Range;

use super::{Json, Member, Members, Node, NodeId};

/// Bytes of text that a value takes, with its key, at the least in most documents.
const TEXT_OF_NODE: usize = 24;

/// Walks over text that is known to be JSON. Where it is not, the walk ends early and nothing worse.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    pub(super) nodes: Vec<Node>,
    /// The first key that stands twice in an object.
    pub(super) duplicate: Option<Duplicate>,
    /// Members so far of the objects around, of which each takes its own when it ends.
    members: Vec<(Box<str>, Member)>,
    /// Items so far of the arrays around.
    items: Vec<NodeId>,
}

/// A key that stands twice in an object.
pub(super) struct Duplicate {
    /// Where its second value ends.
    noticed: usize,
    pub(super) key: String,
    /// Its first and its second place.
    pub(super) places: [Range<usize>; 2],
}

impl<'a> Scanner<'a> {
    /// A walk from the start of a text.
    pub(super) fn new(text: &'a str) -> Self {
        let nodes = Vec::with_capacity(text.len() / TEXT_OF_NODE);
        Self { text, at: 0, nodes, duplicate: None, members: Vec::new(), items: Vec::new() }
    }

    fn peek(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        bytes.get(self.at).copied().unwrap_or(b']')
    }

    /// Reads the value that comes next, and all values in it.
    pub(super) fn value(&mut self, parent: Option<(NodeId, usize)>) -> NodeId {
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
        let before = self.members.len();
        self.at += 1;
        while self.peek() == b'"' {
            let (key, key_span) = self.string();
            self.peek();
            self.at += 1;
            let value = self.value(Some((id, self.members.len() - before)));
            self.members.push((key, Member { key_span, value }));
            if self.peek() == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
        let (members, repeated) = Members::new(self.members.drain(before..));
        if let Some((first, second)) = repeated
            && let (Some((key, first)), Some((_, second))) = (members.at(first), members.at(second))
        {
            let noticed = self.nodes[second.value.index()].span.end;
            if self.duplicate.as_ref().is_none_or(|known| noticed < known.noticed) {
                let places = [&first.key_span, &second.key_span].map(Clone::clone);
                self.duplicate = Some(Duplicate { noticed, key: key.to_owned(), places });
            }
        }
        Json::Object(members)
    }

    fn array(&mut self, id: NodeId) -> Json {
        let before = self.items.len();
        self.at += 1;
        while self.peek() != b']' {
            let item = self.value(Some((id, self.items.len() - before)));
            self.items.push(item);
            if self.peek() == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
        Json::Array(self.items.drain(before..).collect())
    }

    fn string(&mut self) -> (Box<str>, Range<usize>) {
        let start = self.at;
        let bytes = self.text.as_bytes();
        self.at += 1;
        let mut escaped = false;
        loop {
            let rest = bytes.get(self.at..).unwrap_or_default();
            let Some(stop) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')) else {
                self.at = bytes.len();
                break;
            };
            self.at += stop + 1;
            if rest[stop] == b'"' {
                break;
            }
            escaped = true;
            self.at += 1;
        }
        let raw = self.text.get(start..self.at).unwrap_or("\"\"");
        let text = match escaped {
            true => serde_json::from_str(raw).unwrap_or_default(),
            false => raw.get(1..raw.len() - 1).unwrap_or_default().into(),
        };
        (text, start..self.at)
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

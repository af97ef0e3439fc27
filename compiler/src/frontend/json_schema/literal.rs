//! The text of a value that the schema writes down, with whitespace allowed where the text form allows it.
//!
//! Strings are in shortest-escape form; numbers stay as the source writes them, and keys in its order.

use crate::ir::Expr;

use super::document::{Document, Json, NodeId};
use super::lower::Emitter;
use super::string::escape;

/// The text of a value.
pub(crate) fn literal(emitter: &mut Emitter<'_>, document: &Document, node: NodeId) -> Expr {
    let mut writer =
        Writer { document, space: emitter.whitespace(), parts: Vec::new(), run: Vec::new() };
    writer.value(node);
    writer.flush();
    Expr::seq(writer.parts)
}

struct Writer<'a> {
    document: &'a Document,
    space: Expr,
    parts: Vec<Expr>,
    /// Bytes since the last whitespace.
    run: Vec<u8>,
}

impl Writer<'_> {
    fn value(&mut self, node: NodeId) {
        match self.document.json(node) {
            Json::Null => self.bytes("null"),
            Json::Bool(true) => self.bytes("true"),
            Json::Bool(false) => self.bytes("false"),
            Json::Number(text) => self.bytes(text),
            Json::String(text) => self.string(text),
            Json::Array(items) => {
                self.open("[");
                for (at, &item) in items.iter().enumerate() {
                    self.separate(at);
                    self.value(item);
                }
                self.close(items.is_empty(), "]");
            }
            Json::Object(members) => {
                self.open("{");
                for (at, (key, member)) in members.iter().enumerate() {
                    self.separate(at);
                    self.string(key);
                    self.whitespace();
                    self.bytes(":");
                    self.whitespace();
                    self.value(member.value);
                }
                self.close(members.is_empty(), "}");
            }
        }
    }

    fn string(&mut self, text: &str) {
        self.bytes("\"");
        self.bytes(&escape(text));
        self.bytes("\"");
    }

    fn open(&mut self, bracket: &str) {
        self.bytes(bracket);
        self.whitespace();
    }

    fn close(&mut self, empty: bool, bracket: &str) {
        if !empty {
            self.whitespace();
        }
        self.bytes(bracket);
    }

    fn separate(&mut self, at: usize) {
        if at > 0 {
            self.whitespace();
            self.bytes(",");
            self.whitespace();
        }
    }

    fn bytes(&mut self, text: &str) {
        self.run.extend_from_slice(text.as_bytes());
    }

    fn whitespace(&mut self) {
        if self.space != Expr::Empty {
            self.flush();
            self.parts.push(self.space.clone());
        }
    }

    fn flush(&mut self) {
        let run = std::mem::take(&mut self.run);
        self.parts.push(Expr::literal(run));
    }
}

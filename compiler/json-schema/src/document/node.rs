//! The JSON values of a document.

use std::borrow::Cow;
use std::ops::Range;

use super::id::NodeId;
use super::members::Members;

/// Most levels of containers in a value: the limit of serde_json. Deeper documents are errors.
pub const MAX_DEPTH: usize = 128;

/// A JSON value, whose parts are given by their numbers in the document.
#[derive(Debug)]
pub enum Json<'s> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as it is written in the text.
    Number(Cow<'s, str>),
    /// A string, with its escapes decoded.
    String(Cow<'s, str>),
    /// An array, as its items.
    Array(Vec<NodeId>),
    /// An object, as its members.
    Object(Members<'s>),
}

impl Json<'_> {
    /// Returns the kind of the value with an article, such as "an array", for messages.
    pub fn kind(&self) -> &'static str {
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

/// A JSON value of a document, with its byte range and its container.
#[derive(Debug)]
pub(super) struct Node<'s> {
    /// The JSON value.
    pub(super) json: Json<'s>,
    /// The byte range of the value in the document text.
    pub(super) span: Range<usize>,
    /// The array or object that contains the value, and the index of the value in it; `None` for an outermost value.
    pub(super) parent: Option<(NodeId, usize)>,
}

//! JSON values of a document.

use std::borrow::Cow;
use std::ops::Range;

use super::id::NodeId;
use super::members::Members;

/// Most levels of containers in a value.
pub const MAX_DEPTH: usize = 128;

/// A JSON value.
#[derive(Debug)]
pub enum Json<'s> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as written in the text.
    Number(Cow<'s, str>),
    /// A string, decoded.
    String(Cow<'s, str>),
    /// An array.
    Array(Vec<NodeId>),
    /// An object.
    Object(Members<'s>),
}

impl Json<'_> {
    /// The kind of the value with its article, for messages.
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

/// A value with its position.
#[derive(Debug)]
pub(super) struct Node<'s> {
    pub(super) json: Json<'s>,
    pub(super) span: Range<usize>,
    /// The container and the position in it.
    pub(super) parent: Option<(NodeId, usize)>,
}

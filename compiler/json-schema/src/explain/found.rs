//! Places in a schema, and keywords to blame.

use std::ops::Range;

use crate::document::{Document, NodeId};

/// A place in the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The JSON pointer to the place. For a schema of another document, the document's URI comes first.
    pub pointer: String,
    /// The byte range of the place in the source, with the key for a keyword. `None` for a place in another document.
    pub span: Option<Range<usize>>,
}

/// A keyword that refuses a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// The place of the keyword.
    pub place: Place,
    /// The keyword, such as `maximum`.
    pub keyword: String,
    /// The value of the keyword, as JSON; cut off after 200 characters.
    pub value: String,
}

/// Why a text is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Any one of these keywords refuses it. There is at least one.
    OneOf(Vec<Blame>),
    /// These keywords refuse it together: it is accepted only without all of them.
    Together(Vec<Blame>),
    /// The keys of an object come in another order than the options ask for.
    KeyOrder,
    /// The options for the text form refuse it: whitespace, escapes or the form of numbers.
    TextForm,
    /// It is no JSON text.
    Syntax,
    /// The cause was not found within the limits.
    Unknown,
    /// Nothing is refused.
    None,
}

impl Cause {
    /// Returns the name of the cause, such as `one-of`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::OneOf(_) => "one-of",
            Self::Together(_) => "together",
            Self::KeyOrder => "key-order",
            Self::TextForm => "text-form",
            Self::Syntax => "syntax",
            Self::Unknown => "unknown",
            Self::None => "none",
        }
    }

    /// Returns the keywords to blame. Empty for causes without keywords.
    pub fn blame(&self) -> &[Blame] {
        match self {
            Self::OneOf(blame) | Self::Together(blame) => blame,
            _ => &[],
        }
    }
}

/// Returns the place of a value of the schema document. For a member, its span has the key.
pub(super) fn placed(document: &Document<'_>, node: NodeId) -> Place {
    let pointer = document.pointer(node);
    let is_own = document.outermost(node, document.root()) == document.root();
    let span = is_own.then(|| document.key_span(node).start..document.span(node).end);
    Place { pointer, span }
}

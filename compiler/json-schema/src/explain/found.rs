//! The parts of an explanation: places in a schema, keywords to blame, and the cause.

use std::ops::Range;

use crate::document::{Document, NodeId};

/// A subschema or keyword in a schema document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The JSON pointer to the place. For a schema of another document, the document's URI comes first.
    pub pointer: String,
    /// The byte range in the source, which includes the key for a keyword. `None` for a place in another document.
    pub span: Option<Range<usize>>,
}

/// A keyword that refuses a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// The place of the keyword.
    pub place: Place,
    /// The keyword, such as `maximum`.
    pub keyword: String,
    /// The value of the keyword as JSON, truncated to 200 characters.
    pub value: String,
}

/// The cause of a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Without any one of these keywords, the text is accepted further. There is at least one.
    OneOf(Vec<Blame>),
    /// The text is accepted further only without all of these keywords.
    Together(Vec<Blame>),
    /// The keys of an object come in another order than the options ask for.
    KeyOrder,
    /// The options for the text form refuse it: whitespace, escapes or the form of numbers.
    TextForm,
    /// The text is not JSON.
    Syntax,
    /// The cause was not found within the limits.
    Unknown,
    /// The text is not refused.
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

/// Returns the place of a value in the schema document. The span of a member includes its key.
pub(super) fn placed(document: &Document<'_>, node: NodeId) -> Place {
    let pointer = document.pointer(node);
    let is_own = document.outermost(node, document.root()) == document.root();
    let span = is_own.then(|| document.key_span(node).start..document.span(node).end);
    Place { pointer, span }
}

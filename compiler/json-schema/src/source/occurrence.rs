//! Occurrences of keywords in a schema document.

use crate::document::NodeId;
use grammarc_grammar::diagnostics::report::Verdict;

/// A keyword at one place of a document, and the report's verdict on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occurrence {
    /// The place in the document of the keyword's value.
    pub(crate) value: NodeId,
    /// Whether the grammar expresses the keyword exactly.
    pub(crate) verdict: Verdict,
    /// The reason for a verdict other than exact; empty otherwise.
    pub(crate) reason: &'static str,
}

//! Occurrences of keywords.

use crate::document::NodeId;
use grammarc_grammar::diagnostics::report::Verdict;

/// A keyword that the survey has met.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occurrence {
    /// The node of the keyword's value.
    pub(crate) value: NodeId,
    /// The verdict on the keyword.
    pub(crate) verdict: Verdict,
    /// The reason for a verdict other than exact; empty otherwise.
    pub(crate) reason: &'static str,
}

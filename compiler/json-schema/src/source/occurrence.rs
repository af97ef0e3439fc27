//! Occurrences of keywords.

use crate::document::NodeId;
use grammarc_grammar::diagnostics::report::Verdict;

/// A keyword that the survey has met.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occurrence {
    /// The place of its value.
    pub(crate) value: NodeId,
    /// The verdict on it.
    pub(crate) verdict: Verdict,
    /// Why, where the verdict is not exact; empty otherwise.
    pub(crate) reason: &'static str,
}

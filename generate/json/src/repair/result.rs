//! The results of a repair: the repaired text, or an error.

use std::ops::Range;

use serde_json::Value;

use super::edits::{Edit, EditKind, Grade};
use super::limits::Limit;
use crate::schema::ValidationError;
use crate::strict::ParseError;

/// Maximum number of readings that are returned for an ambiguous text.
pub const MAX_CANDIDATES: usize = 4;

/// A repaired text.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// The repaired text, which is JSON: the source with the edits applied.
    pub text: String,
    /// The JSON value of the repaired text.
    pub value: Value,
    /// The edits, in the order of the source. Empty if the source is JSON.
    pub edits: Vec<Edit>,
    /// Whether another reading with another value is equally good, or a number at the end of a
    /// truncated text may have had more digits.
    pub ambiguous: bool,
    /// Whether the text ended before its document was complete.
    pub truncated: bool,
}

impl Repaired {
    /// Returns the grade of the least certain edit. `Certain` if there are no edits.
    pub fn grade(&self) -> Grade {
        self.edits.iter().map(|edit| edit.grade).max().unwrap_or(Grade::Certain)
    }

    /// Whether every edit is certain and no other reading is equally good.
    pub fn is_certain(&self) -> bool {
        self.grade() == Grade::Certain && !self.ambiguous
    }

    /// Whether every edit is certain or a coercion, and no other reading is equally good.
    pub(crate) fn is_certain_but_for_types(&self) -> bool {
        let sure = |edit: &Edit| edit.grade == Grade::Certain || edit.kind == EditKind::Coerced;
        self.edits.iter().all(sure) && !self.ambiguous
    }
}

/// The reason why a text is not repaired.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepairError {
    /// The text is JSON, but violates the schema.
    #[error("the text is JSON, but not what the schema says: {0}")]
    Invalid(ValidationError),
    /// No reading of the text is JSON that the schema accepts.
    #[error("no reading of the text is {}", if *with_schema { "JSON that the schema accepts" } else { "JSON" })]
    NotFound {
        /// Largest byte offset that a reading reached.
        at: usize,
        /// Whether a schema was given.
        with_schema: bool,
        /// The reason why the text itself is not JSON.
        source: ParseError,
    },
    /// The text ends before members that the schema requires.
    #[error("the text ends before {}", missing.join(", "))]
    Incomplete {
        /// JSON pointers of the missing members.
        missing: Vec<String>,
    },
    /// Several readings are equally good, and the caller demands a single one.
    #[error("the text can be read in {} ways or more", candidates.len().max(2))]
    Ambiguous {
        /// The equally good readings, at most [`MAX_CANDIDATES`].
        candidates: Vec<Repaired>,
    },
    /// The best reading is not certain, and the caller demands a certain one.
    #[error("the likeliest reading of the text is not certain")]
    Uncertain {
        /// The best reading.
        repaired: Box<Repaired>,
    },
    /// The text contains several documents with different values, and the schema does not select
    /// one.
    #[error("the text holds {} documents: at bytes {}", documents.len(), ranges(documents))]
    Several {
        /// The byte ranges of the documents.
        documents: Vec<Range<usize>>,
    },
    /// A limit of the repair was exceeded.
    #[error("the repair met its limit on {}", name(*limit))]
    Limit {
        /// The limit that was exceeded.
        limit: Limit,
    },
}

/// Formats the first few byte ranges for a message.
fn ranges(documents: &[Range<usize>]) -> String {
    let shown = documents.iter().take(MAX_CANDIDATES).map(|at| format!("{}..{}", at.start, at.end));
    let more = if documents.len() > MAX_CANDIDATES { ", …" } else { "" };
    shown.collect::<Vec<_>>().join(", ") + more
}

fn name(limit: Limit) -> &'static str {
    match limit {
        Limit::Bytes => "the length of the text",
        Limit::Nodes => "places of the search",
        Limit::Steps => "steps of the search",
        Limit::Time => "time",
    }
}

//! The results of a repair: JSON, or an error.

use std::ops::Range;

use serde_json::Value;

use super::edits::{Edit, EditKind, Grade};
use super::limits::Limit;
use crate::schema::ValidationError;
use crate::strict::ParseError;

/// Maximum number of candidates in the error of an ambiguous text.
pub const MAX_CANDIDATES: usize = 4;

/// A repaired text.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// The source with its edits: JSON.
    pub text: String,
    /// Its value.
    pub value: Value,
    /// The edits, in the order of the source. Empty if the source was JSON.
    pub edits: Vec<Edit>,
    /// Whether another value is an equally good reading, or a number at the end of a truncated text may have had more
    /// digits.
    pub ambiguous: bool,
    /// Whether the text ended before its document did.
    pub truncated: bool,
}

impl Repaired {
    /// Returns the grade of the least certain edit.
    pub fn grade(&self) -> Grade {
        self.edits.iter().map(|edit| edit.grade).max().unwrap_or(Grade::Certain)
    }

    /// Whether every edit is certain and there is no other reading.
    pub fn is_certain(&self) -> bool {
        self.grade() == Grade::Certain && !self.ambiguous
    }

    /// Whether every edit is certain or a coercion, and there is no other reading.
    pub(crate) fn is_certain_but_for_types(&self) -> bool {
        let sure = |edit: &Edit| edit.grade == Grade::Certain || edit.kind == EditKind::Coerced;
        self.edits.iter().all(sure) && !self.ambiguous
    }
}

/// An error of a repair.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepairError {
    /// The text is JSON, but not an instance of the schema.
    #[error("the text is JSON, but not what the schema says: {0}")]
    Invalid(ValidationError),
    /// No reading of the text is JSON that the schema accepts.
    #[error("no reading of the text is {}", if *with_schema { "JSON that the schema accepts" } else { "JSON" })]
    NotFound {
        /// Largest offset of a reading.
        at: usize,
        /// Whether there is a schema.
        with_schema: bool,
        /// The reason why the text is not JSON.
        source: ParseError,
    },
    /// The text ends before members that the schema requires.
    #[error("the text ends before {}", missing.join(", "))]
    Incomplete {
        /// JSON pointers to them.
        missing: Vec<String>,
    },
    /// Several readings are equally good, and only one may be returned.
    #[error("the text can be read in {} ways or more", candidates.len().max(2))]
    Ambiguous {
        /// The readings, at most [`MAX_CANDIDATES`].
        candidates: Vec<Repaired>,
    },
    /// The best reading is not certain, and a certain one was demanded.
    #[error("the likeliest reading of the text is not certain")]
    Uncertain {
        /// The reading.
        repaired: Box<Repaired>,
    },
    /// The text contains several documents with different values, and the schema does not choose one of them.
    #[error("the text holds {} documents: at bytes {}", documents.len(), ranges(documents))]
    Several {
        /// Their ranges, in bytes.
        documents: Vec<Range<usize>>,
    },
    /// A limit was met.
    #[error("the repair met its limit on {}", name(*limit))]
    Limit {
        /// The limit.
        limit: Limit,
    },
}

/// Returns the first few ranges, for a message.
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

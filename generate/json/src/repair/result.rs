//! The results of a repair: a text as JSON, or why there is none.

use std::ops::Range;

use serde_json::Value;

use super::edits::{Edit, EditKind, Grade};
use super::limits::Limit;
use crate::schema::ValidationError;
use crate::strict::ParseError;

/// Most candidates that an ambiguous text is told with.
pub const MAX_CANDIDATES: usize = 4;

/// A text as JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// The source with its edits: JSON.
    pub text: String,
    /// Its value.
    pub value: Value,
    /// The changes, in the order of the source: none if the source was JSON.
    pub edits: Vec<Edit>,
    /// Another value is as good a reading, or a number at the end of a broken-off text may have had more digits.
    pub ambiguous: bool,
    /// The text ended before its document did.
    pub truncated: bool,
}

impl Repaired {
    /// The grade of the least sure edit.
    pub fn grade(&self) -> Grade {
        self.edits.iter().map(|edit| edit.grade).max().unwrap_or(Grade::Certain)
    }

    /// Whether every edit is certain and the value the only one.
    pub fn is_certain(&self) -> bool {
        self.grade() == Grade::Certain && !self.ambiguous
    }

    /// The same, but for scalars that were coerced.
    pub(crate) fn is_certain_but_for_types(&self) -> bool {
        let sure = |edit: &Edit| edit.grade == Grade::Certain || edit.kind == EditKind::Coerced;
        self.edits.iter().all(sure) && !self.ambiguous
    }
}

/// Why a text was not repaired.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepairError {
    /// The text is JSON, and no instance of the schema.
    #[error("the text is JSON, but not what the schema says: {0}")]
    Invalid(ValidationError),
    /// No reading of the text is JSON that the schema accepts.
    #[error("no reading of the text is {}", if *with_schema { "JSON that the schema accepts" } else { "JSON" })]
    NotFound {
        /// How far the farthest came, in bytes.
        at: usize,
        /// Whether there is a schema.
        with_schema: bool,
        /// Why it is no JSON as it stands.
        source: ParseError,
    },
    /// The text is broken off before members that the schema requires.
    #[error("the text ends before {}", missing.join(", "))]
    Incomplete {
        /// JSON pointers to them.
        missing: Vec<String>,
    },
    /// Several readings are as good as each other, and the best was asked for alone.
    #[error("the text can be read in {} ways or more", candidates.len().max(2))]
    Ambiguous {
        /// The readings, at most [`MAX_CANDIDATES`].
        candidates: Vec<Repaired>,
    },
    /// The best reading is not certain, and a certain one was asked for.
    #[error("the likeliest reading of the text is not certain")]
    Uncertain {
        /// The reading.
        repaired: Box<Repaired>,
    },
    /// The text holds several documents, of several values, and the schema does not choose one of them.
    #[error("the text holds {} documents: at bytes {}", documents.len(), ranges(documents))]
    Several {
        /// The range of each of them, in bytes.
        documents: Vec<Range<usize>>,
    },
    /// A limit was met.
    #[error("the repair met its limit on {}", name(*limit))]
    Limit {
        /// The limit.
        limit: Limit,
    },
}

/// The first few ranges, for a message.
fn ranges(documents: &[Range<usize>]) -> String {
    let told = documents.iter().take(MAX_CANDIDATES).map(|at| format!("{}..{}", at.start, at.end));
    let more = if documents.len() > MAX_CANDIDATES { ", …" } else { "" };
    told.collect::<Vec<_>>().join(", ") + more
}

fn name(limit: Limit) -> &'static str {
    match limit {
        Limit::Bytes => "the length of the text",
        Limit::Nodes => "places of the search",
        Limit::Steps => "steps of the search",
        Limit::Time => "time",
    }
}

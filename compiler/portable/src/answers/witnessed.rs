//! Witnesses of a schema, as data that serializes to JSON.

use grammarc_json_schema::relation::Reason;
use grammarc_json_schema::witness::{Case, Witnesses};
use serde::Serialize;

/// Test cases of a schema: instances, and texts that are not instances.
#[derive(Clone, Debug, Serialize)]
pub struct Witnessed {
    /// Instances, each with the keyword whose limit it just meets.
    pub valid: Vec<Case>,
    /// Near misses: texts that exactly one keyword refuses.
    pub invalid: Vec<Case>,
    /// JSON pointers to silent keywords: without them, the schema allows the same values.
    pub silent: Vec<String>,
    /// JSON pointers to dead branches and `enum` values: without them, the schema allows the same values.
    pub dead: Vec<String>,
    /// The keywords with an undecided question.
    pub undecided: Vec<Undecided>,
}

/// A keyword with an undecided question.
#[derive(Clone, Debug, Serialize)]
pub struct Undecided {
    /// JSON pointer to the keyword.
    pub pointer: String,
    /// The reason, in words.
    pub reason: String,
}

impl From<Witnesses> for Witnessed {
    fn from(Witnesses { valid, invalid, silent, dead, undecided }: Witnesses) -> Self {
        let undecided = undecided.into_iter();
        let undecided =
            undecided.map(|Reason { pointer, text, .. }| Undecided { pointer, reason: text });
        Self { valid, invalid, silent, dead, undecided: undecided.collect() }
    }
}

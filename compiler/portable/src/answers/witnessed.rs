//! Witnesses of a schema, as data that serializes to JSON.

use grammarc_json_schema::relation::Reason;
use grammarc_json_schema::witness::{Case, Witnesses};
use serde::Serialize;

/// Instances of a schema, and texts that are none.
#[derive(Clone, Debug, Serialize)]
pub struct Witnessed {
    /// Instances, each with the keyword at whose edge it is.
    pub valid: Vec<Case>,
    /// Texts that one keyword alone refuses.
    pub invalid: Vec<Case>,
    /// JSON pointers to keywords that change nothing.
    pub silent: Vec<String>,
    /// JSON pointers to branches and values that add nothing.
    pub dead: Vec<String>,
    /// What was not decided.
    pub undecided: Vec<Undecided>,
}

/// A keyword of which something was not decided.
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

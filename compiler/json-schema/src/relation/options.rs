//! Options of a comparison, and its errors by side.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Diagnostic;

use crate::options::JsonSchemaOptions;

/// One of the two schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Which {
    /// The first schema.
    Left,
    /// The second schema.
    Right,
}

impl Which {
    /// Both sides, in order.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// Returns the index of the side: 0 or 1.
    pub(super) fn index(self) -> usize {
        self as usize
    }

    /// Returns the name of the side: `left` or `right`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

/// Options of [`compare`](super::compare).
#[derive(Clone, Debug)]
pub struct RelationOptions {
    /// How schemas are read, and limits. Options about texts have no effect, and neither has `closed`.
    pub schemas: JsonSchemaOptions,
    /// Time limit of each of the three questions: values of the left schema only, of the right only,
    /// of both. Beyond it, the answer is unknown.
    pub time: Duration,
    /// Ends the comparison soon after it is set. `None` if nothing ends it.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Default for RelationOptions {
    fn default() -> Self {
        let (schemas, time) = (JsonSchemaOptions::default(), Duration::from_secs(2));
        Self { schemas, time, cancel: None }
    }
}

impl RelationOptions {
    /// Returns the budget of one question.
    pub(crate) fn budget(&self) -> Budget {
        let budget = Budget::new().time_limit(self.time);
        match &self.cancel {
            Some(flag) => budget.cancel_flag(Arc::clone(flag)),
            None => budget,
        }
    }
}

/// A schema that cannot be compared, because it has errors.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The side with the errors.
    pub side: Which,
    /// The errors, in source order; at least one. Their places are those of the side's own text. An error that neither
    /// side has by itself is the left side's and has no place.
    pub errors: Vec<Diagnostic>,
}

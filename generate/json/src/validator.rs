//! Validation of what a model wrote: extracted, parsed, repaired where that is wanted, checked.
//!
//! | order | step | result |
//! | --- | --- | --- |
//! | 1 | the first part of the text that is JSON and an instance | [`Status::Valid`], byte for byte |
//! | 2 | none is, and `repair` is set: the text is repaired | [`Status::Repaired`], with its edits |
//! | 3 | else, with `strict` | an error |
//! | 4 | else | [`Status::Unchecked`]: the text as it came |

use std::ops::Range;

use serde_json::Value;

use crate::extract::extract_json;
use crate::repair::{
    Edit, EditKind, Grade, OpenStrings, RepairError, RepairLimits, RepairOptions, Repaired,
    candidates,
};
use crate::schema::{JsonSchema, ValidationError};
use crate::strict::{self, ParseError};

/// How to take a model's output.
#[derive(Clone, Debug)]
pub struct JsonValidator {
    /// The schema of the value; any JSON if there is none.
    pub schema: Option<JsonSchema>,
    /// Fail where the output is not what was asked for; of repairs, take those alone of which every edit is certain.
    pub strict: bool,
    /// Repair what does not parse.
    pub repair: bool,
    /// Bounds on a repair.
    pub limits: RepairLimits,
    /// The treatment of a string that is open at the end of the text.
    pub strings: OpenStrings,
    /// The output is known to be cut.
    pub cut: bool,
    /// Scalars of another type become what the schema wants, in repairs: see [`RepairOptions::coerce`].
    pub coerce: bool,
}

impl Default for JsonValidator {
    /// Any JSON, strict, without repair.
    fn default() -> Self {
        Self {
            schema: None,
            strict: true,
            repair: false,
            limits: RepairLimits::default(),
            strings: OpenStrings::default(),
            cut: false,
            coerce: false,
        }
    }
}

/// How far an output is what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// A part of it is, byte for byte.
    Valid,
    /// It is after a repair.
    Repaired,
    /// It is not, and was asked to be returned as it is.
    Unchecked,
}

impl Status {
    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Repaired => "repaired",
            Self::Unchecked => "unchecked",
        }
    }
}

/// An output that was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Validated {
    /// JSON; the output as it came where it is unchecked.
    pub text: String,
    /// Its value; none where it is unchecked.
    pub value: Option<Value>,
    /// How far it is what was asked for.
    pub status: Status,
    /// The changes, text around the JSON included.
    pub edits: Vec<Edit>,
    /// Another value is as good a reading of the output.
    pub ambiguous: bool,
    /// The output ended before its document did.
    pub truncated: bool,
    /// Why it is unchecked.
    pub warning: Option<String>,
}

/// Why an output was not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// No part of it is JSON.
    #[error("the output is no JSON: {0}")]
    Parse(#[from] ParseError),
    /// A part of it is JSON, and none is what the schema says.
    #[error("the output is not what the schema says: {error}\nexpected something like\n{expected}")]
    Invalid {
        /// The violations of the first part that is JSON.
        error: ValidationError,
        /// The look of an instance.
        expected: crate::Expected,
    },
    /// It was not repaired.
    #[error("the output was not repaired: {0}")]
    Repair(#[from] RepairError),
}

impl JsonValidator {
    /// Takes an output.
    ///
    /// ```
    /// use grammarc_json::{JsonValidator, Status};
    ///
    /// let validator = JsonValidator { repair: true, ..JsonValidator::default() };
    /// let validated = validator.validate("Sure:\n```json\n{\"a\": [1, 2,]}\n```").unwrap();
    /// assert_eq!((validated.text.as_str(), validated.status), ("{\"a\": [1, 2]}", Status::Repaired));
    /// ```
    ///
    /// # Errors
    ///
    /// With `strict`: no part is JSON, none is an instance, or the text has no reading that is certain.
    pub fn validate(&self, output: &str) -> Result<Validated, JsonError> {
        let mut parsed = None;
        let mut first_error = None;
        for range in extract_json(output) {
            match strict::parse(&output[range.clone()]) {
                Ok(value) => match self.violations(&value) {
                    None => return Ok(valid(output, range, value)),
                    Some(error) => parsed = parsed.or(Some(error)),
                },
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        // A text that parses and is no instance is taken as it stands, unless types may be changed.
        if parsed.is_some()
            && self.repair
            && self.coerce
            && let Ok(repaired) = self.repair_json(output)
        {
            return Ok(taken(repaired));
        }
        let error = match (parsed, first_error) {
            (Some(error), _) => JsonError::Invalid {
                error,
                expected: self.schema.as_ref().expect("there is one that it violates").expected(),
            },
            (None, _) if self.repair => match self.repair_json(output) {
                Ok(repaired) => return Ok(taken(repaired)),
                Err(error) => JsonError::Repair(error),
            },
            (None, Some(error)) => JsonError::Parse(error),
            (None, None) => JsonError::Parse(strict::parse("").expect_err("nothing is no JSON")),
        };
        if self.strict {
            return Err(error);
        }
        Ok(Validated {
            text: output.to_owned(),
            value: None,
            status: Status::Unchecked,
            edits: Vec::new(),
            ambiguous: false,
            truncated: false,
            warning: Some(error.to_string()),
        })
    }

    /// Repairs an output, whatever `repair` says. One that is JSON and an instance is returned as it is.
    ///
    /// # Errors
    ///
    /// See [`RepairError`]. With `strict`, a repair with an edit that is not certain, or beside which there is another as
    /// good, is an error that holds it.
    pub fn repair_json(&self, output: &str) -> Result<Repaired, RepairError> {
        let Self { limits, strings, cut, coerce, .. } = *self;
        let options = RepairOptions { limits, strings, cut, coerce };
        let mut found = candidates(output, self.schema.as_ref(), &options)?;
        if self.strict && found.len() > 1 {
            return Err(RepairError::Ambiguous { candidates: found });
        }
        let repaired = found.swap_remove(0);
        if self.strict && !repaired.is_certain() {
            return Err(RepairError::Uncertain { repaired: Box::new(repaired) });
        }
        Ok(repaired)
    }

    fn violations(&self, value: &Value) -> Option<ValidationError> {
        self.schema.as_ref().and_then(|schema| schema.validate(value).err())
    }
}

/// A part of an output that is what was asked for.
fn valid(output: &str, range: Range<usize>, value: Value) -> Validated {
    let around = [0..range.start, range.end..output.len()];
    let edits = around.into_iter().filter(|part| !output[part.clone()].trim().is_empty());
    let edits = edits.map(|at| Edit {
        removed: output[at.clone()].to_owned(),
        at,
        kind: EditKind::Outside,
        inserted: String::new(),
        grade: Grade::Certain,
    });
    let edits: Vec<Edit> = edits.collect();
    let text = if edits.is_empty() { output } else { &output[range] };
    Validated {
        text: text.to_owned(),
        value: Some(value),
        status: Status::Valid,
        edits,
        ambiguous: false,
        truncated: false,
        warning: None,
    }
}

fn taken(repaired: Repaired) -> Validated {
    let Repaired { text, value, edits, ambiguous, truncated } = repaired;
    let status = if edits.is_empty() { Status::Valid } else { Status::Repaired };
    Validated { text, value: Some(value), status, edits, ambiguous, truncated, warning: None }
}

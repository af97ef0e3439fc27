//! Validates the output of a model: extraction, parsing, optional repair, and the check against the
//! schema.
//!
//! | order | case | result |
//! | --- | --- | --- |
//! | 1 | a part of the text is JSON and satisfies the schema: the first such part | [`Status::Valid`], byte for byte |
//! | 2 | a part is JSON, but no part satisfies the schema | [`JsonError::Invalid`], also without `strict` |
//! | 3 | no part is JSON, and `repair` is set | [`Status::Repaired`] with its edits, or [`JsonError::Repair`] |
//! | 4 | no part is JSON, and `strict` is set | [`JsonError::Parse`] |
//! | 5 | no part is JSON | [`Status::Unchecked`]: the text is returned unchanged, with a warning |
//!
//! With a grammar, a part is valid if the grammar accepts it. Only if there is also a schema, the
//! part has to be JSON. So the grammar decides whether a text that is not JSON is a valid output.

use std::ops::Range;

use serde_json::Value;

use crate::extract::extract_json;
use crate::repair::{
    Edit, EditKind, Grade, OpenStrings, RepairError, RepairLimits, RepairOptions, Repaired,
    candidates,
};
use crate::schema::{JsonSchema, ValidationError};
use crate::strict::{self, ParseError};
use crate::text_grammar::{Judgement, TextGrammar};

/// A validator for the outputs of a model. Outputs are JSON, satisfy a schema, or match a grammar.
#[derive(Clone, Debug)]
pub struct JsonValidator {
    /// The schema that the value has to satisfy. `None` allows any JSON.
    pub schema: Option<JsonSchema>,
    /// The grammar that the output has to match. Unless there is also a schema, the output need not
    /// be JSON.
    pub grammar: Option<TextGrammar>,
    /// Whether to reject keys that the schema does not declare, in objects with `properties` and
    /// without `additionalProperties`.
    pub closed: bool,
    /// Whether it is an error if no part of the output is valid. In strict mode, only the repairs
    /// that [`repair_json`](Self::repair_json) allows are applied.
    pub strict: bool,
    /// Whether to repair an output that does not parse.
    pub repair: bool,
    /// Limits on a repair.
    pub limits: RepairLimits,
    /// What a repair does with a string that the end of the text leaves open.
    pub strings: OpenStrings,
    /// Whether the output is known to be truncated, for example by a limit on tokens.
    pub cut: bool,
    /// Whether a repair converts scalars to the type that the schema requires. See
    /// [`RepairOptions::coerce`].
    pub coerce: bool,
}

impl Default for JsonValidator {
    /// Returns a strict validator that accepts any JSON and repairs nothing.
    fn default() -> Self {
        Self {
            schema: None,
            grammar: None,
            closed: false,
            strict: true,
            repair: false,
            limits: RepairLimits::default(),
            strings: OpenStrings::default(),
            cut: false,
            coerce: false,
        }
    }
}

/// The verdict of a validator on an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// A part of the output is valid as it is written.
    Valid,
    /// The output is valid after a repair.
    Repaired,
    /// The output is not valid, and is returned unchanged because strict mode is off.
    Unchecked,
}

impl Status {
    /// Returns the name of the verdict in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Repaired => "repaired",
            Self::Unchecked => "unchecked",
        }
    }
}

/// The result of validating an output.
#[derive(Clone, Debug, PartialEq)]
pub struct Validated {
    /// The valid JSON or text. The whole output if it is unchecked.
    pub text: String,
    /// The parsed value. `None` if the output is unchecked, or matches a grammar without being
    /// parsed as JSON.
    pub value: Option<Value>,
    /// The verdict on the output.
    pub status: Status,
    /// The edits of the output. They include the removal of text before and after the JSON.
    pub edits: Vec<Edit>,
    /// Whether another reading of the output, with another value, is equally good.
    pub ambiguous: bool,
    /// Whether the output ended before its JSON was complete.
    pub truncated: bool,
    /// The reason why the output is unchecked. `None` otherwise.
    pub warning: Option<String>,
}

/// The reason why an output is rejected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// The output contains no JSON.
    #[error("the output is no JSON: {0}")]
    Parse(#[from] ParseError),
    /// The output contains JSON, but no value in it satisfies the schema.
    #[error("the output is not what the schema says: {error}\nexpected something like\n{expected}")]
    Invalid {
        /// The violations in the first part that is JSON.
        error: ValidationError,
        /// An example of an instance of the schema.
        expected: crate::Expected,
    },
    /// The output contains no JSON, and no repair was found or allowed.
    #[error("the output was not repaired: {0}")]
    Repair(#[from] RepairError),
    /// No part of the output matches the grammar.
    #[error("the output is no text of the grammar: byte {at} of it {}", if *ends { "is its end, and more has to follow" } else { "is not allowed" })]
    Grammar {
        /// Byte offset of the first byte that the grammar does not allow.
        at: usize,
        /// Whether the output ends at this offset, so that it is incomplete.
        ends: bool,
    },
}

impl JsonValidator {
    /// Validates an output of a model.
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
    /// A part of the output is JSON and no part satisfies the schema, or the output cannot be
    /// repaired. In strict mode also if no part is JSON, or no part matches the grammar.
    pub fn validate(&self, output: &str) -> Result<Validated, JsonError> {
        let error = match self.first_valid(output) {
            Ok(validated) => return Ok(validated),
            Err(error) => error,
        };
        let is_invalid = matches!(error, JsonError::Invalid { .. });
        // A text that parses but violates the schema is not repaired, unless types may be
        // converted.
        if self.repair && (!is_invalid || self.coerce) {
            let repaired = self.repair_json(output).map(taken);
            match repaired {
                Ok(repaired) if self.accepts(&repaired.text) => return Ok(repaired),
                Err(repair) if !is_invalid && self.grammar.is_none() => return Err(repair.into()),
                _ => return Err(error),
            }
        }
        if self.strict || is_invalid {
            return Err(error);
        }
        Ok(unchecked(output, error.to_string()))
    }

    /// Returns the result for the first valid part of an output. If there is none, returns the
    /// first error.
    fn first_valid(&self, output: &str) -> Result<Validated, JsonError> {
        let mut refused = None;
        if let Some(grammar) = &self.grammar {
            for part in [0..output.len(), trimmed(output)].into_iter().chain(extract_json(output)) {
                let text = &output[part.clone()];
                match grammar.judge(text) {
                    Judgement::Refused { at } => {
                        refused =
                            refused.or(Some(JsonError::Grammar { at, ends: at == text.len() }));
                    }
                    Judgement::Unknown => {
                        let warning = "the grammar judges no texts, so the output was not checked";
                        return Ok(unchecked(output, warning.to_owned()));
                    }
                    Judgement::Accepted => match (strict::parse(text), &self.schema) {
                        (Err(error), Some(_)) => return Err(error.into()),
                        (value, _) => return self.right(output, part, value.ok()),
                    },
                }
            }
        }
        if let Some(refused) = refused {
            return Err(refused);
        }
        let (mut invalid, mut first_error) = (None, None);
        for range in extract_json(output) {
            match strict::parse(&output[range.clone()]) {
                Ok(value) => match self.right(output, range, Some(value)) {
                    Ok(validated) => return Ok(validated),
                    Err(error) => invalid = invalid.or(Some(error)),
                },
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        Err(invalid.or(first_error.map(JsonError::Parse)).unwrap_or_else(|| {
            JsonError::Parse(strict::parse("").expect_err("nothing is no JSON"))
        }))
    }

    /// Returns the result for one part of an output. Fails if its value violates the schema, or has
    /// an undeclared key although `closed` is set.
    fn right(
        &self,
        output: &str,
        part: Range<usize>,
        value: Option<Value>,
    ) -> Result<Validated, JsonError> {
        let violated = self.schema.as_ref().zip(value.as_ref()).and_then(|(schema, value)| {
            let error = schema.validate(value).err();
            let unnamed = || schema.unnamed_key(value).filter(|_| self.closed);
            let unnamed = || unnamed().map(|key| ValidationError { violations: vec![key] });
            Some((schema, error.or_else(unnamed)?))
        });
        match violated {
            None => Ok(valid(output, part, value)),
            Some((schema, error)) => Err(JsonError::Invalid { error, expected: schema.expected() }),
        }
    }

    /// Whether the grammar accepts a text. Also true without a grammar, and if the grammar has no
    /// verdict.
    fn accepts(&self, text: &str) -> bool {
        let judged = self.grammar.as_ref().map(|grammar| grammar.judge(text));
        !matches!(judged, Some(Judgement::Refused { .. }))
    }

    /// Repairs an output, even if `repair` is off. A valid output is returned unchanged.
    ///
    /// # Errors
    ///
    /// See [`RepairError`]. In strict mode, an ambiguous repair is an error, which contains the
    /// candidates. A repair with an edit that is neither certain nor of [`STRICT_KINDS`] is an
    /// error, too.
    pub fn repair_json(&self, output: &str) -> Result<Repaired, RepairError> {
        let Self { limits, strings, cut, coerce, .. } = *self;
        let options = RepairOptions { limits, strings, cut, coerce };
        let mut found = candidates(output, self.schema.as_ref(), &options)?;
        if self.strict && found.len() > 1 {
            return Err(RepairError::Ambiguous { candidates: found });
        }
        let repaired = found.swap_remove(0);
        if self.strict && !is_strict(&repaired) {
            return Err(RepairError::Uncertain { repaired: Box::new(repaired) });
        }
        Ok(repaired)
    }
}

/// Kinds of uncertain edits that strict mode nevertheless accepts, if no other reading is equally
/// good.
pub const STRICT_KINDS: [EditKind; 2] = [EditKind::InnerQuote, EditKind::MissingCloser];

/// Whether strict mode accepts a repair: each edit is certain or of [`STRICT_KINDS`], and there is
/// no other reading.
fn is_strict(repaired: &Repaired) -> bool {
    let sure = |edit: &Edit| edit.grade == Grade::Certain || STRICT_KINDS.contains(&edit.kind);
    repaired.edits.iter().all(sure) && !repaired.ambiguous
}

/// Returns the byte range of a text without white space at its ends.
fn trimmed(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start().len();
    start..start + text.trim().len()
}

/// Returns the result for an output that is not valid, with a warning that states the reason.
fn unchecked(output: &str, warning: String) -> Validated {
    Validated {
        text: output.to_owned(),
        value: None,
        status: Status::Unchecked,
        edits: Vec::new(),
        ambiguous: false,
        truncated: false,
        warning: Some(warning),
    }
}

/// Returns the result for one valid part of an output. Text before and after the part is removed by
/// edits.
fn valid(output: &str, range: Range<usize>, value: Option<Value>) -> Validated {
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
        value,
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

//! The errors of schemas and of values.

use std::fmt;

use grammarc_compiler::diagnostics::Diagnostic;
use jsonschema::error::ValidationErrorKind;

use crate::scan::pointer_step;
use crate::strict::ParseError;

/// Maximum number of violations that are reported for one value. Further ones are left out.
pub const MAX_ERRORS: usize = 32;

/// A text or value cannot be used as a JSON Schema.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// The text is not JSON.
    #[error("the schema is no JSON: {0}")]
    Json(#[from] ParseError),
    /// The value is not a valid schema, or refers to a schema that it does not contain.
    #[error("no valid schema at {pointer:?}: {message}")]
    Invalid {
        /// JSON pointer to the fault in the schema.
        pointer: String,
        /// Description of the fault.
        message: String,
    },
    /// The TypeScript source is invalid, or declares something other than data types.
    #[error("{}", first(diagnostics))]
    TypeScript {
        /// The errors, with their positions in the source.
        diagnostics: Vec<Diagnostic>,
    },
}

fn first(diagnostics: &[Diagnostic]) -> &str {
    diagnostics.first().map_or("no type was found", |diagnostic| &diagnostic.message)
}

/// A value violates its schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ValidationError {
    /// The violations, at least one and at most [`MAX_ERRORS`].
    pub violations: Vec<Violation>,
}

impl fmt::Display for ValidationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, violation) in self.violations.iter().enumerate() {
            let separator = if at == 0 { "" } else { "; " };
            write!(f, "{separator}{violation}")?;
        }
        Ok(())
    }
}

/// One keyword of the schema that a value violates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer to the part of the value. Empty for the whole value.
    pub pointer: String,
    /// JSON pointer to the keyword in the schema.
    pub keyword: String,
    /// Description of the violation, for people.
    pub message: String,
    /// The key of the missing member, if the violation is of `required`. `None` otherwise.
    pub missing_key: Option<String>,
}

impl Violation {
    /// Returns the JSON pointer of the missing member. `None` if the violation is not of
    /// `required`.
    pub fn missing(&self) -> Option<String> {
        let key = self.missing_key.as_ref()?;
        Some(format!("{}/{}", self.pointer, pointer_step(key)))
    }

    pub(crate) fn of(error: &jsonschema::ValidationError<'_>) -> Self {
        let missing_key = match error.kind() {
            ValidationErrorKind::Required { property } => property.as_str().map(str::to_owned),
            _ => None,
        };
        Self {
            missing_key,
            pointer: error.instance_path().to_string(),
            keyword: error.schema_path().to_string(),
            message: error.to_string(),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.pointer {
            "" => write!(f, "{}", self.message),
            pointer => write!(f, "{pointer}: {}", self.message),
        }
    }
}

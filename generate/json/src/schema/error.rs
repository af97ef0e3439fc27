//! Errors of schemas and values.

use std::fmt;

use grammarc_compiler::diagnostics::Diagnostic;
use jsonschema::error::ValidationErrorKind;

use crate::scan::pointer_step;
use crate::strict::ParseError;

/// Maximum number of violations in the error of one value.
pub const MAX_ERRORS: usize = 32;

/// A source that is no schema.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// The text is no JSON.
    #[error("the schema is no JSON: {0}")]
    Json(#[from] ParseError),
    /// The value is no valid schema, or refers to one that is not in it.
    #[error("no valid schema at {pointer:?}: {message}")]
    Invalid {
        /// JSON pointer to the place in the schema.
        pointer: String,
        /// The fault in words.
        message: String,
    },
    /// Declarations in TypeScript that are invalid, or not of data.
    #[error("{}", first(diagnostics))]
    TypeScript {
        /// The faults, with places in the source.
        diagnostics: Vec<Diagnostic>,
    },
}

fn first(diagnostics: &[Diagnostic]) -> &str {
    diagnostics.first().map_or("no type was found", |diagnostic| &diagnostic.message)
}

/// A value that is no instance of its schema.
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

/// One keyword that a value violates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer to the place in the value; empty for the whole.
    pub pointer: String,
    /// JSON pointer to the keyword in the schema.
    pub keyword: String,
    /// The violation, as text for people.
    pub message: String,
    /// The missing key, if the violation is a missing required member.
    pub missing_key: Option<String>,
}

impl Violation {
    /// Returns the JSON pointer to the missing member, if the violation is one.
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

//! Failures of a binding, by the kinds that hosts distinguish.
//!
//! A server treats a source with errors as the client's fault, a limit as the operator's choice, and a timeout as
//! temporary; a missing file is none of these. The kind of a refused source follows from the codes of its
//! diagnostics.

use std::path::PathBuf;

use grammarc_artifacts::Error as ArtifactError;
use grammarc_compiler::cache::LayerError;
use grammarc_compiler::diagnostics::json::DiagnosticJson;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::vocabulary::VocabularyError;

/// Kinds of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An argument is invalid.
    Argument,
    /// The source has errors.
    Source,
    /// A limit on size was met.
    Limit,
    /// The time limit was met.
    Timeout,
    /// The caller cancelled.
    Cancelled,
    /// A file could not be read or written.
    Io,
    /// A file has the wrong format.
    Format,
    /// An artifact is for another vocabulary.
    Mismatch,
}

/// The failure of a call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// An argument is invalid.
    #[error("{0}")]
    Argument(String),
    /// The source was not compiled.
    #[error("{}", first(diagnostics))]
    Source {
        /// The source.
        source_text: Source,
        /// The diagnostics, errors first; at least one.
        diagnostics: Vec<Diagnostic>,
    },
    /// A tokenizer was not imported.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
    /// An artifact could not be opened or written.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// A folder of artifacts could not be opened.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// A text has bytes that are not UTF-8.
    #[error("the {what} is not UTF-8 from byte {at} on")]
    Utf8 {
        /// Name of the text.
        what: &'static str,
        /// Offset of the first wrong byte.
        at: usize,
    },
    /// The masks of an unmasked grammar were not computed.
    #[error(
        "the thread that computes the grammar's masks could not be started, or ended before it was done"
    )]
    Abandoned,
    /// The grammar's compiler makes no masks.
    #[error(
        "the grammar has no masks, because its compiler was asked for none: compile it with one that makes masks"
    )]
    WithoutMasks,
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

fn first(diagnostics: &[Diagnostic]) -> String {
    diagnostics.first().map(ToString::to_string).unwrap_or_default()
}

impl Failure {
    /// Returns its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Argument(_) | Self::WithoutMasks => Kind::Argument,
            Self::Utf8 { .. } => Kind::Source,
            Self::Abandoned => Kind::Cancelled,
            Self::Source { diagnostics, .. } => kind_of(diagnostics),
            Self::Vocabulary(VocabularyError::Read { .. } | VocabularyError::NotFound { .. })
            | Self::Artifact(ArtifactError::Io { .. })
            | Self::Layer(LayerError::Read { .. })
            | Self::Read { .. } => Kind::Io,
            Self::Artifact(
                ArtifactError::VocabularyMismatch { .. }
                | ArtifactError::SharedRulesMismatch { .. },
            ) => Kind::Mismatch,
            Self::Artifact(_) | Self::Vocabulary(_) | Self::Layer(_) => Kind::Format,
        }
    }

    /// Returns the name of the limit that was met: `memory`, `time` or the code of the diagnostic. `None` for other
    /// failures.
    pub fn limit(&self) -> Option<&'static str> {
        let Self::Source { diagnostics, .. } = self else { return None };
        let code = diagnostics.iter().map(|one| one.code).find(|code| kind_of_code(code).is_some());
        Some(match code? {
            "budget::memory" => "memory",
            "budget::time" => "time",
            other => other,
        })
    }

    /// Returns all diagnostics as a JSON array. Other failures become one diagnostic with the message.
    pub fn to_json(&self) -> String {
        let text = match self {
            Self::Source { source_text, diagnostics } => {
                let values: Vec<_> =
                    diagnostics.iter().map(|one| DiagnosticJson::new(source_text, one)).collect();
                serde_json::to_string(&values)
            }
            other => {
                let message = chain(other);
                serde_json::to_string(&serde_json::json!([{
                    "code": other.code(),
                    "severity": "error",
                    "message": message,
                }]))
            }
        };
        text.unwrap_or_else(|_| "[]".to_owned())
    }

    /// Returns the code of that diagnostic.
    fn code(&self) -> &'static str {
        match self.kind() {
            Kind::Argument => "argument",
            Kind::Source => "source",
            Kind::Limit => "limit",
            Kind::Timeout => "budget::time",
            Kind::Cancelled => "budget::cancelled",
            Kind::Io => "io",
            Kind::Format => "format",
            Kind::Mismatch => "vocabulary-mismatch",
        }
    }
}

/// Converts bytes to text.
///
/// # Errors
///
/// [`Failure::Utf8`], whose `what` names the text.
pub fn text<'t>(what: &'static str, bytes: &'t [u8]) -> Result<&'t str, Failure> {
    str::from_utf8(bytes).map_err(|error| Failure::Utf8 { what, at: error.valid_up_to() })
}

/// Returns a message with those of its causes.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        if !text.contains(&message) {
            text.push_str(": ");
            text.push_str(&message);
        }
        cause = error.source();
    }
    text
}

/// Returns the kind of a refused source: a limit if one was met, else its errors.
fn kind_of(diagnostics: &[Diagnostic]) -> Kind {
    diagnostics.iter().find_map(|one| kind_of_code(one.code)).unwrap_or(Kind::Source)
}

/// Returns the kind of failure of a limit's code. `None` for other codes.
fn kind_of_code(code: &str) -> Option<Kind> {
    match code {
        "budget::time" => Some(Kind::Timeout),
        "budget::cancelled" => Some(Kind::Cancelled),
        "budget::memory" | "regex::too-large" | "regex::too-long" => Some(Kind::Limit),
        code => code.rsplit("::").next()?.ends_with("limit").then_some(Kind::Limit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_tell_the_kind() {
        let kind = |codes: &[&'static str]| {
            let all: Vec<_> = codes.iter().map(|code| Diagnostic::error(code, "text")).collect();
            kind_of(&all)
        };
        assert_eq!(kind(&["gbnf::unknown-rule"]), Kind::Source);
        assert_eq!(kind(&["compile::limit"]), Kind::Limit);
        assert_eq!(kind(&["json-schema::shape-limit"]), Kind::Limit);
        assert_eq!(kind(&["gbnf::unknown-rule", "budget::time"]), Kind::Timeout);
        assert_eq!(kind(&["budget::cancelled"]), Kind::Cancelled);
        assert_eq!(kind(&["regex::delimited"]), Kind::Source);
    }

    #[test]
    fn failures_are_json() {
        let diagnostics = vec![Diagnostic::error("gbnf::syntax", "no").with_label(1..2, "here")];
        let failure = Failure::Source { source_text: Source::new("<gbnf>", "a\nb"), diagnostics };
        let value: serde_json::Value = serde_json::from_str(&failure.to_json()).unwrap();
        assert_eq!(value[0]["code"], "gbnf::syntax");
        assert_eq!(value[0]["span"], serde_json::json!([1, 2]));
        let value = Failure::Argument("x".to_owned()).to_json();
        assert_eq!(value, r#"[{"code":"argument","severity":"error","message":"x"}]"#);
    }
}

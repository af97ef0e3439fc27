//! Errors of options by name.

use super::language::Language;
#[cfg(feature = "json-schema")]
use grammarc_json_schema::{ResourceError, SeparatorError, WhitespaceError};

/// Options that make no sense.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// Not JSON, a name that the language does not have, or a value of another kind; the message says where.
    #[error("options for {}: {source}", language.name())]
    Json {
        /// The language.
        language: Language,
        /// The parser's error, with line and column.
        source: serde_json::Error,
    },
    /// This build does not read the language.
    #[error(
        "{} is not read by this build of grammarc: build it with the feature `{feature}`",
        language.name()
    )]
    NotBuilt {
        /// The language.
        language: Language,
        /// The feature of the crates `grammarc-compiler` and `grammarc-languages`.
        feature: &'static str,
    },
    /// A form of whitespace that there is none of.
    #[cfg(feature = "json-schema")]
    #[error("`whitespace`: {0}")]
    Whitespace(#[from] WhitespaceError),
    /// A text that is no separator.
    #[cfg(feature = "json-schema")]
    #[error("`separators`: {0}")]
    Separator(#[from] SeparatorError),
    /// A pair of options that exclude each other, or an option without one it needs.
    #[error("`{option}` {problem}")]
    Together {
        /// The option.
        option: &'static str,
        /// The fault in words.
        problem: &'static str,
    },
    /// A schema that references cannot lead to.
    #[cfg(feature = "json-schema")]
    #[error("`resources`: {0}")]
    Resource(#[from] ResourceError),
}

impl SettingsError {
    /// The option that is wrong, and its fault in words. `None` for the name if the error is about no single option.
    pub fn fault(&self) -> (Option<&'static str>, String) {
        match self {
            #[cfg(feature = "json-schema")]
            Self::Whitespace(error) => (Some("whitespace"), error.to_string()),
            #[cfg(feature = "json-schema")]
            Self::Separator(error) => (Some("separators"), error.to_string()),
            #[cfg(feature = "json-schema")]
            Self::Resource(error) => (Some("resources"), error.to_string()),
            Self::Together { option, problem } => (Some(option), (*problem).to_owned()),
            Self::Json { source, .. } => (None, source.to_string()),
            Self::NotBuilt { .. } => (None, self.to_string()),
        }
    }
}

//! The errors of options that are given by name.

use super::language::Language;
#[cfg(feature = "json-schema")]
use grammarc_json_schema::{ResourceError, SeparatorError, WhitespaceError};

/// An error in the options of a language.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The options are not JSON, have an unknown name, or have a value of the wrong type. The message names the place.
    #[error("options for {}: {source}", language.name())]
    Json {
        /// The language whose options were read.
        language: Language,
        /// The error of the JSON parser, with line and column.
        source: serde_json::Error,
    },
    /// This build does not contain the language.
    #[error(
        "{} is not read by this build of grammarc: build it with the feature `{feature}`",
        language.name()
    )]
    NotBuilt {
        /// The language that was asked for.
        language: Language,
        /// The feature of the crates `grammarc-compiler` and `grammarc-languages` that adds the language.
        feature: &'static str,
    },
    /// The option `whitespace` has an unknown form.
    #[cfg(feature = "json-schema")]
    #[error("`whitespace`: {0}")]
    Whitespace(#[from] WhitespaceError),
    /// A text of the option `separators` is not a separator.
    #[cfg(feature = "json-schema")]
    #[error("`separators`: {0}")]
    Separator(#[from] SeparatorError),
    /// Two options exclude each other, or an option lacks another one that it needs.
    #[error("`{option}` {problem}")]
    Together {
        /// The name of the option that is wrong.
        option: &'static str,
        /// What is wrong with the option, in words.
        problem: &'static str,
    },
    /// A schema of the option `resources` cannot be a target of references.
    #[cfg(feature = "json-schema")]
    #[error("`resources`: {0}")]
    Resource(#[from] ResourceError),
}

impl SettingsError {
    /// Returns the name of the wrong option, and what is wrong in words. The name is `None` if the error is not about a
    /// single option.
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

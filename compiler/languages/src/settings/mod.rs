//! Options of front ends by name: as bindings and configuration files give them.
//!
//! A host in another language hands options over as JSON text, and a project file as a table; both are read here, so
//! that an option has one name and one meaning everywhere, and an artifact records it the same way
//! ([`FrontEnd::recorded`]). A name that the language does not have is an error, never ignored. Names may be written
//! with `-` or with `_`.
//!
//! - [`read`](Settings::read): the front end and what to refuse, from JSON text;
//!
//! Tests: `tests/`.

use serde_json::{Map, Value};

use crate::deny::Deny;
use crate::front_end::FrontEnd;
use crate::options::NamedOptions;

pub use crate::options::{Language, OPTIONS, OptionRow, OptionValue, Section, SettingsError};

/// The language and options of a source, with the verdicts to refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The language with its options.
    pub front_end: FrontEnd,
    /// Keywords that the source must not have, in order and each once.
    pub deny: Vec<Deny>,
}

impl Settings {
    /// Settings of a language with nothing set.
    ///
    /// # Errors
    ///
    /// This build does not read the language.
    pub fn new(language: Language) -> Result<Self, SettingsError> {
        Ok(Self { front_end: FrontEnd::new(language)?, deny: Vec::new() })
    }

    /// Reads options from a JSON object. An empty text sets none.
    /// [`OPTIONS`] lists the options of each language.
    ///
    /// # Errors
    ///
    /// See [`SettingsError`].
    pub fn read(language: Language, text: &str) -> Result<Self, SettingsError> {
        if text.trim().is_empty() {
            return Self::new(language);
        }
        let given: Map<String, Value> = serde_json::from_str(text)
            .map_err(|source| SettingsError::Json { language, source })?;
        Self::of(language, given)
    }

    /// Reads options that were parsed. See [`Settings::read`].
    ///
    /// # Errors
    ///
    /// See [`SettingsError`].
    pub fn of(language: Language, given: Map<String, Value>) -> Result<Self, SettingsError> {
        let Self { mut front_end, mut deny } = Self::new(language)?;
        let options = given.into_iter().map(|(name, value)| (name.replace('-', "_"), value));
        let given = NamedOptions { language, options: options.collect() };
        front_end.options_mut().set(given, &mut deny)?;
        deny.sort();
        deny.dedup();
        Ok(Self { front_end, deny })
    }
}

#[cfg(all(test, feature = "all"))]
mod tests;

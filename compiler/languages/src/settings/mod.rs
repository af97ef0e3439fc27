//! Options of languages by name, as bindings and configuration files give them.
//!
//! A host in another language passes options as JSON text, and a project file as a table. Both are read here, so an
//! option has one name and one meaning everywhere, and artifacts record it by that name ([`FrontEnd::recorded`]). A
//! name that the language does not have is an error, never ignored. Names may be written with `-` or with `_`.
//!
//! Tests: `tests/`.

use serde_json::{Map, Value};

use crate::deny::Deny;
use crate::front_end::FrontEnd;
use crate::options::NamedOptions;

pub use crate::options::{Language, OPTIONS, OptionRow, OptionValue, Section, SettingsError};

/// The language and options of a source, and the kinds of keywords that are denied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The language of the source, with its options.
    pub front_end: FrontEnd,
    /// The kinds of keywords that make the source refused, sorted and without duplicates.
    pub deny: Vec<Deny>,
}

impl Settings {
    /// Returns the default settings of a language.
    ///
    /// # Errors
    ///
    /// This build does not contain the language.
    pub fn new(language: Language) -> Result<Self, SettingsError> {
        Ok(Self { front_end: FrontEnd::new(language)?, deny: Vec::new() })
    }

    /// Reads the settings of a language from a JSON object. An empty text sets no option. [`OPTIONS`] lists the options
    /// of each language.
    ///
    /// # Errors
    ///
    /// Returns a [`SettingsError`] if the text is no JSON object, a name or value is wrong, or this build does not
    /// contain the language.
    pub fn read(language: Language, text: &str) -> Result<Self, SettingsError> {
        if text.trim().is_empty() {
            return Self::new(language);
        }
        let given: Map<String, Value> = serde_json::from_str(text)
            .map_err(|source| SettingsError::Json { language, source })?;
        Self::of(language, given)
    }

    /// Reads the settings of a language from options that are already parsed. See [`Settings::read`].
    ///
    /// # Errors
    ///
    /// Returns a [`SettingsError`] if a name or value is wrong, or this build does not contain the language.
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

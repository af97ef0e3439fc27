//! Options of front ends by name: as bindings and configuration files give them.
//!
//! A host in another language hands options over as JSON text, and a project file as a table; both are read here, so that
//! an option has one name and one meaning everywhere, and an artifact records it the same way ([`FrontEnd::recorded`]). A
//! name that the language does not have is an error, never ignored. Names may be written with `-` or with `_`.
//!
//! - [`read`](Settings::read): the front end and what to refuse, from JSON text;

//!
//! Each language has a file here, with its options by name and [`LanguageOptions`] for them.

#[cfg(feature = "builtin")]
mod built_in;
mod error;
#[cfg(feature = "gbnf")]
mod gbnf;
#[cfg(feature = "json-schema")]
mod json_schema;
mod language;
#[cfg(feature = "lark")]
mod lark;
#[cfg(feature = "gbnf")]
mod named_sources;
mod plain;
#[cfg(feature = "structural-tag")]
mod structural_tag;
#[cfg(feature = "typescript")]
mod typescript;

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::FrontEnd;
use crate::deny::Deny;
use crate::inner::Reader;
use crate::sources::Sources;
use grammarc_grammar::budget::Budget;
use grammarc_grammar::controls::ControlTokens;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;
#[cfg(feature = "json-schema")]
use grammarc_json_schema::JsonSchemaOptions;

pub use error::SettingsError;
pub use language::Language;

/// Names and values of options, as artifacts record them for people and as the command line has them.
pub type Recorded = Vec<(&'static str, String)>;

/// What is asked of the options of a language, whichever it is.
pub(crate) trait LanguageOptions {
    /// Sets the options that are given by name. Keywords to deny are added to `deny`.
    ///
    /// # Errors
    ///
    /// See [`SettingsError`].
    fn set(&mut self, given: Given, deny: &mut Vec<Deny>) -> Result<(), SettingsError>;

    /// Lowers a source to a grammar.
    ///
    /// # Errors
    ///
    /// The errors of the source, or that the budget is spent.
    fn lower(&self, source: Source, within: &Within<'_>) -> Result<Lowered, Vec<Diagnostic>>;

    /// The options as an artifact records them. Options that few sources need are left out if they have their defaults.
    fn recorded(&self) -> Recorded {
        Vec::new()
    }

    /// The part of a text that decides what its grammar accepts: texts of one essence have equal grammars.
    fn essence<'t>(&self, text: &'t str) -> Cow<'t, [u8]> {
        Cow::Borrowed(text.as_bytes())
    }

    /// Whether the grammar of a text depends on the vocabulary. O(length).
    fn depends_on_vocabulary(&self, _: &str) -> bool {
        false
    }

    /// The sources that a source may refer to by name. `None` if the language has no such references.
    fn sources(&mut self) -> Option<&mut Sources> {
        None
    }

    /// How schemas are read. `None` if the language has none.
    #[cfg(feature = "json-schema")]
    fn schemas(&mut self) -> Option<&mut JsonSchemaOptions> {
        None
    }
}

/// What a source is lowered with besides its options.
pub(crate) struct Within<'a> {
    /// The vocabulary's special tokens. Only some languages are built with one that uses them.
    #[cfg_attr(
        not(feature = "structural-tag"),
        expect(dead_code, reason = "tags alone have them")
    )]
    pub(crate) controls: &'a ControlTokens,
    /// Reads the sources within the source.
    #[cfg_attr(not(feature = "gbnf"), expect(dead_code, reason = "grammars alone have them"))]
    pub(crate) reader: &'a dyn Reader,
    /// The budget of the compilation.
    pub(crate) budget: &'a Budget,
}

/// Options that are given by name, for one language.
pub(crate) struct Given {
    language: Language,
    /// Names with `_`.
    options: Map<String, Value>,
}

impl Given {
    /// Reads the options. An unknown name is an error where the type says so.
    fn read<T: DeserializeOwned>(self) -> Result<T, SettingsError> {
        let failed = |source| SettingsError::Json { language: self.language, source };
        serde_json::from_value(Value::Object(self.options)).map_err(failed)
    }

    /// Reads the options of a language, and returns those that are left over for its schemas, which `rest` has.
    #[cfg(any(
        feature = "builtin",
        feature = "lark",
        feature = "structural-tag",
        feature = "typescript"
    ))]
    fn split<T: DeserializeOwned>(
        self,
        rest: impl FnOnce(&mut T) -> &mut Map<String, Value>,
    ) -> Result<(T, Self), SettingsError> {
        let language = self.language;
        let mut given: T = self.read()?;
        let options = std::mem::take(rest(&mut given));
        Ok((given, Self { language, options }))
    }

    /// Checks that nothing is given.
    fn none(self) -> Result<(), SettingsError> {
        /// Options of a language that has none.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct NoSettings {}
        self.read().map(|NoSettings {}| ())
    }
}

/// How to read a source, and what to refuse of it.
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

    /// Reads options that are written as a JSON object; no text at all says nothing.
    ///
    /// | language | options |
    /// | --- | --- |
    /// | JSON Schema | `whitespace`, `levels`, `separators`, `surround`, `numbers`, `escapes`, `key-order`, `closed`, `dialect`, `formats`, `resources` (schemas by URI), `max-states`, `max-shapes`, `max-rules`, `deny` (a list) |
    /// | GBNF, EBNF | `start`, `sources` (sources by name, each an object with `language`, `text` and `options`) |
    /// | structural tag | those of JSON Schema, for the schemas in it, `tokens`, and `sources` as GBNF has them, for the grammars in it |
    /// | Lark | those of JSON Schema, for the schemas in it, and `start` |
    /// | TypeScript | those of JSON Schema, and `start` |
    /// | built-in grammars | `line` (a schema), `min-items`, `max-items`, `columns` (a number, or a list of names), `separator`, `names`, `attributes`, those of JSON Schema |
    /// | regex, choice, substring | none |
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
        let given = Given { language, options: options.collect() };
        front_end.options_mut().set(given, &mut deny)?;
        deny.sort();
        deny.dedup();
        Ok(Self { front_end, deny })
    }
}

#[cfg(all(test, feature = "all"))]
mod tests;

//! The interface of a language's options: set by name, recorded in artifacts, and applied to a source.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::deny::Deny;
use crate::inner::Reader;
use crate::sources::Sources;
use grammarc_grammar::budget::Budget;
use grammarc_grammar::controls::ControlTokens;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;
#[cfg(feature = "json-schema")]
use grammarc_json_schema::JsonSchemaOptions;

use super::error::SettingsError;
use super::language::Language;

/// Names and values of options, as artifacts record them for people and as the command line has them.
pub(crate) type Recorded = Vec<(&'static str, String)>;

/// The interface of the options of a language.
pub(crate) trait LanguageOptions {
    /// Returns the language.
    fn language(&self) -> Language;

    /// Sets the options that are given by name. Keywords to deny are added to `deny`.
    ///
    /// # Errors
    ///
    /// See [`SettingsError`].
    fn set(&mut self, given: NamedOptions, deny: &mut Vec<Deny>) -> Result<(), SettingsError>;

    /// Lowers a source to a grammar.
    ///
    /// # Errors
    ///
    /// The errors of the source, or that the budget is spent.
    fn lower(&self, source: Source, within: &LowerContext<'_>) -> Result<Lowered, Vec<Diagnostic>>;

    /// Returns the options as an artifact records them. Options that few sources need are left out if they have their
    /// defaults.
    fn recorded(&self) -> Recorded {
        Vec::new()
    }

    /// Has sources be text files: a line end at the end of a file is no part of a pattern.
    fn set_text_file(&mut self) {}

    /// Returns the part of a text that decides its grammar. Equal parts have equal grammars.
    fn essence<'t>(&self, text: &'t str) -> Cow<'t, [u8]> {
        Cow::Borrowed(text.as_bytes())
    }

    /// Whether the grammar of a text depends on the vocabulary. O(length).
    fn depends_on_vocabulary(&self, _: &str) -> bool {
        false
    }

    /// Returns the sources that a source may refer to by name. `None` if the language has no such references.
    fn sources(&mut self) -> Option<&mut Sources> {
        None
    }

    /// Returns the options of schemas. `None` if the language has none.
    #[cfg(feature = "json-schema")]
    fn schemas(&mut self) -> Option<&mut JsonSchemaOptions> {
        None
    }
}

/// The inputs of a lowering besides the options.
pub(crate) struct LowerContext<'a> {
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
pub(crate) struct NamedOptions {
    /// The language.
    pub(crate) language: Language,
    /// Names with `_`.
    pub(crate) options: Map<String, Value>,
}

impl NamedOptions {
    /// Reads the options. An unknown name is an error where the type says so.
    pub(super) fn read<T: DeserializeOwned>(self) -> Result<T, SettingsError> {
        let failed = |source| SettingsError::Json { language: self.language, source };
        serde_json::from_value(Value::Object(self.options)).map_err(failed)
    }

    /// Reads the options of a language. Returns the options left over for its schemas, according to `rest`.
    #[cfg(any(
        feature = "builtin",
        feature = "lark",
        feature = "structural-tag",
        feature = "typescript"
    ))]
    pub(super) fn split<T: DeserializeOwned>(
        self,
        rest: impl FnOnce(&mut T) -> &mut Map<String, Value>,
    ) -> Result<(T, Self), SettingsError> {
        let language = self.language;
        let mut given: T = self.read()?;
        let options = std::mem::take(rest(&mut given));
        Ok((given, Self { language, options }))
    }

    /// Checks that nothing is given.
    pub(super) fn none(self) -> Result<(), SettingsError> {
        /// Options of a language that has none.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct NoSettings {}
        self.read().map(|NoSettings {}| ())
    }
}

/// Options of a language with a start and schemas, by name.
#[cfg(any(feature = "lark", feature = "typescript"))]
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StartOptions {
    /// The start rule or type.
    pub(super) start: Option<String>,
    /// Options of the schemas; other names are refused there.
    #[serde(flatten)]
    pub(super) schemas: Map<String, Value>,
}

//! The interface of a language's options: they are set by name, recorded in artifacts, and applied to a source.

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

/// Names and values of options, as artifacts record them and as the command line takes them.
pub(crate) type Recorded = Vec<(&'static str, String)>;

/// The options of a language.
pub(crate) trait LanguageOptions {
    /// Returns the language that the options belong to.
    fn language(&self) -> Language;

    /// Sets the options that are given by name. Kinds of keywords to deny are added to `deny`.
    ///
    /// # Errors
    ///
    /// Returns a [`SettingsError`] if a name or value is wrong.
    fn set(&mut self, given: NamedOptions, deny: &mut Vec<Deny>) -> Result<(), SettingsError>;

    /// Lowers a source of the language to a grammar.
    ///
    /// # Errors
    ///
    /// Returns the errors of the source, or that the budget is spent.
    fn lower(&self, source: Source, within: &LowerContext<'_>) -> Result<Lowered, Vec<Diagnostic>>;

    /// Returns names and values of the options, as an artifact records them. Rarely used options are left out if they
    /// have their defaults.
    fn recorded(&self) -> Recorded {
        Vec::new()
    }

    /// Adapts the options to sources that are text files: a line end at the end of a file is not part of a pattern.
    fn set_text_file(&mut self) {}

    /// Returns the part of a text that determines its grammar. Texts with equal parts have equal grammars.
    fn essence<'t>(&self, text: &'t str) -> Cow<'t, [u8]> {
        Cow::Borrowed(text.as_bytes())
    }

    /// Whether the grammar of a text may depend on the vocabulary. Cost: O(length of the text).
    fn depends_on_vocabulary(&self, _: &str) -> bool {
        false
    }

    /// Returns the table of sources that a source may refer to by name. `None` if the language has no such references.
    fn sources(&mut self) -> Option<&mut Sources> {
        None
    }

    /// Returns the options for JSON Schemas. `None` if the language has no schemas.
    #[cfg(feature = "json-schema")]
    fn schemas(&mut self) -> Option<&mut JsonSchemaOptions> {
        None
    }
}

/// What a front end needs to lower a source, besides its options.
pub(crate) struct LowerContext<'a> {
    /// The special tokens of the vocabulary. Empty if the grammar is for all vocabularies.
    #[cfg_attr(
        not(feature = "structural-tag"),
        expect(dead_code, reason = "tags alone have them")
    )]
    pub(crate) controls: &'a ControlTokens,
    /// Lowers the sources of other languages within the source.
    #[cfg_attr(not(feature = "gbnf"), expect(dead_code, reason = "grammars alone have them"))]
    pub(crate) reader: &'a dyn Reader,
    /// The budget of the compilation.
    pub(crate) budget: &'a Budget,
}

/// The options of one language, as given by name.
pub(crate) struct NamedOptions {
    /// The language that the options belong to.
    pub(crate) language: Language,
    /// Maps the name of each option, written with `_`, to its value.
    pub(crate) options: Map<String, Value>,
}

impl NamedOptions {
    /// Reads the options as a value of type `T`, which decides whether an unknown name is an error.
    pub(super) fn read<T: DeserializeOwned>(self) -> Result<T, SettingsError> {
        let failed = |source| SettingsError::Json { language: self.language, source };
        serde_json::from_value(Value::Object(self.options)).map_err(failed)
    }

    /// Reads the options as a value of type `T`. Returns it with the options that `rest` selects from it: those that
    /// are left for the schemas.
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

    /// Returns an error if any option is given.
    pub(super) fn none(self) -> Result<(), SettingsError> {
        /// The options of a language that has none.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct NoSettings {}
        self.read().map(|NoSettings {}| ())
    }
}

/// Options of a language with a start rule or type, and with schemas, as given by name.
#[cfg(any(feature = "lark", feature = "typescript"))]
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StartOptions {
    /// The name of the start rule or type. `None` takes the default.
    pub(super) start: Option<String>,
    /// All other options, which are read as options of JSON Schema. Unknown names are an error there.
    #[serde(flatten)]
    pub(super) schemas: Map<String, Value>,
}

//! A language with its options, for callers that accept sources of any language.

use std::borrow::Cow;

use grammarc_artifacts::VocabularyArtifact;

#[cfg(feature = "builtin")]
use crate::builtin::BuiltInOptions;
use crate::choice::ChoiceOptions;
#[cfg(feature = "gbnf")]
use crate::gbnf::{GbnfOptions, Notation};
use crate::inner::Reader;
#[cfg(feature = "lark")]
use crate::lark::LarkOptions;
use crate::options::{Language, LanguageOptions, LowerContext, SettingsError};
use crate::sources::Sources;
#[cfg(feature = "structural-tag")]
use crate::structural_tag::StructuralTagOptions;
use crate::substring::SubstringOptions;
use grammarc_grammar::budget::Budget;
use grammarc_grammar::controls::ControlTokens;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;
#[cfg(feature = "json-schema")]
use grammarc_json_schema::{JsonSchemaOptions, KeyOrder};
#[cfg(feature = "regex")]
use grammarc_patterns::regex::PatternOptions;
#[cfg(feature = "typescript")]
use grammarc_typescript::TypeScriptOptions;

/// A language with its options. Languages whose feature is not enabled are not in the build.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FrontEnd {
    /// JSON Schema: the output is a JSON value of the schema.
    #[cfg(feature = "json-schema")]
    JsonSchema(JsonSchemaOptions),
    /// GBNF, the grammar notation of llama.cpp, or XGrammar's EBNF. The options select which.
    #[cfg(feature = "gbnf")]
    Gbnf(GbnfOptions),
    /// A regular expression in the syntax of the `regex` crate, which the whole output matches.
    #[cfg(feature = "regex")]
    Regex(PatternOptions),
    /// A choice: the output is one of the texts in a JSON array.
    Choice(ChoiceOptions),
    /// A structural tag: free text with tags, which contain schemas, grammars and patterns.
    #[cfg(feature = "structural-tag")]
    StructuralTag(StructuralTagOptions),
    /// Lark, in the dialect of llguidance and XGrammar.
    #[cfg(feature = "lark")]
    Lark(LarkOptions),
    /// Any contiguous part of a text, in words, characters or given chunks.
    Substring(SubstringOptions),
    /// Type declarations in TypeScript.
    #[cfg(feature = "typescript")]
    TypeScript(TypeScriptOptions),
    /// A built-in grammar, such as `csv`. The source text is its name.
    #[cfg(feature = "builtin")]
    BuiltIn(BuiltInOptions),
}

/// Returns the options of a front end, by shared or mutable reference.
macro_rules! options_of {
    ($front_end:expr) => {
        match $front_end {
            #[cfg(feature = "json-schema")]
            Self::JsonSchema(options) => options,
            #[cfg(feature = "gbnf")]
            Self::Gbnf(options) => options,
            #[cfg(feature = "regex")]
            Self::Regex(options) => options,
            Self::Choice(options) => options,
            #[cfg(feature = "structural-tag")]
            Self::StructuralTag(options) => options,
            #[cfg(feature = "lark")]
            Self::Lark(options) => options,
            Self::Substring(options) => options,
            #[cfg(feature = "typescript")]
            Self::TypeScript(options) => options,
            #[cfg(feature = "builtin")]
            Self::BuiltIn(options) => options,
        }
    };
}

/// Required keys in any order that [`FrontEnd::with_fewer_sets`] leaves. Each subset of these keys is a state, so six
/// keys make 64 states for each position among the ordered keys.
#[cfg(feature = "json-schema")]
const FEW_UNORDERED: u8 = 6;

impl FrontEnd {
    /// Returns a language with its default options.
    ///
    /// # Errors
    ///
    /// [`SettingsError::NotBuilt`] if this build does not contain the language.
    pub fn new(language: Language) -> Result<Self, SettingsError> {
        let front_end = match language {
            #[cfg(feature = "json-schema")]
            Language::JsonSchema => Self::JsonSchema(JsonSchemaOptions::default()),
            #[cfg(feature = "gbnf")]
            Language::Gbnf => Self::Gbnf(GbnfOptions::default()),
            #[cfg(feature = "gbnf")]
            Language::Ebnf => {
                let notation = Notation::Xgrammar;
                Self::Gbnf(GbnfOptions { notation, ..GbnfOptions::default() })
            }
            #[cfg(feature = "regex")]
            Language::Regex => Self::Regex(PatternOptions::exact()),
            Language::Choice => Self::Choice(ChoiceOptions::default()),
            #[cfg(feature = "structural-tag")]
            Language::StructuralTag => Self::StructuralTag(StructuralTagOptions::default()),
            #[cfg(feature = "lark")]
            Language::Lark => Self::Lark(LarkOptions::default()),
            Language::Substring => Self::Substring(SubstringOptions::default()),
            #[cfg(feature = "typescript")]
            Language::TypeScript => Self::TypeScript(TypeScriptOptions::default()),
            #[cfg(feature = "builtin")]
            Language::BuiltIn => Self::BuiltIn(BuiltInOptions::default()),
            #[cfg(not(feature = "all"))]
            _ => {
                let feature = language.feature();
                return Err(SettingsError::NotBuilt { language, feature });
            }
        };
        Ok(front_end)
    }

    pub(crate) fn options(&self) -> &dyn LanguageOptions {
        options_of!(self)
    }

    pub(crate) fn options_mut(&mut self) -> &mut dyn LanguageOptions {
        options_of!(self)
    }

    /// Returns the name of the language, as artifacts store it.
    pub fn kind(&self) -> &'static str {
        self.options().language().name()
    }

    /// Adapts the options to sources that are text files: a line end at the end of a file is not part of a pattern.
    #[must_use]
    pub fn in_text_file(mut self) -> Self {
        self.options_mut().set_text_file();
        self
    }

    /// Returns a copy that allows at most six required keys in any order. It is for a compilation that failed with too
    /// many sets of keys (`CompileError::is_of_sets`). The report marks the keys that keep their order as narrower.
    /// `None` if the limit is six already, if the key order is not `any`, or if sources of the language are no schemas.
    pub fn with_fewer_sets(&self) -> Option<Self> {
        #[cfg(feature = "json-schema")]
        if self.is_schema() {
            let mut fewer = self.clone();
            let schema = fewer.schemas()?;
            if schema.key_order == KeyOrder::Any && schema.max_unordered > FEW_UNORDERED {
                schema.max_unordered = FEW_UNORDERED;
                return Some(fewer);
            }
        }
        None
    }

    /// Whether a source of the language is one schema as a whole.
    #[cfg(feature = "json-schema")]
    fn is_schema(&self) -> bool {
        match self {
            Self::JsonSchema(_) => true,
            #[cfg(feature = "typescript")]
            Self::TypeScript(_) => true,
            _ => false,
        }
    }

    /// Returns the options for JSON Schemas. `None` if the language has no schemas.
    #[cfg(feature = "json-schema")]
    pub fn schemas(&mut self) -> Option<&mut JsonSchemaOptions> {
        self.options_mut().schemas()
    }

    /// Returns the table of sources that a source may refer to by name. `None` if the language has no such references.
    pub fn sources(&mut self) -> Option<&mut Sources> {
        self.options_mut().sources()
    }

    /// Returns names and values of the options, as an artifact records them. Rarely used options are left out if they
    /// have their defaults.
    pub fn recorded(&self) -> Vec<(&'static str, String)> {
        self.options().recorded()
    }

    /// Returns the part of a text that determines its grammar. Texts with equal parts have equal grammars. Cost:
    /// O(length of the text).
    pub fn essence<'t>(&self, text: &'t str) -> Cow<'t, [u8]> {
        self.options().essence(text)
    }

    /// Whether the grammar of a source may depend on the vocabulary. A structural tag depends on it, since special
    /// tokens may occur in its strings. A GBNF grammar does if it, or a source it refers to, may contain a structural
    /// tag. Cost: O(total length of the source and the sources it may refer to).
    pub fn depends_on_vocabulary(&self, source: &Source) -> bool {
        self.options().depends_on_vocabulary(&source.text)
    }

    /// Returns the special tokens of a vocabulary, for [`lower_for`](Self::lower_for). Empty if the grammar of the
    /// source does not depend on the vocabulary.
    pub fn controls(&self, source: &Source, vocabulary: &VocabularyArtifact) -> ControlTokens {
        match self.depends_on_vocabulary(source) {
            true => ControlTokens::of(vocabulary),
            false => ControlTokens::default(),
        }
    }

    /// Lowers a source to a grammar. `reader` lowers the sources of other languages in it.
    pub(crate) fn lower_within(
        &self,
        source: Source,
        controls: &ControlTokens,
        reader: &dyn Reader,
        budget: &Budget,
    ) -> Result<Lowered, Vec<Diagnostic>> {
        self.options().lower(source, &LowerContext { controls, reader, budget })
    }
}

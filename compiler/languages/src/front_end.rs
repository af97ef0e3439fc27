//! A source's language with its options, for callers that take sources of any language.

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

/// A source's language and how to read it. A language is left out of a build without its feature.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FrontEnd {
    /// JSON Schema.
    #[cfg(feature = "json-schema")]
    JsonSchema(JsonSchemaOptions),
    /// GBNF, the grammar notation of llama.cpp, or XGrammar's EBNF.
    #[cfg(feature = "gbnf")]
    Gbnf(GbnfOptions),
    /// A regular expression.
    #[cfg(feature = "regex")]
    Regex(PatternOptions),
    /// A choice of texts.
    Choice(ChoiceOptions),
    /// A structural tag.
    #[cfg(feature = "structural-tag")]
    StructuralTag(StructuralTagOptions),
    /// Lark, as llguidance and XGrammar have it.
    #[cfg(feature = "lark")]
    Lark(LarkOptions),
    /// Any contiguous part of a text.
    Substring(SubstringOptions),
    /// Declarations of types in TypeScript.
    #[cfg(feature = "typescript")]
    TypeScript(TypeScriptOptions),
    /// A built-in grammar. The source is its name.
    #[cfg(feature = "builtin")]
    BuiltIn(BuiltInOptions),
}

/// The options of a front end, by reference or by mutable reference.
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

/// Most required keys in any order that are tracked by states. Each subset of them is a state, so six keys are 64
/// states for each position among the keys in order.
#[cfg(feature = "json-schema")]
const FEW_UNORDERED: u8 = 6;

impl FrontEnd {
    /// Returns the language with its default options.
    ///
    /// # Errors
    ///
    /// [`SettingsError::NotBuilt`].
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

    /// Returns the language's name in artifacts.
    pub fn kind(&self) -> &'static str {
        self.options().language().name()
    }

    /// Returns the front end for sources that are text files: a line end at the end of a file is no part of a pattern.
    #[must_use]
    pub fn in_text_file(mut self) -> Self {
        self.options_mut().set_text_file();
        self
    }

    /// A copy with fewer required keys in any order, for a compilation that failed with too many sets of keys
    /// (`CompileError::is_of_sets`). The report calls the keys that keep their order narrower. `None` if all keys keep
    /// their order already, or if the schema is part of another language.
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

    /// Whether a source is one schema as a whole.
    #[cfg(feature = "json-schema")]
    fn is_schema(&self) -> bool {
        match self {
            Self::JsonSchema(_) => true,
            #[cfg(feature = "typescript")]
            Self::TypeScript(_) => true,
            _ => false,
        }
    }

    /// Returns the options of schemas, in languages that have them.
    #[cfg(feature = "json-schema")]
    pub fn schemas(&mut self) -> Option<&mut JsonSchemaOptions> {
        self.options_mut().schemas()
    }

    /// Returns the sources that a source may refer to by name, in languages with such references.
    pub fn sources(&mut self) -> Option<&mut Sources> {
        self.options_mut().sources()
    }

    /// Returns the options as an artifact records them. Options that few sources need are left out if they have their
    /// defaults.
    pub fn recorded(&self) -> Vec<(&'static str, String)> {
        self.options().recorded()
    }

    /// Returns the part of a text that decides its grammar. Equal parts have equal grammars. O(length).
    pub fn essence<'t>(&self, text: &'t str) -> Cow<'t, [u8]> {
        self.options().essence(text)
    }

    /// Whether the grammar of a source depends on the vocabulary. Special tokens in the strings of structural tags do,
    /// also if a GBNF grammar or its sources contain such a tag. O(length of all).
    pub fn depends_on_vocabulary(&self, source: &Source) -> bool {
        self.options().depends_on_vocabulary(&source.text)
    }

    /// Returns the special tokens of a vocabulary, for [`lower_for`](Self::lower_for). Empty if the grammar of the
    /// source does not depend on them.
    pub fn controls(&self, source: &Source, vocabulary: &VocabularyArtifact) -> ControlTokens {
        match self.depends_on_vocabulary(source) {
            true => ControlTokens::of(vocabulary),
            false => ControlTokens::default(),
        }
    }

    /// Lowers a source. `reader` reads the sources within it.
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

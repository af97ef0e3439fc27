//! Front ends: source text in, [`Lowered`] grammar with spans and diagnostics out.
//!
//! [`FrontEnd`] is a choice of one with its options, for callers that take sources of any language; [`settings`] reads such
//! options by name, and [`deny`] refuses what a report says of keywords.

pub mod builtin;
pub mod choice;
pub mod compose;
pub mod deny;
mod free_text;
pub mod gbnf;
mod inner;
#[cfg(test)]
mod judged;
pub mod lark;
mod nested;
mod recorded;
pub mod settings;
pub mod sources;
pub mod structural_tag;
pub mod substring;

pub use grammarc_json_schema as json_schema;
pub use grammarc_patterns::regex;
pub use grammarc_typescript as typescript;

use grammarc_artifacts::VocabularyArtifact;

use builtin::BuiltInOptions;
use choice::ChoiceOptions;
use gbnf::{GbnfOptions, Notation};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::controls::ControlTokens;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;
use grammarc_json_schema::{JsonSchemaOptions, KeyOrder};
use grammarc_patterns::regex::PatternOptions;
use grammarc_typescript::TypeScriptOptions;
use inner::Reader;
use lark::LarkOptions;
use nested::Nested;
use structural_tag::StructuralTagOptions;
use substring::SubstringOptions;

/// A source's language and how to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrontEnd {
    /// JSON Schema.
    JsonSchema(JsonSchemaOptions),
    /// GBNF, the grammar notation of llama.cpp, or XGrammar's EBNF.
    Gbnf(GbnfOptions),
    /// A regular expression.
    Regex(PatternOptions),
    /// One of some texts.
    Choice(ChoiceOptions),
    /// A structural tag.
    StructuralTag(StructuralTagOptions),
    /// Lark, as llguidance and XGrammar have it.
    Lark(LarkOptions),
    /// Any contiguous part of a text.
    Substring(SubstringOptions),
    /// Declarations of types in TypeScript.
    TypeScript(TypeScriptOptions),
    /// A built-in grammar, of which the source is the name.
    BuiltIn(BuiltInOptions),
}

/// Most required keys in any order that are tracked by states. Each subset of them is a state, so six keys are 64 states for each
/// position among the keys in order.
const FEW_UNORDERED: u8 = 6;

impl FrontEnd {
    /// The language's name in artifacts.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::JsonSchema(_) => "json-schema",
            Self::Gbnf(options) => match options.notation {
                Notation::Gbnf => "gbnf",
                Notation::Xgrammar => "ebnf",
            },
            Self::Regex(_) => "regex",
            Self::Choice(_) => "choice",
            Self::StructuralTag(_) => "structural-tag",
            Self::Lark(_) => "lark",
            Self::Substring(_) => "substring",
            Self::TypeScript(_) => "typescript",
            Self::BuiltIn(_) => "builtin",
        }
    }

    /// A copy with fewer required keys in any order, for a compilation that failed with too many sets of keys (`CompileError::is_of_sets`). The keywords that name keys which keep their order are entered in the report as narrower. `None`
    /// if all keys keep their order already, or if the schema is part of another language.
    pub fn with_fewer_sets(&self) -> Option<Self> {
        let mut fewer = self.clone();
        let schema = match &mut fewer {
            Self::JsonSchema(options) => options,
            Self::TypeScript(options) => &mut options.json_schema,
            _ => return None,
        };
        if schema.key_order != KeyOrder::Any || schema.max_unordered <= FEW_UNORDERED {
            return None;
        }
        schema.max_unordered = FEW_UNORDERED;
        Some(fewer)
    }

    /// Whether the grammar of a source depends on the vocabulary: strings that are special tokens mean these. They do in
    /// structural tags, also in those within a GBNF grammar or among the sources that it may refer to. O(length of all).
    pub fn depends_on_vocabulary(&self, source: &Source) -> bool {
        match self {
            Self::StructuralTag(_) => true,
            Self::Gbnf(options) => nested::may_have_tags(&source.text, &options.sources),
            _ => false,
        }
    }

    /// The special tokens of a vocabulary, for [`lower_for`](Self::lower_for); none where they do not matter to the source.
    pub fn controls(&self, source: &Source, vocabulary: &VocabularyArtifact) -> ControlTokens {
        match self.depends_on_vocabulary(source) {
            true => ControlTokens::of(vocabulary),
            false => ControlTokens::default(),
        }
    }

    /// The grammar of a source, for any vocabulary: no string of it is a special token. Compiling the grammar goes
    /// on with the budget that is left.
    ///
    /// # Errors
    ///
    /// The errors of the source, or that the budget is spent.
    pub fn lower(&self, source: Source, budget: &Budget) -> Result<Lowered, Vec<Diagnostic>> {
        self.lower_for(source, &ControlTokens::default(), budget)
    }

    /// Lowers a source to a grammar. `controls` are the vocabulary's special tokens. Some languages treat the name of such a token in a string as the token.
    ///
    /// # Errors
    ///
    /// The errors of the source, or that the budget is spent.
    pub fn lower_for(
        &self,
        source: Source,
        controls: &ControlTokens,
        budget: &Budget,
    ) -> Result<Lowered, Vec<Diagnostic>> {
        let nested = Nested::outermost(controls, budget);
        self.lower_within(source, controls, &nested, budget)
    }

    /// The same, where `reader` reads the sources within the source.
    fn lower_within(
        &self,
        source: Source,
        controls: &ControlTokens,
        reader: &dyn Reader,
        budget: &Budget,
    ) -> Result<Lowered, Vec<Diagnostic>> {
        match self {
            Self::JsonSchema(options) => grammarc_json_schema::lower(source, options, budget),
            Self::Gbnf(options) => gbnf::lower_with(source, options, reader, budget),
            Self::Regex(options) => grammarc_patterns::regex::lower(source, options, budget),
            Self::Choice(options) => choice::lower(source, options, budget),
            Self::StructuralTag(options) => {
                structural_tag::lower_with(source, options, controls, reader, budget)
            }
            Self::Lark(options) => lark::lower(source, options, budget),
            Self::Substring(options) => substring::lower(source, options, budget),
            Self::TypeScript(options) => grammarc_typescript::lower(source, options, budget),
            Self::BuiltIn(options) => builtin::lower(source, options, budget),
        }
    }
}

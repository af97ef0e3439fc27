//! Front ends: source text in, [`Lowered`] grammar with spans and diagnostics out.
//!
//! [`FrontEnd`] is a choice of one with its options, for callers that take sources of any language; [`settings`] reads such
//! options by name, and [`deny`] refuses what a report says of keywords.

pub mod choice;
mod class;
pub mod deny;
mod dialects;
mod document;
mod ecma;
mod free_text;
pub mod gbnf;
mod inner;
pub mod json_schema;
pub mod lark;
mod recorded;
pub mod regex;
pub mod settings;
pub mod structural_tag;
pub mod substring;
mod suggest;

use grammarc_artifacts::VocabularyArtifact;

use crate::budget::Budget;
use crate::controls::ControlTokens;
use crate::diagnostics::{Diagnostic, Source};
use crate::ir::Lowered;
use choice::ChoiceOptions;
use gbnf::{GbnfOptions, Notation};
use json_schema::JsonSchemaOptions;
use lark::LarkOptions;
use regex::PatternOptions;
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
}

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
        }
    }

    /// Whether the grammar of a source depends on the vocabulary: strings that are special tokens mean these.
    pub fn depends_on_vocabulary(&self) -> bool {
        matches!(self, Self::StructuralTag(_))
    }

    /// The special tokens of a vocabulary, for [`lower_for`](Self::lower_for); none where they do not matter.
    pub fn controls(&self, vocabulary: &VocabularyArtifact) -> ControlTokens {
        match self.depends_on_vocabulary() {
            true => ControlTokens::of(vocabulary),
            false => ControlTokens::default(),
        }
    }

    /// The grammar of a source, for any vocabulary: no string of it is a special token. What it takes of the budget,
    /// compiling the grammar goes on with.
    ///
    /// # Errors
    ///
    /// What is wrong with the source, or that the budget is spent.
    pub fn lower(&self, source: Source, budget: &Budget) -> Result<Lowered, Vec<Diagnostic>> {
        self.lower_for(source, &ControlTokens::default(), budget)
    }

    /// The grammar of a source for a vocabulary with these special tokens, as which some languages read strings.
    ///
    /// # Errors
    ///
    /// What is wrong with the source, or that the budget is spent.
    pub fn lower_for(
        &self,
        source: Source,
        controls: &ControlTokens,
        budget: &Budget,
    ) -> Result<Lowered, Vec<Diagnostic>> {
        match self {
            Self::JsonSchema(options) => json_schema::lower(source, options, budget),
            Self::Gbnf(options) => gbnf::lower(source, options, budget),
            Self::Regex(options) => regex::lower(source, options, budget),
            Self::Choice(options) => choice::lower(source, options, budget),
            Self::StructuralTag(options) => {
                structural_tag::lower(source, options, controls, budget)
            }
            Self::Lark(options) => lark::lower(source, options, budget),
            Self::Substring(options) => substring::lower(source, options, budget),
        }
    }
}

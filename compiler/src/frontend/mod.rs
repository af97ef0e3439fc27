//! Front ends: source text in, [`Lowered`] grammar with spans and diagnostics out.
//!
//! [`FrontEnd`] is a choice of one with its options, for callers that take sources of any language; [`settings`] reads such
//! options by name, and [`deny`] refuses what a report says of keywords.

pub mod builtin;
pub mod choice;
mod class;
pub mod compose;
pub mod deny;
mod dialects;
mod document;
mod ecma;
pub mod gbnf;
mod inner;
pub mod json_schema;
mod nested;
mod recorded;
pub mod regex;
pub mod settings;
pub mod sources;
mod suggest;
pub mod typescript;

use crate::budget::Budget;
use crate::controls::ControlTokens;
use crate::diagnostics::{Diagnostic, Source};
use crate::ir::Lowered;
use builtin::BuiltInOptions;
use choice::ChoiceOptions;
use gbnf::GbnfOptions;
use inner::Reader;
use json_schema::JsonSchemaOptions;
use nested::Nested;
use regex::PatternOptions;
use typescript::TypeScriptOptions;

/// A source's language and how to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrontEnd {
    /// JSON Schema.
    JsonSchema(JsonSchemaOptions),
    /// GBNF, the grammar notation of llama.cpp.
    Gbnf(GbnfOptions),
    /// A regular expression.
    Regex(PatternOptions),
    /// One of some texts.
    Choice(ChoiceOptions),
    /// Declarations of types in TypeScript.
    TypeScript(TypeScriptOptions),
    /// A built-in grammar, of which the source is the name.
    BuiltIn(BuiltInOptions),
}

impl FrontEnd {
    /// The language's name in artifacts.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::JsonSchema(_) => "json-schema",
            Self::Gbnf(_) => "gbnf",
            Self::Regex(_) => "regex",
            Self::Choice(_) => "choice",
            Self::TypeScript(_) => "typescript",
            Self::BuiltIn(_) => "builtin",
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
        let _ = controls;
        match self {
            Self::JsonSchema(options) => json_schema::lower(source, options, budget),
            Self::Gbnf(options) => gbnf::lower_with(source, options, reader, budget),
            Self::Regex(options) => regex::lower(source, options, budget),
            Self::Choice(options) => choice::lower(source, options, budget),
            Self::TypeScript(options) => typescript::lower(source, options, budget),
            Self::BuiltIn(options) => builtin::lower(source, options, budget),
        }
    }
}

//! Lowers the inner sources of a structural tag: schemas, grammars and patterns.

use rustc_hash::FxHashMap;

use crate::gbnf;
use crate::gbnf::{GbnfOptions, Notation};
use crate::inner::Reader;
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Source;
use grammarc_grammar::ir::Expr;
use grammarc_json_schema as json_schema;
use grammarc_json_schema::document::{Json, NodeId};
use grammarc_json_schema::{Escapes, KeyOrder, Root, Whitespace, lower_loosely};
use grammarc_patterns::regex;
use grammarc_patterns::regex::PatternOptions;

use super::builder::{Inner, TagBuilder};
use super::format::{Schema, Style, Syntax};
use super::members::{self, MemberStyle};
use super::options::StructuralTagOptions;

/// Most steps of work for the arguments of one tool: about a second. A tool with four members takes some 40,000. Beyond,
/// the tool is left out, or its schema is loosened.
pub(super) const TOOL_STEPS: usize = 1 << 28;

/// Lowers the inner sources (schemas, grammars and patterns) of a structural tag. Equal sources at one
/// place are lowered once.
pub(super) struct InnerSources<'a> {
    options: &'a StructuralTagOptions,
    /// Lowers sources of other languages that a grammar contains or refers to.
    reader: &'a dyn Reader,
    budget: &'a Budget,
    /// Maps each source lowered so far to its expression.
    known: FxHashMap<InnerSource, Expr>,
}

/// A source within a structural tag.
#[derive(Clone, PartialEq, Eq, Hash)]
enum InnerSource {
    Schema(Schema),
    Grammar(NodeId, Syntax),
    Regex(NodeId),
}

impl<'a> InnerSources<'a> {
    /// Returns a lowering that has no sources yet.
    pub(super) fn new(
        options: &'a StructuralTagOptions,
        reader: &'a dyn Reader,
        budget: &'a Budget,
    ) -> Self {
        Self { options, reader, budget, known: FxHashMap::default() }
    }

    /// Returns the expression of a grammar in the notation `syntax`. The grammar is the JSON string
    /// `at` of the document. After errors, the expression accepts nothing.
    pub(super) fn grammar(
        &mut self,
        at: NodeId,
        syntax: Syntax,
        builder: &mut TagBuilder<'_>,
    ) -> Expr {
        self.grammar_within(at, syntax, builder, self.budget)
    }

    /// Returns the expression of a [grammar](Self::grammar), which is lowered within `budget`.
    pub(super) fn grammar_within(
        &mut self,
        at: NodeId,
        syntax: Syntax,
        builder: &mut TagBuilder<'_>,
        budget: &Budget,
    ) -> Expr {
        let Self { reader, options: StructuralTagOptions { sources, .. }, .. } = *self;
        self.lowered(InnerSource::Grammar(at, syntax), || {
            if syntax == Syntax::Lark {
                return builder.add_string(at, |source| reader.inline("lark", source, sources));
            }
            let options = GbnfOptions {
                notation: Notation::Xgrammar,
                sources: sources.clone(),
                ..GbnfOptions::default()
            };
            builder.add_string(at, |source| gbnf::lower_with(source, &options, reader, budget))
        })
    }

    /// Returns the expression of a regular expression, which is the JSON string `at` of the
    /// document. After errors, the expression accepts nothing.
    pub(super) fn regex(&mut self, at: NodeId, builder: &mut TagBuilder<'_>) -> Expr {
        self.regex_within(at, builder, self.budget)
    }

    /// Returns the expression of a [regular expression](Self::regex), which is lowered within `budget`.
    pub(super) fn regex_within(
        &mut self,
        at: NodeId,
        builder: &mut TagBuilder<'_>,
        budget: &Budget,
    ) -> Expr {
        self.lowered(InnerSource::Regex(at), || {
            builder.add_string(at, |source| lower_regex(source, budget))
        })
    }

    /// Returns the expression of a regular expression that is part of the compiler and not of the
    /// document.
    pub(super) fn pattern(&self, pattern: &str, builder: &mut TagBuilder<'_>) -> Expr {
        builder.add_constant(pattern, |source| lower_regex(source, self.budget))
    }

    /// Returns the expression of the values of a schema, written as JSON or as tags. After errors,
    /// the expression accepts nothing.
    pub(super) fn schema(&mut self, schema: &Schema, builder: &mut TagBuilder<'_>) -> Expr {
        self.schema_within(schema, builder, self.budget)
    }

    /// Returns the expression of the values of a [schema](Self::schema), which is lowered within `budget`.
    pub(super) fn schema_within(
        &mut self,
        schema: &Schema,
        builder: &mut TagBuilder<'_>,
        budget: &Budget,
    ) -> Expr {
        let options = self.options;
        let source = InnerSource::Schema(schema.clone());
        self.lowered(source, || new_schema(schema, options, builder, budget))
    }

    /// Returns the expression of a source, which is lowered if it is not known.
    fn lowered(&mut self, source: InnerSource, lower: impl FnOnce() -> Expr) -> Expr {
        self.known.entry(source).or_insert_with(lower).clone()
    }
}

fn new_schema(
    schema: &Schema,
    options: &StructuralTagOptions,
    builder: &mut TagBuilder<'_>,
    budget: &Budget,
) -> Expr {
    let mut options = options.schemas.clone();
    if schema.any_order {
        options.key_order = KeyOrder::AnyOnce;
    }
    let style = match schema.style {
        Style::Json => None,
        Style::Xml(style) => members::style(style),
    };
    // A style whose end tags repeat keys cannot write keys that the tool does not name. Python refuses keys that are given
    // twice or are no identifiers, so such keys are taken only where the schema says so.
    let is_closed = schema.is_object && style.is_some_and(MemberStyle::names_keys);
    options.closed |= is_closed || schema.is_object && style.is_some_and(MemberStyle::is_python);
    if style.is_some_and(MemberStyle::is_python) {
        // Other escapes of JSON have another meaning in Python.
        options.text.escapes = Escapes::Shortest;
    }
    let is_sorted = style.is_some_and(|style| style.sorted);
    if is_sorted && options.key_order == KeyOrder::Schema {
        options.key_order = KeyOrder::Sorted;
    }
    let form = match schema.style {
        Style::Json => None,
        Style::Xml(style) => {
            let at = schema.schema.unwrap_or(builder.document.root());
            Some(members::tag_form(style, schema.max_whitespace, at, builder))
        }
    };
    let wanted = match &form {
        Some(form) => Root::Tags { form, all: !schema.is_object },
        None if schema.is_object => Root::Object,
        None => Root::Value,
    };
    match schema.max_whitespace {
        Some(0) => options.text.whitespace = Whitespace::Compact,
        Some(max) => options.text.whitespace = Whitespace::Flexible { max },
        None => {}
    }
    let excludes = &schema.excludes;
    let lower = |source: Source| match schema.is_loosened {
        true => lower_loosely(&source, &options, wanted, excludes, TOOL_STEPS, budget),
        false => json_schema::lower_as(source, &options, wanted, excludes, budget),
    };
    match schema.schema {
        None if is_closed => {
            builder.add_constant(r#"{"type": "object", "additionalProperties": false}"#, lower)
        }
        None => builder.add_constant(r#"{"type": "object"}"#, lower),
        // XGrammar's older form may give the schema as a string that contains JSON.
        Some(at) if matches!(builder.document.json(at), Json::String(_)) => {
            builder.add_string(at, lower)
        }
        Some(at) => builder.add_part(at, lower),
    }
}

fn lower_regex(source: Source, budget: &Budget) -> Inner {
    regex::lower(source, &PatternOptions::exact(), budget)
}

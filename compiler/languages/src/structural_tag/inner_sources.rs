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
use grammarc_json_schema::{KeyOrder, Root, Whitespace};
use grammarc_patterns::regex;
use grammarc_patterns::regex::PatternOptions;

use super::builder::{Inner, TagBuilder};
use super::format::{Schema, Style, Syntax};
use super::members;
use super::options::StructuralTagOptions;

/// Lowers the inner sources (schemas, grammars and patterns) of a structural tag. Equal schemas are
/// lowered once.
pub(super) struct InnerSources<'a> {
    options: &'a StructuralTagOptions,
    /// Lowers sources of other languages that a grammar contains or refers to.
    reader: &'a dyn Reader,
    budget: &'a Budget,
    /// Maps each schema lowered so far to its expression.
    schemas: FxHashMap<Schema, Expr>,
}

impl<'a> InnerSources<'a> {
    /// Returns a lowering that has no schemas yet.
    pub(super) fn new(
        options: &'a StructuralTagOptions,
        reader: &'a dyn Reader,
        budget: &'a Budget,
    ) -> Self {
        Self { options, reader, budget, schemas: FxHashMap::default() }
    }

    /// Returns the expression of a grammar in the notation `syntax`. The grammar is the JSON string
    /// `at` of the document. After errors, the expression accepts nothing.
    pub(super) fn grammar(&self, at: NodeId, syntax: Syntax, builder: &mut TagBuilder<'_>) -> Expr {
        let sources = &self.options.sources;
        if syntax == Syntax::Lark {
            return builder.add_string(at, |source| self.reader.inline("lark", source, sources));
        }
        let options = GbnfOptions {
            notation: Notation::Xgrammar,
            sources: sources.clone(),
            ..GbnfOptions::default()
        };
        builder
            .add_string(at, |source| gbnf::lower_with(source, &options, self.reader, self.budget))
    }

    /// Returns the expression of a regular expression, which is the JSON string `at` of the
    /// document. After errors, the expression accepts nothing.
    pub(super) fn regex(&self, at: NodeId, builder: &mut TagBuilder<'_>) -> Expr {
        builder.add_string(at, |source| self.lower_regex(source))
    }

    /// Returns the expression of a regular expression that is part of the compiler and not of the
    /// document.
    pub(super) fn pattern(&self, pattern: &str, builder: &mut TagBuilder<'_>) -> Expr {
        builder.add_constant(pattern, |source| self.lower_regex(source))
    }

    /// Returns the expression of the values of a schema, written as JSON or as tags. After errors,
    /// the expression accepts nothing.
    pub(super) fn schema(&mut self, schema: &Schema, builder: &mut TagBuilder<'_>) -> Expr {
        if let Some(known) = self.schemas.get(schema) {
            return known.clone();
        }
        let expr = self.new_schema(schema, builder);
        self.schemas.insert(schema.clone(), expr.clone());
        expr
    }

    fn new_schema(&self, schema: &Schema, builder: &mut TagBuilder<'_>) -> Expr {
        let mut options = self.options.schemas.clone();
        if schema.any_order {
            options.key_order = KeyOrder::AnyOnce;
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
        let lower = |source: Source| {
            json_schema::lower_as(source, &options, wanted, &schema.excludes, self.budget)
        };
        match schema.schema {
            None => builder.add_constant(r#"{"type": "object"}"#, lower),
            // XGrammar's older form may give the schema as a string that contains JSON.
            Some(at) if matches!(builder.document.json(at), Json::String(_)) => {
                builder.add_string(at, lower)
            }
            Some(at) => builder.add_part(at, lower),
        }
    }

    fn lower_regex(&self, source: Source) -> Inner {
        regex::lower(source, &PatternOptions::exact(), self.budget)
    }
}

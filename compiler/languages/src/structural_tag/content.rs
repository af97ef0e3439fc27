//! Inner sources of a tag: schemas, grammars and patterns.

use std::ops::Range;

use crate::gbnf;
use crate::gbnf::{GbnfOptions, Notation};
use crate::inner::Place;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{Expr, Lowered};
use grammarc_json_schema as json_schema;
use grammarc_json_schema::document::{Json, NodeId};
use grammarc_json_schema::{KeyOrder, Root, Whitespace};
use grammarc_patterns::regex;
use grammarc_patterns::regex::PatternOptions;

use super::format::{Schema, Style, Syntax};
use super::lower::Lowering;

impl Lowering<'_> {
    /// A text of a grammar, given as a string.
    pub(super) fn grammar(&mut self, at: NodeId, syntax: Syntax) -> Expr {
        if syntax == Syntax::Lark {
            let sources = &self.options.sources;
            return self.written(at, |source, this| this.reader.standing("lark", source, sources));
        }
        let options = GbnfOptions {
            notation: Notation::Xgrammar,
            sources: self.options.sources.clone(),
            ..GbnfOptions::default()
        };
        let lower =
            |source, this: &Self| gbnf::lower_with(source, &options, this.reader, this.budget);
        self.written(at, lower)
    }

    /// A text that a pattern matches, given as a string.
    pub(super) fn regex(&mut self, at: NodeId) -> Expr {
        let options = PatternOptions::exact();
        self.written(at, |source, this| regex::lower(source, &options, this.budget))
    }

    /// A text that a pattern matches which is no part of the document.
    pub(super) fn pattern(&mut self, pattern: &str) -> Expr {
        let source = Source::new(self.source.name.clone(), pattern);
        let lowered = regex::lower(source, &PatternOptions::exact(), self.budget);
        let span = |_: &Range<usize>| 0..0;
        self.add(lowered, &Place { span: &span, pointer: None })
    }

    /// A value of a schema, written as JSON or as tags.
    pub(super) fn schema(&mut self, schema: &Schema) -> Expr {
        if let Some(known) = self.schemas.get(schema) {
            return known.clone();
        }
        let expr = self.new_schema(schema);
        self.schemas.insert(schema.clone(), expr.clone());
        expr
    }

    fn new_schema(&mut self, schema: &Schema) -> Expr {
        let mut options = self.options.schemas.clone();
        if schema.any_order {
            options.key_order = KeyOrder::AnyOnce;
        }
        let form = match schema.style {
            Style::Json => None,
            Style::Xml(style) => {
                let at = schema.schema.unwrap_or(self.document.root());
                Some(self.tag_form(style, schema.max_whitespace, at))
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
        let lower = |source: Source, this: &Self| {
            json_schema::lower_as(source, &options, wanted, &schema.excludes, this.budget)
        };
        match schema.schema {
            None => self.any_object(lower),
            // Also the older form, in which a schema may be given as the text of one.
            Some(at) if matches!(self.document.json(at), Json::String(_)) => {
                self.written(at, lower)
            }
            Some(at) => self.slice(at, lower),
        }
    }

    fn any_object(
        &mut self,
        lower: impl FnOnce(Source, &Self) -> Result<Lowered, Vec<Diagnostic>>,
    ) -> Expr {
        let source = Source::new(self.source.name.clone(), r#"{"type": "object"}"#);
        let lowered = lower(source, self);
        let span = |_: &Range<usize>| 0..0;
        self.add(lowered, &Place { span: &span, pointer: None })
    }

    /// An inner source that is a part of the document.
    fn slice(
        &mut self,
        at: NodeId,
        lower: impl FnOnce(Source, &Self) -> Result<Lowered, Vec<Diagnostic>>,
    ) -> Expr {
        let place = self.document.span(at);
        let source = Source::new(self.source.name.clone(), &self.source.text[place.clone()]);
        let lowered = lower(source, self);
        let span = |inner: &Range<usize>| place.start + inner.start..place.start + inner.end;
        self.add(lowered, &Place { span: &span, pointer: Some(self.document.pointer(at)) })
    }

    /// An inner source that is written as a string.
    fn written(
        &mut self,
        at: NodeId,
        lower: impl FnOnce(Source, &Self) -> Result<Lowered, Vec<Diagnostic>>,
    ) -> Expr {
        let Json::String(text) = self.document.json(at) else { return Expr::Never };
        let source = Source::new(self.source.name.clone(), &**text);
        let lowered = lower(source, self);
        let written = self.document.written(at);
        let span = |inner: &Range<usize>| written.span(inner);
        self.add(lowered, &Place { span: &span, pointer: Some(self.document.pointer(at)) })
    }

    fn add(&mut self, lowered: Result<Lowered, Vec<Diagnostic>>, place: &Place<'_>) -> Expr {
        match lowered {
            Ok(lowered) => Expr::Call(self.outer.add(lowered, place)),
            Err(errors) => {
                self.errors.extend(place.diagnostics(errors));
                Expr::Never
            }
        }
    }
}

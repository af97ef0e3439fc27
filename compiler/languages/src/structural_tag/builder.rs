//! Builds the grammar of a structural tag: its rules, its regions and its findings.
//!
//! A region is a rule that a splitter of outputs recognizes. The strings around the content of a tag are markup of the
//! tag's own region. The region of free text also contains what ends the text: beginnings of tags, and the end of the
//! surrounding tag. These strings are its markers.

use std::ops::Range;

use crate::free_text::Symbol;
use crate::inner::{Outer, Place};
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{
    Expr, Lowered, MarkerPart, Origin, Region, RegionKind, RuleKind, TokenRef, TokenSet,
};
use grammarc_json_schema::document::{Document, Json, NodeId};

use super::format::{Mark, Text, Token};
use super::suffix;
use super::texts::{Symbols, Texts};

/// The grammar of a structural tag under construction, with the errors found so far.
pub(super) struct TagBuilder<'a> {
    source: &'a Source,
    pub(super) document: &'a Document<'a>,
    texts: Texts<'a>,
    pub(super) outer: Outer,
    pub(super) errors: Vec<Diagnostic>,
}

impl<'a> TagBuilder<'a> {
    /// Returns a builder without any rules.
    pub(super) fn new(source: &'a Source, document: &'a Document<'a>, texts: Texts<'a>) -> Self {
        Self { source, document, texts, outer: Outer::default(), errors: Vec::new() }
    }

    /// Returns the grammar's builder with all findings, those about special tokens included.
    pub(super) fn finish(mut self) -> Outer {
        self.outer.findings.extend(self.texts.notes);
        self.outer
    }

    /// Converts a string of the document to symbols: special tokens, and the bytes between them.
    pub(super) fn symbols(&mut self, text: &Text) -> Symbols {
        self.texts.symbols(text, self.document).0
    }

    /// Converts the beginning or end of a tag to symbols. Also returns the length in bytes of each symbol, 0 for a
    /// token given as such. A token that the vocabulary lacks is an error.
    pub(super) fn mark(&mut self, mark: &Mark) -> (Symbols, Vec<usize>) {
        if let Mark::Token(token) = mark {
            self.errors.extend(self.texts.check(token, self.document));
        }
        self.texts.of_mark(mark, self.document)
    }

    /// Converts the ends of a tag, of which one has to follow the content, to symbols (special tokens and bytes).
    pub(super) fn marks(&mut self, marks: &[Mark]) -> Vec<Symbols> {
        marks.iter().map(|mark| self.mark(mark).0).collect()
    }

    /// Returns the expression of a set of tokens, or with `negated` of all other tokens. A token that the vocabulary
    /// lacks is an error.
    pub(super) fn token(&mut self, tokens: &[Token], negated: bool) -> Expr {
        for token in tokens {
            self.errors.extend(self.texts.check(token, self.document));
        }
        let tokens = tokens.iter();
        let tokens = tokens.map(|token| (token.token.clone(), Some(self.document.span(token.at))));
        Expr::Token(TokenSet { tokens: tokens.collect(), negated })
    }

    /// Returns the suffix of the vocabulary's markers, by one of them. Several suffixes are an error at `at`.
    pub(super) fn suffix(&mut self, marker: &str, at: NodeId) -> String {
        suffix::of(marker, self.texts.controls).unwrap_or_else(|many| {
            let many: Vec<String> = many.iter().map(|one| suffix::with(one, marker)).collect();
            let text = format!("the vocabulary has several of one marker: {}", many.join(", "));
            self.error("structural-tag::suffixes", at, text, "name another style");
            String::new()
        })
    }

    /// Reports an error at the value `at` of the document.
    pub(super) fn error(&mut self, code: &'static str, at: NodeId, message: String, help: &str) {
        self.errors.push(self.document.error(code, at, message).with_help(help));
    }

    /// Defines a rule that is a region, which a splitter of outputs recognizes. Returns a call of the rule.
    pub(super) fn region(&mut self, region: Region, name: &str, expr: Expr, at: NodeId) -> Expr {
        let number = self.outer.builder.region(region);
        let rule = self.outer.builder.declare(name);
        let (span, pointer) = (self.document.span(at), self.document.pointer(at));
        let origin = Origin { span: Some(span), pointer: Some(pointer) };
        self.outer.builder.define_as(rule, expr, origin, RuleKind::Region(number));
        Expr::Call(rule)
    }

    /// Defines a region (a rule that a splitter of outputs recognizes) for the content of an inner source (a schema,
    /// grammar or pattern), and returns a call of it. If the expression accepts nothing, it is returned as it is.
    pub(super) fn content(&mut self, kind: RegionKind, expr: Expr, at: NodeId) -> Expr {
        match expr {
            Expr::Never => Expr::Never,
            expr => self.region(Region::plain(kind), kind.name(), expr, at),
        }
    }

    /// Adds an inner source (a schema, grammar or pattern) that is a JSON value of the document. Returns a call of its
    /// start rule, or after an error an expression that accepts nothing.
    pub(super) fn add_part(&mut self, at: NodeId, lower: impl FnOnce(Source) -> Inner) -> Expr {
        let place = self.document.span(at);
        let lowered = lower(self.source_of(&self.source.text[place.clone()]));
        let span = |inner: &Range<usize>| place.start + inner.start..place.start + inner.end;
        self.add(lowered, &Place { span: &span, pointer: Some(self.document.pointer(at)) })
    }

    /// Adds an inner source (a schema, grammar or pattern) that is the text of a JSON string of the document. Returns a
    /// call of its start rule, or after an error an expression that accepts nothing.
    pub(super) fn add_string(&mut self, at: NodeId, lower: impl FnOnce(Source) -> Inner) -> Expr {
        let Json::String(text) = self.document.json(at) else { return Expr::Never };
        let lowered = lower(self.source_of(text));
        let written = self.document.written(at);
        let span = |inner: &Range<usize>| written.span(inner);
        self.add(lowered, &Place { span: &span, pointer: Some(self.document.pointer(at)) })
    }

    /// Adds an inner source that is not part of the document, such as a fixed pattern. Returns a call of its start
    /// rule, or after an error an expression that accepts nothing.
    pub(super) fn add_constant(&mut self, text: &str, lower: impl FnOnce(Source) -> Inner) -> Expr {
        let lowered = lower(self.source_of(text));
        self.add(lowered, &Place { span: &|_| 0..0, pointer: None })
    }

    fn source_of(&self, text: &str) -> Source {
        Source::new(self.source.name.clone(), text)
    }

    fn add(&mut self, lowered: Inner, place: &Place<'_>) -> Expr {
        match lowered {
            Ok(lowered) => Expr::Call(self.outer.add(lowered, place)),
            Err(errors) => {
                self.errors.extend(place.diagnostics(errors));
                Expr::Never
            }
        }
    }
}

/// The lowered grammar of an inner source (a schema, grammar or pattern within the tag), or its errors.
pub(super) type Inner = Result<Lowered, Vec<Diagnostic>>;

/// Returns the region (a rule that a splitter of outputs recognizes) of a tag. Its label is the text or the token id
/// that the tag begins with.
pub(super) fn tagged(begin: &Mark) -> Region {
    let label = match begin {
        Mark::Text(text) => text.text.clone(),
        Mark::Token(token) => match &token.token {
            TokenRef::Text(text) => text.clone(),
            TokenRef::Id(id) => id.to_string(),
        },
    };
    Region { label, ..Region::plain(RegionKind::Tag) }
}

/// Converts strings to markers of a region (a rule that a splitter of outputs recognizes), one for each form of a
/// string. Empty strings are left out.
pub(super) fn markers(texts: &[Symbols]) -> Vec<Vec<MarkerPart>> {
    let written = texts.iter().flat_map(Symbols::written).filter(|symbols| !symbols.is_empty());
    let mut markers: Vec<Vec<MarkerPart>> = Vec::new();
    for symbols in written {
        let mut parts = Vec::new();
        for symbol in symbols {
            match (symbol, parts.last_mut()) {
                (Symbol::Byte(byte), Some(MarkerPart::Bytes(bytes))) => bytes.push(*byte),
                (Symbol::Byte(byte), _) => parts.push(MarkerPart::Bytes(vec![*byte])),
                (Symbol::Token(token), _) => parts.push(MarkerPart::Token(token.clone())),
            }
        }
        markers.push(parts);
    }
    markers
}

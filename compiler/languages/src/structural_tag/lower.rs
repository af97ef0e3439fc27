//! Formats as expressions.
//!
//! A format is lowered alone or [closed](Lowering::closed) by one of some ends: free text that runs up to an end is one
//! automaton with it, so that it is known in every state whether the text goes on. Contents of tags are rules of their own.

use rustc_hash::FxHashMap;

use crate::free_text::{Pattern, free_text};
use crate::inner::{Outer, Reader};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::controls::ControlTokens;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{Expr, ExprGraph, Origin, Region, RegionKind, TokenRef, TokenSet};
use grammarc_json_schema::document::{Document, NodeId};

use super::StructuralTagOptions;
use super::format::{Format, Kind, Mark, Role, Schema, Style, Tag, Text, Token};
use super::regions::{markers, tagged};
use super::texts::{Symbols, Texts};

/// The lowering of a document.
pub(super) struct Lowering<'a> {
    pub(super) source: &'a Source,
    pub(super) document: &'a Document<'a>,
    pub(super) options: &'a StructuralTagOptions,
    /// Reads the sources of other languages in grammars.
    pub(super) reader: &'a dyn Reader,
    pub(super) budget: &'a Budget,
    pub(super) texts: Texts<'a>,
    pub(super) outer: Outer,
    pub(super) errors: Vec<Diagnostic>,
    /// Ends of the tags around the format at hand.
    pub(super) ends: Vec<Symbols>,
    /// The kind of free text that is no other tag's.
    pub(super) text_kind: RegionKind,
    /// Values of schemas that are rules already.
    pub(super) schemas: FxHashMap<Schema, Expr>,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(
        source: &'a Source,
        document: &'a Document<'a>,
        options: &'a StructuralTagOptions,
        controls: &'a ControlTokens,
        reader: &'a dyn Reader,
        budget: &'a Budget,
    ) -> Self {
        Self {
            source,
            document,
            options,
            reader,
            budget,
            texts: Texts::new(controls, options.tokens),
            outer: Outer::default(),
            errors: Vec::new(),
            ends: Vec::new(),
            text_kind: RegionKind::Text,
            schemas: FxHashMap::default(),
        }
    }

    /// The rules with all that was found.
    pub(super) fn finish(mut self) -> Outer {
        self.outer.findings.extend(self.texts.notes);
        self.outer
    }

    /// The place of a value, for rules.
    pub(super) fn origin(&self, at: NodeId) -> Origin {
        Origin { span: Some(self.document.span(at)), pointer: Some(self.document.pointer(at)) }
    }

    /// A string as symbols.
    pub(super) fn symbols(&mut self, text: &Text) -> Symbols {
        self.texts.symbols(text, self.document).0
    }

    /// A beginning or an end as symbols, with the bytes of each.
    pub(super) fn mark(&mut self, mark: &Mark) -> (Symbols, Vec<usize>) {
        if let Mark::Token(token) = mark {
            self.errors.extend(self.texts.check(token, self.document));
        }
        self.texts.of_mark(mark, self.document)
    }

    /// The expression of a format.
    pub(super) fn format(&mut self, format: &Format) -> Expr {
        match &format.kind {
            Kind::Const(text) => self.symbols(text).expr(),
            Kind::Schema(schema) => {
                let expr = self.schema(schema);
                let kind = match schema.style {
                    Style::Json => RegionKind::Json,
                    Style::Xml(_) => RegionKind::Xml,
                };
                self.content(kind, expr, format.at)
            }
            &Kind::Grammar(at, syntax) => {
                let expr = self.grammar(at, syntax);
                self.content(RegionKind::Grammar, expr, format.at)
            }
            &Kind::Regex(at) => {
                let expr = self.regex(at);
                self.content(RegionKind::Pattern, expr, format.at)
            }
            &Kind::Pattern(pattern) => self.pattern(pattern),
            Kind::AnyText { excludes, max_tokens, max_chars } => {
                self.left_to_host(*max_tokens);
                self.any_text(excludes, *max_chars, format.at, None)
            }
            Kind::AnyTokens { excludes, max_tokens } => {
                self.left_to_host(*max_tokens);
                let expr = self.any_token_but(excludes).star();
                self.free(Vec::new(), expr, format.at)
            }
            Kind::Token(token) => self.token(std::slice::from_ref(token), false),
            Kind::ExcludeToken(tokens) => self.token(tokens, true),
            Kind::Sequence(parts) => {
                Expr::seq(parts.iter().map(|part| self.format(part)).collect::<Vec<_>>())
            }
            Kind::Or(parts) => {
                Expr::alt(parts.iter().map(|part| self.format(part)).collect::<Vec<_>>())
            }
            Kind::Tag(tag) => self.tag(tag),
            Kind::Separated { tags, separator, min, max } => {
                let one = Expr::alt(tags.iter().map(|tag| self.tag(tag)).collect::<Vec<_>>());
                let separator = self.symbols(separator).expr();
                separated(&one, &separator, *min, *max)
            }
            Kind::Counted(counted) => self.counted(counted),
            Kind::Repeat { content, min, max } => self.format(content).repeat(*min, *max),
            Kind::Dispatch(dispatch) => self.dispatch(dispatch, format.at, None),
        }
    }

    /// The expression of a format and one of the ends behind it.
    pub(super) fn closed(&mut self, format: &Format, ends: &[Symbols]) -> Expr {
        match &format.kind {
            Kind::AnyText { excludes, max_tokens, max_chars: None } => {
                self.left_to_host(*max_tokens);
                self.any_text(excludes, None, format.at, Some(ends))
            }
            Kind::Dispatch(dispatch) => self.dispatch(dispatch, format.at, Some(ends)),
            Kind::Sequence(parts) => {
                let Some((last, parts)) = parts.split_last() else { return Expr::Never };
                let mut exprs: Vec<Expr> = parts.iter().map(|part| self.format(part)).collect();
                exprs.push(self.closed(last, ends));
                Expr::seq(exprs)
            }
            Kind::Or(parts) => {
                Expr::alt(parts.iter().map(|part| self.closed(part, ends)).collect::<Vec<_>>())
            }
            Kind::Repeat { content, min: 0, max: Some(1) } => {
                Expr::alt([self.closed(content, ends), any_end(ends)])
            }
            _ => Expr::seq([self.format(format), any_end(ends)]),
        }
    }

    /// A tag.
    pub(super) fn tag(&mut self, tag: &Tag) -> Expr {
        let (begin, _) = self.mark(&tag.begin);
        Expr::seq([begin.expr(), self.inside(tag)])
    }

    /// Content and end of a tag, a rule.
    pub(super) fn inside(&mut self, tag: &Tag) -> Expr {
        let ends: Vec<Symbols> = tag.end.iter().map(|end| self.mark(end).0).collect();
        let is_free = match &tag.content.kind {
            Kind::AnyText { excludes, max_chars, .. } => excludes.is_empty() && max_chars.is_none(),
            Kind::Dispatch(_) => true,
            _ => false,
        };
        if is_free && ends.iter().all(Symbols::is_empty) {
            let message = "free text that the empty text ends has no end".to_owned();
            let error = self.document.error("structural-tag::open-end", tag.at, message);
            self.errors.push(error.with_help("name how the tag ends, or use a `sequence`"));
        }
        self.within(tag, &ends)
    }

    /// The rule for the content of a tag and one of its ends.
    pub(super) fn within(&mut self, tag: &Tag, ends: &[Symbols]) -> Expr {
        let around = self.ends.len();
        self.ends.extend(ends.iter().filter(|end| !end.is_empty()).cloned());
        let kind = match tag.role {
            Role::Reasoning => RegionKind::Reasoning,
            Role::Tag | Role::Call(_) => RegionKind::Text,
        };
        let kind_around = std::mem::replace(&mut self.text_kind, kind);
        let expr = self.closed(&tag.content, ends);
        self.text_kind = kind_around;
        self.ends.truncate(around);
        let region = match &tag.role {
            Role::Call(name) => Region { label: name.clone(), ..Region::plain(RegionKind::Call) },
            Role::Tag | Role::Reasoning => tagged(&tag.begin),
        };
        self.region(region, "tag", expr, tag.at)
    }

    /// Free text, up to one of some ends where they are given.
    fn any_text(
        &mut self,
        excludes: &[Text],
        max_chars: Option<u32>,
        at: NodeId,
        ends: Option<&[Symbols]>,
    ) -> Expr {
        let mut graph = ExprGraph::new();
        let end = graph.end();
        let mut patterns = Vec::new();
        for symbols in ends.unwrap_or_default().iter().filter(|symbols| !symbols.is_empty()) {
            patterns.extend(symbols.leading_to(Some(end)));
        }
        patterns.extend(self.unwritable(excludes));
        let is_open = ends.is_none_or(|ends| ends.iter().any(Symbols::is_empty));
        let Some(most) = max_chars else {
            free_text(&mut graph, ExprGraph::START, &patterns, is_open.then_some(end));
            let markers = markers(ends.unwrap_or_default());
            return self.free(markers, Expr::Graph(graph.into()), at);
        };
        let counted = Expr::scalars([('\0', char::MAX)]).repeat(0, Some(most));
        if patterns.is_empty() {
            return self.free(Vec::new(), counted, at);
        }
        free_text(&mut graph, ExprGraph::START, &patterns, Some(end));
        let expr = Expr::And(vec![Expr::Graph(graph.into()), counted]);
        self.free(Vec::new(), expr, at)
    }

    /// Patterns of what free text may not have: excluded texts, and ends of the tags around it. Special tokens are no text,
    /// so that it is the spelled form that matters.
    pub(super) fn unwritable(&mut self, excludes: &[Text]) -> Vec<Pattern> {
        let excludes: Vec<Symbols> = excludes.iter().map(|text| self.symbols(text)).collect();
        let all = excludes.iter().chain(&self.ends).filter(|symbols| !symbols.is_empty());
        all.filter_map(Symbols::unwritable).collect()
    }

    /// Any token but these and those that end a tag around it.
    pub(super) fn any_token_but(&mut self, excludes: &[Token]) -> Expr {
        let mut tokens: Vec<Token> = excludes.to_vec();
        let ends: Vec<TokenRef> = self.ends.iter().filter_map(Symbols::as_token).collect();
        if let Some(first) = excludes.first().map(|token| token.at).or(Some(self.document.root())) {
            tokens.extend(ends.into_iter().map(|token| Token { token, at: first }));
        }
        self.token(&tokens, true)
    }

    /// One of some tokens, or none of them.
    pub(super) fn token(&mut self, tokens: &[Token], negated: bool) -> Expr {
        for token in tokens {
            self.errors.extend(self.texts.check(token, self.document));
        }
        let tokens = tokens.iter();
        let tokens = tokens.map(|token| (token.token.clone(), Some(self.document.span(token.at))));
        Expr::Token(TokenSet { tokens: tokens.collect(), negated })
    }

    fn left_to_host(&mut self, max_tokens: Option<NodeId>) {
        let Some(at) = max_tokens else { return };
        let message =
            "a number of tokens is not in the grammar: the host has to count them".to_owned();
        let note = Diagnostic::warning("structural-tag::max-tokens", message);
        let note = self.document.place(note, at);
        self.outer.findings.push(note.with_help("`max_chars` is kept by the grammar"));
    }
}

/// One of some ends.
pub(super) fn any_end(ends: &[Symbols]) -> Expr {
    Expr::alt(ends.iter().map(Symbols::expr).collect::<Vec<_>>())
}

/// Between `min` and `max` strings of an expression with a separator between them.
fn separated(one: &Expr, separator: &Expr, min: u32, max: Option<u32>) -> Expr {
    if max == Some(0) {
        return Expr::Empty;
    }
    let more = Expr::seq([separator.clone(), one.clone()]);
    let more = more.repeat(min.saturating_sub(1), max.map(|max| max - 1));
    let all = Expr::seq([one.clone(), more]);
    if min == 0 { all.optional() } else { all }
}

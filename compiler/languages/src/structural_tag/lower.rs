//! Lowers formats to expressions.
//!
//! A format is lowered alone or [closed](Lowering::closed): together with the ends that may follow it. Free text and
//! its ends are one automaton, so each state decides whether the text continues. Contents of tags are rules of their
//! own. Formats contain formats, so all functions that lower them are in this file; `dispatch` and `counts` build the
//! graphs.

use crate::free_text::{Pattern, free_text};
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{Expr, ExprGraph, MarkerPart, Region, RegionKind, TokenRef, TokenSet};
use grammarc_json_schema::document::NodeId;

use super::builder::{TagBuilder, markers, tagged};
use super::counts::{self, Bounds, Counts, SplitTag};
use super::dispatch::{self, Branch, Continuation, Parts};
use super::format::{
    Counted, Dispatch, Format, Kind, Mark, Role, Rule, Style, Tag, Text, Then, Token,
};
use super::inner_sources::InnerSources;
use super::texts::{Symbols, any_of};

/// Lowers the formats of a structural tag to expressions.
pub(super) struct Lowering<'a> {
    pub(super) builder: TagBuilder<'a>,
    inner: InnerSources<'a>,
    /// The ends of all tags around the current format. Free text may not contain them.
    ends: Vec<Symbols>,
    /// The kind of region (a rule that a splitter of outputs recognizes) that free text in the current tag becomes:
    /// text or reasoning.
    text_kind: RegionKind,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(builder: TagBuilder<'a>, inner: InnerSources<'a>) -> Self {
        Self { builder, inner, ends: Vec::new(), text_kind: RegionKind::Text }
    }

    /// Lowers a format to an expression. After errors, the expression accepts nothing.
    pub(super) fn format(&mut self, format: &Format) -> Expr {
        match &format.kind {
            Kind::Const(text) => self.builder.symbols(text).expr(),
            Kind::Schema(schema) => {
                let expr = self.inner.schema(schema, &mut self.builder);
                let kind = match schema.style {
                    Style::Json => RegionKind::Json,
                    Style::Xml(_) => RegionKind::Xml,
                };
                self.builder.content(kind, expr, format.at)
            }
            &Kind::Grammar(at, syntax) => {
                let expr = self.inner.grammar(at, syntax, &mut self.builder);
                self.builder.content(RegionKind::Grammar, expr, format.at)
            }
            &Kind::Regex(at) => {
                let expr = self.inner.regex(at, &mut self.builder);
                self.builder.content(RegionKind::Pattern, expr, format.at)
            }
            &Kind::Pattern(pattern) => self.inner.pattern(pattern, &mut self.builder),
            Kind::AnyText { excludes, max_tokens, max_chars } => {
                self.left_to_host(*max_tokens);
                self.any_text(excludes, *max_chars, format.at, None)
            }
            Kind::AnyTokens { excludes, max_tokens } => {
                self.left_to_host(*max_tokens);
                let expr = self.any_token_but(excludes).star();
                self.free(Vec::new(), expr, format.at)
            }
            Kind::Token(token) => self.builder.token(std::slice::from_ref(token), false),
            Kind::ExcludeToken(tokens) => self.builder.token(tokens, true),
            Kind::Sequence(parts) => {
                Expr::seq(parts.iter().map(|part| self.format(part)).collect::<Vec<_>>())
            }
            Kind::Or(parts) => {
                Expr::alt(parts.iter().map(|part| self.format(part)).collect::<Vec<_>>())
            }
            Kind::Tag(tag) => self.tag(tag),
            Kind::Separated { tags, separator, min, max } => {
                let one = Expr::alt(tags.iter().map(|tag| self.tag(tag)).collect::<Vec<_>>());
                let separator = self.builder.symbols(separator).expr();
                separated(&one, &separator, *min, *max)
            }
            Kind::Counted(counted) => self.counted(counted),
            Kind::Repeat { content, min, max } => self.format(content).repeat(*min, *max),
            Kind::Dispatch(dispatch) => self.dispatch(dispatch, format.at, None),
        }
    }

    /// Lowers a format, followed by one of `ends`.
    fn closed(&mut self, format: &Format, ends: &[Symbols]) -> Expr {
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
                Expr::alt([self.closed(content, ends), any_of(ends)])
            }
            _ => Expr::seq([self.format(format), any_of(ends)]),
        }
    }

    /// Lowers a tag: its beginning, and a rule for its content and end.
    fn tag(&mut self, tag: &Tag) -> Expr {
        let (begin, _) = self.builder.mark(&tag.begin);
        Expr::seq([begin.expr(), self.inside(tag)])
    }

    /// Lowers the content and end of a tag to a rule. Free text as content needs an end that is not empty; otherwise an
    /// error is reported.
    fn inside(&mut self, tag: &Tag) -> Expr {
        let ends = self.builder.marks(&tag.end);
        let is_free = match &tag.content.kind {
            Kind::AnyText { excludes, max_chars, .. } => excludes.is_empty() && max_chars.is_none(),
            Kind::Dispatch(_) => true,
            _ => false,
        };
        if is_free && ends.iter().all(Symbols::is_empty) {
            let message = "free text that the empty text ends has no end".to_owned();
            let help = "name how the tag ends, or use a `sequence`";
            self.builder.error("structural-tag::open-end", tag.at, message, help);
        }
        self.within(tag, &ends)
    }

    /// Returns a call of the rule for the content of a tag and one of `ends`. The rule is a region (a rule that a
    /// splitter of outputs recognizes).
    fn within(&mut self, tag: &Tag, ends: &[Symbols]) -> Expr {
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
        self.builder.region(region, "tag", expr, tag.at)
    }

    /// Lowers free text. With `ends`, the text is followed by one of them, at its leftmost occurrence.
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

    /// Returns the patterns that free text may not contain: excluded texts, and the ends of the tags around it. The
    /// patterns are bytes, since free text has no special tokens.
    fn unwritable(&mut self, excludes: &[Text]) -> Vec<Pattern> {
        let excludes: Vec<Symbols> =
            excludes.iter().map(|text| self.builder.symbols(text)).collect();
        let all = excludes.iter().chain(&self.ends).filter(|symbols| !symbols.is_empty());
        all.filter_map(Symbols::unwritable).collect()
    }

    /// Returns the set of all tokens except `excludes` and the ends of the surrounding tags.
    fn any_token_but(&mut self, excludes: &[Token]) -> Expr {
        let mut tokens: Vec<Token> = excludes.to_vec();
        let ends: Vec<TokenRef> = self.ends.iter().filter_map(Symbols::as_token).collect();
        if let Some(first) =
            excludes.first().map(|token| token.at).or(Some(self.builder.document.root()))
        {
            tokens.extend(ends.into_iter().map(|token| Token { token, at: first }));
        }
        self.builder.token(&tokens, true)
    }

    /// Lowers a dispatch, which is free text with triggers. With `ends`, the text is followed by one of them.
    fn dispatch(&mut self, dispatch: &Dispatch, at: NodeId, ends: Option<&[Symbols]>) -> Expr {
        let (branches, mut ending) = self.branches(dispatch);
        let excludes = dispatch.excludes.iter().filter_map(|mark| mark.text().cloned());
        let excludes: Vec<Text> = excludes.collect();
        dispatch::check_reachable(dispatch, &excludes, &mut self.builder);
        // If a trigger ends within a special token, the bytes of the trigger alone may not be in the text either.
        let triggers = dispatch.rules.iter().filter_map(|rule| rule.trigger.text()).cloned();
        let unwritable = self.unwritable(&excludes.into_iter().chain(triggers).collect::<Vec<_>>());
        let others = dispatch.by_token.then(|| self.other_tokens(dispatch));
        let &Dispatch { min, max, unique, in_a_row, .. } = dispatch;
        let groups = dispatch::groups(dispatch);
        let Some(counts) = self.counts(groups, Bounds { min, max, unique }, in_a_row) else {
            return Expr::Never;
        };
        let graph = dispatch::graph(dispatch, Parts { branches, counts, unwritable, others, ends });
        ending.extend_from_slice(ends.unwrap_or_default());
        self.free(markers(&ending), graph, at)
    }

    /// Returns each distinct trigger with its continuations. Also returns the beginnings of all formats, which are
    /// markers that end the text.
    fn branches(&mut self, dispatch: &Dispatch) -> (Vec<Branch>, Vec<Symbols>) {
        let (mut branches, mut begins) = (Vec::<Branch>::new(), Vec::new());
        for Rule { trigger, then, group } in &dispatch.rules {
            let (found, expr) = match then {
                Then::Format(format) => {
                    let expr = self.format(format);
                    let expr = self.builder.region(tagged(trigger), "tag", expr, format.at);
                    let trigger = self.builder.mark(trigger).0;
                    begins.push(trigger.clone());
                    (trigger, expr)
                }
                Then::Tag(tag) => {
                    let (begin, lengths) = self.builder.mark(&tag.begin);
                    let covered = match trigger {
                        Mark::Text(text) => text.text.len(),
                        Mark::Token(_) => 0,
                    };
                    // A trigger that ends within a special token of the beginning is extended to the end of the token.
                    let (trigger, rest) = match covered {
                        0 => begin.split_at_symbol(),
                        covered => begin.split_at(covered, &lengths),
                    };
                    begins.push(begin);
                    (trigger, Expr::seq([rest.expr(), self.inside(tag)]))
                }
            };
            let continuation = Continuation { expr, group: *group };
            match branches.iter_mut().find(|branch| branch.trigger == found) {
                Some(branch) => branch.then.push(continuation),
                None => branches.push(Branch { trigger: found, then: vec![continuation] }),
            }
        }
        (branches, begins)
    }

    /// Returns the set of all tokens except triggers, excluded tokens and the ends of the surrounding tags.
    fn other_tokens(&mut self, dispatch: &Dispatch) -> Expr {
        match self.any_token_but(&dispatch::named_tokens(dispatch)) {
            Expr::Token(TokenSet { mut tokens, negated }) => {
                tokens.dedup_by(|one, other| one.0 == other.0);
                Expr::Token(TokenSet { tokens, negated })
            }
            other => other,
        }
    }

    /// Lowers tags with a separator between them. Only tags with a group count against the bounds. After an end in
    /// `last`, no tag follows.
    fn counted(&mut self, counted: &Counted) -> Expr {
        let &Counted { min, max, unique, .. } = counted;
        let groups = counted.tags.iter().filter_map(|(_, group)| Some((*group)? + 1)).max();
        let groups = groups.unwrap_or_default();
        let Some(counts) = self.counts(groups, Bounds { min, max, unique }, false) else {
            return Expr::Never;
        };
        let separator = self.builder.symbols(&counted.separator).expr();
        let tags =
            counted.tags.iter().map(|(tag, group)| self.split_tag(tag, *group, &counted.last));
        let tags: Vec<SplitTag> = tags.collect();
        counts::graph(&counts, &tags, &separator)
    }

    /// Returns the levels that count `tags` tags; `first_apart` adds a level for none. If there are too many levels,
    /// reports an error and returns `None`.
    fn counts(&mut self, tags: u32, bounds: Bounds, first_apart: bool) -> Option<Counts> {
        let counts = Counts::new(tags, bounds, first_apart, self.builder.document);
        counts.map_err(|error| self.builder.errors.push(*error)).ok()
    }

    /// Splits a tag into its content and its ends. If `last` is not empty, the ends are not part of the tag's rule,
    /// since they decide whether tags follow.
    fn split_tag(&mut self, tag: &Tag, group: Option<u32>, last: &[Text]) -> SplitTag {
        if last.is_empty() {
            let tag = self.tag(tag);
            return SplitTag { tag, continuing: Expr::Empty, last: Expr::Never, group };
        }
        let ends = self.builder.marks(&tag.end);
        let last: Vec<Symbols> = last.iter().map(|end| self.builder.symbols(end)).collect();
        let (last, others): (Vec<Symbols>, Vec<Symbols>) =
            ends.iter().cloned().partition(|end| last.contains(end));
        let begin = self.builder.mark(&tag.begin).0.expr();
        let around = self.ends.len();
        self.ends.extend(ends);
        let inside = self.within(tag, &[Symbols::default()]);
        self.ends.truncate(around);
        let tag = Expr::seq([begin, inside]);
        SplitTag { tag, continuing: any_of(&others), last: any_of(&last), group }
    }

    /// Defines a region of free text that ends at one of the markers. Returns a call of it.
    fn free(&mut self, markers: Vec<Vec<MarkerPart>>, expr: Expr, at: NodeId) -> Expr {
        let region = Region { markers, ..Region::plain(self.text_kind) };
        self.builder.region(region, "text", expr, at)
    }

    fn left_to_host(&mut self, max_tokens: Option<NodeId>) {
        let Some(at) = max_tokens else { return };
        let message =
            "a number of tokens is not in the grammar: the host has to count them".to_owned();
        let note = Diagnostic::warning("structural-tag::max-tokens", message);
        let note = self.builder.document.place(note, at);
        self.builder.outer.findings.push(note.with_help("`max_chars` is kept by the grammar"));
    }
}

/// Returns between `min` and `max` strings of an expression, with a separator between any two of them.
fn separated(one: &Expr, separator: &Expr, min: u32, max: Option<u32>) -> Expr {
    if max == Some(0) {
        return Expr::Empty;
    }
    let more = Expr::seq([separator.clone(), one.clone()]);
    let more = more.repeat(min.saturating_sub(1), max.map(|max| max - 1));
    let all = Expr::seq([one.clone(), more]);
    if min == 0 { all.optional() } else { all }
}

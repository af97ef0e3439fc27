//! Lowers a syntax tree to the grammar IR: resolves names, and turns classes into UTF-8 byte sequences.
//!
//! Rules keep their order, so the id of a rule is its index in the source. Left recursion, empty rules and ambiguity
//! are no errors here. A rule defined twice is an error with both places; llama.cpp silently takes the last definition.
//! Cost: linear in the source.

use std::ops::Range;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::ast::{Ast, Class, Node, NodeKind};
use super::attributes::Attributes;
use super::codes;
use super::expand;
use super::findings::Findings;
use super::inner;
use super::lookahead::{self, Assertion};
use super::names::Names;
use super::options::GbnfOptions;
use super::parser::parse;
use super::productivity;
use crate::inner::{NoInnerSources, Outer, Reader};
use grammarc_grammar::budget::{Budget, Phase};
use grammarc_grammar::diagnostics::{Diagnostic, Severity, Source};
use grammarc_grammar::ir::{Expr, Literals, Lowered, Origin, RuleId, Texts, TokenSet};
use grammarc_patterns::class::Classes;

/// Steps of the budget that one node of the syntax tree costs: an estimate of its share of the work.
const STEPS_A_NODE: usize = 1 << 4;

/// Most unproductive rules that are warned of. Each warning costs a walk along calls, so further ones are not reported.
const MAX_UNPRODUCTIVE: usize = 10;

/// Most unused rules that are warned of one by one. A last warning has the number of the others.
const MAX_UNUSED: usize = 100;

/// Lowers a GBNF source. An inner source (of another language) is an error. [`FrontEnd::lower`](crate::FrontEnd::lower)
/// accepts inner sources too.
///
/// # Errors
///
/// Returns all errors of the syntax. If the syntax is right, returns the errors of names, in source order. If the
/// budget is spent, returns that error alone.
pub fn lower(
    source: Source,
    options: &GbnfOptions,
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    lower_with(source, options, &NoInnerSources, budget)
}

/// Lowers a GBNF source. `reader` lowers the inner sources, which are of other languages.
pub(crate) fn lower_with(
    source: Source,
    options: &GbnfOptions,
    reader: &dyn Reader,
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    budget.begin(Phase::Reading);
    let ast = parse(&source, options.notation, budget)?;
    let mut outer = Outer::default();
    for rule in &ast.rules {
        outer.builder.declare(rule.name.as_str());
    }
    let mut lowering = Lowering::new(&ast);
    let sources = &options.sources;
    lowering.inner = inner::lower(&ast, &source, sources, reader, &mut outer, &mut lowering.errors);
    budget.check_in_source()?;
    budget.begin(Phase::Lowering);
    let start = lowering.names.start(&ast, &options.start, &mut lowering.errors);
    for (at, rule) in ast.rules.iter().enumerate() {
        let mut expr = lowering.expr(&rule.body, budget);
        if let Some(lookahead) = &rule.lookahead {
            let asserted = lowering.expr(lookahead, budget);
            let span = lookahead.span.clone();
            lowering.assertions.push(Assertion { rule: at, expr: asserted, span });
        }
        if let Some(span) = &rule.attributes {
            let given = Attributes::read(&source.text, span, &mut lowering.notes);
            match given.and_then(|given| given.apply(expr, span, budget)) {
                Ok(changed) => expr = changed,
                Err(error) => {
                    lowering.errors.push(*error);
                    expr = Expr::Never;
                }
            }
        }
        lowering.names.finish_rule();
        let origin = Origin { span: Some(rule.span.clone()), pointer: None };
        outer.builder.define(RuleId::new(at), expr, origin);
    }
    budget.check_in_source()?;
    lowering.names.report_unknown(&mut lowering.errors);
    if let Some(start) = start
        && lowering.errors.is_empty()
    {
        lowering.check_ends(&ast, start);
    }
    match start {
        Some(start) if lowering.errors.is_empty() => {
            let mut findings = lowering.warnings(&ast, start, &source.text);
            let Outer { builder, report, findings: inner, literals } = outer;
            let grammar = builder.finish(start);
            let (notes, errors) = lookahead::check(&lowering.assertions, &grammar, budget);
            if !errors.is_empty() {
                return Err(errors);
            }
            findings.extend(lowering.notes.into_iter().chain(notes).chain(inner));
            // Sorted by place in this text. Findings in sources with a text of their own come last.
            findings.sort_by_key(|found| match (found.within(), found.labels.first()) {
                (None, Some(label)) => label.span.start,
                _ => usize::MAX,
            });
            lowering.literals.extend(literals);
            let literals = lowering.literals;
            Ok(Lowered { source, grammar, report, findings, literals })
        }
        _ => Err(lowering.errors.into_sorted()),
    }
}

struct Lowering<'a> {
    names: Names<'a>,
    classes: Classes,
    /// For each inner source (of another language), its start rule. `None` if the source has errors.
    inner: Vec<Option<RuleId>>,
    /// The texts of strings, each with the place of its first use.
    literals: Literals,
    /// The places of all character classes, in bytes.
    class_spans: Vec<Range<usize>>,
    /// For each rule, whether some finite text matches it.
    productive: Vec<bool>,
    assertions: Vec<Assertion>,
    notes: Vec<Diagnostic>,
    errors: Findings,
}

impl<'a> Lowering<'a> {
    fn new(ast: &'a Ast) -> Self {
        let mut errors = Findings::default();
        Self {
            names: Names::new(ast, &mut errors),
            classes: Classes::default(),
            inner: Vec::new(),
            literals: Literals::default(),
            class_spans: Vec::new(),
            productive: Vec::new(),
            assertions: Vec::new(),
            notes: Vec::new(),
            errors,
        }
    }

    fn expr(&mut self, node: &'a Node, budget: &Budget) -> Expr {
        if budget.spend(STEPS_A_NODE).is_err() {
            return Expr::Never;
        }
        match &node.kind {
            NodeKind::Alternation(choices) => self.alternation(choices, budget),
            NodeKind::Sequence(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.expr(part, budget)).collect();
                Expr::seq(parts)
            }
            NodeKind::Literal(text) => {
                self.literals.add(text, &node.span);
                Expr::literal(text)
            }
            NodeKind::Class(class) => {
                self.class_spans.push(node.span.clone());
                self.class(class, &node.span)
            }
            NodeKind::Any => {
                let any = ClassUnicode::new([ClassUnicodeRange::new('\0', char::MAX)]);
                self.classes.expr(&any)
            }
            NodeKind::Token { token, negated } => Expr::Token(TokenSet {
                tokens: vec![(token.clone(), Some(node.span.clone()))],
                negated: *negated,
            }),
            NodeKind::Inner(at) => self.inner[*at].map_or(Expr::Never, Expr::Call),
            NodeKind::Call(name) => self.names.call(name, &node.span),
            NodeKind::Macro(call) => {
                expand::expr(call, &node.span, &mut self.names, &mut self.errors, budget)
            }
            NodeKind::Repeat { body, min, max } => self.expr(body, budget).repeat(*min, *max),
        }
    }

    /// Lowers an alternation. If many alternatives are strings, these become one set of texts.
    fn alternation(&mut self, choices: &'a [Node], budget: &Budget) -> Expr {
        let text = |choice: &'a Node| match &choice.kind {
            NodeKind::Literal(text) => Some(text),
            _ => None,
        };
        let literals = || choices.iter().filter_map(text);
        if !Texts::are_many(literals().count(), literals().map(String::len).sum()) {
            let choices: Vec<_> = choices.iter().map(|choice| self.expr(choice, budget)).collect();
            return Expr::alt(choices);
        }
        let mut all = vec![Expr::any_of(literals().collect())];
        for choice in choices {
            let expr = self.expr(choice, budget);
            all.extend(Some(expr).filter(|_| text(choice).is_none()));
        }
        Expr::alt(all)
    }

    fn class(&mut self, class: &Class, span: &Range<usize>) -> Expr {
        let ranges = class.ranges.iter().map(|&(lo, hi)| ClassUnicodeRange::new(lo, hi));
        let mut set = ClassUnicode::new(ranges);
        if class.negated {
            set.negate();
        }
        if set.ranges().is_empty() {
            self.errors.push(
                Diagnostic::error(codes::EMPTY_CLASS, "the character class excludes everything")
                    .with_label(span.clone(), "")
                    .with_help("`\"\"` is the empty string"),
            );
        }
        self.classes.expr(&set)
    }

    /// Finds the unproductive rules, which no finite text matches. If the start rule is one, an error is added.
    fn check_ends(&mut self, ast: &Ast, start: RuleId) {
        self.productive = productivity::productive(ast, &self.names.rules);
        if !self.productive[start.index()] {
            let finding =
                productivity::finding(ast, &self.names.rules, &self.productive, start.index());
            self.errors.push(finding);
        }
    }

    /// Warns of classes whose text is the name of a rule, such as `[sign]` in a grammar with a rule `sign`.
    fn classes_like_names(&self, text: &str) -> Vec<Diagnostic> {
        let named = |span: &Range<usize>| {
            let inside = text[span.clone()].strip_prefix('[')?.strip_suffix(']')?;
            (inside.len() > 1 && self.names.rules.contains_key(inside)).then_some(inside)
        };
        let found = self.class_spans.iter().filter_map(|span| Some((span, named(span)?)));
        let found = found.map(|(span, name)| {
            Diagnostic::warning(
                codes::CLASS_NAMES_RULE,
                format!("`[{name}]` is one character, and there is a rule `{name}`"),
            )
            .with_label(span.clone(), "one of these characters")
            .with_help(format!(
                "write `{name}` for the rule, and `{name}?` where it may be left out"
            ))
        });
        found.collect()
    }

    /// Returns the warnings about classes and about unproductive, unused and empty rules, in source order.
    fn warnings(&self, ast: &Ast, start: RuleId, text: &str) -> Vec<Diagnostic> {
        let reached = self.names.reached(start);
        let mut warnings = self.classes_like_names(text);
        let (mut unused, mut unproductive) = (0, 0);
        for (at, (rule, reached)) in ast.rules.iter().zip(reached).enumerate() {
            unused += usize::from(!reached);
            if reached && !self.productive[at] && unproductive < MAX_UNPRODUCTIVE {
                // Each warning follows calls up to a cycle, so the number of warnings is limited.
                unproductive += 1;
                let mut finding =
                    productivity::finding(ast, &self.names.rules, &self.productive, at);
                finding.severity = Severity::Warning;
                warnings.push(finding);
            }
            if !reached && unused <= MAX_UNUSED {
                warnings.push(
                    Diagnostic::warning(
                        codes::UNUSED_RULE,
                        format!("the rule `{}` is never used", rule.name),
                    )
                    .with_label(rule.span.clone(), "")
                    .with_help("the start rule does not reach it"),
                );
            }
            if matches!(&rule.body.kind, NodeKind::Sequence(parts) if parts.is_empty()) {
                warnings.push(
                    Diagnostic::warning(
                        codes::EMPTY_RULE,
                        format!("the rule `{}` has no body", rule.name),
                    )
                    .with_label(rule.span.clone(), "matches the empty string")
                    .with_help("write `\"\"` if that is what is meant"),
                );
            }
        }
        warnings.sort_by_key(|warning| warning.labels.first().map_or(0, |label| label.span.start));
        warnings.dedup();
        if unused > MAX_UNUSED {
            let text = format!("{} more rules are never used", unused - MAX_UNUSED);
            warnings.push(Diagnostic::warning(codes::UNUSED_RULE, text));
        }
        warnings
    }
}

//! Lowers terminals, which are regular expressions in Lark's notation, to expressions over bytes.
//!
//! A terminal is copied into each of its uses. The recursion is bounded by the depth of groups and references. Sizes
//! are bounded too: a chain of terminals that each use the one before twice grows exponentially.

use rustc_hash::FxHashMap;

use regex_syntax::ast::ErrorKind;
use regex_syntax::ast::parse::Parser as RegexParser;
use serde::Deserialize;

use super::ast::{Definition, MAX_NESTING, Node, NodeKind};
use super::{codes, lazy};
use crate::inner::Place;
use crate::substring;
use crate::substring::Unit;
use grammarc_grammar::automata::Dfa;
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::Expr;
use grammarc_grammar::suggest::nearest;
use grammarc_patterns::class::all_texts;
use grammarc_patterns::regex;
use grammarc_patterns::regex::PatternOptions;

/// Most nodes of a terminal's expression, with all terminals that it refers to. A larger terminal is an error.
const MAX_SIZE: usize = 1 << 20;

/// Where a terminal is defined.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin<'a> {
    /// A definition `NAME: body` of the source.
    Defined(&'a Definition),
    /// An import from the library `common`, with its regular expression.
    Common(&'static str),
}

/// The terminals of a grammar by name. Each is lowered once, at its first use.
pub(super) struct Terminals<'a> {
    text: &'a str,
    budget: &'a Budget,
    /// Maps the name of each terminal to its definition.
    origins: FxHashMap<&'a str, Origin<'a>>,
    /// Names of terminals in source order, for suggestions in errors.
    names: Vec<&'a str>,
    /// Names of the grammar's rules, to distinguish them from terminals.
    rules: Vec<&'a str>,
    known: FxHashMap<&'a str, (Expr, usize)>,
    /// Names of terminals that are being lowered; a use of one of them is circular.
    open: Vec<&'a str>,
    depth: usize,
    /// Warnings about terminals.
    pub(super) findings: Vec<Diagnostic>,
}

/// The JSON of `%regex {...}`. Exactly one member must be given.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Structured {
    substring_words: Option<String>,
    substring_chars: Option<String>,
    substring_chunks: Option<Vec<String>>,
}

type Lowered = Result<Expr, Box<Diagnostic>>;

impl<'a> Terminals<'a> {
    pub(super) fn new(text: &'a str, budget: &'a Budget, rules: Vec<&'a str>) -> Self {
        Self {
            text,
            budget,
            origins: FxHashMap::default(),
            names: Vec::new(),
            rules,
            known: FxHashMap::default(),
            open: Vec::new(),
            depth: 0,
            findings: Vec::new(),
        }
    }

    /// Adds a terminal. Returns false if a terminal of the same name was there.
    pub(super) fn add(&mut self, name: &'a str, origin: Origin<'a>) -> bool {
        self.names.push(name);
        self.origins.insert(name, origin).is_none()
    }

    /// Whether a part of a rule can be read as a terminal: it contains no rules, no tokens and no inner sources (of
    /// other languages).
    pub(super) fn is_one(&self, node: &Node) -> bool {
        match &node.kind {
            NodeKind::Alternation(parts)
            | NodeKind::Sequence(parts)
            | NodeKind::Conjunction(parts) => parts.iter().all(|part| self.is_one(part)),
            NodeKind::Repeat { body, .. } | NodeKind::Not(body) => self.is_one(body),
            NodeKind::Name(name) => !self.rules.contains(&name.as_str()),
            NodeKind::Token(_) | NodeKind::Json(_) | NodeKind::Nested(_) => false,
            NodeKind::Literal { .. }
            | NodeKind::Range(..)
            | NodeKind::Regex { .. }
            | NodeKind::Structured(_) => true,
        }
    }

    /// Returns the error for an undefined name, with a suggestion of a similar one.
    fn unknown(&self, name: &str, node: &Node) -> Box<Diagnostic> {
        let known = self.names.iter().chain(&self.rules).copied();
        let help = match nearest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("define it: `{name}: body`, or import it: `%import common.{name}`"),
        };
        let text = format!("`{name}` is not defined");
        let finding = Diagnostic::error(codes::UNKNOWN_NAME, text);
        Box::new(finding.with_label(node.span.clone(), "used here").with_help(help))
    }

    fn error(
        code: &'static str,
        text: impl Into<String>,
        node: &Node,
        help: &str,
    ) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(code, text).with_label(node.span.clone(), "").with_help(help))
    }

    /// Returns the expression of a part of a terminal. More than 200 levels of nesting are an error.
    pub(super) fn expr(&mut self, node: &'a Node) -> Lowered {
        if self.depth == MAX_NESTING {
            let text = format!("terminals are nested more than {MAX_NESTING} deep");
            return Err(Self::error(codes::NESTED_TOO_DEEP, text, node, "write the inner one out"));
        }
        self.depth += 1;
        let expr = self.expr_of(node);
        self.depth -= 1;
        expr
    }

    fn exprs(&mut self, nodes: &'a [Node]) -> Result<Vec<Expr>, Box<Diagnostic>> {
        nodes.iter().map(|node| self.expr(node)).collect()
    }

    fn expr_of(&mut self, node: &'a Node) -> Lowered {
        Ok(match &node.kind {
            NodeKind::Alternation(choices) => Expr::alt(self.exprs(choices)?),
            NodeKind::Sequence(parts) => Expr::seq(self.exprs(parts)?),
            NodeKind::Conjunction(parts) => Expr::And(self.exprs(parts)?),
            NodeKind::Repeat { body, min, max } => self.expr(body)?.repeat(*min, *max),
            NodeKind::Not(body) => {
                // The complement is taken within UTF-8 texts: no terminal contains other byte strings.
                let not = Expr::Not(Box::new(self.expr(body)?));
                Expr::And(vec![not, Expr::Regular(Dfa::clone(all_texts()).into())])
            }
            NodeKind::Name(name) => self.named(name, node)?,
            NodeKind::Literal { text, insensitive: false } => Expr::literal(text),
            NodeKind::Literal { text, insensitive: true } => {
                let pattern = format!("(?i){}", regex_syntax::escape(text));
                self.pattern(&pattern, node, &|_| node.span.clone())?
            }
            NodeKind::Range(first, last) => Expr::scalars([(*first, *last)]),
            NodeKind::Regex { pattern, flags } => {
                let (from, flags) = (pattern.start, &self.text[flags.clone()]);
                if flags.contains('l') {
                    let text = "the flag `l` is not supported: there are no locales";
                    return Err(Self::error(codes::UNSUPPORTED, text, node, "leave it out"));
                }
                let prefix = match flags {
                    "" => String::new(),
                    flags => format!("(?{flags})"),
                };
                let whole = format!("{prefix}{}", &self.text[pattern.clone()]);
                let place = |at: usize| from + at.saturating_sub(prefix.len());
                self.findings.extend(lazy::warning(&whole).map(|(warning, span)| {
                    warning.with_label(place(span.start)..place(span.end), "")
                }));
                self.pattern(&whole, node, &|span| place(span.start)..place(span.end))?
            }
            NodeKind::Structured(json) => self.structured(&self.text[json.clone()], node)?,
            NodeKind::Token(_) | NodeKind::Json(_) | NodeKind::Nested(_) => {
                let what = match node.kind {
                    NodeKind::Token(_) => "a token",
                    NodeKind::Json(_) => "a JSON Schema",
                    _ => "a nested grammar",
                };
                let text = format!("{what} cannot stand in a terminal");
                let help = "use it in a rule: give the definition a name in lower case";
                return Err(Self::error(codes::NOT_IN_TERMINALS, text, node, help));
            }
        })
    }

    /// Returns the expression of the terminal `name`. Errors: the name is undefined or a rule's, the terminal is
    /// circular, or its expression exceeds a million nodes.
    pub(super) fn named(&mut self, name: &str, node: &Node) -> Lowered {
        let Some((&name, &origin)) = self.origins.get_key_value(name) else {
            if self.rules.contains(&name) {
                let text = format!("the rule `{name}` cannot stand in a terminal");
                let help = "give the rule a name in upper case, which makes it a terminal, or this one a name in lower case";
                return Err(Self::error(codes::NOT_IN_TERMINALS, text, node, help));
            }
            return Err(self.unknown(name, node));
        };
        if !self.known.contains_key(name) {
            if self.open.contains(&name) {
                let text = format!("the terminal `{name}` leads to itself");
                let help =
                    "terminals are regular; recursion is for rules, with names in lower case";
                return Err(Self::error(codes::CIRCULAR_TERMINAL, text, node, help));
            }
            self.open.push(name);
            let expr = match origin {
                Origin::Defined(definition) => self.expr(&definition.body),
                Origin::Common(pattern) => self.pattern(pattern, node, &|_| node.span.clone()),
            };
            self.open.pop();
            let expr = expr?;
            let size = expr.size();
            self.known.insert(name, (expr, size));
        }
        let (expr, size) = &self.known[name];
        let _ = self.budget.spend(*size);
        if *size > MAX_SIZE {
            let text = format!("the terminal `{name}` is too large with all that it refers to");
            let help = "make it a rule, with a name in lower case";
            return Err(Self::error(codes::TOO_LARGE, text, node, help));
        }
        Ok(expr.clone())
    }

    fn pattern(
        &self,
        pattern: &str,
        node: &Node,
        place: &dyn Fn(&std::ops::Range<usize>) -> std::ops::Range<usize>,
    ) -> Lowered {
        let outer = Place { span: place, pointer: None };
        if let Err(error) = RegexParser::new().parse(pattern)
            && *error.kind() == ErrorKind::UnsupportedLookAround
        {
            let text = "lookaround is not supported: it would look at the text beyond the terminal, which the grammar decides";
            let help = "for a part of the terminal's own text, use `&` and `~` in a terminal";
            let span = error.span().start.offset..error.span().end.offset;
            let finding = Diagnostic::error(codes::LOOKAROUND, text).with_label(span, "");
            return Err(Box::new(outer.diagnostic(finding.with_help(help))));
        }
        let expr = regex::expr_of_pattern(pattern, &PatternOptions::exact());
        let expr = expr.map_err(|error| {
            let mut finding = outer.diagnostic(error.diagnostic());
            let syntax = || "the syntax is that of the Rust crate `regex`".to_owned();
            finding.help.get_or_insert_with(syntax);
            Box::new(finding)
        })?;
        if expr == Expr::Never {
            let text = "the regular expression matches nothing";
            return Err(Self::error(
                "regex::matches-nothing",
                text,
                node,
                "remove what excludes all",
            ));
        }
        Ok(expr)
    }

    fn structured(&self, json: &str, node: &Node) -> Lowered {
        let form = "write one of `substring_words`, `substring_chars` (a string) and `substring_chunks` (a list)";
        let wrong = |text: String| Self::error(codes::BAD_JSON, text, node, form);
        let given: Structured = serde_json::from_str(json)
            .map_err(|error| wrong(format!("no structured expression: {error}")))?;
        let chunks: Vec<&str> = match &given {
            Structured {
                substring_words: Some(text),
                substring_chars: None,
                substring_chunks: None,
            } => Unit::Words.chunks(text),
            Structured {
                substring_words: None,
                substring_chars: Some(text),
                substring_chunks: None,
            } => Unit::Chars.chunks(text),
            Structured {
                substring_words: None,
                substring_chars: None,
                substring_chunks: Some(chunks),
            } => chunks.iter().map(String::as_str).collect(),
            _ => return Err(wrong("not exactly one form of substrings is given".to_owned())),
        };
        substring::expr_of_chunks(&chunks, self.budget).map_err(|limit| {
            let text = format!("the automaton of the parts is too large: {limit}");
            Self::error(codes::TOO_LARGE, text, node, "take a shorter text, or longer chunks")
        })
    }
}

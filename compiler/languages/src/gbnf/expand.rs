//! Converts macro calls of XGrammar's notation to expressions.
//!
//! `TagDispatch` is free text up to one of its tags. All tags and excluded texts are patterns of one Aho-Corasick
//! automaton ([`free_text`]), so the graph is deterministic. Regular expressions have the syntax of the `regex` crate,
//! with two differences taken from XGrammar. Digits, words and white space are ASCII, and `.` is any character unless
//! flags are given.

use std::ops::Range;

use super::ast::{Dispatch, Macro, Trigger};
use super::codes;
use super::findings::Findings;
use super::names::Names;
use crate::free_text::{Pattern, Symbol, free_text};
use crate::substring;
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{ByteSet, Expr, ExprGraph, TokenRef, TokenSet};
use grammarc_patterns::regex;
use grammarc_patterns::regex::PatternOptions;

/// Returns the expression of a macro call at the place `span`. After an error, which is added to `errors`, the
/// expression accepts nothing.
pub(super) fn expr<'a>(
    call: &'a Macro,
    span: &Range<usize>,
    names: &mut Names<'a>,
    errors: &mut Findings,
    budget: &Budget,
) -> Expr {
    match call {
        Macro::Regex { pattern, flags, json_string } => {
            let expr = regex(pattern, flags.as_deref(), span, errors);
            if *json_string { Expr::And(vec![expr, json_characters()]) } else { expr }
        }
        Macro::Substring(chunks) => {
            let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
            substring::expr_of_chunks(&chunks, budget).unwrap_or_else(|limit| {
                let text = format!("the automaton of the parts is too large: {limit}");
                let finding = Diagnostic::error(codes::MACRO, text).with_label(span.clone(), "");
                errors.push(finding.with_help("take fewer or longer chunks"));
                Expr::Never
            })
        }
        Macro::Tokens { ids, negated } => tokens(ids.iter().copied(), *negated, span),
        Macro::Dispatch(dispatch) => self::dispatch(dispatch, span, names),
    }
}

fn regex(pattern: &str, flags: Option<&str>, span: &Range<usize>, errors: &mut Findings) -> Expr {
    let mut fail = |text: String, help: String| {
        let finding = Diagnostic::error(codes::MACRO, text).with_label(span.clone(), "");
        errors.push(finding.with_help(help));
        Expr::Never
    };
    let flags = match flags {
        None => "(?s)".to_owned(),
        Some(flags) => match flags.replace('u', "") {
            flags if flags.is_empty() => flags,
            flags => format!("(?{flags})"),
        },
    };
    let pattern = format!("{flags}{}", with_ascii_classes(pattern));
    if regex::looks_around(&pattern) {
        let text = "lookaround is not supported: it would look at the text beyond the expression, which the grammar decides";
        let help = "leave it out where what follows holds anyway; else write what may follow as alternatives";
        return fail(text.to_owned(), help.to_owned());
    }
    match regex::expr_of_pattern(&pattern, &PatternOptions::exact()) {
        Ok(Expr::Never) => fail(
            "the regular expression matches nothing".to_owned(),
            "remove what excludes all".to_owned(),
        ),
        Ok(expr) => expr,
        Err(error) => {
            let finding = error.diagnostic();
            let help = finding
                .help
                .unwrap_or_else(|| "the syntax is that of the Rust crate `regex`".to_owned());
            fail(format!("in the regular expression: {}", finding.message), help)
        }
    }
}

fn dispatch<'a>(dispatch: &'a Dispatch, span: &Range<usize>, names: &mut Names<'a>) -> Expr {
    let mut graph = ExprGraph::new();
    let (start, end) = (ExprGraph::START, graph.end());
    let behind = if dispatch.loops { start } else { end };
    let mut patterns = Vec::new();
    for (trigger, rule, place) in &dispatch.tags {
        let call = names.call(rule, place);
        match trigger {
            Trigger::Text(text) => {
                let at = graph.state();
                graph.edge(at, call, behind);
                patterns.push(pattern(text, Some(at)));
            }
            Trigger::Token(id) => {
                let token = tokens([*id], false, place);
                graph.edge(start, Expr::seq([token, call]), behind);
            }
        }
    }
    if dispatch.of_tokens {
        let tags = dispatch.tags.iter().map(|(trigger, ..)| trigger);
        let ids = tags.chain(&dispatch.excludes).filter_map(|trigger| match trigger {
            Trigger::Token(id) => Some(*id),
            Trigger::Text(_) => None,
        });
        graph.edge(start, tokens(ids, true, span), start);
        graph.edge(start, Expr::Empty, end);
    } else {
        patterns.extend(dispatch.excludes.iter().filter_map(|trigger| match trigger {
            Trigger::Text(text) => Some(pattern(text, None)),
            Trigger::Token(_) => None,
        }));
        free_text(&mut graph, start, &patterns, Some(end));
    }
    Expr::Graph(graph.into())
}

fn pattern(text: &str, leads_to: Option<u32>) -> Pattern {
    Pattern { symbols: text.bytes().map(Symbol::Byte).collect(), leads_to }
}

fn tokens(ids: impl IntoIterator<Item = u32>, negated: bool, span: &Range<usize>) -> Expr {
    let tokens = ids.into_iter().map(|id| (TokenRef::Id(id), Some(span.clone())));
    Expr::Token(TokenSet { tokens: tokens.collect(), negated })
}

/// Returns the texts that a JSON string may contain without escapes.
fn json_characters() -> Expr {
    let mut allowed = ByteSet::range(b' ', 0x7f);
    allowed.remove(b'"');
    allowed.remove(b'\\');
    Expr::alt([Expr::bytes(allowed), Expr::scalars([('\u{80}', char::MAX)])]).star()
}

/// Replaces `\d`, `\w`, `\s` and their complements with ASCII classes, and control escapes `\cX` with their code
/// points.
fn with_ascii_classes(pattern: &str) -> String {
    let mut written = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            written.push(character);
            continue;
        }
        match characters.next() {
            Some('d') => written.push_str("[0-9]"),
            Some('D') => written.push_str("[^0-9]"),
            Some('w') => written.push_str("[0-9A-Za-z_]"),
            Some('W') => written.push_str("[^0-9A-Za-z_]"),
            Some('s') => written.push_str(r"[ \t\n\r\f\v]"),
            Some('S') => written.push_str(r"[^ \t\n\r\f\v]"),
            Some('c') => match characters.next() {
                Some(letter @ ('A'..='Z' | 'a'..='z')) => {
                    written.push_str(&format!("\\x{{{:x}}}", letter as u32 & 0x1f));
                }
                other => {
                    written.push_str("\\c");
                    written.extend(other);
                }
            },
            other => {
                written.push('\\');
                written.extend(other);
            }
        }
    }
    written
}

//! Attributes of rules in XGrammar's notation: `name[lazy, max_chars=3, capture="n"] ::= body`.
//!
//! `lazy` and `max_chars` change the texts of a rule. The other attributes are instructions to the host, and become
//! notes.

use std::ops::Range;

use super::codes;
use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::Expr;
use grammarc_grammar::ir::pass::automaton;

/// Most states of a lazy rule's automaton. A larger rule cannot be lazy, which is an error.
const MAX_STATES: usize = 50_000;

/// The attributes of a rule that change which texts it accepts.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    lazy: bool,
    max_chars: Option<u32>,
}

type Read<T> = Result<T, Box<Diagnostic>>;

fn wrong(text: impl Into<String>, span: &Range<usize>, help: &str) -> Box<Diagnostic> {
    let finding = Diagnostic::error(codes::RULE_ATTRIBUTES, text).with_label(span.clone(), "");
    Box::new(finding.with_help(help))
}

impl Attributes {
    /// Reads the attributes at bytes `span` of `text`, brackets included. Attributes that change no text become notes
    /// in `findings`. An unknown or repeated attribute, or a bad value, is an error.
    pub(super) fn read(
        text: &str,
        span: &Range<usize>,
        findings: &mut Vec<Diagnostic>,
    ) -> Read<Self> {
        let mut attributes = Self::default();
        let mut names: Vec<&str> = Vec::new();
        let inside = text[span.clone()].trim_start_matches('[').trim_end_matches(']');
        let mut is_quoted = false;
        let is_comma = |c: char| {
            is_quoted ^= c == '"';
            c == ',' && !is_quoted
        };
        for part in inside.split(is_comma) {
            let (name, value) = part
                .split_once('=')
                .map_or((part, None), |(name, value)| (name, Some(value.trim())));
            let name = name.trim();
            if names.contains(&name) {
                return Err(wrong(
                    format!("`{name}` is given twice"),
                    span,
                    "leave one of them out",
                ));
            }
            names.push(name);
            let number = value.and_then(|value| value.parse::<u32>().ok());
            let is_text = value.is_some_and(|value| {
                value.len() > 2 && value.starts_with('"') && value.ends_with('"')
            });
            let is_right = match name {
                "lazy" => {
                    attributes.lazy = true;
                    value.is_none()
                }
                "max_chars" => {
                    attributes.max_chars = number;
                    number.is_some_and(|number| number < u32::MAX)
                }
                "max_tokens" => number.is_some_and(|number| number > 0),
                "temperature" => {
                    let value = value.and_then(|value| value.parse::<f32>().ok());
                    value.is_some_and(|value| value.is_finite() && value >= 0.0)
                }
                "capture" => value.is_none() || is_text,
                "stop_capture" => is_text,
                "capture_hidden_suffix_bytes"
                | "capture_hidden_stop_bytes"
                | "capture_hidden_body_rule_id"
                | "capture_hidden_marker_rule_id" => number.is_some(),
                _ => {
                    let help = "there are lazy, max_chars, max_tokens, temperature, capture and stop_capture; a class behind a name stands on the right of `::=`";
                    return Err(wrong(format!("there is no attribute `{name}`"), span, help));
                }
            };
            if !is_right {
                let help = "`lazy` takes no value, `max_chars` and `max_tokens` a whole number, `temperature` a number, `capture` a string or none";
                return Err(wrong(format!("the value of `{name}` is of another kind"), span, help));
            }
            if !matches!(name, "lazy" | "max_chars") {
                let text = format!("`{name}` changes no text: it is the host's to act on");
                findings.push(
                    Diagnostic::note(codes::RULE_ATTRIBUTES, text).with_label(span.clone(), ""),
                );
            }
        }
        Ok(attributes)
    }

    /// Restricts the expression of a rule by its attributes. A lazy rule is an error if it calls other rules or its
    /// automaton exceeds 50,000 states.
    pub(super) fn apply(&self, expr: Expr, span: &Range<usize>, budget: &Budget) -> Read<Expr> {
        let expr = match self.max_chars {
            Some(most) => {
                Expr::And(vec![expr, Expr::scalars([('\0', char::MAX)]).repeat(0, Some(most))])
            }
            None => expr,
        };
        if !self.lazy {
            return Ok(expr);
        }
        let mut calls = false;
        expr.for_each_call(&mut |_| calls = true);
        let failed = match calls {
            true => "it calls rules".to_owned(),
            false => match automaton(&expr, StateBudget::new(MAX_STATES, budget)) {
                Ok(dfa) => return Ok(Expr::Regular(dfa.shortest().into())),
                Err(error) => error.to_string(),
            },
        };
        let text = format!(
            "a lazy rule ends as soon as it can, which is seen in its automaton, and there is none: {failed}"
        );
        Err(wrong(text, span, "write the rule with strings, classes and repetitions alone"))
    }
}

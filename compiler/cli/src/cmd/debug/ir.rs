//! `grammarc debug ir`: shows the grammar as the front end produces it, before any automaton is
//! built.

use clap::Args;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::ir::{Grammar, Rule};
use serde::Serialize;

use crate::failure::Failure;
use crate::frontend::SourceArgs;
use crate::output::Output;

/// Arguments of `debug ir`.
#[derive(Debug, Args)]
pub(crate) struct IrArgs {
    #[command(flatten)]
    source: SourceArgs,
}

/// A grammar in a form for output.
#[derive(Debug, Serialize)]
pub(crate) struct IrText {
    /// Index of the start rule in `rules`.
    start: usize,
    rules: Vec<RuleText>,
    /// The whole grammar as readable text, for people.
    #[serde(skip)]
    pub(crate) text: String,
}

#[derive(Debug, Serialize)]
struct RuleText {
    name: String,
    /// Right-hand side of the rule. `r3` is a call of the rule with index 3.
    expr: String,
    kept: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<[usize; 2]>,
}

pub(crate) fn run(args: IrArgs, output: &mut Output) -> Result<u8, Failure> {
    let lowered = args.source.read()?.lower(&Budget::new())?;
    output.diagnostics(&lowered.source, &lowered.findings)?;
    output.answer(&ir_text(&lowered.grammar))?;
    Ok(0)
}

fn ir_text(grammar: &Grammar) -> IrText {
    let rule = |rule: &Rule| RuleText {
        name: rule.name.clone(),
        expr: rule.expr.to_string(),
        kept: rule.is_kept(),
        pointer: rule.origin.pointer.clone(),
        span: rule.origin.span.as_ref().map(|span| [span.start, span.end]),
    };
    IrText {
        start: grammar.start.index(),
        rules: grammar.rules.iter().map(rule).collect(),
        text: grammar.to_string(),
    }
}

//! Lark, as llguidance and XGrammar document it for their users.
//!
//! ```text
//! %import common (INT, WS)
//! %ignore WS
//! start: item ("," item)*
//! item: "id=" INT
//! ```
//!
//! Names in lower case are rules, names in upper case terminals. Text goes through [`parse`](parser::parse) to an
//! [`ast`], through [`rules::read`] to rules over lexemes, and through [`units`] and [`lexing`] to the grammar IR: there
//! a terminal ends where llguidance's lexer ends it, which is decided here and not while a model waits.
//!
//! | file | what it does |
//! | --- | --- |
//! | `terminals`, `lazy` | terminals to expressions, and repetitions in them that do not say what they seem to |
//! | `lexicon` | their automata, and with which bytes they begin and go on |
//! | `units` | rules to automata over lexemes |
//! | `follow`, `subsets` | what may come next |
//! | `lexing` | lexemes to bytes |
//!
//! Attributes that change no text (`capture`, `temperature`, `max_tokens`) are noted for the host; what cannot be said
//! (priorities, templates, parameters, lookaround, grammars by name) is an error at its place.

mod ast;
mod attributes;
pub mod codes;
mod common;
mod follow;
mod lazy;
mod lexer;
mod lexicon;
mod lexing;
mod parser;
mod rules;
mod subsets;
mod terminals;
#[cfg(test)]
mod tests;
mod tokens;
mod units;

use super::inner::Outer;
use grammarc_grammar::budget::{Budget, Phase};
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{Lowered, Origin};
use grammarc_json_schema::JsonSchemaOptions;

use rustc_hash::FxHashMap;

use ast::Ast;
use follow::Facts;
use lexing::Lexing;
use units::Unit;

/// Options of a Lark source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LarkOptions {
    /// Name of the start rule. That of a nested grammar is `start`.
    pub start: String,
    /// How the schemas of `%json` are read.
    pub schemas: JsonSchemaOptions,
}

impl Default for LarkOptions {
    fn default() -> Self {
        Self { start: "start".to_owned(), schemas: JsonSchemaOptions::default() }
    }
}

/// The grammar of a source.
///
/// # Errors
///
/// The first thing that is wrong with the syntax; where the syntax is right, what is wrong with names, terminals and
/// inner sources, in source order; or that the budget is spent.
pub fn lower(
    source: Source,
    options: &LarkOptions,
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    budget.begin(Phase::Reading);
    budget.check_in_source()?;
    let ast = parser::parse(&source, budget)?;
    budget.begin(Phase::Lowering);
    let lowered = grammar(&ast, &source, options, budget);
    budget.check_in_source()?;
    lowered
}

/// The grammar of a syntax tree.
fn grammar(
    ast: &Ast,
    source: &Source,
    options: &LarkOptions,
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    let mut rules = rules::read(ast, source, options, budget)?;
    let mut units = units::units(&rules, budget);
    let facts = Facts::of(&mut units, &rules.lexicon, budget);
    budget.check_in_source()?;
    let Outer { builder, report, mut findings, literals } = std::mem::take(&mut rules.outer);
    let definition = |unit: &Unit| rules.rules[unit.rule as usize].0;
    let mut lexing = Lexing {
        lexicon: &rules.lexicon,
        facts: &facts,
        ignored: &rules.ignored,
        budget,
        warnings: Vec::new(),
        names: units.iter().map(|unit| &*definition(unit).name).collect(),
        builder,
        rules: FxHashMap::default(),
        clashes: FxHashMap::default(),
        terminals: FxHashMap::default(),
        text: &source.text,
        open: Vec::new(),
    };
    let start = lexing.rule(0, true);
    while let Some((number, is_last, rule)) = lexing.open.pop() {
        let unit = &units[number as usize];
        let expr = lexing.unit(unit, number, is_last);
        let span = Some(definition(unit).span.clone());
        lexing.builder.define(rule, expr, Origin { span, pointer: None });
    }
    budget.check_in_source()?;
    findings.append(&mut lexing.warnings);
    findings.sort_by_key(|finding| finding.labels.first().map_or(0, |label| label.span.start));
    let grammar = lexing.builder.finish(start);
    Ok(Lowered { source: source.clone(), grammar, report, findings, literals })
}

//! Lowers a Lark source to the grammar IR by running the passes in order.

use super::ast::Ast;
use super::follow::Facts;
use super::lexing::{Lexing, Pending};
use super::options::LarkOptions;
use super::units::{Unit, units};
use super::{parser, rules};
use crate::inner::Outer;
use grammarc_grammar::budget::{Budget, Phase};
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{Lowered, Origin};

/// Lowers a Lark source to the grammar IR.
///
/// # Errors
///
/// Returns the first error of the syntax. If the syntax is right, returns the errors of names, terminals and inner
/// sources (of other languages), in source order. If the budget is spent, returns that error alone.
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

/// Lowers a syntax tree. `rules::read` calls this function again for nested grammars, whose depth the parser bounds.
fn grammar(
    ast: &Ast,
    source: &Source,
    options: &LarkOptions,
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    let mut rules = rules::read(ast, source, options, &grammar, budget)?;
    let mut units = units(&rules, budget);
    let facts = Facts::of(&mut units, &rules.lexicon, budget);
    budget.check_in_source()?;
    let Outer { builder, report, mut findings, literals } = std::mem::take(&mut rules.outer);
    let definition = |unit: &Unit| rules.rules[unit.rule as usize].definition;
    let names = units.iter().map(|unit| &*definition(unit).name).collect();
    let mut lexing = Lexing::new(&rules, &facts, names, builder, &source.text, budget);
    let start = lexing.rule(0, true);
    while let Some(Pending { unit: number, is_last, rule }) = lexing.open.pop() {
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

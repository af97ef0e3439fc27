//! Finds the tools of a request that do not compile, and reads the request without them (`on_refused`).
//!
//! ```text
//! read ─► lower the arguments of each tool ─► some refused: read again without these tools
//!                  └─ without the parts that do not compile, if the request says `loosen`
//! ```
//!
//! Each tool is lowered in its own [part](Budget::part) of the budget, so one tool cannot use up the work of the others.
//! The limit is a number of steps and not a time, so the same tools are left out on every machine. What is lowered is
//! kept, so the rest of the compilation does not lower it again.
//!
//! Tests: `compiler/tests/structural_tags/refused.rs`.

use grammarc_grammar::budget::Budget;
use grammarc_grammar::controls::ControlTokens;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;
use grammarc_json_schema::NOT_ENFORCED;
use grammarc_json_schema::document::Document;

use super::builder::TagBuilder;
use super::fields::Reader;
use super::format::{Format, Kind};
use super::inner_sources::{InnerSources, TOOL_STEPS};
use super::options::StructuralTagOptions;
use super::read;
use super::refused_tool::{Candidate, Refused, ToolState};

/// Reads a document as one format, without the tools that do not compile and may be left out. Also returns these tools, and
/// those that are not enforced as a whole, in the order in which they were found.
///
/// # Errors
///
/// Returns the errors of the document, or that the budget is spent.
pub(super) fn read_without_refused(
    document: &Document<'_>,
    options: &StructuralTagOptions,
    controls: &ControlTokens,
    inner: &mut InnerSources<'_>,
    builder: &mut TagBuilder<'_>,
    budget: &Budget,
) -> Result<(Format, Vec<Refused>), Vec<Diagnostic>> {
    let read = |left_out| {
        let mut reader = Reader::new(document, options, controls, left_out);
        let format = read::document(&mut reader);
        let Reader { errors, left_out, candidates, .. } = reader;
        match format.filter(|_| errors.is_empty()) {
            Some(format) => Ok((format, left_out, candidates)),
            None => Err(errors),
        }
    };
    let (format, mut left_out, candidates) = read(Vec::new())?;
    let before = left_out.len();
    let mut loosened: Vec<Refused> = Vec::new();
    for Candidate { at, name, arguments } in &candidates {
        budget.check_in_source()?;
        let findings = builder.outer.findings.len();
        let errors = match &arguments.kind {
            // Each lowering has a part of the budget of its own.
            Kind::Schema(schema) if schema.is_loosened => {
                refusals(arguments, inner, builder, budget)
            }
            _ => {
                let Ok(part) = budget.part(TOOL_STEPS) else { continue };
                let errors = refusals(arguments, inner, builder, &part);
                if budget.end_part(&part).is_err() {
                    continue;
                }
                errors
            }
        };
        if !errors.is_empty() {
            left_out.push(Refused::new(document, *at, name, ToolState::LeftOut, &errors));
            continue;
        }
        let new = &builder.outer.findings[findings..];
        let new: Vec<_> = new.iter().filter(|one| one.code == NOT_ENFORCED).cloned().collect();
        if !new.is_empty() {
            // The entry of a schema that is not enforced as a whole is that of its outermost value.
            let place = document.pointer(arguments.at);
            let mut entries = builder.outer.report.entries();
            let is_any = entries.any(|entry| {
                let is_whole = entry.keyword.is_empty() && entry.pointer == place;
                is_whole && entry.verdict == Verdict::Approximate
            });
            let state = if is_any { ToolState::AnyObject } else { ToolState::Loosened };
            loosened.push(Refused::new(document, *at, name, state, &new));
        }
    }
    budget.check_in_source()?;
    if left_out.len() == before {
        left_out.extend(loosened);
        return Ok((format, left_out));
    }
    let (format, mut left_out, _) = read(left_out)?;
    left_out.extend(loosened);
    Ok((format, left_out))
}

/// Lowers the arguments of a tool within a part of the budget, and returns the errors.
fn refusals(
    arguments: &Format,
    inner: &mut InnerSources<'_>,
    builder: &mut TagBuilder<'_>,
    part: &Budget,
) -> Vec<Diagnostic> {
    let before = builder.errors.len();
    match &arguments.kind {
        Kind::Schema(schema) => _ = inner.schema_within(schema, builder, part),
        &Kind::Grammar(at, syntax) => _ = inner.grammar_within(at, syntax, builder, part),
        &Kind::Regex(at) => _ = inner.regex_within(at, builder, part),
        _ => {}
    }
    builder.errors.split_off(before)
}

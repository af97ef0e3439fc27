//! JSON Lines: one JSON value on each line, all of one schema.
//!
//! A value contains no line end, so every line end separates two values. The last line may end with a line end.

use std::ops::Range;

use super::options::{BuiltInOptions, wrong};
use crate::inner::{Outer, Place};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{Expr, Lowered, Origin};
use grammarc_json_schema as json_schema;
use grammarc_json_schema::Whitespace;

pub(super) fn lower(
    source: Source,
    options: &BuiltInOptions,
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    let whole = 0..source.text.len();
    let here = |error: Diagnostic| vec![error.with_label(whole.clone(), "")];
    let (min, max) = options.items(1).map_err(here)?;
    let text = &options.json_schema.text;
    let has_line_ends = match text.whitespace {
        Whitespace::Compact | Whitespace::Spaced | Whitespace::Natural => false,
        Whitespace::Fixed { item, key } => {
            [item, key].iter().any(|one| one.as_bytes().iter().any(|byte| b"\n\r".contains(byte)))
        }
        Whitespace::Indented(_) | Whitespace::Styled(_) | Whitespace::Flexible { .. } => true,
    };
    if has_line_ends || text.surround > 0 {
        let text = "a line of `jsonl` has no line ends in it, and this whitespace has";
        let error = wrong(text.to_owned());
        return Err(here(
            error.with_help("write it natural, compact or spaced, with nothing around"),
        ));
    }
    let any = || Source::new("line", "true");
    let line = options.line.clone().unwrap_or_else(any);
    let within = |found: Vec<Diagnostic>| -> Vec<Diagnostic> {
        found.into_iter().map(|finding| finding.in_source(&line)).collect()
    };
    let lowered = json_schema::lower(line.clone(), &options.json_schema, budget);
    let mut lowered = lowered.map_err(within)?;
    lowered.findings = within(lowered.findings);
    if options.line.is_none() {
        // The schema is not the user's, so its report is left out.
        lowered.report = Default::default();
    }
    let mut outer = Outer::default();
    let root = outer.builder.declare("jsonl");
    let span = |_: &Range<usize>| whole.clone();
    let line = Expr::Call(outer.add(lowered, &Place { span: &span, pointer: None }));
    let end = || Expr::byte(b'\n');
    let more = Expr::seq([end(), line.clone()]);
    let more = more.repeat(min.saturating_sub(1), max.map(|max| max - 1));
    let lines = Expr::seq([line, more, end().optional()]);
    let lines = if min == 0 { lines.optional() } else { lines };
    outer.builder.define(root, lines, Origin { span: Some(whole.clone()), pointer: None });
    let Outer { builder, report, findings, literals } = outer;
    Ok(Lowered { source, grammar: builder.finish(root), report, findings, literals })
}

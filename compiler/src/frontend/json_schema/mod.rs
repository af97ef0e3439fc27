//! JSON Schema: the text of a schema as a grammar of the texts of its instances.
//!
//! ```text
//! text ── document ── survey ──► schemas ── algebra, graph ──► shapes ── merge, lower ──► rules
//!         (arena)     (keywords, references, report)  (unions, emptiness)   (object, array, string, key, literal)
//! ```
//!
//! - `document`: the text as values that know their span and pointer; `dialect`: its draft.
//! - `keyword`: the table of support. `survey` visits every schema that applies, `resolve` follows its references,
//!   also to `resources` given by the user, and `read` checks and reads keyword values into a `schema`.
//! - `algebra` turns a conjunction of schemas into a union of `shape`s, `graph` does so for everything that can
//!   apply to any value and finds what is empty. `value` decides enumerated values one by one.
//! - `merge` finds equal conjunctions; `lower` makes rules with `object`, `array`, `key`, `literal`,
//!   `string` and `number`, on top of the shared rules of the `prelude`.
//!
//! Nothing is left out in silence: a keyword occurrence is exact, an annotation or approximate in the report, or the
//! schema is refused. Cost is linear in the schema but for the product of `anyOf` in one place, which has a budget.

mod algebra;
mod dialect;
mod document;
mod formats;
mod keyword;
mod lower;
mod merge;
mod number;
mod numbers;
mod options;
mod prelude;
mod read;
mod report;
mod resolve;
mod resources;
mod schema;
mod string;
mod strings;
mod survey;
mod types;

#[cfg(test)]
mod tests;

use crate::diagnostics::report::{Report, Verdict};
use crate::diagnostics::{Diagnostic, Source};
use crate::ir::Lowered;

pub use options::{
    DigitLimits, Escapes, JsonSchemaOptions, KeyOrder, NumberForm, TextForm, Whitespace,
};
pub use prelude::{Piece, Prelude, prelude_grammar};
pub use resources::{ResourceError, Resources};

/// The grammar of a schema's instances.
///
/// # Errors
///
/// Everything that stops the compile, in source order: text that is not JSON, keywords that are refused or malformed,
/// references that lead nowhere, a schema that nothing satisfies, a budget exceeded.
pub fn lower(source: Source, options: &JsonSchemaOptions) -> Result<Lowered, Vec<Diagnostic>> {
    let one = |error| vec![error];
    let (mut document, tree) = document::Document::parse(&source).map_err(one)?;
    let mut findings = Vec::new();
    let survey::Surveyed { schemas, root, mut entries } =
        survey::survey(&mut document, &tree, options, &mut findings)?;
    let limits = algebra::Limits {
        states: options.max_states,
        shapes: options.max_shapes,
        formulas: options.max_shapes.saturating_mul(40),
    };
    let mut algebra = algebra::Algebra::new(&document, &schemas, limits, options.key_order);
    let root = algebra.schema(root);
    let mut graph = algebra::build(&mut algebra, root).map_err(one)?;
    if let Some(error) = report::unsatisfiable(&mut algebra, &graph).map_err(one)? {
        return Err(vec![error]);
    }
    findings.extend(report::pruned(&mut algebra, &graph).map_err(one)?);
    merge::merge(&mut graph);
    let grammar = lower::lower(&algebra, &graph, options).map_err(one)?;
    for &(place, reason) in &algebra.approximate {
        for (_, entry) in entries.iter_mut().filter(|(node, _)| *node == place) {
            entry.verdict = Verdict::Approximate;
            entry.reason = reason.to_owned();
        }
    }
    let report = Report { entries: entries.into_iter().map(|(_, entry)| entry).collect() };
    Ok(Lowered { source, grammar, report, findings })
}

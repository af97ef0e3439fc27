//! JSON Schema: the text of a schema as a grammar of the texts of its instances.
//!
//! ```text
//! text ── document ── survey ──► schemas ── algebra, graph ──► shapes ── merge, lower ──► rules
//!         (arena)     (keywords, references, report)  (unions, emptiness)   (object, array, string, key, literal)
//! ```
//!
//! - `document`: the text as values that know their span and pointer; `dialect`: its draft.
//! - `keyword`: the table of support. `survey` visits every schema that applies, `read` and `resolve` check
//!   and read keyword values into a `schema`.
//! - `algebra` turns a conjunction of schemas into a union of `shape`s, `graph` does so for everything that can
//!   apply to any value and finds what is empty. `value` decides enumerated values one by one.
//! - `merge` finds equal conjunctions; `lower` makes rules with `object`, `array`, `key`, `literal`,
//!   `string` and `number`, on top of the shared rules of the `prelude`.
//!
//! Nothing is left out in silence: a keyword occurrence is exact, an annotation or approximate in the report, or the
//! schema is refused. Cost is linear in the schema but for the product of `anyOf` in one place, which has a budget.

mod algebra;
mod array;
mod dialect;
mod document;
mod graph;
mod key;
mod keyword;
mod literal;
mod lower;
mod merge;
mod number;
mod object;
mod options;
mod prelude;
mod read;
mod report;
mod resolve;
mod schema;
mod shape;
mod string;
#[allow(dead_code, unused_imports, reason = "the algebra is to call it")]
mod strings;
mod survey;
mod types;
mod value;

#[cfg(test)]
mod tests;

use crate::diagnostics::{Diagnostic, Source};
use crate::ir::Lowered;

pub use options::{DigitLimits, JsonSchemaOptions, TextForm, Whitespace};
pub use prelude::{Piece, Prelude, prelude_grammar};

/// The grammar of a schema's instances.
///
/// # Errors
///
/// Everything that stops the compile, in source order: text that is not JSON, keywords that are refused or malformed,
/// references that lead nowhere, a schema that nothing satisfies, a budget exceeded.
pub fn lower(source: Source, options: &JsonSchemaOptions) -> Result<Lowered, Vec<Diagnostic>> {
    let one = |error| vec![error];
    let document = document::Document::parse(&source).map_err(one)?;
    let mut findings = Vec::new();
    let survey::Surveyed { schemas, report } = survey::survey(&document, &mut findings)?;
    let algebra =
        algebra::Algebra { document: &document, schemas: &schemas, max_shapes: options.max_shapes };
    let mut graph = graph::build(&algebra).map_err(one)?;
    if let Some(error) = report::unsatisfiable(&document, &graph) {
        return Err(vec![error]);
    }
    findings.extend(report::pruned(&document, &schemas, &graph));
    merge::merge(&mut graph);
    let grammar = lower::lower(&document, &graph, options).map_err(one)?;
    Ok(Lowered { source, grammar, report, findings })
}

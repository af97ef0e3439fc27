//! JSON Schema: turns the text of a schema into a grammar of the JSON texts of its instances.
//!
//! ```text
//! text ── document, resolve ── survey, read ──► schemas ── algebra ──► graph ── merge, lower ──► rules
//!         (arena, references)   (keywords, report)        (formulas)   (automata, emptiness)
//! ```
//!
//! | room | what it does |
//! | --- | --- |
//! | [`options`] | the text form of accepted documents, and limits |
//! | [`source`] | the draft, references, and resources that the user gives |
//! | [`values`] | sets of strings and numbers, exact under union, intersection and complement |
//! | [`read`] | visits every schema that applies, and checks and reads its keywords; the table of support |
//! | [`text_form`] | how values are written: whitespace, shared rules, members as tags |
//! | [`algebra`] | the values that a formula over schemas allows, as sets and automata; which are empty, and why |
//! | [`lower`] | rules of the grammar, one for each content (set of values) and layout (whitespace) |
//! | [`printed`](mod@printed) | the values of a schema as a schema with plain keywords |
//! | [`relation`] | two schemas: which values one allows and the other does not |
//! | [`witness`] | instances of a schema for tests: at the edges of its keywords, and just outside |
//! | [`explain`] | why a text is refused: the place in the document, and keywords that refuse it |
//! | `loosely` | lowers a schema without the parts that do not compile |
//! | `place_graph` | the schemas that apply to each value, for explanations |
//! | [`passes`] | runs the passes of all rooms in order |
//!
//! Tests: `tests/` here (`steps.rs` for the simplifier, `forms.rs` for lowering), `tests/tests/suite/members.rs`, and
//! `tests/tests/schemas/`, which compares with other validators.
//!
//! Nothing is ignored silently: the report calls every keyword occurrence exact, an annotation, narrower or
//! approximate, or the schema is refused. The cost depends on the number of combinations of facts that matter at one
//! place, and is bounded by budgets.

pub mod document;

mod algebra;
pub mod explain;
mod loosely;
mod lower;
mod options;
mod passes;
mod place_graph;
pub mod printed;
mod read;
pub mod relation;
mod rust_type;
mod source;
mod text_form;
mod values;
mod variant;
pub mod witness;

#[cfg(test)]
mod tests;

use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;

#[doc(hidden)]
pub use algebra::simplify::steps::{Effort, Step, StepCounts, Steps};
pub use loosely::{NOT_ENFORCED, lower_loosely};
pub use options::{
    DigitLimits, Escapes, Formats, Indentation, JsonSchemaOptions, KeyOrder, NumberForm,
    SchemaDialect, Separator, SeparatorError, TextForm, Whitespace, WhitespaceError,
};
pub use passes::CODES;
pub use read::keyword::is_unknown as is_unknown_keyword;
pub use read::lint::unknown_help;
pub use read::table::{SupportRow, support_table};
pub use rust_type::Schema;
pub use source::resources::{ResourceError, Resources};
pub use text_form::prelude::{Prelude, prelude_grammar};
pub use text_form::tags::{KeyForm, Quotes, Root, TagForm, ValueForm};
pub use values::pieces::Piece;
pub use values::types::TypeSet;

/// Returns the grammar of the JSON texts of a schema's instances.
///
/// # Errors
///
/// All errors that stop the compilation, in source order:
///
/// - text that is not JSON, refused or malformed keywords, and references without a target;
/// - an unsatisfiable schema;
/// - a limit or the budget.
pub fn lower(
    source: Source,
    options: &JsonSchemaOptions,
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    lower_as(source, options, Root::Value, &[], budget)
}

/// Returns the grammar of the values of a schema that `wanted` selects, written as JSON or as tags as `wanted` says. No
/// string and no key contains a text of `excluded`. These texts must not be empty and must not contain a backslash.
///
/// # Errors
///
/// The errors of [`lower`]. Also an error if `wanted` needs objects and the schema allows none, or if a key cannot be
/// written in a tag.
pub fn lower_as(
    source: Source,
    options: &JsonSchemaOptions,
    wanted: Root<'_>,
    excluded: &[String],
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    let task = passes::Task { wanted, excluded, ..passes::Task::default() };
    passes::run(source, options, task, budget).map(|(lowered, _)| lowered)
}

/// Returns the result of [`lower`] with only the given steps of the simplifier switched on, and the work it took. For
/// tests and benches.
///
/// # Errors
///
/// The errors of [`lower`].
#[doc(hidden)]
pub fn lower_with_steps(
    source: Source,
    options: &JsonSchemaOptions,
    steps: Steps,
    budget: &Budget,
) -> Result<(Lowered, Effort), Vec<Diagnostic>> {
    let task = passes::Task { steps, ..passes::Task::default() };
    passes::run(source, options, task, budget)
}

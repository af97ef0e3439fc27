//! Lowers a schema without the parts that do not compile: such parts are not enforced.
//!
//! ```text
//! lower ─► errors ─► the keywords at fault say nothing ─► lower again … ─► any value
//! ```
//!
//! What is accepted only grows. So a part within a test, such as `not`, is not loosened by itself: the whole test is.
//! Where that cannot be known, as for a test with a reference in it, every value is accepted.
//!
//! Tests: `tests/loosely.rs`; `compiler/tests/structural_tags/loosened.rs`.

use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;

use super::options::JsonSchemaOptions;
use super::passes::{Task, run};
use super::text_form::tags::Root;

/// Code of the warning about a part that is not enforced.
pub const NOT_ENFORCED: &str = "json-schema::not-enforced";

/// Most times that a schema is lowered with fewer parts, before every value is accepted.
const MOST_ROUNDS: usize = 8;

/// Share of the steps that each lowering after the first may take.
const SHARE: usize = 8;

/// Codes of errors by which no value satisfies the schema, or none that is wanted.
const NO_VALUE: [&str; 2] = ["json-schema::unsatisfiable", "json-schema::no-object"];

/// Lowers a schema as [`lower_as`](super::lower_as) does, but parts that do not compile are not enforced. The report
/// calls them approximate, and a warning with the code [`NOT_ENFORCED`] has the reason. If no such parts can be named,
/// all values that are wanted are accepted.
///
/// Each lowering takes at most `steps` steps of the budget.
///
/// # Errors
///
/// No value satisfies the schema, the source is no JSON, or the budget is spent.
pub fn lower_loosely(
    source: &Source,
    options: &JsonSchemaOptions,
    wanted: Root<'_>,
    excluded: &[String],
    steps: usize,
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    let mut loosened: Vec<String> = Vec::new();
    let mut reasons: Vec<Diagnostic> = Vec::new();
    loop {
        let Ok(part) = budget.part(if reasons.is_empty() { steps } else { steps / SHARE }) else {
            budget.check_in_source()?;
            return Err(reasons);
        };
        let task = Task { wanted, excluded, loosened: &loosened, ..Task::default() };
        let lowered = run(source.clone(), options, task, &part);
        let is_over = budget.end_part(&part).is_err();
        let errors = match lowered {
            Ok((mut lowered, _)) => {
                lowered.findings.extend(reasons.into_iter().map(not_enforced));
                return Ok(lowered);
            }
            Err(errors) => errors,
        };
        budget.check_in_source()?;
        let is_any = loosened.iter().any(String::is_empty);
        if is_over || is_any || errors.iter().any(|error| NO_VALUE.contains(&error.code)) {
            return Err(errors);
        }
        let known = loosened.len();
        for error in &errors {
            let pointer = error.pointer.clone().filter(|pointer| pointer.starts_with('/'));
            loosened.extend(pointer.filter(|pointer| !loosened.contains(pointer)));
        }
        if loosened.len() == known || known >= MOST_ROUNDS {
            loosened.push(String::new());
        }
        reasons.extend(errors);
    }
}

/// Returns an error as a warning about a part that is not enforced.
fn not_enforced(error: Diagnostic) -> Diagnostic {
    let Diagnostic { code, message, labels, pointer, .. } = error;
    let text = format!("not enforced, because it does not compile: {message} ({code})");
    let mut warning = Diagnostic::warning(NOT_ENFORCED, text);
    (warning.labels, warning.pointer) = (labels, pointer);
    warning
}

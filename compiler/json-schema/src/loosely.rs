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
use rustc_hash::FxHashSet;

use super::document::{Document, Json, NodeId};
use super::options::JsonSchemaOptions;
use super::passes::{Task, run};
use super::read::keyword::is_keyword;
use super::text_form::tags::Root;

/// Code of the warning about a part that is not enforced.
pub const NOT_ENFORCED: &str = "json-schema::not-enforced";

/// Most times that a schema is lowered with fewer parts, before every value is accepted.
const MOST_ROUNDS: usize = 8;

/// Share of the steps that each lowering after the first may take.
const SHARE: usize = 8;

/// Codes of errors by which no value satisfies the schema, or none that is wanted.
const NO_VALUE: [&str; 2] = ["json-schema::unsatisfiable", "json-schema::no-object"];

/// Keywords whose schema is a test: where it is met more often, fewer values may be allowed.
pub(crate) const TESTS: [&str; 6] =
    ["not", "if", "oneOf", "contains", "dependentSchemas", "dependencies"];

/// Keywords that others read or that hold schemas by name. Where one is at fault, its whole schema is loosened.
const OF_SCHEMA: [&str; 8] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "then",
    "else",
    "minContains",
    "maxContains",
];

/// Keywords that hold schemas by name.
const NAMED: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// Keywords that hold lists of schemas.
const LISTED: [&str; 5] = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];

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

/// Returns the schemas and keywords that say nothing, for the places of errors in a document. An empty pointer stands
/// for the whole document.
pub(crate) fn loosened(document: &Document<'_>, pointers: &[String]) -> FxHashSet<NodeId> {
    let root = document.root();
    if pointers.is_empty() {
        return FxHashSet::default();
    }
    // What a keyword evaluates, and what a reference from a test means, is not known by place.
    let decides_all = |node: NodeId| {
        let key = document.key(node);
        key.starts_with("unevaluated") || key.ends_with("ef") && test_around(document, node).is_some()
    };
    if pointers.iter().any(String::is_empty) || document.nodes().any(decides_all) {
        return FxHashSet::from_iter([root]);
    }
    let places = pointers.iter().map(|pointer| {
        let place = document.walk(root, pointer).map(|node| loosenable(document, node));
        place.unwrap_or(root)
    });
    places.collect()
}

/// Returns the schema or keyword that has to say nothing if the value at `node` is at fault.
fn loosenable(document: &Document<'_>, node: NodeId) -> NodeId {
    let mut at = node;
    while let Some(parent) = document.parent(at) {
        let (key, above) = (document.key(at), document.key(parent));
        let place = match document.json(parent) {
            Json::Object(_) if NAMED.contains(&above) => Some(at),
            Json::Array(_) if LISTED.contains(&above) => Some(at),
            Json::Object(_) if OF_SCHEMA.contains(&key) => Some(parent),
            Json::Object(_) if is_keyword(key) => Some(at),
            _ => None,
        };
        if let Some(place) = place {
            return test_around(document, place).unwrap_or(place);
        }
        at = parent;
    }
    at
}

/// Returns the outermost keyword around a value whose schema is a test. `None` if there is none.
fn test_around(document: &Document<'_>, node: NodeId) -> Option<NodeId> {
    let (mut at, mut test) = (node, None);
    while let Some(parent) = document.parent(at) {
        if TESTS.contains(&document.key(at)) {
            test = Some(at);
        }
        at = parent;
    }
    test
}

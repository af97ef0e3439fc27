//! Tests of reference resolution, through the survey.

mod cases;
mod maskbench;
mod suite;

use rustc_hash::FxHashSet;

use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::{Diagnostic, Source};

use crate::CODES;
use crate::document::Document;
use crate::options::JsonSchemaOptions;
use crate::read::schema::Part;
use crate::read::survey::survey;
use crate::source::resources::Resources;

/// The result of the survey of a schema.
struct Outcome {
    /// The pointer of each reference and the pointer of its target, in source order. A reference occurs several times
    /// if dynamic scopes differ.
    targets: Vec<(String, String)>,
    /// The codes of the warnings, in order.
    warnings: Vec<&'static str>,
    /// The number of budget steps used.
    steps: usize,
}

fn outcome(schema: &str, resources: &Resources) -> Result<Outcome, Vec<Diagnostic>> {
    let budget = Budget::new();
    let options = JsonSchemaOptions { resources: resources.clone(), ..Default::default() };
    let source = Source::new("<test>", schema);
    let (mut document, tree) =
        Document::parse(&source, CODES, &budget).map_err(|error| vec![error])?;
    let mut findings = Vec::new();
    let roots = [(document.root(), &tree)];
    let surveyed =
        survey(&mut document, &roots, &options, &FxHashSet::default(), &budget, &mut findings)?;
    let mut targets = Vec::new();
    for id in surveyed.schemas.iter() {
        for (place, part) in surveyed.schemas.parts(id) {
            if let (true, Part::All(schemas)) =
                (document.key(*place).ends_with("Ref") || document.key(*place) == "$ref", part)
                && let [target] = schemas[..]
            {
                targets.push((*place, surveyed.schemas.node(target)));
            }
        }
    }
    targets.sort_unstable();
    let pointers =
        targets.iter().map(|(from, to)| (document.pointer(*from), document.pointer(*to)));
    let warnings = findings.iter().map(|finding| finding.code).collect();
    Ok(Outcome { targets: pointers.collect(), warnings, steps: budget.steps() })
}

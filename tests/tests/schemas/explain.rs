//! Blame for refused instances of MaskBench, beside the errors of the `jsonschema` crate.

use std::collections::BTreeSet;

use grammarc_benches::inputs::{Case, maskbench, sized, spread};
use grammarc_compiler::budget::Budget;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::json_schema::explain::{Cause, explain};
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, TextForm, lower};
use grammarc_compiler::ir::recognize::behind;
use rayon::prelude::*;
use serde_json::Value;

/// Compact texts, with keys in any order.
fn options() -> JsonSchemaOptions {
    let text = TextForm { numbers: TextForm::DUMPS.numbers, ..TextForm::SHORT };
    JsonSchemaOptions { text, key_order: KeyOrder::Any, ..JsonSchemaOptions::default() }
}

/// Returns the number of bytes of a text that a schema accepts. `None` if it does not compile, or accepts the text.
fn accepted(source: &Source, text: &str) -> Option<usize> {
    let lowered = lower(source.clone(), &options(), &Budget::new()).ok()?;
    let goes_on = |length: usize| {
        let found = behind(&lowered.grammar, &text.as_bytes()[..length]);
        match text.as_bytes().get(length) {
            Some(&byte) => found.bytes.contains(byte),
            None => found.may_end,
        }
    };
    // The first byte that is refused: all before are accepted, none after.
    let (mut low, mut high) = (0, text.len() + 1);
    while low < high {
        let middle = low.midpoint(high);
        if goes_on(middle) { low = middle + 1 } else { high = middle }
    }
    (low <= text.len()).then_some(low)
}

/// Returns whether the blame for a refused instance agrees with the judge, and what was compared.
fn agrees(case: &Case, instance: &Value) -> Option<(bool, String)> {
    let judge = jsonschema::options().should_validate_formats(true).build(&case.schema).ok()?;
    let judged: BTreeSet<String> =
        judge.iter_errors(instance).map(|error| error.schema_path().to_string()).collect();
    let source = Source::new("<test>", case.schema.to_string());
    let text = instance.to_string();
    let length = accepted(&source, &text)?;
    let next = text.as_bytes().get(length).copied();
    let budget = Budget::new().time_limit(std::time::Duration::from_secs(20));
    let found = explain(&source, &text.as_bytes()[..length], next, &options(), &budget).ok()?;
    let (Cause::OneOf(blamed) | Cause::Together(blamed)) = &found.cause else {
        return Some((false, format!("{}: {text} at {length}: {found:?} {judged:?}", case.id)));
    };
    // Errors name the way to a keyword through references, and blame names its own place: the last keyword counts.
    let last = |path: &str| {
        path.rsplit('/').find(|part| part.parse::<usize>().is_err()).map(str::to_owned)
    };
    let agrees = blamed.iter().any(|one| {
        let pointer = &one.place.pointer;
        judged.iter().any(|path| {
            path == pointer
                || path.starts_with(&format!("{pointer}/"))
                || last(path) == last(pointer)
        })
    });
    Some((agrees, format!("{}: {text} at {length}: {blamed:?} {judged:?}", case.id)))
}

#[test]
fn blame_agrees_with_a_judge() {
    let cases = maskbench();
    if cases.is_empty() {
        eprintln!("SKIPPED: no MaskBench; set GRAMMARC_DATA");
        return;
    }
    const LONGEST: usize = 4_000;
    let count = sized(80, 2_000);
    let cases = spread(&cases, count).take(count);
    let cases: Vec<&Case> = cases.filter(|case| case.schema.to_string().len() < LONGEST).collect();
    let compared: Vec<(bool, String)> = cases
        .into_par_iter()
        .filter_map(|case| {
            let refused =
                case.tests.iter().filter(|test| !test.valid && test.data.to_string().len() < 600);
            refused.take(1).find_map(|test| agrees(case, &test.data))
        })
        .collect();
    let others: Vec<&String> =
        compared.iter().filter(|(agrees, _)| !agrees).map(|(_, text)| text).collect();
    eprintln!("blame agrees for {} of {}", compared.len() - others.len(), compared.len());
    for other in &others {
        eprintln!("  {other}");
    }
    assert!(compared.len() > 20, "{}", compared.len());
    assert!(others.len() * 100 <= compared.len() * 3 + 100, "{}", others.len());
}

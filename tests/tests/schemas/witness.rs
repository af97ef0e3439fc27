//! Witnesses and relations of real and random schemas, judged by the `jsonschema` crate.
//!
//! `GRAMMARC_FULL=1` takes more schemas.

use std::collections::BTreeMap;

use grammarc_benches::edits::edited;
use grammarc_benches::inputs::{maskbench, sized, spread};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::json_schema::relation::{
    Compared, RelationOptions, Side, compare,
};
use grammarc_compiler::frontend::json_schema::witness::{WitnessOptions, witnesses};
use grammarc_tests::random::Rng;
use grammarc_tests::schemas::random::document;
use rayon::prelude::*;
use serde_json::Value;

use crate::judge::seeds;

/// Returns a judge that asserts formats. `None` if it does not take the schema.
fn judge(schema: &Value) -> Option<jsonschema::Validator> {
    jsonschema::options().should_validate_formats(true).build(schema).ok()
}

/// What was found for some schemas.
#[derive(Debug, Default)]
struct Tally {
    valid: usize,
    invalid: usize,
    silent: usize,
    dead: usize,
    undecided: usize,
    wrong: Vec<String>,
}

fn judged(schema: &Value, options: &WitnessOptions) -> Option<Tally> {
    let judge = judge(schema)?;
    let text = schema.to_string();
    let found = witnesses(&Source::new("<test>", text.as_str()), options).ok()?;
    let mut tally = Tally {
        valid: found.valid.len(),
        invalid: found.invalid.len(),
        silent: found.silent.len(),
        dead: found.dead.len(),
        undecided: found.undecided.len(),
        wrong: Vec::new(),
    };
    for (cases, expected) in [(&found.valid, true), (&found.invalid, false)] {
        for case in cases {
            let value: Value = serde_json::from_str(&case.text).expect("a case is JSON");
            // The judge's `.` matches these line ends, and that of ECMA-262 does not.
            if case.text.contains(['\u{2028}', '\u{2029}']) || case.text.contains("\\r") {
                continue;
            }
            if judge.is_valid(&value) != expected {
                tally.wrong.push(format!("{case:?} should be {expected}: {text}"));
            }
        }
    }
    // Without a silent keyword or a dead branch, the schema is the same.
    for pointer in found.silent.iter().chain(&found.dead) {
        let Some(without) = without(schema, pointer) else { continue };
        let sources = [schema, &without].map(|schema| Source::new("<test>", schema.to_string()));
        let Ok(compared) = compare(&sources[0], &sources[1], &options.relation) else { continue };
        if compared.left_only.witness().or(compared.right_only.witness()).is_some() {
            tally.wrong.push(format!("{pointer} is neither silent nor dead: {compared:?} {text}"));
        }
    }
    Some(tally)
}

/// Returns a schema without a keyword or branch. `None` if what other keywords read of it changes with its text.
fn without(schema: &Value, pointer: &str) -> Option<Value> {
    const READ: [&str; 5] = ["properties", "patternProperties", "items", "prefixItems", "if"];
    let (above, last) = pointer.rsplit_once('/').expect("a keyword has a parent");
    let mut without = schema.clone();
    let last = last.replace("~1", "/").replace("~0", "~");
    if READ.contains(&last.as_str()) || schema.to_string().contains("unevaluated") {
        return None;
    }
    match without.pointer_mut(above).expect("the keyword is there") {
        Value::Object(members) => members.shift_remove(&last).expect("it is there"),
        Value::Array(items) => items.remove(last.parse().expect("an index")),
        other => panic!("{pointer} is in {other}"),
    };
    Some(without)
}

fn report(name: &str, tallies: Vec<Tally>) -> Tally {
    let schemas = tallies.len();
    let mut all = Tally::default();
    for one in tallies {
        all.valid += one.valid;
        all.invalid += one.invalid;
        all.silent += one.silent;
        all.dead += one.dead;
        all.undecided += one.undecided;
        all.wrong.extend(one.wrong);
    }
    let Tally { valid, invalid, silent, dead, undecided, wrong } = &all;
    eprintln!(
        "{name}: {schemas} schemas, {valid} instances, {invalid} near misses, {silent} silent, {dead} dead, {undecided} undecided, {} wrong",
        wrong.len()
    );
    all
}

#[test]
fn witnesses_of_random_schemas_are_what_they_say() {
    let options = WitnessOptions { random: 8, ..WitnessOptions::default() };
    let seeds = seeds(sized(150, 5_000));
    let of =
        |seed| judged(&document(&mut Rng::new(seed)), &WitnessOptions { seed, ..options.clone() });
    let tally = report("random", seeds.into_par_iter().filter_map(of).collect());
    assert!(tally.wrong.is_empty(), "{:#?}", &tally.wrong[..tally.wrong.len().min(8)]);
    assert!(tally.valid > 500 && tally.invalid > 200, "{tally:?}");
}

/// Formats that the judge takes otherwise than we do, or not at all.
fn is_judged_alike(schema: &str) -> bool {
    !["\"format\":\"uri", "\"format\":\"date", "\"format\":\"iri", "\"format\":\"regex"]
        .iter()
        .any(|format| schema.contains(format))
}

#[test]
fn witnesses_of_maskbench_are_what_they_say() {
    let cases = maskbench();
    if cases.is_empty() {
        eprintln!("SKIPPED: no MaskBench; set GRAMMARC_DATA");
        return;
    }
    const LONGEST: usize = 3_000;
    let options = WitnessOptions { random: 4, ..WitnessOptions::default() };
    let count = sized(60, 1_500);
    let texts = spread(&cases, count).take(count).filter(|case| {
        let text = case.schema.to_string();
        text.len() < LONGEST && is_judged_alike(&text)
    });
    let schemas: Vec<&Value> = texts.map(|case| &case.schema).collect();
    let tallies = schemas.into_par_iter().filter_map(|schema| judged(schema, &options));
    let tally = report("MaskBench", tallies.collect());
    assert!(tally.wrong.is_empty(), "{:#?}", &tally.wrong[..tally.wrong.len().min(8)]);
    assert!(tally.invalid > 50, "{tally:?}");
}

#[test]
fn edits_of_maskbench_contradict_no_judge() {
    let cases = maskbench();
    if cases.is_empty() {
        eprintln!("SKIPPED: no MaskBench; set GRAMMARC_DATA");
        return;
    }
    let count = sized(150, 3_000);
    let cases: Vec<_> = spread(&cases, count).take(count).collect();
    let options = RelationOptions::default();
    let answers: Vec<(Compared, Vec<String>)> = cases
        .into_par_iter()
        .enumerate()
        .filter_map(|(seed, case)| {
            let mut rng = Rng::new(seed as u64);
            let (new, kind) = edited(&case.schema, |most| rng.below(most))?;
            let sides = [&case.schema, &new];
            let judges = [judge(sides[0])?, judge(sides[1])?];
            let sources = sides.map(|schema| Source::new("<test>", schema.to_string()));
            let found = compare(&sources[0], &sources[1], &options).ok()?;
            let wrong = contradictions(&case.id, kind, &found, &judges, &case.tests);
            Some((found, wrong))
        })
        .collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut unknown, mut assumed) = (0, 0);
    for (found, _) in &answers {
        *counts.entry(found.relation.name()).or_default() += 1;
        for side in [&found.left_only, &found.right_only] {
            match side {
                Side::Unknown(reasons) => {
                    unknown += 1;
                    eprintln!("  unknown: {:?}", &reasons[..reasons.len().min(2)]);
                }
                Side::Empty { assuming } if !assuming.is_empty() => assumed += 1,
                _ => {}
            }
        }
    }
    let questions = 2 * answers.len();
    eprintln!(
        "{questions} questions on edits of MaskBench: {unknown} unknown, {assumed} under assumptions; {counts:?}"
    );
    let wrong: Vec<&String> = answers.iter().flat_map(|(_, wrong)| wrong).collect();
    assert!(wrong.is_empty(), "{} are wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(8)]);
    assert!(unknown * 25 <= questions, "{unknown} of {questions} are unknown");
}

/// Returns what an answer says wrongly, by the verdicts of two judges on witnesses and on MaskBench's instances.
fn contradictions(
    id: &str,
    kind: &str,
    found: &Compared,
    judges: &[jsonschema::Validator; 2],
    tests: &[grammarc_benches::inputs::Test],
) -> Vec<String> {
    let mut wrong = Vec::new();
    let verdict = |value: &Value| [judges[0].is_valid(value), judges[1].is_valid(value)];
    let sides = [
        (&found.left_only, [true, false]),
        (&found.right_only, [false, true]),
        (&found.both, [true, true]),
    ];
    for (side, expected) in sides {
        if let Some(text) = side.witness() {
            let value: Value = serde_json::from_str(text).expect("a witness is JSON");
            // The judge takes some formats otherwise.
            if verdict(&value) != expected && is_judged_alike(&format!("{:?}", found.changes)) {
                wrong
                    .push(format!("{id}, {kind}: {text} of {expected:?} is {:?}", verdict(&value)));
            }
        }
        if matches!(side, Side::Empty { assuming } if assuming.is_empty()) {
            let refuted = tests.iter().find(|test| verdict(&test.data) == expected);
            wrong
                .extend(refuted.map(|test| format!("{id}, {kind}: {} is {expected:?}", test.data)));
        }
    }
    wrong
}

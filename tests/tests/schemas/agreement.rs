//! Random schemas and random instances: the masks let a text of an instance through exactly where the `jsonschema`
//! crate accepts the instance.
//!
//! Both promises in one. With keys in any order the instance's own text is judged; with keys in schema order at least
//! one text of a valid instance must be accepted and none of an invalid one. Part of the instances are drawn from the
//! masks themselves and part of those are changed in one place, so that many stand at the border of the schema. Every
//! fifth schema is one of draft 4, where it matters how an integer is written.
//!
//! `GRAMMARC_FULL=1` judges 100,000 pairs; `GRAMMARC_SEED` begins elsewhere.

use std::collections::BTreeMap;

use grammarc::sample::{SampleOptions, Sampler};
use grammarc_benches::inputs::sized;
use grammarc_compiler::diagnostics::report::Verdict;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, NumberForm, TextForm};
use grammarc_tests::random::Rng;
use grammarc_tests::schemas::older::{DRAFT4, draft4};
use grammarc_tests::schemas::random::{changed, document, instance, pointed, tame};
use grammarc_tests::schemas::simplify::simplify;
use grammarc_tests::schemas::{Compiled, Refusal, compile, compiler, texts};
use rayon::prelude::*;
use serde_json::Value;

/// Instances of each schema.
const INSTANCES: usize = 10;
/// Most texts of an instance; those that have more are left out.
const MOST_TEXTS: usize = 130;

/// What became of the pairs of a schema.
#[derive(Debug, Default)]
struct Tally {
    pairs: usize,
    valid: usize,
    /// Wrong verdicts that the report admits.
    admitted: usize,
    /// Codes of schemas that were refused.
    refused: BTreeMap<&'static str, usize>,
    wrong: Vec<String>,
}

impl Tally {
    fn and(mut self, other: Self) -> Self {
        self.pairs += other.pairs;
        self.valid += other.valid;
        self.admitted += other.admitted;
        self.wrong.extend(other.wrong);
        for (code, count) in other.refused {
            *self.refused.entry(code).or_default() += count;
        }
        self
    }
}

fn options(seed: u64) -> JsonSchemaOptions {
    let (text, key_order) = match seed % 2 {
        0 => (TextForm::WIDE, KeyOrder::Any),
        _ => (TextForm::SHORT, KeyOrder::Schema),
    };
    JsonSchemaOptions { text, key_order, ..JsonSchemaOptions::default() }
}

/// Whether the compiled schema accepts the instance; `None` where it has too many texts.
fn accepts(compiled: Option<&Compiled>, order: KeyOrder, instance: &Value) -> Option<bool> {
    let texts = match order {
        KeyOrder::Any => vec![instance.to_string()],
        KeyOrder::Schema => texts::in_every_order(instance, MOST_TEXTS)?,
    };
    Some(compiled.is_some_and(|compiled| texts.iter().any(|text| compiled.accepts(text))))
}

/// An instance from the masks of the schema of a seed.
fn sampled(compiled: &Compiled, rng: &mut Rng, seed: u64, number: u64) -> Option<Value> {
    let options =
        SampleOptions { seed: number, max_tokens: 1 + rng.below(40), uniform: rng.one_in(2) };
    let sample = Sampler::new(&compiled.grammar, options).draw(number);
    let sample = sample.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let value = serde_json::from_slice(&sample.text);
    let value: Value = value
        .unwrap_or_else(|e| panic!("seed {seed}: {e}: {}", String::from_utf8_lossy(&sample.text)));
    Some(tame(rng, value))
}

/// The validator of a schema's draft; `None` where that finds no meaning in it.
fn validator(schema: &Value) -> Option<jsonschema::Validator> {
    let built = match schema.get("$schema") {
        Some(draft) if draft == DRAFT4 => jsonschema::draft4::new(schema),
        _ => jsonschema::draft202012::new(schema),
    };
    built.ok()
}

/// Whether the verdicts on an instance differ, and the report does not admit it.
fn differs(schema: &Value, instance: &Value, options: &JsonSchemaOptions) -> Option<bool> {
    let validator = validator(schema)?;
    let compiled = match compile(&schema.to_string(), options) {
        Ok(compiled) => Some(compiled),
        Err(Refusal::Unsatisfiable) => None,
        Err(_) => return None,
    };
    let accepted = accepts(compiled.as_ref(), options.key_order, instance)?;
    let valid = validator.is_valid(instance);
    Some(accepted != valid && !admitted(compiled.as_ref(), valid))
}

/// Whether the report says that such a verdict may be wrong.
fn admitted(compiled: Option<&Compiled>, valid: bool) -> bool {
    let verdict = if valid { Verdict::Narrower } else { Verdict::Approximate };
    compiled.is_some_and(|compiled| compiled.has(verdict))
}

fn judge(seed: u64) -> Tally {
    let mut rng = Rng::new(seed);
    let mut tally = Tally::default();
    let mut schema = document(&mut rng);
    if seed.is_multiple_of(5) {
        schema = draft4(schema);
    }
    let options = options(seed);
    let compiled = match compile(&schema.to_string(), &options) {
        Ok(compiled) => Some(compiled),
        Err(refusal) => {
            *tally.refused.entry(refusal.code()).or_default() += 1;
            if !matches!(refusal, Refusal::Unsatisfiable) {
                return tally;
            }
            None
        }
    };
    let validator = validator(&schema);
    let validator = validator.unwrap_or_else(|| panic!("seed {seed} has no meaning: {schema}"));
    for number in 0..INSTANCES as u64 {
        let drawn = match &compiled {
            Some(compiled) if number % 5 > 1 => sampled(compiled, &mut rng, seed, number),
            _ => None,
        };
        let mut instance = match drawn {
            Some(drawn) => drawn,
            None => instance(&mut rng, 2),
        };
        if number % 5 > 2 {
            instance = changed(&mut rng, &instance);
        }
        if options.text.numbers == NumberForm::Any {
            instance = pointed(&mut rng, instance);
        }
        let Some(accepted) = accepts(compiled.as_ref(), options.key_order, &instance) else {
            continue;
        };
        let valid = validator.is_valid(&instance);
        tally.pairs += 1;
        tally.valid += usize::from(valid);
        if accepted == valid {
            continue;
        }
        if admitted(compiled.as_ref(), valid) {
            tally.admitted += 1;
            continue;
        }
        let fails = |schema: &Value| differs(schema, &instance, &options) == Some(true);
        let small = simplify(schema.clone(), 2_000, fails);
        let verdict = if valid { "refuses a valid" } else { "accepts an invalid" };
        tally.wrong.push(format!("seed {seed} {verdict} instance {instance}: {small}"));
        break;
    }
    tally
}

#[test]
fn verdicts_are_those_of_the_validator() {
    // Built here, for it waits for workers, and a worker must not wait for it.
    compiler();
    let seed = std::env::var("GRAMMARC_SEED").ok().and_then(|seed| seed.parse().ok());
    let first: u64 = seed.unwrap_or(0);
    let pairs = sized(2_000, 100_000);
    // Some schemas have no meaning, and some instances too many texts.
    let schemas = (pairs / INSTANCES * 5 / 4) as u64;
    let tallies = (first..first + schemas).into_par_iter().map(judge);
    let tally = tallies.reduce(Tally::default, Tally::and);
    eprintln!(
        "{schemas} schemas, {} pairs, {} valid, {} wrong, {} admitted by the report, refused {:?}",
        tally.pairs,
        tally.valid,
        tally.wrong.len(),
        tally.admitted,
        tally.refused
    );
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
    assert!(tally.pairs >= pairs && tally.valid * 5 >= pairs);
    assert!(tally.admitted * 100 <= tally.pairs);
    let over: usize =
        tally.refused.iter().filter(|(code, _)| code.ends_with("-limit")).map(|(_, n)| n).sum();
    assert!(over as u64 * 100 <= schemas);
}

//! Random schemas and random instances: the masks let a text of an instance through exactly where the `jsonschema`
//! crate accepts the instance.
//!
//! Every fifth schema is one of draft 4, where it matters how an integer is written.
//!
//! `GRAMMARC_FULL=1` judges 100,000 pairs; `GRAMMARC_SEED` begins elsewhere.

use grammarc_benches::inputs::sized;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, TextForm};
use grammarc_tests::random::Rng;
use grammarc_tests::schemas::compiler;
use grammarc_tests::schemas::older::draft4;
use grammarc_tests::schemas::random::{KEYS, document, instance};
use rayon::prelude::*;

use crate::judge::{Candidate, Tally, first_seed, judge};

/// Instances of each schema.
const INSTANCES: usize = 10;

fn judged(seed: u64) -> Tally {
    let mut rng = Rng::new(seed);
    let mut schema = document(&mut rng);
    if seed.is_multiple_of(5) {
        schema = draft4(schema);
    }
    let (text, key_order) = match seed % 2 {
        0 => (TextForm::WIDE, KeyOrder::Any),
        _ => (TextForm::SHORT, KeyOrder::Schema),
    };
    let options = JsonSchemaOptions { text, key_order, ..JsonSchemaOptions::default() };
    let instance = |rng: &mut Rng| instance(rng, 2);
    let candidate =
        Candidate { seed, schema, options, instances: INSTANCES, instance: &instance, keys: &KEYS };
    judge(&mut rng, candidate)
}

#[test]
fn verdicts_are_those_of_the_validator() {
    // Built here, for it waits for workers, and a worker must not wait for it.
    compiler();
    let first = first_seed();
    let pairs = sized(2_000, 100_000);
    // Some schemas have no meaning, and some instances too many texts.
    let schemas = (pairs / INSTANCES * 5 / 4) as u64;
    let tallies = (first..first + schemas).into_par_iter().map(judged);
    let tally = tallies.reduce(Tally::default, Tally::and);
    tally.print("all keywords", schemas);
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
    assert!(tally.pairs >= pairs && tally.valid * 5 >= pairs);
    assert!(tally.admitted * 100 <= tally.pairs);
    assert!(tally.limited.len() as u64 * 100 <= schemas);
}

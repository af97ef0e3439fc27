//! Random schemas over all keywords, and random instances: the masks let a text of an instance through exactly where the
//! `jsonschema` crate accepts the instance.
//!
//! Every fifth schema is one of draft 4, where it matters how an integer is written.
//!
//! `GRAMMARC_FULL=1` judges 100,000 pairs; `GRAMMARC_SEED` begins elsewhere.

use grammarc_benches::inputs::sized;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, TextForm};
use grammarc_tests::random::Rng;
use grammarc_tests::schemas::older::draft4;
use grammarc_tests::schemas::random::{KEYS, document, instance};

use crate::judge::{Candidate, INSTANCES, Suite, seeds};

fn draw(seed: u64) -> Candidate {
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
    let instance = Box::new(|rng: &mut Rng| instance(rng, 2));
    let (instances, keys, met) = (INSTANCES, &KEYS, Vec::new());
    Candidate { schema, options, instances, rng, instance, keys, met }
}

#[test]
fn verdicts_are_those_of_the_validator() {
    let pairs = sized(2_000, 100_000);
    // Some schemas have no meaning, and some instances too many texts.
    let seeds = seeds(pairs / INSTANCES * 5 / 4);
    let name = "all keywords";
    Suite { name, seeds, draw: &draw, pairs, valid: 5, admitted: 100, limited: 100 }.run();
}

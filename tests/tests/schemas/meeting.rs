//! Random schemas in which keywords of one kind meet, and random recursive ones: verdicts are those of the `jsonschema`
//! crate, in both orders of keys and several forms of text.
//!
//! A count of the pairs of keywords that met on one value is printed, and none is zero. `GRAMMARC_FULL=1` judges 2,000,000
//! pairs of the former and 100,000 of the latter; `GRAMMARC_SEED` begins elsewhere.

use grammarc_benches::inputs::sized;
use grammarc_compiler::frontend::json_schema::{
    Indentation, JsonSchemaOptions, KeyOrder, TextForm, Whitespace,
};
use grammarc_tests::random::Rng;
use grammarc_tests::schemas::meeting::{KEYS, Kind, Meeting, instance, meeting, recursive};

use crate::judge::{Candidate, INSTANCES, Suite, seeds};

/// The form of text and the order of keys, by number.
fn options(number: usize) -> JsonSchemaOptions {
    let white = |whitespace| TextForm { whitespace, ..TextForm::NATURAL };
    let (text, key_order) = match number {
        0 => (TextForm::SHORT, KeyOrder::Any),
        1 => (TextForm::DUMPS, KeyOrder::Any),
        2 => (TextForm::WIDE, KeyOrder::Any),
        3 => (TextForm::NATURAL, KeyOrder::Any),
        4 => (white(Whitespace::Indented(Indentation::default())), KeyOrder::Any),
        5 => (white(Whitespace::Flexible { max: 3 }), KeyOrder::Any),
        6 => (TextForm::SHORT, KeyOrder::AnyOnce),
        7 => (TextForm::SHORT, KeyOrder::Sorted),
        _ => (TextForm::SHORT, KeyOrder::Schema),
    };
    JsonSchemaOptions { text, key_order, ..JsonSchemaOptions::default() }
}

/// Numbers of forms; the last counts twice.
const FORMS: usize = 10;

fn met(seed: u64) -> Candidate {
    let mut rng = Rng::new(seed);
    // The kind and the pair depend on the seed as well, so the form of text comes from elsewhere.
    let options = options(rng.below(FORMS));
    let Meeting { schema, kind, keywords } = meeting(seed, &mut rng);
    let instance = Box::new(move |rng: &mut Rng| instance(rng, kind, 2));
    let pairs = kind.pairs().into_iter();
    let pairs = pairs.filter(|pair| pair.iter().all(|name| keywords.contains(name)));
    let met = pairs.map(|pair| (kind, pair)).collect();
    let (instances, keys) = (INSTANCES, &KEYS);
    Candidate { schema, options, instances, rng, instance, keys, met }
}

fn referring(seed: u64) -> Candidate {
    let mut rng = Rng::new(seed ^ 0x5eed);
    let options = options(rng.below(FORMS));
    let schema = recursive(&mut rng);
    let instance = Box::new(|rng: &mut Rng| {
        let kind = *rng.pick(&[Kind::Objects, Kind::Objects, Kind::Arrays, Kind::Strings]);
        instance(rng, kind, 3)
    });
    let (instances, keys, met) = (INSTANCES, &KEYS, Vec::new());
    Candidate { schema, options, instances, rng, instance, keys, met }
}

#[test]
fn keywords_that_meet_mean_what_the_validator_says() {
    let pairs = sized(8_000, 2_000_000);
    let seeds = seeds(pairs / INSTANCES * 5 / 4);
    let name = "keywords that meet";
    let suite = Suite { name, seeds, draw: &met, pairs, valid: 5, admitted: 50, limited: 100 };
    let tally = suite.run();
    for kind in Kind::ALL {
        let pairs = kind.pairs().into_iter();
        let counts = pairs.map(|pair| tally.met.get(&(kind, pair)).copied().unwrap_or(0));
        let counts: Vec<usize> = counts.collect();
        eprintln!(
            "{kind:?}: {} pairs of keywords, in {} to {} schemas each",
            counts.len(),
            counts.iter().min().unwrap_or(&0),
            counts.iter().max().unwrap_or(&0)
        );
        assert!(counts.iter().all(|&count| count > 0), "a pair of keywords never met");
    }
}

#[test]
fn recursive_schemas_mean_what_the_validator_says() {
    let pairs = sized(3_000, 100_000);
    let seeds = seeds(pairs / INSTANCES * 2);
    let name = "recursive schemas";
    Suite { name, seeds, draw: &referring, pairs, valid: 10, admitted: 20, limited: 50 }.run();
}

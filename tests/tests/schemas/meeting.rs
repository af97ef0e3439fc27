//! Random schemas in which keywords of one kind meet, and random recursive ones: verdicts are those of the `jsonschema`
//! crate, in both orders of keys and several forms of text.
//!
//! `GRAMMARC_FULL=1` judges 2,000,000 pairs of the former and 100,000 of the latter; `GRAMMARC_SEED` begins elsewhere. A count
//! of the pairs of keywords that met on one value is printed, and none is zero.

use std::collections::BTreeMap;

use grammarc_benches::inputs::sized;
use grammarc_compiler::frontend::json_schema::{
    Indentation, JsonSchemaOptions, KeyOrder, TextForm, Whitespace,
};
use grammarc_tests::random::Rng;
use grammarc_tests::schemas::compiler;
use grammarc_tests::schemas::meeting::{KEYS, Kind, Meeting, instance, meeting, recursive};
use rayon::prelude::*;

use crate::judge::{Candidate, Tally, first_seed, judge};

/// Instances of each schema.
const INSTANCES: usize = 10;

/// By kind and pair of keywords, the schemas in which they met.
type Met = BTreeMap<(Kind, [&'static str; 2]), usize>;

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
        _ => (TextForm::SHORT, KeyOrder::Schema),
    };
    JsonSchemaOptions { text, key_order, ..JsonSchemaOptions::default() }
}

/// Numbers of forms; the last counts twice.
const FORMS: usize = 9;

fn met(seed: u64) -> (Tally, Met) {
    let mut rng = Rng::new(seed);
    // The kind and the pair depend on the seed as well, so the form of text comes from elsewhere.
    let options = options(rng.below(FORMS));
    let Meeting { schema, kind, keywords } = meeting(seed, &mut rng);
    let instance = |rng: &mut Rng| instance(rng, kind, 2);
    let instances = INSTANCES;
    let candidate =
        Candidate { seed, schema, options, instances, instance: &instance, keys: &KEYS };
    let tally = judge(&mut rng, candidate);
    let all: Vec<&str> = keywords.into_iter().collect();
    let pairs = kind.pairs().into_iter();
    let pairs = pairs.filter(|pair| tally.pairs > 0 && pair.iter().all(|name| all.contains(name)));
    let met = pairs.map(|pair| ((kind, pair), 1)).collect();
    (tally, met)
}

fn judged_recursive(seed: u64) -> Tally {
    let mut rng = Rng::new(seed ^ 0x5eed);
    let options = options(rng.below(FORMS));
    let schema = recursive(&mut rng);
    let instance = |rng: &mut Rng| {
        let kind = *rng.pick(&[Kind::Objects, Kind::Objects, Kind::Arrays, Kind::Strings]);
        instance(rng, kind, 3)
    };
    let instances = INSTANCES;
    let candidate =
        Candidate { seed, schema, options, instances, instance: &instance, keys: &KEYS };
    judge(&mut rng, candidate)
}

#[test]
fn keywords_that_meet_mean_what_the_validator_says() {
    compiler();
    let pairs = sized(8_000, 2_000_000);
    let schemas = (pairs / INSTANCES * 5 / 4) as u64;
    let first = first_seed();
    let results = (first..first + schemas).into_par_iter().map(met);
    let (tally, met) = results.reduce(Default::default, |(tally, mut met), (other, more)| {
        more.into_iter().for_each(|(pair, count)| *met.entry(pair).or_default() += count);
        (tally.and(other), met)
    });
    tally.print("keywords that meet", schemas);
    for kind in Kind::ALL {
        let counts: Vec<_> = kind
            .pairs()
            .into_iter()
            .map(|pair| met.get(&(kind, pair)).copied().unwrap_or(0))
            .collect();
        eprintln!(
            "{kind:?}: {} pairs of keywords, in {} to {} schemas each",
            counts.len(),
            counts.iter().min().unwrap_or(&0),
            counts.iter().max().unwrap_or(&0)
        );
        assert!(counts.iter().all(|&count| count > 0), "a pair of keywords never met");
    }
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
    assert!(tally.pairs >= pairs && tally.valid * 5 >= pairs);
    assert!(tally.admitted * 50 <= tally.pairs);
    assert!(tally.limited.len() as u64 * 100 <= schemas);
}

#[test]
fn recursive_schemas_mean_what_the_validator_says() {
    compiler();
    let pairs = sized(3_000, 100_000);
    let schemas = (pairs / INSTANCES * 2) as u64;
    let first = first_seed();
    let tallies = (first..first + schemas).into_par_iter().map(judged_recursive);
    let tally = tallies.reduce(Tally::default, Tally::and);
    tally.print("recursive schemas", schemas);
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
    assert!(tally.pairs >= pairs && tally.valid * 10 >= pairs);
    assert!(tally.admitted * 20 <= tally.pairs);
    assert!(tally.limited.len() as u64 * 50 <= schemas);
}

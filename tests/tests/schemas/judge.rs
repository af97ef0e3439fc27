//! The harness of the suites over random schemas: each draws schemas by their seeds, and has instances of them judged by the
//! masks and by the `jsonschema` crate.
//!
//! | suite | schemas |
//! | --- | --- |
//! | `agreement` | over all keywords |
//! | `meeting`, its first test | two or three keywords that act on one value |
//! | `meeting`, its second test | definitions that refer to each other at random |
//! | `recursion` | a list of recursive schemas, by hand |
//!
//! With keys in any order the instance's own text is judged; with keys in schema order at least one text of a valid
//! instance must be accepted and none of an invalid one. Part of the instances are drawn from the masks themselves and
//! part of those are changed in one place, so that many stand at the border of the schema. A schema that fails is made
//! small.

use std::collections::BTreeMap;
use std::ops::Range;

use grammarc::sample::{SampleOptions, Sampler};
use grammarc_compiler::diagnostics::report::Verdict;
use grammarc_compiler::frontend::json_schema::{
    JsonSchemaOptions, KeyOrder, NumberForm, TextForm, Whitespace,
};
use grammarc_tests::random::Rng;
use grammarc_tests::schemas::layouts::{self, Layout, loose};
use grammarc_tests::schemas::meeting::Kind;
use grammarc_tests::schemas::older::DRAFT4;
use grammarc_tests::schemas::random::{changed, pointed, tame};
use grammarc_tests::schemas::simplify::simplify;
use grammarc_tests::schemas::texts::canonical;
use grammarc_tests::schemas::{Compiled, Refusal, compile, compiler, texts};
use rayon::prelude::*;
use serde_json::Value;

/// Instances of each random schema.
pub(crate) const INSTANCES: usize = 10;

/// Most texts of an instance; those that have more are left out.
const MOST_TEXTS: usize = 130;

/// Two keywords that act on one value of a kind.
pub(crate) type Met = (Kind, [&'static str; 2]);

/// The results for some schemas.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pairs: usize,
    valid: usize,
    /// Wrong verdicts that the report admits.
    admitted: usize,
    /// Codes of schemas that were refused.
    refused: BTreeMap<&'static str, usize>,
    wrong: Vec<String>,
    /// Seeds of schemas that met a limit.
    limited: Vec<u64>,
    /// The schemas in which keywords met.
    pub(crate) met: BTreeMap<Met, usize>,
}

impl Tally {
    /// Both together.
    fn and(mut self, other: Self) -> Self {
        self.pairs += other.pairs;
        self.valid += other.valid;
        self.admitted += other.admitted;
        self.wrong.extend(other.wrong);
        self.limited.extend(other.limited);
        for (code, count) in other.refused {
            *self.refused.entry(code).or_default() += count;
        }
        for (met, count) in other.met {
            *self.met.entry(met).or_default() += count;
        }
        self
    }
}

/// Seeds of that many schemas, from `GRAMMARC_SEED` or 0 on.
pub(crate) fn seeds(schemas: usize) -> Range<u64> {
    let first = std::env::var("GRAMMARC_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    first..first + schemas as u64
}

/// Schemas by their seeds, and what their results have to be for a run to prove something.
pub(crate) struct Suite<'a> {
    /// The name in the output.
    pub(crate) name: &'a str,
    pub(crate) seeds: Range<u64>,
    /// Draws the schema of a seed.
    pub(crate) draw: &'a (dyn Fn(u64) -> Candidate + Sync),
    /// Fewest pairs of a schema and an instance.
    pub(crate) pairs: usize,
    /// At least one in so many of these is valid.
    pub(crate) valid: usize,
    /// At most one pair in so many gets a wrong verdict that the report admits.
    pub(crate) admitted: usize,
    /// At most one schema in so many meets a limit.
    pub(crate) limited: usize,
}

impl Suite<'_> {
    /// Judges all schemas, and prints what was compared.
    pub(crate) fn run(self) -> Tally {
        // Built here, because it waits for workers, and a worker must not wait for it.
        compiler();
        let Self { name, seeds, draw, .. } = self;
        let schemas = seeds.clone().count();
        let tallies = seeds.into_par_iter().map(|seed| judge(seed, draw(seed)));
        let tally = tallies.reduce(Tally::default, Tally::and);
        let Tally { pairs, valid, admitted, refused, wrong, limited, .. } = &tally;
        eprintln!(
            "{name}: {schemas} schemas, {pairs} pairs, {valid} valid, {} wrong, {admitted} admitted by the report, refused {refused:?}, limits met by the seeds {limited:?}",
            wrong.len(),
        );
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(*pairs >= self.pairs && valid * self.valid >= self.pairs, "{name}");
        assert!(admitted * self.admitted <= *pairs, "{name}");
        assert!(limited.len() * self.limited <= schemas, "{name}");
        tally
    }
}

/// A schema to judge, and where its instances come from.
pub(crate) struct Candidate {
    pub(crate) schema: Value,
    pub(crate) options: JsonSchemaOptions,
    /// Instances to judge.
    pub(crate) instances: usize,
    /// Draws the instances.
    pub(crate) rng: Rng,
    /// Draws an instance without regard to the schema.
    pub(crate) instance: Box<dyn Fn(&mut Rng) -> Value>,
    /// Keys of instances.
    pub(crate) keys: &'static [&'static str],
    /// Keywords that meet in the schema.
    pub(crate) met: Vec<Met>,
}

/// Whether the compiled schema accepts the instance; `None` where it has too many texts.
fn accepts(
    compiled: Option<&Compiled>,
    options: &JsonSchemaOptions,
    instance: &Value,
) -> Option<bool> {
    let TextForm { whitespace, numbers, .. } = options.text;
    let texts = match (options.key_order, whitespace, numbers) {
        (KeyOrder::Schema | KeyOrder::Sorted, Whitespace::Compact, NumberForm::Canonical) => {
            texts::in_every_order(instance, MOST_TEXTS)?
        }
        (KeyOrder::Schema | KeyOrder::Sorted, ..) => return None,
        (KeyOrder::Any | KeyOrder::AnyOnce, ..) => {
            let layout = match whitespace {
                Whitespace::Compact => Layout::Separated(",", ":"),
                Whitespace::Spaced | Whitespace::Styled(_) => Layout::Separated(", ", ": "),
                Whitespace::Natural => Layout::Mixed,
                Whitespace::Indented(_) => Layout::Lines(2),
                _ => Layout::Anywhere(&["", " ", "\n\t"]),
            };
            let written = |text: &str| match numbers {
                NumberForm::Canonical => canonical(text),
                NumberForm::Natural => loose(text),
                NumberForm::Any => text.to_owned(),
            };
            vec![layouts::text(instance, layout, &written)]
        }
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

/// The point of a pattern as ECMA-262 has it: no line terminator, of which the validator's expressions know one alone.
const POINT: [&str; 2] = ["^.{2}$", r"^[^\\n\\r\\u2028\\u2029]{2}$"];

/// The validator of a schema's draft; `None` where that finds no meaning in it.
fn validator(schema: &Value) -> Option<jsonschema::Validator> {
    let [point, meant] = POINT;
    let schema: Value = serde_json::from_str(&schema.to_string().replace(point, meant)).ok()?;
    let built = match schema.get("$schema") {
        Some(draft) if draft == DRAFT4 => jsonschema::draft4::new(&schema),
        _ => jsonschema::draft202012::new(&schema),
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
    let accepted = accepts(compiled.as_ref(), options, instance)?;
    let valid = validator.is_valid(instance);
    Some(accepted != valid && !admitted(compiled.as_ref(), valid))
}

/// Whether the report says that such a verdict may be wrong.
fn admitted(compiled: Option<&Compiled>, valid: bool) -> bool {
    let verdict = if valid { Verdict::Narrower } else { Verdict::Approximate };
    compiled.is_some_and(|compiled| compiled.has(verdict))
}

/// Judges the schema of a seed.
fn judge(seed: u64, candidate: Candidate) -> Tally {
    let Candidate { schema, options, instances, mut rng, instance, keys, met } = candidate;
    let rng = &mut rng;
    let mut tally = Tally::default();
    let compiled = match compile(&schema.to_string(), &options) {
        Ok(compiled) => Some(compiled),
        Err(refusal) => {
            *tally.refused.entry(refusal.code()).or_default() += 1;
            tally.limited.extend(refusal.code().ends_with("-limit").then_some(seed));
            if !matches!(refusal, Refusal::Unsatisfiable) {
                return tally;
            }
            None
        }
    };
    let validator = validator(&schema);
    let validator = validator.unwrap_or_else(|| panic!("seed {seed} has no meaning: {schema}"));
    for number in 0..instances as u64 {
        let drawn = match &compiled {
            Some(compiled) if number % 5 > 1 => sampled(compiled, rng, seed, number),
            _ => None,
        };
        let mut instance = match drawn {
            Some(drawn) => drawn,
            None => instance(rng),
        };
        if number % 5 > 2 {
            instance = changed(rng, &instance, keys);
        }
        if options.text.numbers == NumberForm::Any {
            instance = pointed(rng, instance);
        }
        let Some(accepted) = accepts(compiled.as_ref(), &options, &instance) else {
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
        let TextForm { whitespace, numbers, .. } = options.text;
        let form = format!("{:?}, {whitespace:?}, {numbers:?}", options.key_order);
        tally.wrong.push(format!("seed {seed} ({form}) {verdict} instance {instance}: {small}"));
        break;
    }
    if tally.pairs > 0 {
        tally.met = met.into_iter().map(|met| (met, 1)).collect();
    }
    tally
}

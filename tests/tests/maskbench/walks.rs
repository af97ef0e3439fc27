//! Random walks by mask alone, finished by the shortest completion: there is never a dead end, and every text parses
//! and validates, but where the report says that a keyword is approximate.

use grammarc::sample::{SampleOptions, Sampler};
use grammarc_artifacts::Verdict;
use grammarc_benches::inputs::sized;
use grammarc_runtime::Grammar;
use jsonschema::Validator;
use serde_json::Value;

use crate::fixture;

/// Schemas of which that crate is wrong, and why.
const MISREAD: [(&str, &str); 1] = [(
    "Github_hard---o72113",
    "it reads `\\<` in a pattern as the beginning of a word, where ECMA-262 has a `<`",
)];

/// One sample: its number of tokens, or what is wrong with it.
fn judge(sampler: &Sampler, number: u64, validator: &Validator) -> Result<usize, String> {
    let sample = sampler.draw(number).map_err(|error| error.to_string())?;
    let text = sample.text.escape_ascii();
    let value: Value =
        serde_json::from_slice(&sample.text).map_err(|error| format!("{error}: {text}"))?;
    validator.validate(&value).map_err(|error| format!("{error}: {text}"))?;
    Ok(sample.tokens.len())
}

/// Samplers that lean to plain text and go far, and that draw from whole masks and turn to the end anywhere.
fn samplers(grammar: &Grammar) -> [Sampler; 3] {
    let seed = 6;
    let far = SampleOptions { seed, max_tokens: 120, uniform: false };
    let wild = SampleOptions { seed, max_tokens: 12, uniform: true };
    let short = SampleOptions { seed, max_tokens: 2, uniform: true };
    [far, wild, short].map(|options| Sampler::new(grammar, options))
}

#[test]
#[expect(clippy::print_stderr, reason = "figures")]
fn every_walk_ends_in_an_instance() {
    let Some(fixture) = fixture() else { return };
    let (mut schemas, mut walks, mut tokens) = (0, 0, 0);
    let (mut admitted, mut wrong) = (0, Vec::new());
    let count = sized(150, fixture.cases.len());
    for (case, grammar) in fixture.compiled(count) {
        // A few schemas break their meta-schema in places that mean nothing here; that crate takes none of those.
        let options = jsonschema::options().should_validate_formats(true);
        let Ok(validator) = options.build(&case.schema) else { continue };
        if MISREAD.iter().any(|(id, _)| *id == case.id) {
            continue;
        }
        let report = &grammar.artifact().meta().report;
        let approximate = report.count(Verdict::Approximate) > 0;
        schemas += 1;
        for (at, sampler) in samplers(&grammar).iter().enumerate() {
            for number in 0..sized(2, 7) as u64 {
                walks += 1;
                match judge(sampler, number, &validator) {
                    Ok(more) => tokens += more,
                    Err(_) if approximate => admitted += 1,
                    Err(what) => {
                        wrong.push(format!("{}, sampler {at}, {number}: {what}", case.id));
                    }
                }
            }
        }
    }
    eprintln!(
        "{schemas} schemas, {walks} walks, {tokens} tokens, {} wrong, {admitted} admitted by the report",
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(schemas * 100 >= count * 97 && admitted * 100 < walks);
}

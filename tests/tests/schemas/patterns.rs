//! Patterns as users write them, alone and within 255 characters: each compiles small, and what its masks let through is what the
//! `jsonschema` crate lets through, near the bounds above all.
//!
//! `patterns.json` has the states of each for the vocabulary of Llama 3.1. Where that is not there, the built-in vocabulary is taken and
//! states are not compared.

use std::collections::BTreeSet;

use grammarc_compiler::compile::Compiler;
use grammarc_runtime::{ByteMatcher, Grammar, Matcher};
use grammarc_tests::random::Rng;
use grammarc_tests::sources::{Language, compiled_by, lower};
use grammarc_tests::vocabularies;
use rayon::prelude::*;
use serde_json::{Value, json};

/// A pattern, and its states without a length and within 255 characters.
type Known = (String, u32, u32);

/// Texts that masks lead to, for each schema.
const TEXTS: usize = 5;

/// Tokens that are looked at to find one of printable ASCII, on which all dialects of patterns agree.
const LOOKED_AT: usize = 200;

#[test]
fn patterns_as_users_write_them_are_small_and_exact() {
    let text = include_str!("patterns.json");
    let all: Vec<Known> = serde_json::from_str(text).expect("it is JSON of that form");
    let real = vocabularies::llama();
    let compiler = Compiler::new(real.unwrap_or_else(|| vocabularies::built_in()).clone());
    let jobs = all.iter().flat_map(|known| [(known, None), (known, Some(255))]);
    let jobs: Vec<(&Known, Option<u32>)> = jobs.collect();
    let counts = jobs.par_iter().map(|&(known, length)| {
        let (pattern, alone, within) = known;
        let states = if length.is_some() { *within } else { *alone };
        let mut schema = json!({"type": "string", "pattern": pattern});
        if let Some(length) = length {
            schema["maxLength"] = length.into();
        }
        judge(&compiler, &schema, real.map(|_| states))
    });
    let [judged, valid] =
        counts.reduce(|| [0; 2], |one, other| [one[0] + other[0], one[1] + other[1]]);
    eprintln!("{} schemas, {judged} texts, {valid} of them valid", jobs.len());
    assert!(valid > jobs.len() && judged - valid > jobs.len(), "{valid} of {judged}");
}

/// Compiles a schema and compares verdicts; says how many texts were judged, and how many are valid.
fn judge(compiler: &Compiler, schema: &Value, states: Option<u32>) -> [usize; 2] {
    let text = schema.to_string();
    let lowered = lower(Language::JsonSchema, &text, &text);
    let lowered = lowered.unwrap_or_else(|errors| panic!("{schema}: {errors:?}"));
    let grammar = compiled_by(compiler, &lowered);
    let found = grammar.artifact().tables().state_count();
    if let Some(states) = states {
        // A few more are no matter; times a bound are.
        assert!(found <= states + states / 8, "{schema}: {found} states, and not {states}");
    }
    // The crate's own engine refuses counts that are large when they are unrolled.
    let engine = jsonschema::PatternOptions::fancy_regex().size_limit(1 << 30);
    let validator = jsonschema::options().with_pattern_options(engine).build(schema);
    let validator = validator.unwrap_or_else(|error| panic!("{schema}: {error}"));
    let mut rng = Rng::new(u64::from(found));
    let mut texts: BTreeSet<String> = BTreeSet::new();
    for _ in 0..TEXTS {
        let Some(text) = walk(&grammar, &mut rng) else { continue };
        texts.extend(near(&text, &mut rng));
        texts.insert(text);
    }
    let mut valid = 0;
    for text in &texts {
        let instance = Value::from(text.as_str());
        let expected = validator.is_valid(&instance);
        let mut matcher = ByteMatcher::new(&grammar);
        let taken =
            matcher.accept(instance.to_string().as_bytes()).is_ok() && matcher.is_accepting();
        assert_eq!(taken, expected, "{schema}: {instance}");
        valid += usize::from(expected);
    }
    [texts.len(), valid]
}

/// The string that a random walk along the masks writes; `None` where no token is printable.
fn walk(grammar: &Grammar, rng: &mut Rng) -> Option<String> {
    let mut matcher = Matcher::new(grammar);
    let mut text = String::new();
    // Some end as soon as they may, some go on for as long.
    let patience = rng.below(60);
    for step in 0..2_000 {
        let allowed: Vec<u32> = matcher.mask().iter().collect();
        let ends = |token: u32| matcher.end_tokens().contains(&token);
        let printable = |token: u32| {
            let bytes = grammar.vocabulary().artifact().token_bytes(token);
            let is_text = bytes.iter().all(|byte| (0x20..0x7f).contains(byte));
            (is_text && !bytes.is_empty()).then(|| str::from_utf8(bytes).expect("it is ASCII"))
        };
        if matcher.is_accepting() {
            break;
        }
        let quote = allowed.iter().copied().find(|&token| printable(token) == Some("\""));
        let token = match quote.filter(|_| step > patience) {
            Some(token) => token,
            None => {
                let drawn = (0..LOOKED_AT).map(|_| *rng.pick(&allowed));
                drawn.filter(|&token| !ends(token)).find(|&token| printable(token).is_some())?
            }
        };
        text.push_str(printable(token)?);
        matcher.accept(token).expect("a token of the mask");
    }
    serde_json::from_str(&text).ok()
}

/// Texts that differ little from one.
fn near(text: &str, rng: &mut Rng) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let at = rng.below(letters.len().max(1));
    let of = |letters: &[char]| letters.iter().collect::<String>();
    let mut found = vec![of(&letters[..letters.len() - letters.len().min(1)])];
    if let (Some(&last), Some(&one)) = (letters.last(), letters.get(at)) {
        found.push(format!("{text}{last}"));
        found.push(format!("{}{one}{}", of(&letters[..at]), of(&letters[at..])));
        found.push(format!("{}{}", of(&letters[..at]), of(&letters[at + 1..])));
        found.push(format!("{}~{}", of(&letters[..at]), of(&letters[at + 1..])));
        found.push(format!("{text}{}", text.repeat(3)));
    }
    found
}

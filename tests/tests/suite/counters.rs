//! Counters in registers: masks are bit by bit those of the oracle, which writes all counts out, whether counts near a bound
//! are states or near-bound masks, and states do not grow with the bounds.
//!
//! `GRAMMARC_GRAMMARS` sets the number of grammars, `GRAMMARC_SEED` the first seed.

use grammarc_artifacts::sections::network::StateRecord;
use grammarc_artifacts::{NONE, WorkBound};
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiler};
use grammarc_compiler::network::NetworkLimits;
use grammarc_runtime::{ByteMatcher, Grammar, Matcher};
use grammarc_tests::compare::{Effort, compare_with};
use grammarc_tests::counters::case;
use grammarc_tests::random::Rng;
use grammarc_tests::sources::{Language, lower};
use grammarc_tests::vocabularies;
use rayon::prelude::*;

/// Walks are long enough to reach the bounds.
const EFFORT: Effort = Effort { positions: 60, walks: 6, steps: 70 };

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn masks_are_those_of_unrolled_counters() {
    let count = number("GRAMMARC_GRAMMARS", 150);
    let first = number("GRAMMARC_SEED", 0);
    let results: Vec<(u64, Result<[usize; 6], String>)> = (first..first + count)
        .into_par_iter()
        .map(|seed| {
            (seed, std::panic::catch_unwind(|| judge(seed)).unwrap_or_else(|_| Err("panic".into())))
        })
        .collect();
    let failed = results.iter().filter_map(|(seed, result)| Some((seed, result.as_ref().err()?)));
    let failed: Vec<String> = failed.map(|(seed, error)| format!("seed {seed}: {error}")).collect();
    assert!(
        failed.is_empty(),
        "{} of {count} fail:\n{}",
        failed.len(),
        failed[..failed.len().min(6)].join("\n")
    );
    let kinds = results.iter().flat_map(|(_, result)| result.clone());
    let [compiled, fields, several, sets, near_bound, both] =
        kinds.fold([0; 6], |sum, one| std::array::from_fn(|at| sum[at] + one[at]));
    eprintln!(
        "{compiled} compiled, {fields} with fields of registers, {several} with several, {sets} with some that are set on the way, {near_bound} with near-bound masks, {both} with states that have several records"
    );
    if count >= 100 {
        assert!(compiled * 10 > count as usize * 8 && fields * 2 > compiled, "{compiled} {fields}");
        assert!(several * 12 > compiled && sets * 12 > compiled, "{several} {sets}");
        assert!(
            near_bound * 3 > compiled && both * 50 > compiled,
            "{near_bound} {both} {compiled}"
        );
    }
}

/// Options that store near-bound masks if counts near a bound would take at least so many states.
fn near_bound_from(count_dependent_states: usize) -> CompileOptions {
    let limits = NetworkLimits { count_dependent_states, ..NetworkLimits::default() };
    CompileOptions::default().network_limits(limits)
}

/// Every automaton with a choice stays nondeterministic: masks are bit by bit those of the oracle.
#[test]
fn nondeterministic_rules_have_the_masks_of_the_oracle() {
    let count = number("GRAMMARC_GRAMMARS", 150);
    let first = number("GRAMMARC_SEED", 0);
    let limits = NetworkLimits { deterministic_states: 0, ..NetworkLimits::default() };
    let options = CompileOptions::default().network_limits(limits);
    let judged = (first..first + count).into_par_iter().map(|seed| {
        let case = case(seed);
        let counts = compare_with(&case, &options, EFFORT, seed)
            .map_err(|found| format!("seed {seed}, after {:?}: {}", found.prefix, found.what))?;
        let rules = match case.compile_with(&options) {
            Ok(grammar) => grammar.artifact().tables().rules.len(),
            Err(_) => 0,
        };
        Ok((counts.compiled, rules))
    });
    let judged: Vec<Result<(usize, usize), String>> = judged.collect();
    let failed: Vec<&String> = judged.iter().filter_map(|one| one.as_ref().err()).collect();
    assert!(
        failed.is_empty(),
        "{} of {count} fail: {:#?}",
        failed.len(),
        &failed[..failed.len().min(6)]
    );
    let (compiled, rules) = judged
        .iter()
        .flatten()
        .fold((0, 0), |(compiled, rules), one| (compiled + one.0, rules + one.1));
    eprintln!("{compiled} compiled, {rules} rules");
    if count >= 100 {
        assert!(compiled * 10 > count as usize * 8 && rules > 20 * compiled, "{compiled} {rules}");
    }
}

/// Patterns whose deterministic automata are exponential in their counts.
const EXPONENTIAL: [&str; 4] = [
    r#"{"type": "string", "pattern": "a.{100}b"}"#,
    r#"{"type": "string", "pattern": "^(a|b)*a(a|b){14}$", "maxLength": 200}"#,
    r#"{"type": "array", "items": {"type": "string", "pattern": "x[^y]{40,60}z"}, "minItems": 1}"#,
    r#"{"type": "object", "properties": {"a": {"type": "string", "pattern": "^[ab]*a[ab]{30}-"}}, "required": ["a"]}"#,
];

#[test]
fn exponential_patterns_compile_to_few_states() {
    let compiler = Compiler::new(vocabularies::built_in().clone());
    for source in EXPONENTIAL {
        let lowered = lower(Language::JsonSchema, "test", source).expect("it is a schema");
        let options = CompileOptions::default();
        let compiled = compiler
            .compile(&lowered, "json-schema", &options, &Budget::unlimited())
            .unwrap_or_else(|error| panic!("{source}: {error}"));
        let artifact = compiled.to_artifact(&compiler).expect("it fits the format");
        let grammar = Grammar::from_artifact(artifact);
        let states = grammar.artifact().tables().states.len();
        assert!(states < 60_000, "{source}: {states} states");
        let bound = grammar.artifact().meta().work.most_configurations;
        // Within an array or an object, the rules of the pattern are called with a frame, and the bound is not known.
        let is_whole = source.starts_with(r#"{"type": "string""#);
        assert!(bound != WorkBound::UNBOUNDED || !is_whole, "{source}");
        let schema: serde_json::Value = serde_json::from_str(source).expect("it is JSON");
        let judge = jsonschema::validator_for(&schema).expect("it is a schema");
        let mut rng = Rng::new(11);
        let (mut ended, mut most) = (0, 0);
        for _ in 0..20 {
            let mut matcher = Matcher::new(&grammar);
            let mut by_bytes = ByteMatcher::new(&grammar);
            let mut text = Vec::new();
            for _ in 0..400 {
                let allowed: Vec<u32> = matcher.mask().iter().collect();
                assert!(!allowed.is_empty(), "{source}: no token is allowed");
                let token = *rng.pick(&allowed);
                if matcher.end_tokens().contains(&token) {
                    let value = serde_json::from_slice(&text).expect("it is JSON");
                    assert!(judge.is_valid(&value), "{source}: {value}");
                    ended += 1;
                    break;
                }
                let bytes = grammar.vocabulary().token_bytes(token);
                text.extend_from_slice(bytes);
                matcher.accept(token).expect("a token of the mask");
                by_bytes.accept(bytes).expect("bytes of a token of the mask");
                most = most.max(by_bytes.configurations());
            }
        }
        assert!(most <= bound as usize, "{source}: {most} configurations of {bound}");
        eprintln!("{source}: {states} states, {ended} texts, {most} of {bound} configurations");
    }
}

/// Bounds beside patterns and formats, whose end a token of a real vocabulary may reach.
const BOUNDED: [&str; 6] = [
    r#"{"type": "string", "format": "uri", "maxLength": 150}"#,
    r#"{"type": "string", "pattern": "^(?:\\S+\\s+){0,29}\\S+$", "maxLength": 200}"#,
    r#"{"type": "string", "pattern": "^(?:\\S+\\s+){0,9}\\S+$", "minLength": 140, "maxLength": 300}"#,
    r#"{"type": "array", "items": {"type": "string", "pattern": "^[^/]+(/[^/]+)*$", "maxLength": 400}}"#,
    r#"{"type": "string", "pattern": "^[a-z ]{1,140}(/[a-z ]{1,140}){0,1}$", "maxLength": 150}"#,
    r#"{"type": "string", "pattern": "^[a-z._-]{1,9}@[a-z.-]{1,140}\\.[a-z]{2,4}$", "maxLength": 145}"#,
];

#[test]
fn near_bound_masks_are_those_of_states_with_a_real_vocabulary() {
    let compiler = Compiler::new(vocabularies::built_in().clone());
    for source in BOUNDED {
        let lowered = lower(Language::JsonSchema, "test", source).expect("it is a schema");
        let grammar = |count_dependent_states| {
            let options = near_bound_from(count_dependent_states);
            let compiled = compiler
                .compile(&lowered, "json-schema", &options, &Budget::unlimited())
                .unwrap_or_else(|error| panic!("{source}: {error}"));
            Grammar::from_artifact(compiled.to_artifact(&compiler).expect("it fits the format"))
        };
        let [unrolled, near_bound] = [grammar(usize::MAX), grammar(0)];
        let stored = near_bound.artifact().tables().near_bound_masks.len();
        assert!(stored > 100, "{source}: {stored} near-bound masks");
        let mut rng = Rng::new(7);
        let mut masks = 0;
        for _ in 0..6 {
            let [mut one, mut other] = [Matcher::new(&unrolled), Matcher::new(&near_bound)];
            let words = one.logit_width().div_ceil(32) as usize;
            let [mut expected, mut found] = [vec![0; words], vec![0; words]];
            for _ in 0..150 {
                one.mask().fill(&mut expected).expect("as wide as the row");
                other.mask().fill(&mut found).expect("as wide as the row");
                assert!(expected == found, "{source}, mask {masks}");
                assert_eq!(one.is_accepting(), other.is_accepting(), "{source}, mask {masks}");
                masks += 1;
                let allowed: Vec<u32> = one.mask().iter().collect();
                let token = *rng.pick(&allowed);
                if one.end_tokens().contains(&token) {
                    break;
                }
                one.accept(token).expect("a token of the mask");
                other.accept(token).expect("a token of the mask");
            }
        }
        eprintln!("{source}: {masks} masks, {stored} near-bound masks stored");
    }
}

/// Holds a case against the oracle, with counts near a bound as states and as stored masks. Returns whether it compiled, has
/// fields of registers, several, some that are set, near-bound records, and several of one state.
fn judge(seed: u64) -> Result<[usize; 6], String> {
    let case = case(seed);
    let [unrolled, near_bound] = [near_bound_from(usize::MAX), near_bound_from(0)];
    for (options, name) in [(&unrolled, "unrolled"), (&near_bound, "near-bound")] {
        let counts = compare_with(&case, options, EFFORT, seed)
            .map_err(|found| format!("{name}, after {:?}: {}", found.prefix, found.what))?;
        if counts.compiled == 0 {
            return Ok([0; 6]);
        }
    }
    let grammar = case.compile_with(&near_bound).map_err(|error| error.to_string())?;
    let records = grammar.artifact().tables().near_bound;
    let has_both = records.windows(2).any(|pair| pair[0].state == pair[1].state);
    let grammar = case.compile_with(&unrolled).map_err(|error| error.to_string())?;
    let states = grammar.artifact().tables().states.iter();
    let with_field: Vec<&StateRecord> = states.filter(|state| state.has_field()).collect();
    let mut shifts: Vec<u32> = with_field.iter().map(|state| state.flags >> 8 & 31).collect();
    shifts.sort_unstable();
    shifts.dedup();
    let is_set = |state: &&StateRecord| state.count_exit != NONE && state.exit().is_none();
    let sets = with_field.iter().any(is_set);
    let kinds = [true, !shifts.is_empty(), shifts.len() > 1, sets, !records.is_empty(), has_both];
    Ok(kinds.map(usize::from))
}

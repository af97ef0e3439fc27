//! Counters in registers: masks are bit by bit those of the oracle, which writes all counts out, whether counts near a bound
//! are states or grades, and states do not grow with the bounds.
//!
//! `GRAMMARC_GRAMMARS` sets the number of grammars, `GRAMMARC_SEED` the first seed.

use grammarc_artifacts::NONE;
use grammarc_artifacts::sections::network::StateRecord;
use grammarc_compiler::compile::CompileOptions;
use grammarc_compiler::network::NetworkLimits;
use grammarc_tests::compare::{Effort, compare_with};
use grammarc_tests::counters::case;
use rayon::prelude::*;

/// Walks are long enough to come to the bounds.
const EFFORT: Effort = Effort { positions: 60, walks: 6, steps: 70 };

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn masks_are_those_of_all_counts_written_out() {
    let count = number("GRAMMARC_GRAMMARS", 150);
    let first = number("GRAMMARC_SEED", 0);
    let results: Vec<(u64, Result<[usize; 5], String>)> = (first..first + count)
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
    let [compiled, fields, several, sets, graded] =
        kinds.fold([0; 5], |sum, one| std::array::from_fn(|at| sum[at] + one[at]));
    eprintln!(
        "{compiled} compiled, {fields} with fields of registers, {several} with several, {sets} with some that are set on the way, {graded} with grades"
    );
    if count >= 100 {
        assert!(compiled * 10 > count as usize * 8 && fields * 2 > compiled, "{compiled} {fields}");
        assert!(several * 12 > compiled && sets * 12 > compiled, "{several} {sets}");
        assert!(graded * 3 > compiled, "{graded} {compiled}");
    }
}

/// Holds a case against the oracle, with counts near a bound as states and as grades; says whether it compiled, has fields of
/// registers, several, some that are set, and grades.
fn judge(seed: u64) -> Result<[usize; 5], String> {
    let case = case(seed);
    let options = |graded_states| {
        let limits = NetworkLimits { graded_states, ..NetworkLimits::default() };
        CompileOptions::default().network_limits(limits)
    };
    let [spelled, graded] = [options(usize::MAX), options(0)];
    for (options, name) in [(&spelled, "spelled"), (&graded, "graded")] {
        let counts = compare_with(&case, options, EFFORT, seed)
            .map_err(|found| format!("{name}, after {:?}: {}", found.prefix, found.what))?;
        if counts.compiled == 0 {
            return Ok([0; 5]);
        }
    }
    let graded = case.compile_with(&graded).map_err(|error| error.to_string())?;
    let has_grades = !graded.artifact().tables().grades.is_empty();
    let grammar = case.compile_with(&spelled).map_err(|error| error.to_string())?;
    let states = grammar.artifact().tables().states.iter();
    let with_field: Vec<&StateRecord> = states.filter(|state| state.has_field()).collect();
    let mut shifts: Vec<u32> = with_field.iter().map(|state| state.flags >> 8 & 31).collect();
    shifts.sort_unstable();
    shifts.dedup();
    let is_set = |state: &&StateRecord| state.count_exit != NONE && state.exit().is_none();
    let sets = with_field.iter().any(is_set);
    let kinds = [true, !shifts.is_empty(), shifts.len() > 1, sets, has_grades];
    Ok(kinds.map(usize::from))
}

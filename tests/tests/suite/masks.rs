//! Compiled masks are right: bit by bit what the oracle says, on random grammars under random vocabularies.
//!
//! `GRAMMARC_GRAMMARS` sets the number of grammars of each kind, `GRAMMARC_SEED` the first seed.

use grammarc_tests::case::Case;
use grammarc_tests::compare::{Counts, Effort, compare};
use grammarc_tests::random::{Spelling, case};
use grammarc_tests::shrink::shrink;
use rayon::prelude::*;

const EFFORT: Effort = Effort { positions: 24, walks: 2, steps: 30 };

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// A failing case made small, with what is wrong about it.
fn report(case: Case, seed: u64) -> String {
    let fails = |case: &Case| {
        let result = std::panic::catch_unwind(|| compare(case, EFFORT, seed));
        match result {
            Ok(result) => result.err().map(|d| format!("after {:?}: {}", d.prefix, d.what)),
            Err(_) => Some("panic".to_owned()),
        }
    };
    let kind = |what: &str| what.split(|c: char| c.is_ascii_digit()).last().map(str::to_owned);
    let first = fails(&case).and_then(|what| kind(&what));
    let small = shrink(case, 4000, |case| fails(case).and_then(|what| kind(&what)) == first);
    let what = fails(&small).unwrap_or_default();
    format!("seed {seed}: {what}\n{small}")
}

fn run(spelling: Spelling, default: u64) -> Counts {
    let count = number("GRAMMARC_GRAMMARS", default);
    let first = number("GRAMMARC_SEED", 0);
    let results: Vec<Result<Counts, u64>> = (first..first + count)
        .into_par_iter()
        .map(|seed| {
            let case = case(seed, spelling);
            let result = std::panic::catch_unwind(|| compare(&case, EFFORT, seed));
            result.ok().and_then(Result::ok).ok_or(seed)
        })
        .collect();
    let failed: Vec<u64> = results.iter().filter_map(|result| result.err()).collect();
    let reports: Vec<String> = failed
        .iter()
        .take(number("GRAMMARC_REPORTS", 3) as usize)
        .map(|&seed| report(case(seed, spelling), seed))
        .collect();
    assert!(
        failed.is_empty(),
        "{} of {count} grammars fail, the first of them\n{}",
        failed.len(),
        reports.join("\n")
    );
    results.into_iter().flatten().fold(Counts::default(), Counts::and)
}

#[test]
fn masks_are_bit_equal_to_brute_force() {
    let counts = run(Spelling::Whole, 2500);
    eprintln!("{counts:?}");
}

#[test]
fn masks_are_sound_where_the_vocabulary_lacks_bytes() {
    let counts = run(Spelling::Partial, 500);
    eprintln!("{counts:?}");
}

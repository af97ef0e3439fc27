//! Compiled masks are right: bit by bit what the oracle says, on random grammars under random vocabularies.
//!
//! `GRAMMARC_GRAMMARS` sets the number of grammars of each kind, `GRAMMARC_SEED` the first seed, and
//! `GRAMMARC_EFFORT` multiplies the positions looked at in each.

use grammarc_compiler::compile::CompileOptions;
use grammarc_compiler::masks::Shortcut;
use grammarc_tests::case::Case;
use grammarc_tests::compare::{Counts, Effort, compare, compare_with};
use grammarc_tests::mix::{self, Kind, Mix};
use grammarc_tests::random::{Spelling, case};
use grammarc_tests::shrink::shrink;
use rayon::prelude::*;

/// In how many of a thousand grammars each kind must be met, at least. About half of what is met.
const MIX: [(Kind, usize); 15] = [
    (Kind::Nested, 100),
    (Kind::RightRecursive, 150),
    (Kind::LeftRecursive, 150),
    (Kind::IndirectlyLeftRecursive, 35),
    (Kind::HiddenLeftRecursive, 25),
    (Kind::Nullable, 180),
    (Kind::CountedSmall, 200),
    (Kind::CountedLarge, 35),
    (Kind::CountedClosed, 10),
    (Kind::RepeatedNullable, 60),
    (Kind::RepeatedRecursive, 90),
    (Kind::Tokens, 180),
    (Kind::NegatedTokens, 90),
    (Kind::Regular, 120),
    (Kind::Shared, 25),
];

/// So few grammars may miss a kind by chance.
const FEW: usize = 200;

fn effort() -> Effort {
    let times = number("GRAMMARC_EFFORT", 1) as usize;
    Effort { positions: 24 * times, walks: 2 * times, steps: 30 }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// A failing case made small, with what is wrong about it.
fn report(case: Case, seed: u64) -> String {
    let fails = |case: &Case| {
        let result = std::panic::catch_unwind(|| compare(case, effort(), seed));
        match result {
            Ok(result) => result.err().map(|d| format!("after {:?}: {}", d.prefix, d.what)),
            Err(_) => Some("panic".to_owned()),
        }
    };
    // The kind of a fault, whatever the numbers in it.
    let kind = |what: String| what.replace(|c: char| c.is_ascii_digit(), "");
    let first = fails(&case).map(kind);
    let small = shrink(case, 4000, |case| fails(case).map(kind) == first);
    let what = fails(&small).unwrap_or_default();
    format!("seed {seed}: {what}\n{small}")
}

fn run(spelling: Spelling, default: u64) {
    let count = number("GRAMMARC_GRAMMARS", default);
    let first = number("GRAMMARC_SEED", 0);
    let results: Vec<Result<Counts, u64>> = (first..first + count)
        .into_par_iter()
        .map(|seed| {
            let case = case(seed, spelling);
            let result = std::panic::catch_unwind(|| compare(&case, effort(), seed));
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
    let counts = results.iter().flatten().fold(Counts::default(), |sum, &one| sum.and(one));
    let mut mix = Mix::new();
    for (seed, result) in (first..).zip(&results) {
        if result.is_ok_and(|counts| counts.compiled == 1) {
            let case = case(seed, spelling);
            mix::count(&mut mix, &case.grammar(), case.shared);
        }
    }
    eprintln!("{counts:#?}\n{mix:#?}");
    demand(&counts, &mix, spelling);
}

/// Demands that the grammars were of all kinds.
fn demand(counts: &Counts, mix: &Mix, spelling: Spelling) {
    if counts.compiled < FEW {
        return;
    }
    let enough = |what: &dyn std::fmt::Debug, met: usize, least: usize| {
        let of = counts.compiled;
        assert!(met * 1000 >= least * of, "{what:?}: {met} of {of} grammars, too few");
    };
    for (kind, least) in MIX {
        enough(&kind, mix.get(&kind).copied().unwrap_or(0), least);
    }
    assert!(counts.refused * 1000 <= counts.compiled, "{} meet a limit", counts.refused);
    enough(&"ambiguous", counts.ambiguous, 200);
    enough(&"several configurations", counts.several, 140);
    enough(&"countdowns", counts.counted, 20);
    // If a byte is no token, sets of marks are unrolled.
    let pending = if spelling == Spelling::Whole { 5 } else { 0 };
    enough(&"sets of marks in registers", counts.pending, pending);
}

#[test]
fn masks_are_bit_equal_to_brute_force() {
    run(Spelling::Whole, 2500);
}

#[test]
fn masks_are_sound_where_the_vocabulary_lacks_bytes() {
    run(Spelling::Partial, 500);
}

/// Masks are those of the oracle without any one of the shortcuts, too, so that none of them is what another needs to be
/// right.
#[test]
fn masks_are_right_without_each_shortcut() {
    let count = number("GRAMMARC_GRAMMARS", 40);
    let first = number("GRAMMARC_SEED", 0);
    let seeds = first..first + count;
    let all = Shortcut::ALL
        .into_iter()
        .flat_map(|shortcut| seeds.clone().map(move |seed| (shortcut, seed)));
    let all: Vec<(Shortcut, u64)> = all.collect();
    let wrong: Vec<String> = all
        .into_par_iter()
        .filter_map(|(shortcut, seed)| {
            let options = CompileOptions::default().without_shortcut(shortcut);
            let case = case(seed, Spelling::Whole);
            let found = compare_with(&case, &options, effort(), seed);
            found.err().map(|error| format!("without {shortcut:?}, seed {seed}: {}", error.what))
        })
        .collect();
    assert_eq!(wrong, [""; 0]);
}

//! One budget for all of a compilation: whatever the source makes long, it ends soon after time is up, memory is too much
//! or the flag is set, with an error that says which and where; and it never changes the bytes of an artifact.
//!
//! Work is counted in the budget's own steps. A limit on time is held against processor time, and wall time is only printed.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use grammarc_benches::inputs::sized;
use grammarc_compiler::budget::{Budget, BudgetError, MEMORY};
use grammarc_compiler::compile::{CompileError, CompileOptions, Compiler};
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::gbnf::GbnfOptions;
use grammarc_compiler::frontend::json_schema::JsonSchemaOptions;
use grammarc_compiler::frontend::regex::PatternOptions;
use grammarc_tests::processor_time;
use grammarc_tests::random::Rng;
use grammarc_tests::vocabularies;

/// Processor time that a compilation may take beyond its limit, without optimisation.
const LATE: Duration = Duration::from_millis(1500);

/// Steps that a thread may count after the flag is set, some milliseconds of work: those before it looks, and on its way out.
const STEPS: usize = 1 << 23;

/// Time that a source gets when it is cancelled, at most.
const LONG: Duration = Duration::from_secs(2);

/// The result of a source.
enum Outcome {
    Made(Vec<u8>),
    Refused(Diagnostic),
}

impl Outcome {
    fn code(&self) -> &'static str {
        match self {
            Self::Made(_) => "made",
            Self::Refused(diagnostic) => diagnostic.code,
        }
    }

    fn made(self) -> Vec<u8> {
        match self {
            Self::Made(bytes) => bytes,
            Self::Refused(diagnostic) => panic!("{diagnostic}"),
        }
    }
}

fn gbnf(text: impl Into<String>) -> (FrontEnd, String) {
    (FrontEnd::Gbnf(GbnfOptions::default()), text.into())
}

fn schema(text: impl Into<String>) -> (FrontEnd, String) {
    (FrontEnd::JsonSchema(JsonSchemaOptions::default()), text.into())
}

fn regex(text: impl Into<String>) -> (FrontEnd, String) {
    (FrontEnd::Regex(PatternOptions::default()), text.into())
}

fn compiler(threads: usize) -> Compiler {
    Compiler::on_threads(vocabularies::built_in().clone(), NonZero::new(threads))
}

fn compile(
    compiler: &Compiler,
    (front_end, text): &(FrontEnd, String),
    budget: &Budget,
) -> Outcome {
    let lowered = match front_end.lower(Source::new("source", text.as_str()), budget) {
        Ok(lowered) => lowered,
        Err(errors) => return Outcome::Refused(errors.into_iter().next().expect("one at least")),
    };
    let options = CompileOptions::default();
    let compiled = compiler.compile(&lowered, front_end.kind(), &options, budget);
    let made = compiled.and_then(|compiled| compiled.to_buffer(compiler));
    match made {
        Ok(buffer) => Outcome::Made(buffer.to_vec()),
        Err(error) => {
            let is_spent = matches!(error, CompileError::Budget { .. });
            assert_eq!(is_spent, budget.error().is_some(), "{error}");
            Outcome::Refused(error.to_diagnostic())
        }
    }
}

/// Rules in a ring, of which each begins with the next.
fn ring(count: usize) -> (FrontEnd, String) {
    let rules = (0..count).map(|at| format!("r{at} ::= r{} \"b\" | \"d\"\n", (at + 1) % count));
    gbnf(format!("root ::= r0\n{}", rules.collect::<String>()))
}

/// The same where each rule is also called from within.
fn crossed(count: usize) -> (FrontEnd, String) {
    let rules = (0..count).map(|at| {
        let (next, other) = ((at + 1) % count, (at * 7 + 3) % count);
        format!("r{at} ::= r{next} \"b{at}\" r{other} | \"d{at}\"\n")
    });
    gbnf(format!("root ::= r0\n{}", rules.collect::<String>()))
}

/// Constants of so many letters.
fn constants(count: usize, letters: usize, seed: u64) -> (FrontEnd, String) {
    let mut random = Rng::new(seed);
    let mut one =
        || -> String { (0..letters).map(|_| char::from(b'a' + random.below(16) as u8)).collect() };
    let all = (0..count).map(|_| format!("\"{}\"", one()));
    schema(format!(
        r#"{{"properties":{{"p":{{"enum":[{}]}}}}}}"#,
        all.collect::<Vec<_>>().join(",")
    ))
}

/// Sources that take long, each in another phase.
fn heavy() -> Vec<(&'static str, (FrontEnd, String))> {
    let objects = (0..14).map(|at| {
        format!(r#"{{"properties":{{"a{at}":{{"type":"string"}},"x":{{"minLength":{at}}}}}}}"#)
    });
    let one_of = objects.collect::<Vec<_>>().join(",");
    let keys = (0..40_000).map(|at| format!(r#""key {at}":{{"type":"string"}}"#));
    let many = keys.collect::<Vec<_>>().join(",");
    let strings = (0..400).map(|at| {
        format!(
            r#""k{at}":{{"type":"string","pattern":"^(?:[a-z]+ ?[0-9]){{2,{}}}\\S+$"}}"#,
            at % 9 + 3
        )
    });
    let patterns = strings.collect::<Vec<_>>().join(",");
    let rules = (0..150_000).map(|at| format!("r{at} ::= \"a{at}\" | \"b\" r{}\n", at / 2));
    vec![
        ("reading a schema", schema(format!(r#"{{"properties":{{{many}}}}}"#))),
        ("reading a grammar", gbnf(format!("root ::= r149999\n{}", rules.collect::<String>()))),
        ("combinations", schema(format!(r#"{{"oneOf":[{one_of}]}}"#))),
        ("constants", constants(30_000, 350, 1)),
        ("a pattern", schema(r#"{"pattern":"^[ab]*a[ab]{15}$"}"#)),
        ("lookahead", schema(r#"{"pattern":"^(?=.*a.{9}$)(?=.*b.{8}$)(?=.*c.{7}$).*$"}"#)),
        ("multiples", schema(r#"{"type":"number","multipleOf":0.00049999,"minimum":3.00001}"#)),
        (
            "subsets",
            gbnf(
                "root ::= [ab]* \"a\" [ab] [ab] [ab] [ab] [ab] [ab] [ab] [ab] [ab] [ab] [ab] [ab] [ab] [ab] [ab] [ab]\n",
            ),
        ),
        ("left recursion", crossed(900)),
        ("masks", schema(format!(r#"{{"properties":{{{patterns}}}}}"#))),
        (
            "ambiguity",
            gbnf(
                "root ::= (a | b | c)*\na ::= [a-z]+ | [a-y]* \"k\"\nb ::= [^x]{1,40} c\nc ::= root \".\" | [a-z ]+\n",
            ),
        ),
        ("a regular expression", regex(r"(?:\w+\s?[a-z]*){0,300}x[ab]{14}")),
    ]
}

#[test]
fn rings_of_left_recursion_are_near_linear() {
    let compiler = compiler(2);
    let [small, large] = [1_000, 20_000].map(|count| {
        let budget = Budget::new();
        let bytes = compile(&compiler, &ring(count), &budget).made();
        eprintln!("a ring of {count}: {} steps, {} bytes", budget.steps(), bytes.len());
        budget.steps()
    });
    assert!(large < 2 * 20 * small);
    // The language does not depend on the length of the ring.
    let [short, long] = [3, 50].map(|count| {
        let budget = Budget::new();
        let lowered = ring(count).0.lower(Source::new("", ring(count).1), &budget).expect("right");
        let network = compiler.network(&lowered.grammar, Default::default(), &budget);
        network.expect("it is small").tables.as_tables().state_count()
    });
    assert_eq!(short, long);
}

#[test]
fn large_enums_take_memory_and_steps_of_their_size() {
    let compiler = compiler(2);
    let shared = (0..100_000).map(|at| format!("\"{}{:010}\"", "x".repeat(340), at * 7919));
    let shared = schema(format!(r#"{{"enum":[{}]}}"#, shared.collect::<Vec<_>>().join(",")));
    for (name, source) in [
        ("100,000 constants with one beginning", shared),
        ("30,000 constants of any letters", constants(30_000, 350, 1)),
    ] {
        let budget = Budget::new();
        let bytes = compile(&compiler, &source, &budget).made();
        eprintln!("{name}: {} bytes, {} steps", bytes.len(), budget.steps());
        assert!(bytes.len() < source.1.len() * 6 / 5);
        assert!(budget.steps() < source.1.len() * 64);
    }
}

#[test]
fn repetitions_of_what_may_be_empty_are_small() {
    let compiler = compiler(2);
    let simple = compile(&compiler, &gbnf("root ::= [^x]*\n"), &Budget::new()).made().len();
    for (source, most) in [
        (gbnf("root ::= ([^x]*){0,99}\n"), simple),
        (gbnf("root ::= ([^x]*){0,40}\n"), simple),
        (regex("([^x]*){0,40}"), simple + 64),
        (gbnf("root ::= (([^x]*){0,99}){0,99}\n"), simple),
        (gbnf("root ::= ((((((a{0,4}){0,4}){0,4}){0,4}){0,4}){0,4})\na ::= \"a\"\n"), 40_000),
        (gbnf("root ::= (\"a\"* \"b\"*){0,99}\n"), 60_000),
    ] {
        let budget = Budget::new();
        let bytes = compile(&compiler, &source, &budget).made();
        eprintln!("{}: {} steps, {} bytes", source.1.trim(), budget.steps(), bytes.len());
        assert!(budget.steps() < 1 << 28);
        assert!(bytes.len() <= most + 64, "{} bytes", bytes.len());
    }
}

#[test]
fn time_is_kept_in_every_phase() {
    for threads in [1, 2] {
        let compiler = compiler(threads);
        for (name, source) in heavy() {
            for limit in [200, 1000].map(Duration::from_millis) {
                let budget = Budget::new().time_limit(limit).memory_limit(4 * MEMORY);
                let (started, spent) = (Instant::now(), processor_time::of_thread());
                let outcome = compile(&compiler, &source, &budget);
                let (time, spent) =
                    (started.elapsed(), processor_time::of_thread().saturating_sub(spent));
                let code = outcome.code();
                eprintln!("{threads} threads, {limit:?}, {name}: {code} after {time:.0?}");
                assert!(spent < limit + LATE, "{name}: {spent:?} of processor time");
                if let Outcome::Refused(diagnostic) = outcome {
                    let is_placed =
                        !diagnostic.labels.is_empty() || diagnostic.code == "budget::time";
                    assert!(is_placed && !diagnostic.message.is_empty(), "{diagnostic:?}");
                }
            }
        }
    }
}

#[test]
fn a_flag_ends_every_phase_at_once() {
    let mut random = Rng::new(7);
    let mut worst: (Duration, String) = Default::default();
    let compilers = [1, 2].map(|threads| (threads, compiler(threads)));
    for (name, source) in heavy() {
        let started = Instant::now();
        compile(&compilers[0].1, &source, &Budget::new().time_limit(LONG));
        let whole = started.elapsed().as_micros() as u64;
        let mut latest = (Duration::ZERO, String::new());
        for (threads, compiler) in compilers.iter().cycle().take(sized(6, 80)) {
            let after = Duration::from_micros(random.below(whole.max(2) as usize) as u64);
            let flag = Arc::new(AtomicBool::new(false));
            let budget = Budget::new().cancel_flag(flag.clone());
            let (outcome, ended, (set, steps)) = thread::scope(|scope| {
                let set = scope.spawn(|| {
                    thread::sleep(after);
                    flag.store(true, Ordering::Relaxed);
                    (Instant::now(), budget.steps())
                });
                let outcome = compile(compiler, &source, &budget);
                let ended = Instant::now();
                (outcome, ended, set.join().expect("it does not panic"))
            });
            let late = ended.saturating_duration_since(set);
            let steps = budget.steps().saturating_sub(steps);
            if outcome.code() == "budget::cancelled" && late > latest.0 {
                let Some(BudgetError::Cancelled { phase }) = budget.error() else {
                    panic!("{:?}", budget.error());
                };
                latest = (late, format!("{threads} threads, while {phase}"));
            }
            assert!(steps <= threads * STEPS, "{name}: {steps} steps after the flag was set");
        }
        let (late, phase) = latest;
        eprintln!("{name}: {late:.1?} at worst, {phase}");
        if late > worst.0 {
            worst = (late, format!("{name}, {phase}"));
        }
    }
    eprintln!("the worst of all: {:.1?}, {}", worst.0, worst.1);
}

#[test]
fn memory_is_bounded_with_an_error_that_names_the_place() {
    let compiler = compiler(1);
    for (name, source) in heavy() {
        let budget = Budget::new().memory_limit(8 << 20).time_limit(Duration::from_secs(20));
        let outcome = compile(&compiler, &source, &budget);
        eprintln!("8 MiB, {name}: {}", outcome.code());
        assert_ne!(outcome.code(), "budget::cancelled");
        if let Some(BudgetError::Memory { limit, asked, .. }) = budget.error() {
            assert!(asked > limit);
            let Outcome::Refused(diagnostic) = outcome else { panic!("{name}: it is made") };
            assert_eq!(diagnostic.code, "budget::memory");
        }
        assert_eq!(budget.bytes(), 0, "{name}: all is given back");
    }
}

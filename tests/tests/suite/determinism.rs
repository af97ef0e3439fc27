//! Equal inputs give equal bytes: on any number of threads, in any order, in every run.

use std::num::NonZero;
use std::process::Command;
use std::time::Instant;

use grammarc_artifacts::{Buffer, VocabularyArtifact, VocabularyData};
use grammarc_compiler::budget::{Budget, BudgetError};
use grammarc_compiler::compile::{CompileError, CompileOptions, Compiler, build_vocabulary};
use grammarc_compiler::frontend::json_schema::{TextForm, prelude_grammar};
use grammarc_compiler::vocabulary::TokenTable;
use grammarc_tests::case::lowered;
use grammarc_tests::random::{Spelling, case};
use grammarc_tests::sources::{Language, artifact, folder, lower};
use grammarc_tests::vocabularies;

fn vocabulary(table: &TokenTable, threads: usize) -> Vec<u8> {
    let shared = prelude_grammar(&TextForm::COMMON);
    let data = build_vocabulary(table, "test", &shared, NonZero::new(threads));
    data.expect("it builds").to_bytes().expect("it fits").to_vec()
}

/// The artifacts of all grammars of the folder, in reverse order where asked for, with one compiler for all of them or
/// one for each, on so many threads.
fn grammars(
    vocabulary: &VocabularyArtifact,
    threads: usize,
    reverse: bool,
    together: bool,
) -> Vec<(String, Vec<u8>)> {
    let new = || Compiler::on_threads(vocabulary.clone(), NonZero::new(threads));
    let one = new();
    let mut sources = folder();
    if reverse {
        sources.reverse();
    }
    let mut found: Vec<(String, Vec<u8>)> = Vec::new();
    for (name, language, text) in sources {
        let lowered = lower(language, &name, &text).unwrap_or_else(|e| panic!("{name}: {e:#?}"));
        let own = (!together).then(new);
        let compiler = own.as_ref().unwrap_or(&one);
        let bytes = artifact(compiler, &lowered).unwrap_or_else(|e| panic!("{name}: {e}"));
        found.push((name, bytes.to_vec()));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[track_caller]
fn same(first: &[(String, Vec<u8>)], second: &[(String, Vec<u8>)], what: &str) {
    assert_eq!(first.len(), second.len());
    for ((name, a), (_, b)) in first.iter().zip(second) {
        let at = a.iter().zip(b.iter()).position(|(a, b)| a != b);
        assert!(a == b, "{name}: {what} differ at byte {at:?} of {}", a.len());
    }
}

#[test]
fn artifacts_do_not_depend_on_threads_order_or_company() {
    let table =
        vocabularies::of_words("a ab abc { } \"a\": \"name\": true false null 12 (( )) let x = fn");
    let first = vocabulary(&table, 1);
    for threads in [1, 2, 7] {
        assert!(first == vocabulary(&table, threads), "{threads} threads");
    }
    let opened = VocabularyArtifact::from_buffer(Buffer::from_bytes(&first)).expect("it is valid");
    let first = grammars(&opened, 1, false, false);
    assert!(first.len() >= 8);
    same(&first, &grammars(&opened, 1, false, false), "two runs");
    same(&first, &grammars(&opened, 2, false, true), "two threads and one");
    same(&first, &grammars(&opened, 7, true, true), "seven threads and one");
}

#[test]
fn artifacts_do_not_depend_on_what_is_taken_without_building_it() {
    let words = "a ab abc \"a\": \"b\" [1 1.5, é {} true aaaaaaaa bababababab name fn let x ( ) =";
    let table = vocabularies::of_words(words);
    let data = build_vocabulary(&table, "test", &prelude_grammar(&TextForm::COMMON), None);
    let named = data.expect("it builds");
    assert!(named.expressions.len() > 50);
    let bare = VocabularyData { expressions: Vec::new(), ..named.clone() };
    let [named, bare] = [named, bare].map(|data| {
        let bytes = data.to_bytes().expect("it fits");
        VocabularyArtifact::from_buffer(bytes).expect("it is valid")
    });
    same(&grammars(&named, 2, false, true), &grammars(&bare, 2, false, true), "taken and built");
    let compilers = [named, bare].map(Compiler::new);
    for [least, most] in [[0, 2], [1, 9], [3, 30], [0, 255], [6, 65_535], [20, 20], [300, 400]] {
        let string = format!(r#"{{"type": "string", "minLength": {least}, "maxLength": {most}}}"#);
        let schema = format!(
            r#"{{"type": "object", "properties": {{"a": {string}, "b": {{"anyOf": [{string}, {{"type": "number"}}]}}}},
                "additionalProperties": {{"type": "array", "items": {string}, "maxItems": {most}}}}}"#
        );
        let lowered = lower(Language::JsonSchema, "schema", &schema).expect("it is lowered");
        let [taken, built] = compilers
            .each_ref()
            .map(|compiler| artifact(compiler, &lowered).expect("it compiles").to_vec());
        assert!(taken == built, "{schema}");
    }
}

#[test]
fn artifacts_for_a_large_vocabulary_do_not_depend_on_threads() {
    let table = vocabularies::built_in_table();
    let many = vocabularies::built_in();
    let one = vocabulary(&table, 1);
    let shared = vocabularies::built_in().container().buffer();
    assert!(one[..] == shared[..], "the vocabulary artifact on one thread and on all");
    let one = grammars(many, 1, false, true);
    same(&one, &grammars(many, 3, true, true), "one thread and three");
}

#[test]
fn random_grammars_do_not_depend_on_threads() {
    let bytes = |seed, threads| {
        let case = case(seed, Spelling::Whole);
        let vocabulary = case.vocabulary().expect("a random vocabulary builds");
        let compiler = Compiler::on_threads(vocabulary.clone(), NonZero::new(threads));
        let grammar = artifact(&compiler, &lowered(case.grammar())).ok();
        let grammar = grammar.map(|bytes| bytes.to_vec());
        (vocabulary.container().buffer().to_vec(), grammar)
    };
    for seed in 0..150 {
        assert!(bytes(seed, 1) == bytes(seed, 5), "seed {seed}");
    }
}

#[test]
fn a_time_limit_is_met_or_changes_nothing() {
    let string =
        r#"{"type": "string", "pattern": "^(?:[a-z]+ ?[0-9]){2,5}\\S+$", "maxLength": 40}"#;
    let schema =
        format!(r#"{{"properties": {{"a": {string}}}, "additionalProperties": {string}}}"#);
    let lowered = lower(Language::JsonSchema, "schema", &schema).expect("it is lowered");
    let compiler =
        |threads| Compiler::on_threads(vocabularies::built_in().clone(), NonZero::new(threads));
    let compile = |compiler: &Compiler, budget: Budget| -> Result<Vec<u8>, CompileError> {
        let options = CompileOptions::default();
        let compiled = compiler.compile(&lowered, "test", &options, &budget)?;
        Ok(compiled.to_buffer(compiler)?.to_vec())
    };
    let start = Instant::now();
    let whole = compile(&compiler(1), Budget::new()).expect("it compiles");
    let time = start.elapsed();
    for threads in [1, 2, 5] {
        let compiler = compiler(threads);
        let mut late = 0;
        for part in 0..12 {
            match compile(&compiler, Budget::new().time_limit(time * part / 10)) {
                Ok(bytes) => assert!(bytes == whole, "{part} tenths on {threads} threads"),
                Err(CompileError::Budget { error: BudgetError::Time { .. }, .. }) => late += 1,
                Err(other) => panic!("{other}"),
            }
        }
        assert!(late > 0, "no time at all is not enough");
    }
}

/// Set in a process that only prints what it compiles.
const CHILD: &str = "GRAMMARC_PRINT_DIGESTS";

/// The digests of all artifacts, as text.
fn digests(threads: usize) -> String {
    let vocabulary = vocabularies::small();
    let container = vocabulary.container();
    let mut text = format!("DIGEST vocabulary {:x?}\n", container.header().checksum);
    for (name, bytes) in grammars(vocabulary, threads, false, true) {
        let checksum = grammarc_artifacts::container::header::checksum(&bytes);
        text.push_str(&format!("DIGEST {name} {checksum:x?}\n"));
    }
    text
}

#[test]
#[expect(clippy::print_stdout, reason = "the parent process reads it")]
fn artifacts_do_not_depend_on_the_process() {
    if let Some(threads) = std::env::var(CHILD).ok().and_then(|threads| threads.parse().ok()) {
        println!("\n{}", digests(threads));
        return;
    }
    let expected = digests(2);
    let program = std::env::current_exe().expect("a test is a program");
    for threads in ["1", "3"] {
        let name = "determinism::artifacts_do_not_depend_on_the_process";
        let output = Command::new(&program)
            .args([name, "--exact", "--nocapture"])
            .env(CHILD, threads)
            .output()
            .expect("the test runs in another process");
        let text = String::from_utf8_lossy(&output.stdout);
        let found: Vec<&str> = text.lines().filter(|line| line.starts_with("DIGEST")).collect();
        let expected: Vec<&str> = expected.lines().collect();
        assert!(found.len() >= 9, "{text}");
        assert_eq!(found, expected, "{threads} threads");
    }
}

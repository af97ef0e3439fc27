//! Grammars that are used before their masks are computed, against the whole ones: masks bit by bit along random walks, and
//! the artifact that comes in the end.

use std::collections::BTreeSet;
use std::sync::Arc;

use grammarc_artifacts::VocabularyArtifact;
use grammarc_artifacts::sections::network::rule_flags;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::cache::{Beginning, Cache, CacheOptions, Origin};
use grammarc_compiler::compile::{CompileOptions, Compiler};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::gbnf::GbnfOptions;
use grammarc_compiler::frontend::json_schema::JsonSchemaOptions;
use grammarc_runtime::{Grammar, Matcher};
use grammarc_tests::random::Rng;
use grammarc_tests::vocabularies;

use crate::digests::sources;

const WALKS: usize = 3;
const STEPS: usize = 14;

/// The grammar without masks of its own, and the whole one.
fn both(
    compiler: &Arc<Compiler>,
    (name, front_end, text): (&str, &FrontEnd, &str),
) -> (Grammar, Grammar) {
    let cache = Cache::open(CacheOptions::new()).unwrap();
    let (source, options) = (Source::new("source", text), CompileOptions::default());
    let begun = cache.get_or_begin(compiler, front_end, &source, &options, Budget::new());
    match begun.unwrap_or_else(|error| panic!("{name}: {error}")) {
        Beginning::Whole(_) => panic!("{name}: a new cache has it"),
        Beginning::Early(pending) => {
            let early = Grammar::early(pending.early().clone());
            let cached = pending.finish().unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(matches!(cached.origin, Origin::Made));
            let budget = Budget::new();
            let again = cache.get_or_compile(compiler, front_end, &source, &options, &budget);
            assert!(matches!(again.unwrap().origin, Origin::Memory), "{name}: it is not kept");
            let controls = front_end.controls(&source, compiler.vocabulary());
            let lowered = front_end.lower_for(source, &controls, &budget).unwrap();
            let whole = compiler.compile(&lowered, front_end.kind(), &options, &budget).unwrap();
            let whole = whole.to_artifact(compiler).unwrap();
            assert_eq!(cached.artifact.checksum(), whole.checksum(), "{name}: another artifact");
            (early, Grammar::from_artifact(cached.artifact))
        }
    }
}

/// Walks both and compares all masks. Returns how many that were.
fn walk(name: &str, early: &Grammar, whole: &Grammar, random: &mut Rng) -> usize {
    let mut one = Matcher::new(whole);
    let mut other = Matcher::new(early);
    let words = one.logit_width().div_ceil(32) as usize;
    let mut rows = [vec![0; words], vec![0; words]];
    for step in 0..STEPS {
        one.mask().fill(&mut rows[0]).unwrap();
        other.mask().fill(&mut rows[1]).unwrap();
        assert!(rows[0] == rows[1], "{name}: another mask at step {step}");
        let mut runs = [Vec::new(), Vec::new()];
        one.forced_tokens(&mut runs[0]);
        other.forced_tokens(&mut runs[1]);
        assert_eq!(runs[0], runs[1], "{name}: another run at step {step}");
        assert!(other.grammar().is_early());
        let mask = one.mask();
        let count = mask.len();
        if count == 0 || one.is_finished() {
            return step + 1;
        }
        let Some(token) = one.mask().iter().nth(random.below(count)) else { return step + 1 };
        if one.accept(token).is_err() {
            return step + 1;
        }
        other.accept(token).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    STEPS
}

fn check(vocabulary: &VocabularyArtifact, every: usize) {
    let compiler = Arc::new(Compiler::new(vocabulary.clone()));
    let mut random = Rng::new(48);
    let (mut grammars, mut masks) = (0, 0);
    for (name, front_end, text) in sources().iter().step_by(every) {
        let (early, whole) = both(&compiler, (name, front_end, text));
        grammars += 1;
        for _ in 0..WALKS {
            masks += walk(name, &early, &whole, &mut random);
        }
        let mut matcher = Matcher::new(&early);
        early.complete(&whole).unwrap();
        matcher.mask();
        assert!(!matcher.grammar().is_early(), "{name}: the matcher does not go over");
    }
    eprintln!("{grammars} grammars begin early; {masks} masks are the same");
    assert!(masks > grammars);
}

/// Grammars with packed sets of names that begin alike: alone, among other texts and within values.
fn with_packed_strings(random: &mut Rng) -> Vec<(&'static str, FrontEnd, String)> {
    const PARTS: [&str; 8] = ["an", "Ber", "lin", "öst", " ", "-", "12", "a"];
    let mut name =
        || -> String { (0..4 + random.below(9)).map(|_| *random.pick(&PARTS)).collect() };
    let names: BTreeSet<String> = (0..2_000).map(|_| name()).collect();
    let listed = |between: &str| {
        let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
        names.join(between)
    };
    let schema = format!(
        r#"{{"properties":{{"city":{{"enum":[{}]}},"n":{{"type":"integer"}}}},"required":["city","n"]}}"#,
        listed(",")
    );
    let schema_options = FrontEnd::JsonSchema(JsonSchemaOptions::default());
    let gbnf = |text: String| (FrontEnd::Gbnf(GbnfOptions::default()), text);
    let alone = gbnf(format!("root ::= {}\n", listed(" | ")));
    let within = gbnf(format!(
        "root ::= (\"the \" name [a-z]* \".\")+\nname ::= {} | [0-9]+\n",
        listed(" | ")
    ));
    vec![
        ("an enum", schema_options, schema),
        ("names alone", alone.0, alone.1),
        ("names in sentences", within.0, within.1),
    ]
}

#[test]
fn early_masks_within_packed_strings_are_those_of_the_artifact() {
    let mut random = Rng::new(7);
    for vocabulary in [vocabularies::small(), vocabularies::built_in()] {
        let compiler = Arc::new(Compiler::new(vocabulary.clone()));
        for (name, front_end, text) in with_packed_strings(&mut random) {
            let (early, whole) = both(&compiler, (name, &front_end, &text));
            for grammar in [&early, &whole] {
                let mut rules = grammar.artifact().tables().rules.iter();
                assert!(rules.any(|rule| rule.flags & rule_flags::PACKED_STRINGS != 0), "{name}");
            }
            let masks: usize = (0..20).map(|_| walk(name, &early, &whole, &mut random)).sum();
            assert!(masks > 60, "{name}: {masks}");
            early.complete(&whole).unwrap();
        }
    }
}

/// Arrays whose items differ, with few values left soon: values that begin alike, pairs, arrays in arrays.
const DIFFERENT: [(&str, &str); 4] = [
    (
        "values",
        r#"{"type":"array","uniqueItems":true,"items":{"enum":["a","ab","abc","b",1,10,[],{}]}}"#,
    ),
    (
        "pairs",
        r#"{"type":"array","uniqueItems":true,"minItems":2,"items":{"type":"object","properties":{"k":{"enum":[1,2]},
            "v":{"enum":["x","xy"]}},"required":["k","v"],"additionalProperties":false}}"#,
    ),
    (
        "arrays in arrays",
        r#"{"type":"array","uniqueItems":true,"items":{"type":"array","uniqueItems":true,"maxItems":2,"items":{"enum":[0,1,"0"]}}}"#,
    ),
    ("strings", r#"{"type":"array","uniqueItems":true,"items":{"type":"string","maxLength":1}}"#),
];

#[test]
fn early_masks_leave_out_what_repeats_an_item() {
    let mut random = Rng::new(11);
    let front_end = FrontEnd::JsonSchema(JsonSchemaOptions::default());
    for vocabulary in [vocabularies::small(), vocabularies::built_in()] {
        let compiler = Arc::new(Compiler::new(vocabulary.clone()));
        for (name, text) in DIFFERENT {
            let (early, whole) = both(&compiler, (name, &front_end, text));
            let mut rules = early.artifact().tables().rules.iter();
            assert!(rules.any(|rule| rule.flags & rule_flags::DISTINCT != 0), "{name}");
            let masks: usize = (0..60).map(|_| walk(name, &early, &whole, &mut random)).sum();
            assert!(masks > 120, "{name}: {masks}");
        }
    }
}

#[test]
fn early_masks_are_those_of_the_artifact() {
    check(vocabularies::small(), 1);
    check(vocabularies::built_in(), 5);
}

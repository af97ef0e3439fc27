//! Packed string sets, against the oracle and against the same grammars with the sets unrolled.
//!
//! Random cases get sets of texts over their letters in every place of an expression, and are held against the oracle as all
//! others are. High-fanout nodes need more tokens than these have: for the vocabulary that is built in, the masks of
//! packed sets are those of automata along random walks.
//!
//! `GRAMMARC_GRAMMARS` sets the number of random cases, and `GRAMMARC_SEED` the first seed.

use std::num::NonZero;
use std::sync::Arc;

use grammarc_artifacts::sections::network::rule_flags;
use grammarc_artifacts::{GrammarArtifact, VocabularyArtifact};
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiler};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::ir::{Expr, Lowered, Texts};
use grammarc_compiler::network::NetworkLimits;
use grammarc_runtime::{Grammar, Matcher};
use grammarc_tests::case::Case;
use grammarc_tests::compare::{Counts, Difference, Effort, compare};
use grammarc_tests::oracle::Token;
use grammarc_tests::random::{Rng, Spelling, case};
use grammarc_tests::shrink::shrink;
use grammarc_tests::vocabularies;
use rayon::prelude::*;

/// Random texts of a few letters.
fn texts(rng: &mut Rng, letters: &[u8]) -> Expr {
    let count = 1 + rng.below(8);
    let text =
        |rng: &mut Rng| -> Vec<u8> { (0..1 + rng.below(5)).map(|_| *rng.pick(letters)).collect() };
    let texts = (0..count).map(|_| text(rng)).collect::<Vec<_>>();
    Expr::Texts(Arc::new(Texts::new(texts).expect("none is empty")))
}

/// A random case with sets of texts in some of its rules.
fn with_texts(seed: u64, spelling: Spelling) -> Case {
    let mut case = case(seed, spelling);
    let mut rng = Rng::new(seed ^ 0x1234_5678);
    let bytes = case.tokens.iter().filter_map(|token| match token {
        Token::Text(bytes) => Some(bytes),
        _ => None,
    });
    let mut letters: Vec<u8> = bytes.flatten().copied().collect();
    letters.sort_unstable();
    letters.dedup();
    letters.retain(|letter| (b'!'..=b'z').contains(letter));
    letters.truncate(4 + rng.below(3));
    if letters.is_empty() {
        return case;
    }
    let one = texts(&mut rng, &letters);
    for rule in case.kept..case.rules.len() {
        if rng.one_in(2) && rule + 1 < case.rules.len() {
            continue;
        }
        let set = if rng.one_in(2) { one.clone() } else { texts(&mut rng, &letters) };
        let old = std::mem::replace(&mut case.rules[rule], Expr::Never);
        case.rules[rule] = match rng.below(7) {
            0 => Expr::alt([old, set]),
            1 => Expr::seq([set, old]),
            2 => Expr::seq([old, set]),
            3 => Expr::alt([Expr::seq([set.clone(), old]), set]),
            4 => Expr::seq([old, set.repeat(0, [None, Some(2), Some(30)][rng.below(3)])]),
            5 => Expr::alt([set, Expr::seq([texts(&mut rng, &letters), old])]),
            _ => Expr::seq([set.clone(), Expr::byte(letters[0]), set, old.optional()]),
        };
    }
    case
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

const EFFORT: Effort = Effort { positions: 24, walks: 2, steps: 20 };

/// Number of rules of a grammar that are packed string sets.
fn packed_rules(grammar: &Grammar) -> usize {
    let rules = grammar.artifact().tables().rules.iter();
    rules.filter(|rule| rule.flags & rule_flags::PACKED_STRINGS != 0).count()
}

fn run(spelling: Spelling, default: u64) {
    let first = number("GRAMMARC_SEED", 0);
    let seeds = first..first + number("GRAMMARC_GRAMMARS", default);
    let compared = |seed: u64| {
        let case = with_texts(seed, spelling);
        let found = std::panic::catch_unwind(|| {
            let packed = case.compile().map_or(0, |grammar| packed_rules(&grammar));
            compare(&case, EFFORT, seed).map(|counts| (counts, packed))
        });
        let panics = |_| Difference { prefix: Vec::new(), what: "panic".to_owned() };
        found.map_err(panics).and_then(|found| found).map_err(|difference| (seed, difference))
    };
    let found: Vec<Result<(Counts, usize), (u64, Difference)>> =
        seeds.clone().into_par_iter().map(compared).collect();
    let wrong: Vec<&(u64, Difference)> =
        found.iter().filter_map(|found| found.as_ref().err()).collect();
    if let Some((seed, first)) = wrong.first() {
        let fails = |case: &Case| {
            let found = std::panic::catch_unwind(|| compare(case, EFFORT, *seed).err());
            let what =
                found.map_or(Some("panic".to_owned()), |found| found.map(|found| found.what));
            // What is wrong, whatever the numbers in it.
            what.map(|what| what.replace(|letter: char| letter.is_ascii_digit(), ""))
        };
        let what = fails(&with_texts(*seed, spelling));
        let small = shrink(with_texts(*seed, spelling), 300, |case| fails(case) == what);
        panic!("{} cases fail: seed {seed}: {first:?}\n{what:?}\n{small}", wrong.len());
    }
    let all = found.iter().flatten();
    let counts = all.clone().fold(Counts::default(), |sum, (one, _)| sum.and(*one));
    let packed = all.filter(|(_, packed)| *packed > 0).count();
    eprintln!("{packed} grammars with packed string sets: {counts:#?}");
    assert!(
        packed * 3 > counts.compiled,
        "{packed} of {} have packed string sets",
        counts.compiled
    );
}

#[test]
fn masks_within_packed_strings_are_bit_equal_to_brute_force() {
    run(Spelling::Whole, 800);
}

#[test]
fn masks_within_packed_strings_are_sound_where_the_vocabulary_lacks_bytes() {
    run(Spelling::Partial, 300);
}

/// Names of two to four words, as products have them.
fn names(count: usize) -> Vec<String> {
    const SYLLABLES: [&str; 24] = [
        "ba", "lo", "mi", "tar", "ven", "qu", "os", "eth", "in", "dra", "ship", "el", "ka", "ro",
        "un", "sto", "ly", "ne", "wick", "po", "ér", "ü", "gra", "z",
    ];
    let mut rng = Rng::new(7);
    let word = |rng: &mut Rng| -> String {
        (0..2 + rng.below(3)).map(|_| *rng.pick(&SYLLABLES)).collect()
    };
    let words: Vec<String> = (0..300).map(|_| word(&mut rng)).collect();
    let name = |rng: &mut Rng| -> String {
        let words: Vec<&str> = (0..2 + rng.below(3)).map(|_| &**rng.pick(&words)).collect();
        words.join(" ")
    };
    (0..count).map(|_| name(&mut rng)).collect()
}

/// A grammar as it is, and with its sets of texts unrolled, by way of the artifact's bytes.
fn both(vocabulary: &VocabularyArtifact, lowered: &Lowered) -> [Grammar; 2] {
    let compiler = Compiler::new(vocabulary.clone());
    [1, usize::MAX].map(|packed_texts| {
        let limits = NetworkLimits { packed_texts, ..NetworkLimits::default() };
        let options = CompileOptions::default().network_limits(limits);
        let compiled = compiler.compile(lowered, "test", &options, &Budget::new());
        let bytes = compiled.expect("it compiles").to_buffer(&compiler).expect("it fits");
        let artifact = GrammarArtifact::from_buffer(bytes, vocabulary).expect("it is valid");
        Grammar::from_artifact(artifact)
    })
}

/// Holds one grammar against the other along random walks. Returns how many positions were within a text.
fn walk([one, other]: &[Grammar; 2], walks: usize, seed: u64) -> usize {
    let mut rng = Rng::new(seed);
    let mut positions = 0;
    for _ in 0..walks {
        let (mut one, mut other) = (Matcher::new(one), Matcher::new(other));
        for _ in 0..60 {
            let allowed: Vec<u32> = one.mask().iter().collect();
            assert_eq!(allowed, other.mask().iter().collect::<Vec<_>>());
            assert_eq!(one.mask().len(), allowed.len());
            assert_eq!(one.is_accepting(), other.is_accepting());
            let mut forced = [Vec::new(), Vec::new()];
            one.forced_tokens(&mut forced[0]);
            other.forced_tokens(&mut forced[1]);
            assert_eq!(forced[0], forced[1]);
            let few = allowed.len().min(1 + rng.below(40));
            let Some(&token) = allowed.get(rng.below(few.max(1))) else { break };
            if one.accept(token).is_err() {
                break;
            }
            other.accept(token).expect("an allowed token");
            positions += 1;
        }
    }
    positions
}

fn lowered(front_end: &FrontEnd, text: String) -> Lowered {
    let lowered = front_end.lower(Source::new("test", text), &Budget::new());
    lowered.unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn statistic(grammar: &Grammar, name: &str) -> u64 {
    let mut found = grammar.artifact().meta().statistics.iter().filter(|(key, _)| key == name);
    found.next().map_or(0, |(_, value)| *value)
}

fn choice(names: &[String]) -> Lowered {
    let text = serde_json::to_string(names).expect("texts");
    lowered(&FrontEnd::Choice(Default::default()), text)
}

#[test]
fn a_choice_of_many_is_packed_with_the_masks_of_its_automaton() {
    let grammars = both(vocabularies::built_in(), &choice(&names(3000)));
    assert_eq!([packed_rules(&grammars[0]), packed_rules(&grammars[1])], [1, 0]);
    assert!(statistic(&grammars[0], "high-fanout nodes") > 0);
    assert_eq!(grammars[0].artifact().meta().work.most_configurations, 1);
    assert!(walk(&grammars, 30, 1) > 100);
}

#[test]
fn an_enum_of_many_is_packed_wherever_it_stands() {
    let mut names = names(1500);
    names.extend(["a \"quote\"", "tab\t", "日本", "ba", "", "ba lo"].map(str::to_owned));
    let other: Vec<String> = names.iter().step_by(2).map(|name| format!("{name}, other")).collect();
    let others: Vec<String> = (0..900).map(|at| format!("x{at} {}", names[at])).collect();
    let another = [other, others].concat();
    let one = serde_json::json!({"enum": names});
    let mixed: Vec<serde_json::Value> =
        [serde_json::json!(null), 12.into(), serde_json::json!({"a": [true]})]
            .into_iter()
            .chain(names.iter().map(|name| name.as_str().into()))
            .collect();
    let object = |properties: serde_json::Value| serde_json::json!({"type": "object", "properties": properties, "additionalProperties": false});
    let front_end = FrontEnd::JsonSchema(Default::default());
    let cases = [
        (one.clone(), 1),
        (serde_json::json!({"enum": mixed}), 1),
        (object(serde_json::json!({"name": one, "n": {"type": "integer"}})), 1),
        (serde_json::json!({"type": "array", "items": one, "maxItems": 30}), 1),
        (object(serde_json::json!({"a": one, "b": {"enum": another}})), 2),
        (
            serde_json::json!({"anyOf": [one, {"type": "string", "maxLength": 5}, {"type": "null"}]}),
            1,
        ),
        (serde_json::json!({"allOf": [one, {"type": "string", "maxLength": 30}]}), 1),
        (serde_json::json!({"propertyNames": one, "additionalProperties": {"type": "null"}}), 0),
    ];
    for (schema, packed) in cases {
        let grammars = both(vocabularies::small(), &lowered(&front_end, schema.to_string()));
        let what = schema.to_string().replace(&one.to_string(), "ONE");
        let what = &what[..what.len().min(200)];
        assert_eq!([packed_rules(&grammars[0]), packed_rules(&grammars[1])], [packed, 0], "{what}");
        assert!(walk(&grammars, 12, 3) > 20, "{what}");
    }
}

#[test]
fn literals_of_a_grammar_are_packed_where_they_are_many() {
    let names = names(1400);
    let literals: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let (all, half) = (literals.join(" | "), literals[700..].join("\n  | "));
    let sources = [
        format!("root ::= {all}"),
        format!("root ::= \"to \" name (\", \" name)* \"!\"\nname ::= {all}"),
        format!("root ::= (\"a \" | \"the \")? ({all} | [0-9]{{2,40}}) \"s\"?"),
        format!("root ::= {half}"),
    ];
    for (source, packed) in sources.into_iter().zip([1, 1, 1, 0]) {
        let lowered = lowered(&FrontEnd::Gbnf(Default::default()), source);
        let grammars = both(vocabularies::small(), &lowered);
        assert_eq!([packed_rules(&grammars[0]), packed_rules(&grammars[1])], [packed, 0]);
        assert!(walk(&grammars, 12, 3) > 20);
    }
}

#[test]
fn artifacts_of_packed_strings_do_not_depend_on_threads() {
    let lowered = choice(&names(5000));
    let artifact = |threads| {
        let compiler =
            Compiler::on_threads(vocabularies::built_in().clone(), NonZero::new(threads));
        let options = CompileOptions::default();
        let compiled = compiler.compile(&lowered, "test", &options, &Budget::new());
        compiled.expect("it compiles").to_buffer(&compiler).expect("it fits").to_vec()
    };
    let one = artifact(1);
    assert!([2, 3].iter().all(|&threads| artifact(threads) == one));
}

#[test]
fn twenty_thousand_names_are_smaller_than_their_texts() {
    let names = names(20_000);
    let bytes: usize = names.iter().map(String::len).sum();
    let lowered = choice(&names);
    let begin = std::time::Instant::now();
    let compiler = Compiler::new(vocabularies::built_in().clone());
    let compiled = compiler.compile(&lowered, "test", &CompileOptions::default(), &Budget::new());
    let artifact = compiled.expect("it compiles").to_buffer(&compiler).expect("it fits");
    eprintln!("{} bytes of {bytes} in {:?}", artifact.len(), begin.elapsed());
    assert!(artifact.len() < bytes * 6 / 5, "{} bytes of {bytes}", artifact.len());
    let artifact = GrammarArtifact::from_buffer(artifact, compiler.vocabulary()).expect("valid");
    let grammar = Grammar::from_artifact(artifact);
    for name in names.iter().step_by(997) {
        let mut matcher = grammarc_runtime::ByteMatcher::new(&grammar);
        matcher.accept(name.as_bytes()).expect("a name");
        assert!(matcher.is_accepting());
    }
}

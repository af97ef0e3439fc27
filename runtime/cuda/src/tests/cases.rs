//! Grammars to try: the folder's, some that reach into every table, and random ones.

use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder};
use grammarc_compiler::network::NetworkLimits;
use grammarc_runtime::{Grammar, Matcher};
use grammarc_tests::random::{Rng, Spelling, case};
use grammarc_tests::sources::{Language, compiled, folder, gbnf, lower};
use grammarc_tests::vocabularies::{artifact, of_words, small, table};

/// The grammars of the folder for the small vocabulary, with what the folder has none of: countdowns, sets of keys, items that
/// differ, token edges, left recursion, deep nesting.
pub(super) fn grammars() -> Vec<Grammar> {
    let vocabulary = small();
    let mut grammars: Vec<Grammar> = folder()
        .into_iter()
        .map(|(name, language, text)| {
            compiled(vocabulary, &lower(language, &name, &text).expect("it is right"))
        })
        .collect();
    let sources = [
        "root ::= \"[\" item{3,40} \"]\"\nitem ::= [a-z]{2,9} (\",\" | \";\")",
        "root ::= a\na ::= \"(\" a \")\" | \"x\" a | \".\"",
        "root ::= s\ns ::= s \"+\" t | t\nt ::= t \"*\" f | f\nf ::= \"(\" s \")\" | [0-9]+",
        r#"root ::= <pad> "ab" <pad> | "x"+ <pad>?"#,
        r#"root ::= ("a" | "ab") ("b" | "bc")* "c""#,
    ];
    grammars.extend(sources.map(|text| compiled(vocabulary, &gbnf(text))));
    let options = JsonSchemaOptions { key_order: KeyOrder::Any, ..JsonSchemaOptions::default() };
    for schema in [
        r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"},"c":{"enum":[1,2,3]}},"required":["a","b"]}"#,
        r#"{"type":"array","uniqueItems":true,"items":{"enum":["a","ab",1,2,null]}}"#,
        r#"{"type":"array","items":{"type":"array","items":{"type":"string","maxLength":20}},"minItems":2,"maxItems":30}"#,
    ] {
        use grammarc_compiler::{budget::Budget, diagnostics::Source, frontend::json_schema};
        let lowered = json_schema::lower(Source::new("schema", schema), &options, &Budget::new());
        grammars.push(compiled(vocabulary, &lowered.expect("it is right")));
    }
    grammars
}

/// A grammar of its own vocabulary, with masks by the count that is left, of which a token may have more from the beginning on.
pub(super) fn near_bound() -> Grammar {
    use grammarc_compiler::{budget::Budget, compile::CompileOptions, compile::Compiler};
    let runs = [1, 2, 3, 5, 9, 17, 30].map(|length| "a".repeat(length));
    let vocabulary = artifact(&of_words(&format!("ab b ba {}", runs.join(" "))));
    let schema = r#"{"type":"array","items":{"type":"string","pattern":"^(?:[ab]+ ){0,90}[ab]+$","maxLength":24}}"#;
    let lowered = lower(Language::JsonSchema, "near-bound", schema).expect("it is right");
    let limits = NetworkLimits { count_dependent_states: 0, ..NetworkLimits::default() };
    let options = CompileOptions::default().network_limits(limits);
    let compiler = Compiler::new(vocabulary);
    let compiled = compiler.compile(&lowered, "json-schema", &options, &Budget::new());
    let compiled = compiled.expect("it is small");
    let grammar = Grammar::from_artifact(compiled.to_artifact(&compiler).expect("it is small"));
    let tables = grammar.artifact().tables();
    assert!(!tables.near_bound.is_empty(), "masks are by the count");
    grammar
}

/// A vocabulary of more than two chunks, most of whose tokens are words that every string of JSON takes.
pub(super) fn wide() -> Grammar {
    let words: Vec<String> =
        (0..3000).map(|at| format!("{:x}{}", at * 7919 % 4093, "z".repeat(at % 11))).collect();
    let vocabulary = artifact(&of_words(&words.join(" ")));
    let text = r#"root ::= "\"" [^"\\]* "\"" | [0-9]+ | "[" root ("," root)* "]""#;
    compiled(&vocabulary, &gbnf(text))
}

/// Random grammars, each with a vocabulary of its own.
pub(super) fn random(seeds: std::ops::Range<u64>) -> impl Iterator<Item = Grammar> {
    seeds.filter_map(|seed| case(seed, Spelling::Whole).compile().ok())
}

/// A vocabulary that has nothing but bytes.
pub(super) fn of_bytes(text: &str) -> Grammar {
    let bytes = (0..=u8::MAX).map(|byte| [byte]);
    compiled(&artifact(&table(bytes, &["<pad>", "<eos>"])), &gbnf(text))
}

/// A token for a matcher: one that is allowed nearly always, else any.
pub(super) fn token(matcher: &mut Matcher, rng: &mut Rng) -> u32 {
    let width = matcher.logit_width() as usize;
    let mask = matcher.mask();
    let count = mask.len();
    if count == 0 || rng.one_in(25) {
        return rng.below(width + 2) as u32;
    }
    // The first of a long mask would be one of a few all the time.
    mask.iter().nth(rng.below(count)).unwrap_or_default()
}

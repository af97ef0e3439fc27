//! Sampling, judged by the naive recogniser of the IR, which shares no code with masks and costs.

use grammarc::sample::{SampleOptions, Sampler};
use grammarc_artifacts::{GrammarArtifact, VocabularyArtifact};
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiler, build_vocabulary};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::gbnf::{self, GbnfOptions};
use grammarc_compiler::frontend::json_schema::{TextForm, prelude_grammar};
use grammarc_compiler::ir::Lowered;
use grammarc_compiler::ir::recognize::recognizes;
use grammarc_compiler::vocabulary::{TokenEntry, TokenTable};
use grammarc_runtime::Grammar;

/// Grammars with the length of their shortest text.
const GRAMMARS: [(&str, usize); 18] = [
    ("root ::= \"\"", 0),
    ("root ::= \"abc\" | \"ab\"", 2),
    ("root ::= [a-c]*", 0),
    ("root ::= \"a\" root \"b\" | \"c\"", 1),
    ("root ::= root \"a\" | \"bb\"", 2),
    ("root ::= \"a\" | root root \"b\"", 1),
    ("root ::= \"[\" (root (\",\" root)*)? \"]\"", 2),
    ("root ::= x \"c\" | x x \"a\"\nx ::= \"a\" x | \"b\"", 2),
    ("root ::= \"a\"{40}", 40),
    ("root ::= \"ab\"{40,} \"c\"?", 80),
    ("root ::= [ab]{3,400} \"c\"", 4),
    ("root ::= (\"a\" | \"ab\"){300,500}", 300),
    ("root ::= (\"a\" x){60} \"b\"\nx ::= \"c\" x | \"b\"", 121),
    ("root ::= \"(\" (root | \"a\"){50,60} \")\"", 52),
    ("root ::= (\"a\" [bc]{0,90}){80} \"c\"", 81),
    ("root ::= \"a\" x{0,200} \"b\"\nx ::= \"c\" root?", 2),
    ("root ::= e\ne ::= e \"+\" e | \"(\" e \")\" | \"a\"", 1),
    ("root ::= [^a-c]{2} | \"\\u00e9\"", 2),
];

/// A vocabulary of these texts.
fn vocabulary(texts: impl IntoIterator<Item = Vec<u8>>) -> VocabularyArtifact {
    let tokens = texts.into_iter().map(TokenEntry::text).collect();
    let table = TokenTable::new("test", tokens, Vec::new());
    let data = build_vocabulary(&table, "test", &prelude_grammar(&TextForm::COMMON), None);
    let bytes = data.expect("builds").to_bytes().expect("fits");
    VocabularyArtifact::from_buffer(bytes).expect("valid")
}

/// Every byte, and some texts of several.
fn all_bytes() -> VocabularyArtifact {
    let words = ["ab", "abc", "aaaa", "bc", "cb", "a+", "),", "]]", ",["];
    let words = words.map(|word| word.as_bytes().to_vec());
    vocabulary((0..=255).map(|byte| vec![byte]).chain(words))
}

fn lowered(source: &str) -> Lowered {
    gbnf::lower(Source::new("test", source), &GbnfOptions::default(), &Budget::new())
        .unwrap_or_else(|errors| panic!("{source}: {errors:?}"))
}

fn compiled(source: &str, vocabulary: &VocabularyArtifact) -> Grammar {
    let compiler = Compiler::new(vocabulary.clone());
    let compiled = compiler
        .compile(&lowered(source), "gbnf", &CompileOptions::default(), &Budget::new())
        .unwrap_or_else(|error| panic!("{source}: {error}"));
    let buffer = compiled.to_buffer(&compiler).expect("fits");
    Grammar::from_artifact(GrammarArtifact::from_buffer(buffer, vocabulary).expect("valid"))
}

#[test]
fn every_sample_is_in_the_language() {
    let vocabulary = all_bytes();
    for (source, _) in GRAMMARS {
        let grammar = compiled(source, &vocabulary);
        let ir = lowered(source).grammar;
        for uniform in [false, true] {
            // Few tokens, so that completions begin everywhere.
            for max_tokens in [1, 2, 3, 5, 8, 60] {
                let options = SampleOptions { seed: 5, max_tokens, uniform };
                let sampler = Sampler::new(&grammar, options);
                for number in 0..4 {
                    let sample = sampler
                        .draw(number)
                        .unwrap_or_else(|error| panic!("{source}, {options:?}: {error}"));
                    let text = sample.text.escape_ascii();
                    assert!(recognizes(&ir, &sample.text), "{source}, {options:?}: {text}");
                    assert!(
                        sample.drawn <= max_tokens.min(sample.tokens.len()),
                        "{source}: {text}"
                    );
                }
            }
        }
    }
}

#[test]
fn completions_are_shortest() {
    let vocabulary = all_bytes();
    for (source, shortest) in GRAMMARS {
        let options = SampleOptions { max_tokens: 0, ..SampleOptions::default() };
        let sample = Sampler::new(&compiled(source, &vocabulary), options).draw(0);
        let sample = sample.unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_eq!(sample.text.len(), shortest, "{source}: {}", sample.text.escape_ascii());
        assert!(recognizes(&lowered(source).grammar, &sample.text), "{source}");
        assert_eq!(sample.drawn, 0);
    }
}

#[test]
fn a_text_that_no_tokens_spell_is_gone_around() {
    // There is no token `x`: the shortest text is out of reach.
    let texts = ["y", "z", "ax", "a"].map(|text| text.as_bytes().to_vec());
    let vocabulary = vocabulary(texts);
    for (source, expected) in
        [("root ::= \"x\" | \"yyy\"", "yyy"), ("root ::= \"zzx\" | \"zzyyy\" | \"zzaxy\"", "zzaxy")]
    {
        let grammar = compiled(source, &vocabulary);
        let options = SampleOptions { max_tokens: 0, ..SampleOptions::default() };
        let texts: Vec<Vec<u8>> = (0..8)
            .map(|number| Sampler::new(&grammar, options).draw(number).expect("an end").text)
            .collect();
        assert!(texts.iter().all(|text| recognizes(&lowered(source).grammar, text)), "{source}");
        assert!(texts.iter().any(|text| text == expected.as_bytes()), "{source}: {texts:?}");
    }
}

#[test]
fn leaning_samples_are_short() {
    let vocabulary = all_bytes();
    let grammar = compiled("root ::= \"\\\"\" [^\"]* \"\\\"\"", &vocabulary);
    let draw = |uniform| {
        let options = SampleOptions { uniform, ..SampleOptions::default() };
        let sampler = Sampler::new(&grammar, options);
        let samples: Vec<Vec<u8>> =
            (0..20).map(|number| sampler.draw(number).expect("an end").text).collect();
        let printable = samples.iter().flatten().all(|byte| (b' '..=b'~').contains(byte));
        (samples.iter().map(Vec::len).sum::<usize>(), printable)
    };
    let ((leaning, printable), (uniform, _)) = (draw(false), draw(true));
    assert!(printable);
    assert!(leaning < uniform, "{leaning} and {uniform}");
}

//! Special tokens in the strings of structural tags, also of those within grammars.

use grammarc_artifacts::VocabularyArtifact;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiler};
use grammarc_compiler::controls::ControlTokens;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::gbnf::{GbnfOptions, Notation};
use grammarc_compiler::frontend::settings::{Language, Settings};
use grammarc_compiler::frontend::sources::{NamedSource, Sources};
use grammarc_compiler::frontend::structural_tag::{StructuralTagOptions, Tokens, lower};
use grammarc_compiler::ir::recognize::recognizes;
use grammarc_compiler::network::NetworkLimits;
use grammarc_compiler::vocabulary::TokenTable;
use grammarc_tests::vocabularies::{artifact, table};
use serde_json::{Value, json};

/// Bytes, and special tokens.
fn vocabulary() -> VocabularyArtifact {
    artifact(&table((0..=u8::MAX).map(|byte| [byte]), &["<call>", "</call>", "<eos>"]))
}

fn named(language: &str, name: &str, text: &str, options: Value) -> NamedSource {
    let Value::Object(options) = options else { panic!("options are an object") };
    NamedSource { language: language.to_owned(), options, source: Source::new(name, text) }
}

#[test]
fn strings_that_are_special_tokens_mean_these() {
    let controls = ControlTokens::of(&vocabulary());
    let content = json!({"type": "const_string", "value": "2"});
    let one = json!({"type": "tag", "begin": "<call>\n1", "content": content, "end": "\n</call>"});
    let tag = json!({"type": "triggered_tags", "triggers": ["<call>"], "tags": [one]});
    let of = |tokens| {
        let source = Source::new("<test>", tag.to_string());
        let options = StructuralTagOptions { tokens, ..StructuralTagOptions::default() };
        lower(source, &options, &controls, &Budget::new()).unwrap()
    };
    let spelled = b"a<call>\n12\n</call>b";
    let lowered = of(Tokens::Prefer);
    assert!(!recognizes(&lowered.grammar, spelled));
    assert!(recognizes(&lowered.grammar, b"a<cal"));
    let notes: Vec<_> =
        lowered.findings.iter().map(|note| (note.code, note.pointer.clone().unwrap())).collect();
    assert_eq!(
        notes,
        [
            ("structural-tag::special-token", "/tags/0/begin".to_owned()),
            ("structural-tag::special-token", "/tags/0/end".to_owned()),
        ]
    );
    for tokens in [Tokens::Both, Tokens::Never] {
        assert!(recognizes(&of(tokens).grammar, spelled), "{tokens:?}");
    }
    let unknown = json!({"type": "token", "token": "<cal>"});
    let source = Source::new("<test>", unknown.to_string());
    let errors =
        lower(source, &StructuralTagOptions::default(), &controls, &Budget::new()).unwrap_err();
    assert_eq!(
        (errors[0].code, errors[0].pointer.as_deref()),
        ("structural-tag::unknown-token", Some("/token"))
    );
}

/// A structural tag that is one text.
const TAG: &str = r#"{"type": "const_string", "value": "<call>"}"#;

#[test]
fn structural_tags_within_read_special_tokens() {
    let vocabulary = vocabulary();
    let mut sources = Sources::default();
    sources.add("tag", named("structural_tag", "tag", TAG, json!({})));
    let deep =
        json!({"start": "root", "sources": {"inner": {"language": "structural-tag", "text": TAG}}});
    sources.add("deep", named("ebnf", "deep", "root ::= @\"inner\"", deep));
    let standing = format!("root ::= \"a\" @structural-tag{TAG} \"b\"");
    let in_grammar = json!({"type": "grammar", "grammar": standing}).to_string();
    let reads = |text: &str, sources: &Sources, notation| {
        let front_end = FrontEnd::Gbnf(GbnfOptions {
            notation,
            sources: sources.clone(),
            ..GbnfOptions::default()
        });
        let source = Source::new("test.gbnf", text);
        let controls = front_end.controls(&source, &vocabulary);
        let lowered = front_end.lower_for(source.clone(), &controls, &Budget::new()).unwrap();
        let has_token = lowered.findings.iter().any(|note| note.code.ends_with("special-token"));
        let spelled = recognizes(&lowered.grammar, b"a<call>b");
        assert_ne!(has_token, spelled, "{text}");
        assert_eq!(front_end.depends_on_vocabulary(&source), has_token, "{text}");
        // Without a vocabulary the text is spelled.
        let lowered = front_end.lower(source, &Budget::new()).unwrap();
        assert!(recognizes(&lowered.grammar, b"a<call>b"), "{text}");
        has_token
    };
    let none = Sources::default();
    for notation in [Notation::Gbnf, Notation::Xgrammar] {
        assert!(reads(&standing, &none, notation));
        assert!(reads(&standing.replace('-', "_"), &none, notation));
        assert!(reads("root ::= \"a\" @\"tag\" \"b\"", &sources, notation));
        assert!(reads("root ::= \"a\" @\"deep\" \"b\"", &sources, notation));
        assert!(reads(&format!("root ::= @structural-tag{in_grammar}"), &none, notation));
        assert!(!reads("root ::= @regex/a/ \"<call>b\"", &none, notation));
    }
    // A grammar in a structural tag has sources of other languages, too.
    let tag = json!({"type": "grammar", "grammar": "root ::= @regex/a+/"}).to_string();
    let front_end = FrontEnd::new(Language::StructuralTag).unwrap();
    let lowered = front_end.lower(Source::new("test", tag), &Budget::new()).unwrap();
    assert!(recognizes(&lowered.grammar, b"aa") && !recognizes(&lowered.grammar, b"b"));
}

#[test]
fn an_end_token_that_something_has_to_follow_is_warned_of() {
    let vocabulary = artifact(&TokenTable {
        end_tokens: vec![258],
        ..table((0..=u8::MAX).map(|byte| [byte]), &["<call>", "</call>", "<eos>"])
    });
    let compiler = Compiler::new(vocabulary);
    let tag = |end: &str| {
        let content = json!({"type": "any_text"});
        let tag = json!({"type": "tag", "begin": "<call>", "content": content, "end": "<eos>"});
        json!({"type": "sequence", "elements": [tag, {"type": "const_string", "value": end}]})
    };
    let cases = [
        (Language::Gbnf, "root ::= \"a\" <eos> \"b\"".to_owned(), 1),
        (Language::Gbnf, "root ::= (\"a\" x)+\nx ::= \"y\" <eos>".to_owned(), 0),
        (Language::Gbnf, "root ::= x \"b\"\nx ::= \"y\" <[258]>".to_owned(), 1),
        (Language::Gbnf, "root ::= \"a\" !<call> \"b\"".to_owned(), 0),
        (Language::Gbnf, "root ::= \"a\" <eos> \"b\"?".to_owned(), 0),
        (Language::Lark, "start: \"a\" <eos> \"b\"".to_owned(), 1),
        (Language::StructuralTag, tag("b").to_string(), 1),
        (Language::StructuralTag, tag("").to_string(), 0),
    ];
    for (language, text, expected) in cases {
        let Settings { front_end, .. } = Settings::read(language, "").unwrap();
        let source = Source::new("<test>", text.clone());
        let controls = ControlTokens::of(compiler.vocabulary());
        let budget = Budget::new();
        let lowered = front_end.lower_for(source, &controls, &budget);
        let lowered = lowered.unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        let begun = compiler.begin(&lowered, "test", &CompileOptions::default(), &budget).unwrap();
        let early = begun.findings().iter().filter(|finding| finding.code == "compile::early-end");
        assert_eq!(early.count(), expected, "{text}");
    }
}

#[test]
fn a_grammar_of_many_states_is_reported_with_its_keyword() {
    let compiler = Compiler::new(vocabulary());
    // By default, such an automaton stays nondeterministic.
    let limits = NetworkLimits { deterministic_states: 1 << 20, ..NetworkLimits::default() };
    let options = CompileOptions::default().network_limits(limits);
    let costs = |schema: &str| {
        let Settings { front_end, .. } = Settings::read(Language::JsonSchema, "").unwrap();
        let budget = Budget::new();
        let lowered = front_end.lower(Source::new("<test>", schema), &budget).unwrap();
        let begun = compiler.begin(&lowered, "test", &options, &budget).unwrap();
        let costly = begun.findings().iter().find(|finding| finding.code == "compile::costly");
        costly.map(|finding| (finding.pointer.clone(), finding.message.clone()))
    };
    let schema = r#"{"properties": {"x": {"maxLength": 9}, "y": {"type": "string", "pattern": "^(a|b)*a(a|b){14}$"}}}"#;
    let (pointer, message) = costs(schema).expect("two to the fourteenth are many");
    assert_eq!(pointer.as_deref(), Some("/properties/y/pattern"));
    assert!(message.contains("`pattern`"), "{message}");
    assert_eq!(costs(r#"{"properties": {"x": {"maxLength": 9}}}"#), None);
}

//! Tests of manifests: what valid ones mean, and the errors of invalid ones with their positions.

use std::path::Path;
use std::time::Duration;

use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::deny::Deny;
use grammarc_compiler::frontend::json_schema::{KeyOrder, Whitespace};
use grammarc_compiler::frontend::settings::Language;

use super::*;

const VOCABULARY: &str = "[[vocabulary]]\nname = \"v\"\ntokenizer = \"t.json\"\n";
const SOURCE: &str = "[[source]]\nfiles = [\"*.json\"]\n";

fn parse(text: &str) -> Result<Manifest, Vec<Diagnostic>> {
    read(Source::new("grammarc.toml", text), Path::new("/r"))
}

/// Returns the errors of a manifest's text, each as (code, line from 1, message).
fn errors(text: &str) -> Vec<(&'static str, usize, String)> {
    let source = Source::new("grammarc.toml", text);
    let errors = parse(text).expect_err("it has errors");
    let place = |error: &Diagnostic| source.line_column(error.labels[0].span.start).0;
    errors.iter().map(|error| (error.code, place(error), error.message.clone())).collect()
}

#[test]
fn everything_that_can_be_said_is_understood() {
    let text = r#"
output = "masks"
[limits]
time-limit = 1.5
memory-limit = 64
max-states = 1000
[[vocabulary]]
name = "llama3"
tokenizer = "models/llama3"
end-tokens = ["<|eot_id|>", 7]
logit-width = 300
text-ids = ["<h*>", 3]
special-ids = ["4-5"]
unused-ids = [6]
special-tokens = [{ text = "<s>", id = 8 }]
[[vocabulary]]
name = "other"
file = "other.gvocab"
[[source]]
files = ["a/*.json", "b.json"]
exclude = ["a/x*.json"]
folder = "compact"
vocabularies = ["other"]
kind = "json-schema"
dialect = "openapi-3.0"
closed = true
whitespace = "indented:4"
levels = 3
surround = 2
numbers = "canonical"
escapes = "any"
key-order = "any-once"
deny = ["approximate", "unknown-keyword"]
[[source]]
files = ["*.gbnf"]
start = "s"
"#;
    let manifest = parse(text).expect("it is right");
    assert_eq!(manifest.output.as_deref(), Some(Path::new("/r/masks")));
    assert_eq!(
        (manifest.limits.time, manifest.limits.memory),
        (Duration::from_millis(1500), 64 << 20)
    );
    let [llama, other] = &manifest.vocabularies[..] else { panic!("two") };
    let VocabularyFrom::Tokenizer { spec, described, .. } = &llama.from else { panic!("one") };
    assert_eq!(spec, "/r/models/llama3");
    for part in ["eot_id", "7", "300", "<h*>", "4, 5", "6", "<s>"] {
        assert!(described.contains(part), "{part} in {described}");
    }
    assert!(
        matches!(&other.from, VocabularyFrom::File(path) if path == Path::new("/r/other.gvocab"))
    );
    let [schemas, grammars] = &manifest.groups[..] else { panic!("two") };
    assert_eq!((&schemas.vocabularies[..], &grammars.vocabularies[..]), (&[1][..], &[0, 1][..]));
    assert_eq!(schemas.deny, [Deny::Approximate, Deny::UnknownKeyword]);
    let Ok(FrontEnd::JsonSchema(options)) = schemas.front_end(Language::JsonSchema, "a.json")
    else {
        panic!("a schema")
    };
    assert!(
        matches!(options.text.whitespace, Whitespace::Indented(i) if (i.spaces, i.levels) == (4, 3))
    );
    assert_eq!(
        (options.key_order, options.closed, options.text.surround),
        (KeyOrder::AnyOnce, true, 2)
    );
    let Ok(FrontEnd::Gbnf(options)) = grammars.front_end(Language::Gbnf, "a.gbnf") else {
        panic!()
    };
    assert_eq!(options.start, "s");
    // Each option is for one language.
    let error = schemas.front_end(Language::Gbnf, "a.gbnf").expect_err("it is no schema");
    assert!(
        error.message.starts_with("dialect: it is for json-schema sources, and a.gbnf is gbnf")
    );
    assert!(grammars.front_end(Language::JsonSchema, "a.json").is_err());
}

#[test]
fn a_built_in_vocabulary_is_no_path() {
    let text = format!("{}{SOURCE}", VOCABULARY.replace("t.json", "o200k_base"));
    let manifest = parse(&text).expect("it is right");
    let VocabularyFrom::Tokenizer { spec, .. } = &manifest.vocabularies[0].from else { panic!() };
    assert_eq!(spec, "o200k_base");
}

#[test]
fn errors_name_key_and_place() {
    let group = |more: &str| format!("{VOCABULARY}{SOURCE}{more}");
    for (text, code, line, part) in [
        ("output = 3".to_owned(), "manifest::syntax", 1, "output: invalid type: integer"),
        ("[[vocabulary]\n".to_owned(), "manifest::syntax", 1, "]"),
        (group("whitespce = \"compact\""), "manifest::syntax", 6, "`whitespce`"),
        (group("key-order = \"some\""), "manifest::value", 6, "key-order: unknown variant `some`"),
        (group("whitespace = \"loose\""), "manifest::value", 6, "whitespace: expected natural"),
        (group("levels = 3"), "manifest::value", 6, "levels: "),
        (group("separators = [\",\", \"x\"]"), "manifest::value", 6, "separators: \"x\""),
        (group("deny = [\"all\"]"), "manifest::value", 6, "deny: expected approximate"),
        (group("folder = \"../x\""), "manifest::value", 6, "folder: "),
        (
            group("vocabularies = [\"w\"]"),
            "manifest::value",
            6,
            "vocabularies: no vocabulary is called \"w\"",
        ),
        (group("exclude = [\"a[\"]"), "manifest::value", 6, "exclude: "),
        (
            group("registry = [\"missing.json\"]"),
            "manifest::value",
            6,
            "registry: cannot read /r/missing.json: ",
        ),
        (group("[limits]\ntime-limit = -1.0"), "manifest::value", 7, "time-limit: "),
        (group(VOCABULARY), "manifest::value", 7, "name: another vocabulary"),
        (group("").replace("\"v\"", "\"a/b\""), "manifest::value", 2, "name: "),
        (
            group("")
                .replace("tokenizer", "file")
                .replace("json\"\n[[s", "json\"\nlogit-width = 3\n[[s"),
            "manifest::value",
            1,
            "logit-width: ",
        ),
        (
            group("").replace("tokenizer = \"t.json\"\n", ""),
            "manifest::value",
            1,
            "vocabulary: it has either",
        ),
        (VOCABULARY.to_owned(), "manifest::empty", 4, "[[source]]"),
        (SOURCE.to_owned(), "manifest::empty", 3, "[[vocabulary]]"),
    ] {
        let errors = errors(&text);
        let found =
            errors.iter().any(|error| (error.0, error.1) == (code, line) && error.2.contains(part));
        assert!(found, "{text}\n{errors:?}");
    }
    // All wrong values are reported at once.
    assert_eq!(errors(&group("levels = 3\n[limits]\ntime-limit = -1.0")).len(), 2);
}

//! Tests of layers: folders with an index, as `grammarc build` makes them, and changes to the folders afterwards.

use std::collections::BTreeMap;

use super::*;
use crate::frontend::settings::{Language, Settings};

/// Makes a layer with one artifact, compiled from `text` under the name of a file, and returns its index.
fn layer(folder: &Path, compiler: &Compiler, text: &str) -> Index {
    let source = Source::new("schemas/point.json", text);
    let options = CompileOptions::default().record("whitespace", "natural");
    let lowered = json_schema().lower(source.clone(), &Budget::new()).unwrap();
    let compiled = compiler.compile(&lowered, "json-schema", &options, &Budget::new()).unwrap();
    let artifact = compiled.to_sealed_artifact(compiler).unwrap();
    write::replace(&folder.join("a.gmask"), artifact.container().buffer()).unwrap();
    let vocabulary = compiler.vocabulary();
    let [fingerprint, shared_digest] =
        [vocabulary.fingerprint(), vocabulary.shared_digest()].map(Digest);
    let vocabulary = IndexedVocabulary {
        name: "v".to_owned(),
        file: None,
        inputs: Digest::of(b""),
        fingerprint,
        shared_digest,
        checksum: Digest(vocabulary.container().header().checksum),
        bytes: 0,
    };
    let artifact = IndexedArtifact {
        file: "a.gmask".to_owned(),
        source: source.name.to_string(),
        vocabulary: "v".to_owned(),
        content: Content::new(compiler.vocabulary(), &json_schema(), &source.text),
        key: Key::new(compiler.vocabulary(), &json_schema(), &source, &options),
        checksum: Digest(artifact.checksum()),
        bytes: artifact.byte_length() as u64,
    };
    let index = Index::new(vec![vocabulary], vec![artifact]);
    write::replace(&folder.join(INDEX), index.text().as_bytes()).unwrap();
    index
}

fn ask(cache: &Cache, compiler: &Compiler, source: &Source) -> Cached {
    let options = CompileOptions::default();
    cache.get_or_compile(compiler, &json_schema(), source, &options, &Budget::new()).unwrap()
}

#[test]
fn a_request_is_served_by_what_it_says_and_not_by_its_name_or_layout() {
    let (compiler, folder) = (bytes(), tempfile::tempdir().unwrap());
    layer(folder.path(), &compiler, POINT);
    let layer = Layer::open(folder.path()).unwrap();
    assert_eq!(layer.artifacts_for(compiler.vocabulary()), 1);
    assert_eq!(layer.artifacts_for(compiler_with_a_word().vocabulary()), 0);
    let kept = tempfile::tempdir().unwrap();
    let options = CacheOptions::new().folder(kept.path()).layer(layer);
    let cache = Cache::open(options).unwrap();
    let laid_out = POINT.replace(' ', "\n\t").replace("\"x\"", r#""\u0078""#);
    for (source, memory) in [
        (Source::new("<request>", POINT), false),
        (Source::new("<another>", POINT), true),
        (Source::new("<another>", laid_out), true),
    ] {
        let cached = ask(&cache, &compiler, &source);
        assert!(matches!((cached.origin, memory), (Origin::Layer, false) | (Origin::Memory, true)));
        assert_eq!(cached.artifact.meta().source_name, "schemas/point.json");
    }
    let stats = cache.stats();
    assert_eq!((stats.layer_hits, stats.memory_hits, stats.compiled), (1, 2, 0));
    assert_eq!(entries(&cache), Vec::<PathBuf>::new());
    // Keys in another order accept other texts.
    let other = schema(r#"{"required": ["x"], "properties": {"x": {"type": "integer"}}}"#);
    assert!(matches!(ask(&cache, &compiler, &other).origin, Origin::Made));
    let other = compiler_with_a_word();
    assert!(matches!(ask(&cache, &other, &schema(POINT)).origin, Origin::Made));
}

#[test]
fn contents_differ_where_what_is_accepted_may() {
    let compiler = bytes();
    let of =
        |front_end: &FrontEnd, text: &str| Content::new(compiler.vocabulary(), front_end, text);
    let plain = of(&json_schema(), POINT);
    let wide = JsonSchemaOptions { text: TextForm::WIDE, ..JsonSchemaOptions::default() };
    let regex = FrontEnd::Regex(PatternOptions::default());
    let gbnf = FrontEnd::Gbnf(GbnfOptions::default());
    assert_ne!(plain, of(&FrontEnd::JsonSchema(wide), POINT));
    assert_ne!(plain, of(&gbnf, POINT));
    assert_ne!(plain, Content::new(compiler_with_a_word().vocabulary(), &json_schema(), POINT));
    // A line end at the end of a file is none of the pattern's; in GBNF space may matter.
    assert_eq!(of(&regex, "a+\r\n"), of(&regex, "a+"));
    assert_ne!(of(&regex, "a +"), of(&regex, "a+"));
    assert_ne!(of(&gbnf, "root ::= \"a\"\n"), of(&gbnf, "root ::= \"a\""));
    // A grammar is of what it refers to as well.
    let within = |text: &str, options: &str| {
        let text = serde_json::json!(text);
        let given = format!(
            r#"{{"sources": {{"s": {{"language": "regex", "text": {text}, "options": {options}}}}}}}"#
        );
        let settings = Settings::read(Language::Gbnf, &given).expect("options");
        of(&settings.front_end, "root ::= @\"s\"")
    };
    assert_eq!(within("a", "{}"), within("a", "{}"));
    assert_ne!(within("a", "{}"), within("b", "{}"));
    assert_ne!(within("a", "{}"), within("a", r#"{"x": 1}"#));
    let built_in = |options: &str| {
        let settings = Settings::read(Language::BuiltIn, options).expect("options");
        of(&settings.front_end, "csv")
    };
    assert_ne!(built_in(r#"{"columns": 2}"#), built_in(r#"{"columns": 3}"#));
    assert_ne!(built_in(r#"{"columns": ["2"]}"#), built_in(r#"{"columns": 2}"#));
    assert_ne!(built_in(r#"{"line": true}"#), built_in(r#"{"line": false}"#));
}

#[test]
fn what_was_replaced_or_damaged_counts_as_absent() {
    let (compiler, folder) = (bytes(), tempfile::tempdir().unwrap());
    layer(folder.path(), &compiler, POINT);
    let layer_of_point = Layer::open(folder.path()).unwrap();
    let content = Content::new(compiler.vocabulary(), &json_schema(), POINT);
    let found = || layer_of_point.get(&content, compiler.vocabulary());
    assert!(found().is_some());
    // Another build, of another schema under the same name.
    layer(folder.path(), &compiler, r#"{"type": "boolean"}"#);
    assert!(found().is_none());
    layer(folder.path(), &compiler, POINT);
    assert!(found().is_some());
    write::replace(&folder.path().join("a.gmask"), b"damaged").unwrap();
    assert!(found().is_none());
    fs::remove_file(folder.path().join("a.gmask")).unwrap();
    assert!(found().is_none());
    let cache = Cache::open(CacheOptions::new().layer(layer_of_point.clone())).unwrap();
    assert!(matches!(ask(&cache, &compiler, &schema(POINT)).origin, Origin::Made));
}

#[test]
fn a_folder_that_is_no_layer_says_so() {
    let (compiler, folder) = (bytes(), tempfile::tempdir().unwrap());
    assert!(matches!(Layer::open(folder.path()), Err(LayerError::Read { .. })));
    let index = layer(folder.path(), &compiler, POINT);
    let mut value: BTreeMap<String, serde_json::Value> =
        serde_json::from_str(&index.text()).unwrap();
    let mut write = |key: &str, to: serde_json::Value| {
        value.insert(key.to_owned(), to);
        let text = serde_json::to_string(&value).unwrap();
        write::replace(&folder.path().join(INDEX), text.as_bytes()).unwrap();
    };
    write("compiler", "0.0.1+0".into());
    assert!(matches!(Layer::open(folder.path()), Err(LayerError::Compiler { .. })));
    write("format", 9.into());
    assert!(matches!(Layer::open(folder.path()), Err(LayerError::Index { .. })));
}

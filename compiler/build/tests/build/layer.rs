//! A folder of artifacts as the first layer of a cache.

use grammarc_artifacts::VocabularyArtifact;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::cache::{Cache, CacheOptions, Layer, Origin};
use grammarc_compiler::compile::{CompileOptions, Compiler};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::json_schema::JsonSchemaOptions;

use super::*;

#[test]
fn a_request_for_a_source_of_the_build_compiles_nothing() {
    let place = Place::new();
    place.write("schemas/point.json", &POINT.replace(' ', "\n  "));
    place.run();
    let layer = Layer::open(place.path("masks")).expect("it is one");
    let vocabulary = VocabularyArtifact::open(&place.path("masks/tiny.gvocab")).expect("it is one");
    assert_eq!(layer.artifacts_for(&vocabulary), 2);
    let compiler = Compiler::new(vocabulary);
    let cache = Cache::open(CacheOptions::new().layer(layer)).expect("memory alone");
    let ask = |text: &str| {
        let front_end = FrontEnd::JsonSchema(JsonSchemaOptions::default());
        let (source, options) = (Source::new("<request>", text), CompileOptions::default());
        let cached = cache.get_or_compile(&compiler, &front_end, &source, &options, &Budget::new());
        cached.expect("it compiles").origin
    };
    assert!(matches!(ask(POINT), Origin::Layer));
    assert!(matches!(ask(r#"{"type":"boolean"}"#), Origin::Layer));
    assert!(matches!(ask(POINT), Origin::Memory));
    assert!(matches!(ask(r#"{"type": "null"}"#), Origin::Made));
    let stats = cache.stats();
    assert_eq!((stats.layer_hits, stats.memory_hits, stats.compiled), (2, 1, 1));
}

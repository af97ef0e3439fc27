//! Uses a model of mistral.rs as a backend: JSON, its stream, lenient validation, and unsupported
//! parameters.
//!
//! ```sh
//! cargo run --example backend -- SmolLM2-135M-Instruct.Q4_1.gguf
//! ```

use std::error::Error;
use std::path::PathBuf;

use grammarc_bindings::vocabulary;
use grammarc_compiler::vocabulary::{VocabularyOptions, import};
use grammarc_generate::{
    GenerateError, GenerateParams, Grammar, Grammars, JsonModeConfig, LlmBackend,
};
use grammarc_json::JsonSchema;
use grammarc_mistralrs::MistralBackend;
use mistralrs::GgufModelBuilder;

const SCHEMA: &str = r#"{
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 20}, "age": {"type": "integer", "minimum": 0, "maximum": 120}},
    "required": ["name", "age"],
    "additionalProperties": false
}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("give the path of a GGUF file")?;
    let path = PathBuf::from(path).canonicalize()?;
    let (folder, file) = (path.parent().ok_or("no folder")?, path.file_name().ok_or("no file")?);
    let table = import(&path.to_string_lossy(), &VocabularyOptions::new())?;
    let imported = vocabulary::build(&table, &file.to_string_lossy(), None)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let builder = GgufModelBuilder::new(folder.display(), vec![file.to_string_lossy()]);
    let model = runtime.block_on(builder.with_force_cpu().with_prefix_cache_n(None).build())?;
    let grammars = Grammars::new(imported.vocabulary, None);
    let backend = MistralBackend::new(model, grammars, runtime.handle().clone());

    let params = GenerateParams { max_tokens: 64, temperature: 0.0, ..GenerateParams::default() };
    let schema: JsonSchema = SCHEMA.parse()?;
    let value =
        backend.generate_json("Describe a person.", Some(schema.clone()), params.clone())?;
    schema.validate(&value)?;
    println!("JSON: {value}");

    let mode = JsonModeConfig { schema: Some(schema.clone()), ..JsonModeConfig::default() };
    let asked = GenerateParams { json_mode: Some(mode), ..params.clone() };
    let streamed: String =
        backend.generate_stream("Describe a person.", asked)?.collect::<Result<_, _>>()?;
    schema.validate(&grammarc_json::parse(&streamed)?)?;
    println!("stream: {streamed}");

    let constraint = Some(Grammar::from_regex("(yes|no)"));
    let text =
        backend.generate("Is Oslo in Norway?", GenerateParams { constraint, ..params.clone() })?;
    assert!(text == "yes" || text == "no", "{text}");

    let refused = backend.generate("x", GenerateParams { seed: Some(1), ..params });
    assert!(matches!(refused, Err(GenerateError::Unsupported { what: "seed", .. })));
    println!("all is as it has to be");
    Ok(())
}

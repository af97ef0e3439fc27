//! Generates JSON under a schema with mistral.rs, from a local GGUF file alone:
//!
//! ```sh
//! cargo run --example generate -- SmolLM2-135M-Instruct.Q4_1.gguf
//! ```

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use grammarc_bindings::vocabulary;
use grammarc_compiler::vocabulary::{VocabularyOptions, import};
use grammarc_generate::{Grammar, Grammars, json_mode::compact};
use grammarc_json::JsonSchema;
use grammarc_mistralrs::GrammarProcessor;
use mistralrs::{GgufModelBuilder, RequestBuilder, TextMessageRole};

const SCHEMA: &str = r#"{
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 20},
        "age": {"type": "integer", "minimum": 0, "maximum": 120},
        "city": {"enum": ["Oslo", "Rome", "Lima"]}
    },
    "required": ["name", "age", "city"],
    "additionalProperties": false
}"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("give the path of a GGUF file")?;
    let path = PathBuf::from(path).canonicalize()?;
    let (folder, file) = (path.parent().ok_or("no folder")?, path.file_name().ok_or("no file")?);

    let table = import(&path.to_string_lossy(), &VocabularyOptions::new())?;
    let imported = vocabulary::build(&table, &file.to_string_lossy(), None)?;
    let grammars = Grammars::new(imported.vocabulary, None);
    let schema: JsonSchema = SCHEMA.parse()?;
    let grammar = grammars.compile(&Grammar::schema(&schema).with_options(compact()), None)?;

    let began = Instant::now();
    let model = GgufModelBuilder::new(folder.display(), vec![file.to_string_lossy()])
        .with_force_cpu()
        .build()
        .await?;
    println!("opened in {:.1} s", began.elapsed().as_secs_f32());

    for (sampling, temperature) in [("greedy", None), ("sampled", Some(1.0))] {
        let request = RequestBuilder::new()
            .add_message(TextMessageRole::User, "Describe a person who lives in Rome.")
            .add_logits_processor(Arc::new(GrammarProcessor::new(&grammar)))
            .set_sampler_max_len(64);
        let request = match temperature {
            None => request.set_deterministic_sampler(),
            Some(temperature) => request.set_sampler_temperature(temperature),
        };
        let began = Instant::now();
        let response = model.send_chat_request(request).await?;
        let choice = response.choices.first().ok_or("no choice")?;
        let text = choice.message.content.as_deref().unwrap_or_default();
        schema.validate(&grammarc_json::parse(text)?)?;
        let seconds = began.elapsed().as_secs_f32();
        println!("{sampling}: {text} is valid ({}, {seconds:.1} s)", choice.finish_reason);
    }
    Ok(())
}

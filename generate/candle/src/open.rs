//! Opens a GGUF file as the parts of a backend: model, grammars, tokenizer and chat template.

use std::fs::File;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use candle_core::quantized::gguf_file::Content;
use grammarc_bindings::vocabulary;
use grammarc_compiler::cache::{Cache, CacheOptions};
use grammarc_compiler::vocabulary::{VocabularyOptions, import};
use grammarc_generate::chat::ChatTemplate;
use grammarc_generate::encode::HfTokenizer;
use grammarc_generate::grammars::{COMPILE_TIME, Grammars};
use grammarc_generate::local::LocalParts;
use grammarc_runtime::Vocabulary;
use serde_json::{Map, Value};

use crate::error::OpenError;
use crate::llama::Llama;
use crate::metadata::Metadata;
use crate::tokenizer;

/// Options for opening a model.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Maximum number of tokens of a sequence. `None` and larger numbers give the model's own
    /// maximum.
    pub context: Option<usize>,
    /// Maximum number of open sequences. `None` gives 1.
    pub sequences: Option<usize>,
    /// Path of a `tokenizer.json` that replaces the tokenizer in the file.
    pub tokenizer: Option<PathBuf>,
    /// Text of a chat template that replaces the template in the file.
    pub template: Option<String>,
    /// Number of threads that compile grammars. `None` gives one for each processor.
    pub threads: Option<NonZero<usize>>,
    /// Time limit for compiling one grammar. `None` gives [`COMPILE_TIME`].
    pub compile_time: Option<Duration>,
    /// Options for the cache of compiled grammars. By default the cache is only in memory.
    pub cache: CacheOptions,
}

/// Opens a GGUF file: its weights, its vocabulary, its tokenizer and its chat template.
///
/// # Errors
///
/// See [`OpenError`].
pub fn open(path: &Path, options: &OpenOptions) -> Result<LocalParts, OpenError> {
    let read = |source| OpenError::Read { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(read)?;
    let content = Content::read(&mut file)?;
    let metadata = Metadata::new(&content)?;
    let cache = Cache::open(options.cache.clone()).map_err(OpenError::Cache)?;
    let vocabulary = vocabulary(path)?;
    let artifact = vocabulary.artifact();
    let encoder = match &options.tokenizer {
        Some(path) => HfTokenizer::open(path, artifact)?,
        None => tokenizer::of_file(&metadata, artifact)?,
    };
    let name = |key: &str| {
        let token = metadata.index(&format!("tokenizer.ggml.{key}_token_id"))?;
        let name = std::str::from_utf8(artifact.token_bytes(token)).ok()?;
        Some((format!("{key}_token"), Value::from(name)))
    };
    let tokens: Map<String, Value> =
        ["bos", "eos", "unknown", "padding"].into_iter().filter_map(name).collect();
    let in_file = metadata.text("tokenizer.chat_template").ok();
    let template = options.template.as_deref().or(in_file);
    let template = template.map(|source| ChatTemplate::new(source, tokens)).transpose()?;
    let adds = metadata.get("tokenizer.ggml.add_bos_token").and_then(|value| value.to_bool().ok());
    let begin = metadata.index("tokenizer.ggml.bos_token_id").filter(|_| adds.unwrap_or(false));
    let model = Llama::read(&content, &mut file, options.context, options.sequences.unwrap_or(1))?;
    Ok(LocalParts {
        model: Box::new(model),
        grammars: Grammars::with_cache(
            vocabulary.clone(),
            options.threads,
            cache,
            options.compile_time.unwrap_or(COMPILE_TIME),
        )
        .early(),
        encoder: Arc::new(encoder),
        template,
        begin: begin.into_iter().collect(),
    })
}

/// Imports the vocabulary of a file, and builds its artifact with the shared rules for JSON.
fn vocabulary(path: &Path) -> Result<Vocabulary, OpenError> {
    let table = import(&path.to_string_lossy(), &VocabularyOptions::new())?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(vocabulary::build(&table, &name, None)?.vocabulary)
}

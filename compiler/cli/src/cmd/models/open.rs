//! Opens the model that the command line names.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use grammarc_candle::{OpenError, OpenOptions};
use grammarc_compiler::cache::CacheOptions;
use grammarc_generate::Local;
use grammarc_generate::engine::EngineOptions;

use super::fetch;
use crate::args::ThreadArgs;
use crate::failure::{Failure, Problem};

/// Limit on the compiled grammars that are kept open in memory, in bytes: 256 MiB.
const MEMORY_BYTES: usize = 256 << 20;

/// Arguments that name a model and say how to open it.
#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// The model: a GGUF file, or the name of a model that `grammarc model` has downloaded
    #[arg(long, value_name = "MODEL")]
    pub(super) model: PathBuf,
    /// A tokenizer.json in place of the tokenizer in the file
    #[arg(long, value_name = "FILE")]
    tokenizer: Option<PathBuf>,
    /// A chat template in place of the one in the file
    #[arg(long, value_name = "FILE")]
    chat_template: Option<PathBuf>,
    /// Maximum number of tokens of a prompt and its output together [default: the model's]
    #[arg(long, value_name = "N")]
    context: Option<usize>,
    /// Time limit for compiling a grammar, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    compile_seconds: f32,
    /// Folder that keeps compiled grammars for later runs; any file in it may be deleted at any
    /// time
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Maximum size of the folder in MiB; beyond it, the grammars unused for the longest time are
    /// deleted [default: 4096]
    #[arg(long, value_name = "MIB", requires = "cache")]
    cache_limit: Option<u64>,
    #[command(flatten)]
    threads: ThreadArgs,
}

impl OpenArgs {
    /// Returns the name of the model for replies: the file's name without its extension.
    pub(super) fn name(&self) -> String {
        self.model.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// Opens the model. `parallel` is the number of outputs that are generated at the same time.
    pub(super) fn open(&self, parallel: usize) -> Result<Local, Failure> {
        let path = self.path()?;
        let template =
            self.chat_template.as_deref().map(super::super::outputs::text).transpose()?;
        let mut cache = CacheOptions::new().memory_bytes(MEMORY_BYTES);
        if let Some(folder) = &self.cache {
            cache = cache.folder(folder);
        }
        if let Some(limit) = self.cache_limit {
            cache = cache.folder_bytes(limit.saturating_mul(1 << 20));
        }
        let options = OpenOptions {
            context: self.context,
            sequences: Some(parallel),
            tokenizer: self.tokenizer.clone(),
            template,
            threads: self.threads.count(),
            compile_time: Some(
                Duration::try_from_secs_f32(self.compile_seconds)
                    .map_err(|error| wrong(format!("--compile-seconds: {error}")))?,
            ),
            cache,
        };
        let parts = grammarc_candle::open(&path, &options);
        let parts = parts.map_err(|error| match error {
            OpenError::Cache(error) => {
                Failure::Tool(Problem::Option { option: "--cache", problem: error.to_string() })
            }
            error => wrong(error.to_string()),
        })?;
        let options = EngineOptions { parallel, ..EngineOptions::default() };
        Local::start_engine(parts, options).map_err(|error| wrong(error.to_string()))
    }

    /// Returns the path of the model's file. Fails if the argument is neither a file nor the name
    /// of a downloaded model.
    pub(super) fn path(&self) -> Result<PathBuf, Failure> {
        if self.model.is_file() {
            return Ok(self.model.clone());
        }
        let name = self.model.to_string_lossy();
        match fetch::of_name(&name) {
            Some(path) => Ok(path),
            None if fetch::is_known(&name) => {
                Err(wrong(format!("`{name}` was not fetched; run `grammarc model {name}`")))
            }
            None => Err(missing(&self.model)),
        }
    }
}

fn missing(path: &Path) -> Failure {
    let source = std::io::Error::from(std::io::ErrorKind::NotFound);
    Failure::Tool(Problem::Read { name: path.display().to_string(), source })
}

fn wrong(problem: String) -> Failure {
    Failure::Tool(Problem::Option { option: "--model", problem })
}

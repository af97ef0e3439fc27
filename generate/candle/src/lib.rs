//! Runs language models from GGUF files with candle, as models for [`grammarc_generate`].
//!
//! ```no_run
//! use grammarc_candle::{OpenOptions, open};
//! use grammarc_generate::engine::EngineOptions;
//! use grammarc_generate::{GenerateParams, LlmBackend, Local};
//!
//! let parts = open("SmolLM2-135M-Instruct.Q4_1.gguf".as_ref(), &OpenOptions::default())?;
//! let backend = Local::start_engine(parts, EngineOptions::default())?;
//! let value = backend.generate_json("A person as JSON:", None, GenerateParams::default())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | contents |
//! | --- | --- |
//! | `open` | opens a file as the parts of a backend |
//! | `llama` | the model: embeddings, layers, logits, and the state of sequences |
//! | `layer`, `rotation`, `cache` | attention and the feed-forward part; rotary positions; keys and values |
//! | `weights`, `config`, `metadata` | tensors, hyperparameters and metadata values of the file |
//! | `tokenizer` | builds the tokenizer that the file describes |
//! | `folder` | the folder of downloaded models |
//!
//! Tests: `tests/smollm2.rs`, with a real model.

mod cache;
mod config;
mod error;
mod folder;
mod layer;
mod llama;
mod metadata;
mod open;
mod rotation;
mod tokenizer;
mod weights;

pub use error::OpenError;
pub use folder::models_folder;
pub use llama::Llama;
pub use open::{OpenOptions, open};

/// The examples of the documentation page on models and the server, which are compiled as doctests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/serve.md")]
struct Page;

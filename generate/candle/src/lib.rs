//! Language models in GGUF files on candle, for [`grammarc_generate`].
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
//! | module | what it holds |
//! | --- | --- |
//! | `open` | a file to all that a backend needs of it |
//! | `llama` | the model: embeddings, layers, logits; its sequences |
//! | `layer`, `rotation`, `cache` | attention and the feed-forward part; positions; keys and values |
//! | `weights`, `config`, `metadata` | tensors, sizes and values of the file |
//! | `tokenizer` | the file's tokenizer |
//! | `folder` | where fetched models are kept |
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

/// The example of the page on models and the server, which is compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/serve.md")]
struct Page;

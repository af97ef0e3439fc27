//! Draws random outputs of a compiled grammar from its masks, without a model.
//!
//! A [`Sampler`] replaces the model: it picks tokens from the mask at random. After a number of
//! tokens it takes the shortest path to an end. So each sample is a walk over the stored masks,
//! from the first token to a possible end. A mask that allows too little causes a dead end.
//!
//! ```text
//! Matcher ─ mask ─► pick a token ─► accept ─┐     random part
//!    ▲                                      │
//!    └──────────────────────────────────────┘
//!    └─ route ─► spell ─► accept                  shortest completion
//! ```
//!
//! - [`position`]: the configurations and stack frames of a matcher, read from its export;
//! - the shortest completion is the runtime's, in `grammarc_runtime::ending`.

pub mod position;
mod random;
mod sampler;

pub use sampler::{Sample, SampleError, SampleOptions, Sampler};

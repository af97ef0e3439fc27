//! Random outputs of a compiled grammar, by its masks alone.
//!
//! A [`Sampler`] plays the part of a model that knows nothing: it picks among the tokens of the mask, and after a
//! number of tokens takes the shortest way to an end. So each sample is a walk over real masks, from the first token to
//! a place where the sequence may end, and a mask that allowed too little would show as a dead end.
//!
//! ```text
//! Matcher ─ mask ─► pick a token ─► accept ─┐     random part
//!    ▲                                      │
//!    └──────────────────────────────────────┘
//!    └─ route ─► spell ─► accept                  shortest completion
//! ```
//!
//! - [`position`]: a matcher's configurations and frames, read from its export;
//! - the shortest completion is the runtime's, in `grammarc_runtime::ending`.

pub mod position;
mod random;
mod sampler;

pub use sampler::{Sample, SampleError, SampleOptions, Sampler};

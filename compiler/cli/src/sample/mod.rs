//! Random outputs of a compiled grammar, by its masks alone.
//!
//! A [`Sampler`] acts as a model without knowledge: it picks among the tokens of the mask, and after a number of
//! tokens takes the shortest path to an end. So each sample is a walk over real masks, from the first token to a
//! possible end. A mask that allows too little shows as a dead end.
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

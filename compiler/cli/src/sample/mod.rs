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
//!    └─ position ─► costs ─► route ─► spell ─► accept      shortest completion
//! ```
//!
//! - [`position`]: a matcher's configurations and frames, read from its export;
//! - [`costs`]: for every state the least that it takes to leave its rule;
//! - [`route`]: the shortest text that ends a position;
//! - [`spell`]: the tokens of a text, under the masks.

pub mod costs;
pub mod position;
mod random;
pub mod route;
mod sampler;
pub mod spell;

pub use sampler::{Sample, SampleError, SampleOptions, Sampler};

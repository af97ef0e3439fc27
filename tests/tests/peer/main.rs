//! Against llguidance, an engine that shares no code and no method with this one: same vocabulary, same grammar, same
//! tokens, and the masks of every step compared bit by bit.
//!
//! The vocabulary is Llama 3.1's and the schemas are MaskBench's, neither of which is in the repository; where they
//! are absent the tests say so and pass. `GRAMMARC_FULL=1` runs everything, the default a part of it.

mod fixture;
mod json;
mod lockstep;
mod pairs;
mod schemas;
mod sources;

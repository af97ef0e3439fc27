//! The promises of the whole, held against oracles. One binary, a module a promise.

mod bounds;
mod determinism;
mod layers;
mod masks;
mod recursion;
mod robustness;
mod walks;

//! The fixed-width records that the sections hold, one file per group of tables.
//!
//! Every record consists of little-endian u32 fields (`bytemuck::Pod`). So the same code reads a mapped file, a heap
//! buffer and a copy in GPU memory, without decoding.
//!
//! Tests: `tests/suite/specification.rs` reads the sections by the README alone.

pub mod kinds;
pub mod masks;
pub mod network;
pub mod numbers;
pub mod vocabulary;

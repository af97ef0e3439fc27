//! The fixed-width records that the sections hold, one file per group of tables.
//!
//! Every record is plain data of little-endian u32 fields (`bytemuck::Pod`), so that a mapped file, a heap buffer
//! and a copy in GPU memory are read by the same code with no decoding step.

pub mod kinds;
pub mod masks;
pub mod network;
pub mod numbers;
pub mod vocabulary;

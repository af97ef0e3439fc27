//! Tests of the two file formats through the public interface of the crate.
//!
//! [`fixtures`] makes a small and a large pair of artifacts; [`walk`] reads one through every accessor.

mod corruption;
mod fixtures;
mod header;
mod invariants;
mod mismatch;
mod round_trip;
mod specification;
mod standalone;
mod trie;
mod walk;

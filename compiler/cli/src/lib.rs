//! Parts of the `grammarc` binary that other programs can use: [`sample`] draws random outputs of a compiled
//! grammar by its masks and brings them to an end by the shortest text; [`maskbench`] judges schemas by instances;
//! [`latency`] times the calls of a step.

pub mod latency;
pub mod maskbench;
pub mod sample;

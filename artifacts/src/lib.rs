//! The two file formats of grammarc.

pub mod sections;
pub mod tables;

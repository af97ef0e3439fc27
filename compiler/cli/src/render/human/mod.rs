//! For people: one file a verb.

mod bench;
mod build;
mod check;
mod compile;
mod debug;
mod diagnostic;
mod facts;
mod inspect;
mod jsonl;
mod keywords;
mod maskbench;
#[cfg(feature = "models")]
mod models;
mod repair;
mod sample;
mod vocab;

pub(crate) use diagnostic::{diagnostic, problem};

//! For people: one file a verb.

mod bench;
mod build;
mod check;
mod compile;
mod debug;
mod diagnostic;
mod facts;
mod inspect;
mod keywords;
mod maskbench;
mod sample;
mod vocab;

pub(crate) use diagnostic::{diagnostic, problem};

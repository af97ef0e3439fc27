//! Output for people: one file for each verb (subcommand).

mod build;
mod check;
mod compile;
mod debug;
mod diagnostic;
mod facts;
mod inspect;
mod jsonl;
mod keywords;
#[cfg(feature = "models")]
mod models;
mod repair;
mod sample;
mod vocab;

pub(crate) use diagnostic::{diagnostic, placed_message, problem};

//! Output for people: one file for each verb (subcommand).

mod build;
mod check;
mod compile;
mod cost;
mod debug;
mod diagnostic;
mod diff;
mod explain;
mod facts;
mod inspect;
#[cfg(feature = "outputs")]
mod jsonl;
mod keywords;
mod lint;
mod lower;
#[cfg(feature = "models")]
mod models;
#[cfg(feature = "outputs")]
mod repair;
mod sample;
mod view;
mod vocab;
mod witness;

pub(crate) use diagnostic::{diagnostic, placed_message, problem};

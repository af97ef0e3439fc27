//! The verbs that need a language model: fetching one, generating with one, serving one.

pub(crate) mod fetch;
pub(crate) mod generate;
mod open;
pub(crate) mod serve;

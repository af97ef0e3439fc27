//! The verbs (subcommands) that need a language model: downloading one, generating with one, and
//! serving one.

pub(crate) mod fetch;
pub(crate) mod generate;
mod open;
pub(crate) mod serve;

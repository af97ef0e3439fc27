//! Formats of agents over [`grammarc_generate`], which knows neither.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`actions`] | the action of an agent's output, and the schema of all actions |
//! | [`prompts`] | prompts by name, and the conversion of their responses |

pub mod actions;
pub mod prompts;

/// The examples of the pages on this crate, which are compiled and run.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/agents.md")]
    struct Actions;

    #[doc = include_str!("../../../docs/prompts.md")]
    struct Prompts;
}

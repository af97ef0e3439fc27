//! Output formats and prompts of agents, built on [`grammarc_generate`].
//!
//! | module | contents |
//! | --- | --- |
//! | [`actions`] | finds the action in an agent's output; the schema of all actions |
//! | [`prompts`] | prompts by name, and the conversion of the model's responses |

pub mod actions;
pub mod prompts;

/// The examples of this crate's documentation pages, which are compiled and run as doctests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/agents.md")]
    struct Actions;

    #[doc = include_str!("../../../docs/prompts.md")]
    struct Prompts;
}

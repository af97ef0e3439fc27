//! Packed string sets: many texts as one packed acyclic automaton (DAWG). A text takes some bytes. As a table of states
//! it would take hundreds.
//!
//! A packed string set is the language of a rule with the flag
//! [`PACKED_STRINGS`](crate::sections::network::rule_flags::PACKED_STRINGS). The register of a call of the rule is the
//! address of a node. So positions, stacks and exported positions are those of any other rule.
//!
//! | file | content |
//! | --- | --- |
//! | [`node`] | the bytes of a node, read in place, and their check |
//! | [`open_path`] | the nodes of ascending texts that may still change |
//! | [`build`] | the automaton of ascending texts, in one pass |
//! | [`walk`] | a node along the token trie, for masks that are not stored |
//! | [`mod@pack`] | tables in which rules become packed string sets |
//!
//! Tests: unit tests in `build` and `node`; `tests/suite/walk.rs`; `tests/tests/suite/packed_strings.rs` of the
//! workspace.

pub mod build;
pub mod node;
pub mod open_path;
pub mod pack;
pub mod walk;

pub use build::{Built, Noted, PackedStringsBuilder, TooLong};
pub use node::{Node, PackedStrings};
pub use open_path::OpenPath;
pub use pack::{PackedRule, pack};
pub use walk::{RootChildren, TrieWalk, WALKED};

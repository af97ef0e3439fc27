//! Packed string sets: many texts as one packed acyclic automaton, some bytes a text where a table of states takes hundreds.
//!
//! A packed string set is the language of a rule with the flag [`PACKED_STRINGS`](crate::sections::network::rule_flags::PACKED_STRINGS),
//! whose register is the address of a node. So positions, stacks and exported positions are those of any other rule.
//!
//! | file | what |
//! | --- | --- |
//! | [`node`] | the bytes of a node, read in place, and their check |
//! | [`build`] | the automaton of ascending texts, in one pass |
//! | [`mod@walk`] | a node along the token trie, for masks that are not stored |
//! | [`mod@pack`] | tables in which rules become packed string sets |

pub mod build;
pub mod node;
pub mod pack;
pub mod walk;

pub use build::{Built, Noted, PackedStringsBuilder, TooLong};
pub use node::{Node, PackedStrings};
pub use pack::{PackedRule, pack};
pub use walk::{RootChildren, WALKED, walk};

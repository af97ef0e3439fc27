//! Catalogues: many texts as one packed acyclic automaton, some bytes a text where a table of states takes hundreds.
//!
//! A catalogue is the language of a rule with the flag [`CATALOGUE`](crate::sections::network::rule_flags::CATALOGUE),
//! whose register is the address of a node. So positions, stacks and exported positions are those of any other rule.
//!
//! | file | what |
//! | --- | --- |
//! | [`node`] | the bytes of a node, read in place, and their check |
//! | [`build`] | the automaton of ascending texts, in one pass |
//! | [`mod@walk`] | a node along the token trie, for masks that are not stored |
//! | [`mod@pack`] | tables in which rules become catalogues |

pub mod build;
pub mod node;
pub mod pack;
pub mod walk;

pub use build::{Built, CatalogueBuilder, Noted, TooLong};
pub use node::{Catalogue, Node};
pub use pack::{Packed, pack};
pub use walk::{RootChildren, WALKED, walk};

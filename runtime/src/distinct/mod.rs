//! Distinct rules: rules whose items must differ from each other. Examples are arrays with `uniqueItems`, and objects
//! whose keys `minProperties` counts.
//!
//! States and stacks do not record whether a text occurred before. So the stored masks of a distinct rule allow equal
//! items, and this module removes the few tokens that lead only to equal items.
//!
//! | file | content |
//! | --- | --- |
//! | `rules` | the distinct rules of a grammar, and the bytes at the borders of their items |
//! | `items` | for each call in progress, the texts that it has read |
//! | `used` | the items of a list as a prefix tree, with the tokens that each node excludes |
//! | `insertion` | a new item in such a tree |
//! | `reading` | steps over the text of items |
//! | `viability` | whether a configuration can still reach a new item |
//! | `excluded` | the tokens of a stored mask that lead to no new item |
//! | `exported` | the item lists of a position as bytes |
//!
//! # Removed tokens
//!
//! A token is removed if and only if every continuation of it ends an item that is equal to an earlier one. `{"id":7`
//! has one ending: if that object is an earlier item, the token `7` is removed at the latest.
//!
//! The earlier items of a list are a prefix tree. A node is dead if no item is left that begins with its text. The tree
//! changes when an item ends, and a rollback undoes the change. Then each node above the dead one gets the tokens that
//! read on to it. So a mask is the stored mask without the tokens of the node at the text of the open item.
//!
//! # Cost
//!
//! A position outside distinct rules costs a test of some tokens that span items. Elsewhere a mask looks up the node of
//! the open item: O(bytes of its text). The first mask after the end of an item adds the item to the tree, in some
//! microseconds. Forks share the tree until one of them ends an item. Memory: some hundred bytes an item.
//!
//! Tests: `src/tests/distinct.rs` against trials of every token; `tests/tests/suite/distinct.rs` against an oracle.

pub(crate) mod excluded;
pub(crate) mod exported;
mod insertion;
pub(crate) mod items;
mod reading;
pub(crate) mod rules;
mod used;
pub(crate) mod viability;

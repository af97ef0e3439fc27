//! Rules whose items must differ from each other, called distinct rules. Examples are arrays with `uniqueItems`, and
//! objects whose keys `minProperties` counts.
//!
//! States and stacks do not record whether a text occurred before. So the stored masks of such a rule allow equal
//! items, and this module excludes the few tokens that lead only to equal items.
//!
//! | file | content |
//! | --- | --- |
//! | `rules` | the rules whose items must differ, and the bytes at the borders of their items |
//! | `items` | for each call in progress, the list of the items that it has read |
//! | `list_index` | from a list to its id |
//! | `used` | the items of a list as a prefix tree, with the tokens that each node excludes |
//! | `insertion` | a new item in such a tree |
//! | `reading` | steps over the text of items |
//! | `viability` | whether a configuration can still reach a new item |
//! | `excluded` | the tokens of a stored mask that lead to no new item |
//! | `exported` | the item lists of a position as bytes |
//!
//! # Excluded tokens
//!
//! A token is excluded if and only if every continuation of it ends an item that is equal to an earlier one. `{"id":7`
//! has one ending: if that object is an earlier item, the token `7` is excluded at the latest.
//!
//! The earlier items of a list form a prefix tree. A node is dead if every item that begins with its text is in the
//! list. The tree changes when an item ends, and a rollback undoes the change. Each node above a new dead node then
//! records the tokens with bytes up to the dead node. So a mask is the stored mask without the tokens recorded at one
//! node: the node of the open item's text.
//!
//! # Cost
//!
//! A position outside such rules costs a test of some tokens that span items. Elsewhere a mask looks up the node of the
//! open item: O(bytes of its text). The first mask after the end of an item adds the item to the tree, in some
//! microseconds. Forks share the tree until one of them ends an item. Memory: some hundred bytes an item.
//!
//! Tests: `src/tests/distinct.rs` against trials of every token; `tests/tests/suite/distinct.rs` against an oracle.

pub(crate) mod excluded;
pub(crate) mod exported;
mod insertion;
pub(crate) mod items;
mod list_index;
mod reading;
pub(crate) mod rules;
mod used;
pub(crate) mod viability;

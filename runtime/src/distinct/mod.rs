//! Distinct rules: rules whose items must differ from each other. Examples are arrays with `uniqueItems`, and objects
//! whose keys `minProperties` counts.
//!
//! States and stacks do not record whether a text occurred before. So the stored masks of a distinct rule allow equal
//! items, and this module removes the few tokens that lead only to equal items.
//!
//! | file | content |
//! | --- | --- |
//! | `rules` | the distinct rules of a grammar |
//! | `items` | for each call in progress, the texts that it has read |
//! | `reading` | steps over the text of items |
//! | `viability` | whether a configuration can still reach a new item |
//! | `excluded` | the tokens of a stored mask that lead to no new item |
//! | `tokens_across_items` | the tokens that end one item and continue into the next |
//! | `nodes` | the inner nodes of the token trie, grouped by byte |
//! | `exported` | the item lists of a position as bytes |
//!
//! # Removed tokens
//!
//! A token is removed if and only if every continuation of it ends an item that is equal to an earlier one. `{"id":7`
//! has one ending: if that object is an earlier item, the token `7` is removed at the latest. The search follows the
//! texts of the earlier items only, since an item that diverges from all of them is new.
//!
//! # Cost
//!
//! A position outside distinct rules costs nothing. Elsewhere a mask walks the token trie along the earlier items that
//! begin with the text of the open item: O(items x longest token), or nothing if there are none. Some dozens of tokens
//! end an item and begin the next. They are found once for each state, and tried one by one if they may make an equal
//! item. An accept that ends an item compares it with the earlier ones.
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

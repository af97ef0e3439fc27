//! Automata over the members of objects and the items of arrays.
//!
//! | file | what it has |
//! | --- | --- |
//! | [`members`] | the automaton over members in the schema's order |
//! | [`key_order`] | which automata an object formula becomes |
//! | [`any_order`] | required keys in any order |
//! | [`order_by_rest`] | an order by what the keys leave open |
//! | [`repeated_keys`] | objects that must not repeat a key that the schema does not name |
//! | [`items`] | the automaton over items |
//! | [`counted_items`] | items that are counted |

pub(crate) mod any_order;
pub(crate) mod counted_items;
pub(crate) mod items;
pub(crate) mod key_order;
pub(crate) mod members;
pub(crate) mod order_by_rest;
pub(crate) mod repeated_keys;

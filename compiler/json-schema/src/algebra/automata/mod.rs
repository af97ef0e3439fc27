//! Automata over the members of objects and the items of arrays: the fourth layer.
//!
//! | file | content |
//! | --- | --- |
//! | [`layer`] | the state of the layer, and the budget of automata whose keys occur at most once |
//! | [`member_automaton`] | the automaton over members, as data |
//! | [`key_atoms`] | what a member with a given key decides |
//! | [`other_keys`] | members whose keys the formula does not name |
//! | [`members`] | the automaton over members in the schema's order |
//! | [`any_order`] | required keys in any order |
//! | [`order_by_rest`] | an order of keys that depends on the remaining formula |
//! | [`repeated_keys`] | objects that must not repeat a key that the schema does not name |
//! | [`key_order`] | which automata the objects of a formula become |
//! | [`item_automaton`] | the automaton over items, as data |
//! | [`items`] | the automaton over items |
//! | [`counted_items`] | large bounds beside `contains`, as counters |
//! | [`unique_items`] | `uniqueItems` as other atoms, or as a comparison of texts |
//! | [`item_automata`] | which automaton the arrays of a formula become |
//!
//! Tests: `any_order.rs`, `counts.rs` and `unevaluated.rs` in `tests/` of this front end;
//! `tests/tests/schemas/{meeting,unique,repeated_keys}.rs`.

pub(crate) mod any_order;
pub(crate) mod counted_items;
pub(crate) mod item_automata;
pub(crate) mod item_automaton;
pub(crate) mod items;
pub(crate) mod key_atoms;
pub(crate) mod key_order;
pub(crate) mod layer;
pub(crate) mod member_automaton;
pub(crate) mod members;
pub(crate) mod order_by_rest;
pub(crate) mod other_keys;
pub(crate) mod repeated_keys;
pub(crate) mod unique_items;

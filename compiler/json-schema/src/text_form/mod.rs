//! How values are written: the whitespace within containers, the shared rules, and members as tags.
//!
//! | file | what it has |
//! | --- | --- |
//! | [`layout`] | the whitespace inside containers of one depth |
//! | [`prelude`] | the rules that all grammars from JSON Schema share |
//! | [`tags`] | objects whose members are written as tags |
//!
//! Tests: `tests/forms.rs` of this front end; `tests/tests/schemas/forms.rs`.

pub(crate) mod layout;
pub(crate) mod prelude;
pub(crate) mod tags;

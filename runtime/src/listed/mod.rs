//! Tokens that a position allows but no stored mask has. Walks along the token trie find them, and the mask lists them.
//!
//! Two kinds of positions have such tokens: those of an *unmasked* grammar, whose masks are still computed, and those
//! within a packed string set.
//!
//! | file | content |
//! | --- | --- |
//! | `unstored_tokens` | the list of a position, by either of the walks |
//! | `unmasked` | the walk of an unmasked grammar |
//! | `packed_strings` | the walk within a packed string set |
//! | `subtree_walk` | the tokens below one trie node, read byte by byte |
//!
//! Invariant: items that must differ are not compared, as in stored masks. A token that meets a limit is left out, and
//! its accept meets the same limit.
//!
//! Tests: `src/tests/unmasked.rs` and `src/tests/packed_strings.rs`; `tests/tests/suite/early.rs` and
//! `tests/tests/suite/packed_strings.rs` with real vocabularies.

mod packed_strings;
pub(crate) mod subtree_walk;
mod unmasked;
mod unstored_tokens;

pub(crate) use unstored_tokens::UnstoredTokens;

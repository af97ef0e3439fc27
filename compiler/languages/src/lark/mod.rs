//! Lark, as llguidance and XGrammar document it for their users.
//!
//! ```text
//! %import common (INT, WS)
//! %ignore WS
//! start: item ("," item)*
//! item: "id=" INT
//! ```
//!
//! Names in lower case are rules, names in upper case terminals. The parser makes an `ast`, and `rules` makes rules
//! over lexemes. From these, `units` and `lexing` make the grammar IR. A terminal ends at the byte where
//! llguidance's lexer ends it; this is decided at compile time.
//!
//! | file | what it does |
//! | --- | --- |
//! | `terminals`, `lazy` | terminals to expressions, and a warning of lazy repetitions |
//! | `lexicon` | their automata, first bytes and continuing bytes |
//! | `units` | rules to automata over lexemes |
//! | `follow`, `subsets` | FIRST and FOLLOW sets, subset construction |
//! | `lexing` | lexemes to bytes |
//!
//! Attributes that change no text (`capture`, `temperature`, `max_tokens`) are reported as notes for the host.
//! Priorities, templates, parameters and lookaround are not supported: each is an error with its place in the source.
//!
//! Tests: `tests/`, with one source for each diagnostic; `compiler/tests/grammars.rs`, `tests/tests/peer`.

mod ast;
mod attributes;
pub mod codes;
mod common;
mod follow;
mod grammar_options;
mod lazy;
mod lexer;
mod lexicon;
mod lexing;
mod lower;
mod options;
mod parser;
mod rules;
mod subsets;
mod terminals;
#[cfg(test)]
mod tests;
mod tokens;
mod units;

pub use lower::lower;
pub use options::LarkOptions;

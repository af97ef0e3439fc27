//! Lark, as llguidance and XGrammar document it for their users.
//!
//! ```text
//! %import common (INT, WS)
//! %ignore WS
//! start: item ("," item)*
//! item: "id=" INT
//! ```
//!
//! Names in lower case are rules, names in upper case terminals. Text goes through [`parse`](parser::parse) to an
//! [`ast`], through [`rules::read`] to rules over lexemes, and through [`units`] and [`lexing`] to the grammar IR: there
//! a terminal ends where llguidance's lexer ends it, which is decided here and not while a model waits.
//!
//! | file | what it does |
//! | --- | --- |
//! | `terminals`, `lazy` | terminals to expressions, and repetitions in them that do not say what they seem to |
//! | `lexicon` | their automata, and with which bytes they begin and go on |
//! | `units` | rules to automata over lexemes |
//! | `follow`, `subsets` | what may come next |
//! | `lexing` | lexemes to bytes |
//!
//! Attributes that change no text (`capture`, `temperature`, `max_tokens`) are noted for the host; what cannot be said
//! (priorities, templates, parameters, lookaround, grammars by name) is an error at its place.

mod ast;
mod attributes;
pub mod codes;
mod common;
mod follow;
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

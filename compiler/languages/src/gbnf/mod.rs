//! GBNF, the grammar notation of llama.cpp.
//!
//! ```text
//! root   ::= object | array          # a comment
//! object ::= "{" ( pair ( "," pair )* )? "}"
//! ```
//!
//! Source text becomes an [`ast`] by [`parse`] and the grammar IR by [`lower`], each in time linear in the text. Text
//! is Unicode: strings, classes and `.` match Unicode scalar values, encoded as UTF-8. The character `.` is any of
//! them, line ends included.
//!
//! A grammar may contain sources of other languages: see `inner`.
//!
//! Some sources are read here that llama.cpp refuses or misreads. The names of rules may contain `_`. A line may start
//! with `|`. `{,n}` is `{0,n}`, `{m,-1}` is `{m,}`, and bounds of repetitions go up to 4,294,967,294. The escapes of
//! XGrammar are accepted. Four things are errors: a rule defined twice, a reversed range, an empty class, and an escape
//! that denotes no Unicode scalar value.
//!
//! Tests: `tests.rs` and `inner/tests.rs`; `compiler/tests/grammars.rs`, `tests/tests/peer`.

pub mod ast;
mod attributes;
pub mod codes;
mod cursor;
mod delimited;
mod escape;
mod expand;
mod findings;
mod inner;
mod lexer;
mod lookahead;
mod lower;
mod macros;
mod names;
mod options;
mod parser;
mod productivity;
#[cfg(test)]
mod tests;

pub use lower::lower;
pub(crate) use lower::lower_with;
pub use options::{GbnfOptions, Notation};
pub use parser::parse;

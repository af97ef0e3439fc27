//! GBNF, the grammar notation of llama.cpp.
//!
//! ```text
//! root   ::= object | array          # a comment
//! object ::= "{" ( pair ( "," pair )* )? "}"
//! ```
//!
//! Source text goes through [`parse`] to an [`ast`] and through [`lower`] to the grammar IR, each in time linear in the
//! text. Text is Unicode: strings, classes and `.` match Unicode scalar values, encoded as UTF-8, `.` any of them, line
//! ends included.
//!
//! Sources of other languages may stand in a grammar: see `inner`.
//!
//! The differences from llama.cpp are all where llama.cpp refuses or misreads a source: `_` may stand in names
//! everywhere; a line may start with `|`; `{,n}` is `{0,n}`; bounds of repetitions go up to 4,294,967,294;
//! `{m,-1}` is `{m,}` and the escapes of XGrammar are taken; a rule defined twice, a range in reverse, an empty class, and an escape that is no Unicode scalar value are errors.

pub mod ast;
mod attributes;
pub mod codes;
mod cursor;
mod delimited;
mod endless;
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
#[cfg(test)]
mod tests;

pub use lower::lower;
pub(crate) use lower::lower_with;
pub use options::{GbnfOptions, Notation};
pub use parser::parse;

//! What the bindings to other languages share, so that each of them only translates.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`engine`] | a compiler for one vocabulary, asked by language name and options as JSON |
//! | [`vocabulary`] | tokenizers to vocabulary artifacts |
//! | [`failure`] | everything that can go wrong, by the kinds that hosts tell apart |
//! | [`tokens`] | token ids as hosts give them: signed, and of any size |
//! | [`pool`] | the threads that batches run on, remade in a process that was forked |
//!
//! Nothing here prints, reads the environment or knows a language.

pub mod engine;
pub mod failure;
pub mod pool;
pub mod tokens;
pub mod vocabulary;

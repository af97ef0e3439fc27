//! Parts that the bindings to other languages share, so that each of them only translates.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`engine`] | a compiler for one vocabulary, asked by language name and options as JSON |
//! | [`vocabulary`] | tokenizers to vocabulary artifacts |
//! | [`failure`] | everything that can go wrong, by the kinds that hosts distinguish |
//! | [`folders`] | artifacts in folders, by their digests |
//! | [`tokens`] | token ids as hosts give them: signed, and of any size |
//! | [`batch`] | many matchers in one call, on a number of threads |
//! | [`pool`] | the threads that batches run on, remade in a process that was forked |
//! | [`progress`] | masks that are computed while a host already uses the grammar |
//! | [`report`] | what a grammar says of itself, as JSON |
//! | [`schemas`] | questions about schemas, with requests and answers as JSON |
//!
//! Nothing here prints, reads the environment or knows a language.

pub mod batch;
pub mod engine;
pub mod failure;
pub mod folders;
pub mod pool;
pub mod progress;
pub mod report;
pub mod schemas;
pub mod tokens;
pub mod vocabulary;

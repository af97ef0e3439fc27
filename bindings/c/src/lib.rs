//! The C interface: what is declared in `include/grammarc.h`.
//!
//! The header is made from these files by cbindgen, in the order of this table, so a comment here is its documentation:
//!
//! | file | declares |
//! | --- | --- |
//! | `error` | statuses, errors with their diagnostics, versions |
//! | `vocabulary` | vocabularies: opened, asked, written |
//! | `import` | vocabularies of tokenizers and of tokens |
//! | `compiler` | compilers, limits, cancelling |
//! | `grammar` | grammars: opened, asked, written |
//! | `matcher` | one sequence: made, forked, reset |
//! | `steps` | masks, acceptance, rollback |
//! | `runs` | what a matcher says in more than a number |
//! | `batch` | many matchers, and drafts |
//! | `splitter` | what an output of a grammar was made of |
//! | `cuda`, `cuda_arguments` | grammars on CUDA devices, in `include/grammarc_cuda.h` |
//! | `llama` | a sampler for llama.cpp, in `include/grammarc_llama.h` |
//!
//! Below them, and not in the header: `guard` catches panics at the border, `args` turns pointers of the caller into
//! references, `out_params` writes results where the caller points, `single` keeps an object to one call at a time, `options` reads structs that grow from one version to the next.
//!
//! Invariants: no panic leaves a function; nothing is printed, no variable of the environment is read; memory that is handed
//! out is given back to the function that the header names; every pointer is checked for NULL, every count for overflow.
//! The header's rules are what the caller owes, and the reason of every `unsafe` block here.

#![allow(unsafe_code, reason = "it is the border to C: each block says what it relies on")]
#![allow(non_camel_case_types, reason = "types have the names that they have in C")]
#![allow(clippy::missing_safety_doc, reason = "the header's rules hold for every function")]

mod args;
mod batch;
mod compiler;
mod cuda;
mod cuda_arguments;
mod error;
mod grammar;
mod guard;
mod import;
mod llama;
mod matcher;
mod options;
mod out_params;
mod runs;
mod single;
mod splitter;
mod steps;
mod vocabulary;

pub use batch::*;
pub use compiler::*;
pub use cuda::*;
pub use cuda_arguments::*;
pub use error::*;
pub use grammar::*;
pub use import::*;
pub use llama::*;
pub use matcher::*;
pub use runs::*;
pub use splitter::*;
pub use steps::*;
pub use vocabulary::*;

//! The C interface, declared in `include/grammarc.h`.
//!
//! cbindgen makes the header from these files, in the order of this table. The comments here are its documentation.
//!
//! | file | declares |
//! | --- | --- |
//! | `error` | statuses, errors with their diagnostics, versions |
//! | `vocabulary` | vocabularies: open, query, write |
//! | `import` | vocabularies from tokenizers and lists of tokens |
//! | `compiler` | compilers, limits, cancellation |
//! | `grammar` | grammars: open, query, write |
//! | `matcher` | matchers: make, fork, reset |
//! | `steps` | masks, acceptance, rollback |
//! | `runs` | queries of a matcher that return lists |
//! | `batch` | many matchers in one call, drafts |
//! | `splitter` | the pieces of an output |
//! | `calls` | reasoning, text, and tool calls with their arguments as JSON |
//! | `cuda`, `cuda_arguments` | grammars on CUDA devices, in `include/grammarc_cuda.h` |
//! | `llama` | a sampler for llama.cpp, in `include/grammarc_llama.h` |
//!
//! The files below them are not in the header:
//!
//! | file | does |
//! | --- | --- |
//! | `guard` | catches panics at the border |
//! | `handles` | makes, counts, frees and queries handles |
//! | `single` | allows one call at a time |
//! | `args` | converts pointers to references |
//! | `options` | reads versioned structs |
//! | `out_params` | writes results |
//!
//! Invariants: no panic leaves a function, nothing is printed, and no environment variable is read. The header names the
//! function that frees a returned handle. Every pointer is checked for NULL, and every count for overflow.

#![allow(unsafe_code, reason = "it is the border to C")]
#![allow(
    unsafe_op_in_unsafe_fn,
    reason = "an exported function relies on the header's rules, every other one on its `# Safety`"
)]
#![allow(non_camel_case_types, reason = "types have the names that they have in C")]
#![allow(clippy::missing_safety_doc, reason = "the header's rules hold for every function")]

mod args;
mod batch;
mod calls;
mod compiler;
mod cuda;
mod cuda_arguments;
mod error;
mod grammar;
mod guard;
mod handles;
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
pub use calls::*;
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

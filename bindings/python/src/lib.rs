//! The Python module `grammarc._native`: what the package `grammarc` is made of.
//!
//! | file | what it is |
//! | --- | --- |
//! | `vocabulary`, `compiler`, `grammar`, `matcher`, `bitmask` | one class each |
//! | `batch` | many matchers in one call |
//! | `json`, `partial` | repair, lines of JSON, values while they come |
//! | `prompts`, `agents` | prompts by name, actions of agents |
//! | `splitter`, `calls` | outputs in parts; calls of tools with their arguments as JSON |
//! | `folders` | artifacts by their digests |
//! | `drafter` | drafts of the tokens that a grammar forces |
//! | `decoder`, `reading` | generations of a model that Python runs; a text byte by byte |
//! | `arrays` | memory of numpy, torch and others, checked and written in place |
//! | `cuda` | grammars on CUDA devices |
//! | `raise` | failures as Python exceptions, panics included |
//! | `tokens` | token ids as Python has them |
//!
//! The classes are frozen and safe to share between threads, also where Python has no global lock: a matcher has a lock of its
//! own. The global lock is kept in calls that take less than a microsecond, since to give it up and take it again costs as
//! much as they do, and given up in the others. It is never taken while a matcher's lock is held.

mod agents;
mod arrays;
mod batch;
mod bitmask;
mod calls;
mod compiler;
mod cuda;
mod decoder;
mod drafter;
mod explanation;
mod folders;
mod grammar;
mod json;
mod matcher;
mod partial;
mod prompts;
mod raise;
mod reading;
mod schemas;
mod splitter;
mod tokens;
mod vocabulary;

use pyo3::prelude::*;

/// The module.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<vocabulary::Vocabulary>()?;
    module.add_class::<compiler::CancelToken>()?;
    module.add_class::<compiler::Engine>()?;
    module.add_class::<grammar::Grammar>()?;
    module.add_class::<bitmask::Bitmask>()?;
    module.add_class::<matcher::Matcher>()?;
    module.add_class::<drafter::Drafter>()?;
    module.add_class::<explanation::Explanation>()?;
    module.add_class::<folders::Folders>()?;
    module.add_class::<json::Json>()?;
    module.add_class::<json::JsonlStream>()?;
    module.add_class::<partial::Partial>()?;
    module.add_class::<prompts::Prompts>()?;
    module.add_class::<agents::Actions>()?;
    module.add_class::<decoder::Decoder>()?;
    module.add_class::<reading::Reading>()?;
    module.add_class::<cuda::CudaDevice>()?;
    module.add_class::<cuda::CudaGrammar>()?;
    module.add_class::<cuda::CudaSlots>()?;
    module.add_class::<cuda::CudaRows>()?;
    module.add_class::<cuda::CudaTables>()?;
    module.add_class::<cuda::CudaRow>()?;
    module.add_class::<splitter::Piece>()?;
    module.add_class::<splitter::Splitter>()?;
    module.add_class::<calls::CallPart>()?;
    module.add_class::<calls::Calls>()?;
    module.add_function(wrap_pyfunction!(batch::fill_batch, module)?)?;
    module.add_function(wrap_pyfunction!(calls::tool_styles, module)?)?;
    module.add_function(wrap_pyfunction!(batch::apply_batch, module)?)?;
    module.add_function(wrap_pyfunction!(agents::extract_json_response, module)?)?;
    module.add_function(wrap_pyfunction!(agents::agent_tags, module)?)?;
    module.add_function(wrap_pyfunction!(schemas::ask_about_schemas, module)?)?;
    Ok(())
}

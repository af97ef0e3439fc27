//! Compilers: compile sources to grammars within limits, from any thread.

use std::ffi::c_char;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ::grammarc_compiler::cache::{Cache, CacheOptions, Layer};
use ::grammarc_compiler::diagnostics::Source;
use ::grammarc_compiler::frontend::settings::Language;
use grammarc_bindings::engine::{Engine, Limits, Masks, Request};
use grammarc_bindings::failure::Failure;
use grammarc_bindings::report::of_findings;

use crate::args::{self, array, give, object};
use crate::error::grammarc_status::{self, *};
use crate::error::{Fault, grammarc_error, make, status_of};
use crate::grammar::grammarc_grammar;
use crate::handles::{counted, release, retain};
use crate::import::grammarc_text;
use crate::options::{self, growing, set};
use crate::out_params::Text;
use crate::vocabulary::{grammarc_vocabulary, unknown_flags};

/// A compiler for one vocabulary, with a cache of compiled grammars. Keep one compiler for each vocabulary.
///
/// Any number of threads may use it at once. Concurrent equal requests are compiled once. Counted: grammarc_compiler_retain()
/// and grammarc_compiler_free(). A compiler starts its own threads, and works after a fork in both processes.
pub struct grammarc_compiler {
    engine: Engine,
    masks: Masks,
}

/// A flag that cancels compilations.
///
/// Any number of threads may use it at once. Counted: grammarc_cancel_retain() and grammarc_cancel_free().
#[derive(Debug, Default)]
pub struct grammarc_cancel_flag {
    flag: Arc<AtomicBool>,
}

/// The language of a source.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum grammarc_language {
    /// JSON Schema, drafts 4 to 2020-12.
    GRAMMARC_JSON_SCHEMA = 0,
    /// GBNF, the notation of llama.cpp.
    GRAMMARC_GBNF = 1,
    /// A regular expression, matched against the whole output.
    GRAMMARC_REGEX = 2,
    /// A JSON array of strings. The output is one of them.
    GRAMMARC_CHOICE = 3,
    /// A structural tag: free text with tags that contain schemas, grammars and patterns.
    GRAMMARC_STRUCTURAL_TAG = 4,
    /// XGrammar's EBNF.
    GRAMMARC_EBNF = 5,
    /// Lark, in the dialects of llguidance and XGrammar.
    GRAMMARC_LARK = 6,
    /// A JSON object with a text. The output is a substring of the text.
    GRAMMARC_SUBSTRING = 7,
    /// TypeScript type declarations. The output is the JSON text of a value of the type.
    GRAMMARC_TYPESCRIPT = 8,
    /// The name of a built-in grammar: json, json-object, json-array, jsonl, csv or xml.
    GRAMMARC_BUILTIN = 9,
}

/// The limits of one compilation. Set all bytes to zero, the default of every field, and then `struct_size`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_limits {
    /// `sizeof(grammarc_limits)`.
    pub struct_size: usize,
    /// Wall time in milliseconds. Default: no limit.
    pub timeout_ms: u64,
    /// Size of tables and automata in bytes. Default: 1 GiB.
    pub memory: usize,
    /// Number of states of the grammar.
    pub states: usize,
    /// Number of rules of the grammar.
    pub rules: usize,
    /// Number of pairs of a return state and an exit class.
    pub pairs: usize,
}

/// Flag: cache no grammars in memory, for hosts with their own cache.
pub const GRAMMARC_NO_MEMORY_CACHE: u32 = 1;

/// Flag: return a grammar as soon as its automata are built, while a thread computes its masks. Until then, each mask is
/// computed on request, with the same bits, in microseconds to some tens of milliseconds. See grammarc_grammar_wait().
pub const GRAMMARC_EARLY: u32 = 2;

/// Flag: compute no masks. Such grammars are for readers of outputs, grammarc_calls and grammarc_splitter, and are ready in
/// about a millisecond. They are not cached, and grammarc_grammar_wait() returns GRAMMARC_ARGUMENT.
pub const GRAMMARC_WITHOUT_MASKS: u32 = 4;

/// The settings of a compiler. Set all bytes to zero, the default of every field, and then `struct_size`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_compiler_options {
    /// `sizeof(grammarc_compiler_options)`.
    pub struct_size: usize,
    /// Number of threads of a compilation, including the caller's. Default: the number of processors.
    pub threads: u32,
    /// Bitwise or of GRAMMARC_NO_MEMORY_CACHE, GRAMMARC_EARLY and GRAMMARC_WITHOUT_MASKS.
    pub flags: u32,
    /// Default limits of each compilation. May be NULL.
    pub limits: *const grammarc_limits,
    /// Maximum number of grammars in the memory cache. Default: 256.
    pub memory_entries: usize,
    /// Maximum size of the memory cache in bytes. Default: 1 GiB.
    pub memory_bytes: usize,
    /// Path of a folder that caches compiled grammars. A missing folder is created, and processes may share one. Default:
    /// none.
    pub folder: grammarc_text,
    /// Maximum size of the folder's files in bytes. Default: 4 GiB.
    pub folder_bytes: u64,
    /// Paths of output folders of `grammarc build`. They are searched first, and never written.
    pub artifacts: *const grammarc_text,
    /// Length of `artifacts`.
    pub artifact_count: usize,
}

growing!(grammarc_limits, grammarc_compiler_options);

/// Converts the limits of a caller.
///
/// # Safety
///
/// As [`options::read`].
unsafe fn read_limits(given: *const grammarc_limits) -> Result<Limits, Fault> {
    let given = options::read(given)?;
    let limit = |number: usize| (number > 0).then_some(number);
    Ok(Limits {
        time: (given.timeout_ms > 0).then(|| Duration::from_millis(given.timeout_ms)),
        memory: limit(given.memory),
        states: limit(given.states),
        rules: limit(given.rules),
        pairs: limit(given.pairs),
    })
}

/// Opens the cache that the options describe.
///
/// # Safety
///
/// The texts of the options are valid.
unsafe fn cache(given: &grammarc_compiler_options) -> Result<Cache, Fault> {
    let mut options = CacheOptions::new();
    options = set(options, given.memory_entries, CacheOptions::memory_entries);
    options = set(options, given.memory_bytes, CacheOptions::memory_bytes);
    options = set(options, given.folder_bytes, CacheOptions::folder_bytes);
    if given.flags & !(GRAMMARC_NO_MEMORY_CACHE | GRAMMARC_EARLY | GRAMMARC_WITHOUT_MASKS) != 0 {
        return Err(unknown_flags(given.flags));
    }
    if given.flags & GRAMMARC_NO_MEMORY_CACHE != 0 {
        options = options.memory_entries(0).refusals(0);
    }
    if given.folder.length > 0 {
        options = options.folder(args::path(given.folder.data, given.folder.length)?);
    }
    for folder in array("artifacts", given.artifacts, given.artifact_count)? {
        let folder = args::path(folder.data, folder.length)?;
        options = options.layer(Layer::open(folder).map_err(Failure::from)?);
    }
    Ok(Cache::open(options)?)
}

/// Makes a compiler for a vocabulary. `options` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_compiler_new(
    vocabulary: *const grammarc_vocabulary,
    options: *const grammarc_compiler_options,
    out: *mut *mut grammarc_compiler,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    make(out, error, || {
        let vocabulary = object("the vocabulary", vocabulary)?.inner.clone();
        let given = options::read(options)?;
        let threads = NonZero::new(given.threads as usize);
        let limits = read_limits(given.limits)?;
        let engine = Engine::new(vocabulary, threads, limits, cache(&given)?);
        let has = |flag| given.flags & flag != 0;
        let masks = match (has(GRAMMARC_WITHOUT_MASKS), has(GRAMMARC_EARLY)) {
            (true, _) => Masks::Never,
            (false, true) => Masks::Later,
            (false, false) => Masks::First,
        };
        Ok(counted(grammarc_compiler { engine, masks }))
    })
}

/// Adds a reference, and returns the compiler. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_compiler_retain(
    compiler: *const grammarc_compiler,
) -> *mut grammarc_compiler {
    retain(compiler)
}

/// Removes a reference; the last one frees the compiler. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_compiler_free(compiler: *mut grammarc_compiler) {
    release(compiler)
}

/// Compiles a source to a grammar, or returns the cached grammar of an equal request.
///
/// `language` is one of `grammarc_language`. `source` is UTF-8. `options` is a JSON object with options of the language, listed
/// in `docs/c.md`; length 0 selects the defaults. `limits` and `cancel` may be NULL.
///
/// Takes well below a millisecond for a cached grammar, and about a millisecond for a usual schema; the maximum is set by the
/// limits. After grammarc_cancel(), returns GRAMMARC_CANCELLED within some milliseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_compile(
    compiler: *const grammarc_compiler,
    language: u32,
    source: *const c_char,
    source_length: usize,
    options: *const c_char,
    options_length: usize,
    limits: *const grammarc_limits,
    cancel: *const grammarc_cancel_flag,
    out: *mut *mut grammarc_grammar,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    make(out, error, || {
        let &grammarc_compiler { ref engine, masks } = object("the compiler", compiler)?;
        let language = usize::try_from(language).ok().and_then(|at| Language::ALL.get(at));
        let language = language.ok_or_else(|| Fault::argument("there is no such language"))?;
        let text = args::source(source, source_length)?;
        let options = args::text("the options", options, options_length)?;
        let limits = read_limits(limits)?;
        let cancel = cancel.as_ref().map(|cancel| Arc::clone(&cancel.flag));
        let language = language.name();
        let request = Request { language, text, options, limits, cancel: cancel.as_ref() };
        let made = engine.compile(&request, masks)?;
        let findings = match made.findings.as_slice() {
            [] => Text::new("[]"),
            findings => {
                let source = Source::new(format!("<{language}>"), text);
                Text::new(of_findings(&source, findings))
            }
        };
        Ok(counted(grammarc_grammar::begun(made.grammar, findings, made.progress)))
    })
}

/// Writes the compiler's counters since its creation to `buffer`, as a JSON object.
///
/// The outcomes of requests are counted in `compiled`, `memory_hits`, `layer_hits`, `folder_hits`, `shared`, `refused`,
/// `refused_from_memory`, `timeouts`, `cancelled` and `out_of_memory`. Other counters are `not_kept`, `evicted_from_memory`,
/// `evicted_from_folder` and `bytes_written`. The histograms `compile_times` and `request_times` have the form
/// `{"buckets": [[seconds, count], ...], "count": N, "sum": seconds}`; the count of a bucket includes all smaller buckets.
///
/// The text has no final NUL, and `*needed` is its length in bytes. GRAMMARC_BUFFER if `capacity` is less; 1024 bytes are
/// always enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_compiler_stats_json(
    compiler: *const grammarc_compiler,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> grammarc_status {
    status_of(|| {
        let stats = serde_json::to_vec(&object("the compiler", compiler)?.engine.stats());
        let text = stats.map_err(|error| Fault::said(GRAMMARC_INTERNAL, error))?;
        Ok(give(&text, buffer.cast(), capacity, needed))
    })
}

/// Makes a flag that is not set. Never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn grammarc_cancel_new() -> *mut grammarc_cancel_flag {
    counted(grammarc_cancel_flag::default())
}

/// Sets a flag, which cannot be undone: all compilations with the flag are cancelled, running and future ones. NULL is
/// allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cancel(cancel: *mut grammarc_cancel_flag) {
    if let Some(cancel) = cancel.as_ref() {
        cancel.flag.store(true, Ordering::Relaxed);
    }
}

/// Adds a reference, and returns the flag. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cancel_retain(
    cancel: *const grammarc_cancel_flag,
) -> *mut grammarc_cancel_flag {
    retain(cancel)
}

/// Removes a reference; the last one frees the flag. NULL is allowed. A running compilation keeps its flag alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cancel_free(cancel: *mut grammarc_cancel_flag) {
    release(cancel)
}

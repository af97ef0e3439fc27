//! Compilers: sources to grammars, with limits, from any thread.

use std::ffi::c_char;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ::grammarc_compiler::cache::{Cache, CacheOptions, Layer};
use ::grammarc_compiler::diagnostics::Source;
use ::grammarc_compiler::frontend::settings::Language;
use grammarc_bindings::engine::{Engine, Limits, Request};
use grammarc_bindings::failure::Failure;
use grammarc_bindings::report::of_findings;

use crate::args::{self, answer, array, counted, give, object};
use crate::error::{Fault, grammarc_error, grammarc_status, make};
use crate::grammar::grammarc_grammar;
use crate::import::grammarc_text;
use crate::options::{self, Growing};
use crate::out_params::Text;
use crate::vocabulary::{grammarc_vocabulary, unknown_flags};

/// A compiler for one vocabulary, with a cache of what it has compiled.
///
/// Any number of threads may use it at once; those that ask for the same at once have it compiled once. Keep one for each
/// vocabulary. Counted: grammarc_compiler_retain() and grammarc_compiler_free(). Its threads are its own; a process that
/// is forked may go on using it.
pub struct grammarc_compiler {
    engine: Engine,
    /// Whether grammars are given before their masks are there.
    is_early: bool,
}

/// A flag that ends compilations.
///
/// Any number of threads may use it at once. Counted: grammarc_cancel_retain() and grammarc_cancel_free().
#[derive(Debug, Default)]
pub struct grammarc_cancel_flag {
    flag: Arc<AtomicBool>,
}

/// Languages of sources.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum grammarc_language {
    /// JSON Schema, drafts 4 to 2020-12.
    GRAMMARC_JSON_SCHEMA = 0,
    /// GBNF, the notation of llama.cpp.
    GRAMMARC_GBNF = 1,
    /// A regular expression that the whole text matches.
    GRAMMARC_REGEX = 2,
    /// A JSON array of texts, of which the output is one.
    GRAMMARC_CHOICE = 3,
    /// A structural tag: free text in which tags lead to schemas, grammars and patterns.
    GRAMMARC_STRUCTURAL_TAG = 4,
    /// XGrammar's EBNF.
    GRAMMARC_EBNF = 5,
    /// Lark, as llguidance and XGrammar have it.
    GRAMMARC_LARK = 6,
    /// A JSON object with a text, of which the output is a part.
    GRAMMARC_SUBSTRING = 7,
    /// Declarations of types in TypeScript, of the JSON texts of their values.
    GRAMMARC_TYPESCRIPT = 8,
    /// The name of a built-in grammar: json, json-object, json-array, jsonl, csv or xml.
    GRAMMARC_BUILTIN = 9,
}

/// The limits of one compilation. Zero is the default of every field: set all bytes to zero and then `struct_size`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_limits {
    /// `sizeof(grammarc_limits)`.
    pub struct_size: usize,
    /// Wall time in milliseconds. Default: no limit.
    pub timeout_ms: u64,
    /// Bytes of tables and automata. Default: 1 GiB.
    pub memory: usize,
    /// States of the grammar.
    pub states: usize,
    /// Rules of the grammar.
    pub rules: usize,
    /// Pairs of a return state and an exit class.
    pub pairs: usize,
}

// SAFETY: integers alone, the size first.
unsafe impl Growing for grammarc_limits {
    const NAME: &'static str = "grammarc_limits";
}

/// Keep no grammars in memory: for hosts that keep them themselves.
pub const GRAMMARC_NO_MEMORY_CACHE: u32 = 1;

/// Give a grammar as soon as its automata are there, while a thread computes its masks: see grammarc_grammar_wait(). Until then a
/// mask is found when it is asked for, with the same bits, in microseconds to some tens of milliseconds.
pub const GRAMMARC_EARLY: u32 = 2;

/// The settings of a compiler. Zero is the default of every field: set all bytes to zero and then `struct_size`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_compiler_options {
    /// `sizeof(grammarc_compiler_options)`.
    pub struct_size: usize,
    /// Threads of a compilation, the one that asks among them. Default: as many as there are processors.
    pub threads: u32,
    /// GRAMMARC_NO_MEMORY_CACHE and GRAMMARC_EARLY, or'ed.
    pub flags: u32,
    /// Limits of compilations that name none of their own. May be NULL.
    pub limits: *const grammarc_limits,
    /// Most grammars that are kept opened in memory. Default: 256.
    pub memory_entries: usize,
    /// Most bytes of these together. Default: 1 GiB.
    pub memory_bytes: usize,
    /// A folder for what was compiled, which is made where it does not exist. Any number of processes may share one. Default:
    /// none.
    pub folder: grammarc_text,
    /// Most bytes of its files together. Default: 4 GiB.
    pub folder_bytes: u64,
    /// Folders that `grammarc build` made, which are looked into first and never written.
    pub artifacts: *const grammarc_text,
    /// Number of these.
    pub artifact_count: usize,
}

// SAFETY: integers and raw pointers alone, the size first.
unsafe impl Growing for grammarc_compiler_options {
    const NAME: &'static str = "grammarc_compiler_options";
}

/// The limits of the caller as the engine has them.
///
/// # Safety
///
/// NULL, or a struct of the size that it says.
unsafe fn read_limits(given: *const grammarc_limits) -> Result<Limits, Fault> {
    // SAFETY: the caller's promise.
    let given = unsafe { options::read(given) }?;
    let set = |number: usize| (number > 0).then_some(number);
    Ok(Limits {
        time: (given.timeout_ms > 0).then(|| Duration::from_millis(given.timeout_ms)),
        memory: set(given.memory),
        states: set(given.states),
        rules: set(given.rules),
        pairs: set(given.pairs),
    })
}

/// The cache that the options describe.
///
/// # Safety
///
/// The texts of the options are there.
unsafe fn cache(given: &grammarc_compiler_options) -> Result<Cache, Fault> {
    let mut options = CacheOptions::new();
    if given.memory_entries > 0 {
        options = options.memory_entries(given.memory_entries);
    }
    if given.flags & !(GRAMMARC_NO_MEMORY_CACHE | GRAMMARC_EARLY) != 0 {
        return Err(unknown_flags(given.flags));
    }
    if given.flags & GRAMMARC_NO_MEMORY_CACHE != 0 {
        options = options.memory_entries(0).refusals(0);
    }
    if given.memory_bytes > 0 {
        options = options.memory_bytes(given.memory_bytes);
    }
    if given.folder_bytes > 0 {
        options = options.folder_bytes(given.folder_bytes);
    }
    // SAFETY: the caller's promise.
    unsafe {
        if given.folder.length > 0 {
            options = options.folder(args::path(given.folder.data, given.folder.length)?);
        }
        for folder in array("artifacts", given.artifacts, given.artifact_count)? {
            let folder = args::path(folder.data, folder.length)?;
            options = options.layer(Layer::open(folder).map_err(Failure::from)?);
        }
    }
    Ok(Cache::open(options)?)
}

/// Makes a compiler. `options` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_compiler_new(
    vocabulary: *const grammarc_vocabulary,
    options: *const grammarc_compiler_options,
    out: *mut *mut grammarc_compiler,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        make(out, error, || {
            let vocabulary = object("the vocabulary", vocabulary)?.inner.clone();
            let given = options::read(options)?;
            let threads = NonZero::new(given.threads as usize);
            let limits = read_limits(given.limits)?;
            let engine = Engine::new(vocabulary, threads, limits, cache(&given)?);
            let is_early = given.flags & GRAMMARC_EARLY != 0;
            Ok(counted(grammarc_compiler { engine, is_early }))
        })
    }
}

/// One more holder. Returns the compiler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_compiler_retain(
    compiler: *const grammarc_compiler,
) -> *mut grammarc_compiler {
    // SAFETY: the caller keeps the header's rules.
    unsafe { args::retain(compiler) }
}

/// One holder less; the last one frees it. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_compiler_free(compiler: *mut grammarc_compiler) {
    // SAFETY: the caller keeps the header's rules.
    unsafe { args::release(compiler) }
}

/// The grammar of a source: one that was compiled before, or a new one.
///
/// `language` is one of `grammarc_language`. `source` is UTF-8. `options` is a JSON object with options of the language by name
/// (`docs/c.md` lists them), or nothing. `limits` and `cancel` may be NULL.
///
/// From well below a millisecond for what was compiled before, over a millisecond for a usual schema, to as long as the limits
/// let it. After grammarc_cancel() it returns GRAMMARC_CANCELLED within some milliseconds.
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
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        make(out, error, || {
            let &grammarc_compiler { ref engine, is_early } = object("the compiler", compiler)?;
            let language = usize::try_from(language).ok().and_then(|at| Language::ALL.get(at));
            let language = language.ok_or_else(|| Fault::argument("there is no such language"))?;
            let text = args::source(source, source_length)?;
            let options = args::text("the options", options, options_length)?;
            let limits = read_limits(limits)?;
            let cancel = cancel.as_ref().map(|cancel| Arc::clone(&cancel.flag));
            let language = language.name();
            let request = Request { language, text, options, limits, cancel: cancel.as_ref() };
            let made = match is_early {
                true => engine.begin(&request)?,
                false => engine.compile(&request)?,
            };
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
}

/// Counters since the compiler was made, as a JSON object of numbers: how requests ended (`compiled`, `memory_hits`,
/// `layer_hits`, `folder_hits`, `shared`, `refused`, `refused_from_memory`, `timeouts`, `cancelled`, `out_of_memory`), and
/// `not_kept`, `evicted_from_memory`, `evicted_from_folder`, `bytes_written`; `compile_times` and `request_times` are
/// `{"buckets": [[seconds, count], ...], "count": N, "sum": seconds}` with counts that include those of smaller bounds.
///
/// The text is copied to `buffer`, without a NUL; `*needed` is its length. GRAMMARC_BUFFER where `capacity` is less: 1024
/// bytes are always enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_compiler_stats_json(
    compiler: *const grammarc_compiler,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        answer(compiler, |compiler| match serde_json::to_vec(&compiler.engine.stats()) {
            Ok(text) => give(&text, buffer.cast(), capacity, needed),
            Err(_) => grammarc_status::GRAMMARC_INTERNAL,
        })
    }
}

/// Makes a flag. Never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn grammarc_cancel_new() -> *mut grammarc_cancel_flag {
    counted(grammarc_cancel_flag::default())
}

/// Ends all compilations that were given the flag, now and from now on. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cancel(cancel: *mut grammarc_cancel_flag) {
    // SAFETY: the caller keeps the header's rules.
    if let Some(cancel) = unsafe { cancel.as_ref() } {
        cancel.flag.store(true, Ordering::Relaxed);
    }
}

/// One more holder. Returns the flag.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cancel_retain(
    cancel: *const grammarc_cancel_flag,
) -> *mut grammarc_cancel_flag {
    // SAFETY: the caller keeps the header's rules.
    unsafe { args::retain(cancel) }
}

/// One holder less; the last one frees it. NULL is allowed. A compilation that was given it holds it itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cancel_free(cancel: *mut grammarc_cancel_flag) {
    // SAFETY: the caller keeps the header's rules.
    unsafe { args::release(cancel) }
}

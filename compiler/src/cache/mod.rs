//! A cache of artifacts, so that a source is compiled once. A server that receives schemas at run time calls
//! [`Cache::get_or_compile`].
//!
//! A request is looked up in four places, the quickest first:
//!
//! | place | holds | bounded by |
//! | --- | --- | --- |
//! | `memory` | opened artifacts and refusals | number and bytes, by last use |
//! | `layer` | artifacts that `grammarc build` made, never written here | the builder |
//! | `folder` | one file for each [`Key`], shared by processes | bytes, by last use |
//! | `flight` | compilations in progress on other threads | one for each key |
//!
//! An entry is a grammar artifact after its key. A hit does not parse the schema: it digests the source's bytes.
//! Unless the artifact is in memory, it also maps the file and checks it, as every opening does. A file that fails
//! the check counts as absent and is replaced. It may be truncated or damaged, have another entry's key, belong to
//! another user, or have been written for other shared rules.
//!
//! # Concurrent requests
//!
//! If several threads request one key at once, the first of them looks it up and compiles it. The others wait, each
//! as long as its own budget lasts. The first gives up if its time is over, if it is cancelled, or if it panics.
//! Another thread then continues with its own budget: a limit concerns one request and not the source. For this
//! reason refusals are remembered, and spent budgets never.
//!
//! # Concurrent processes
//!
//! A file appears under its name by a rename, whole or not at all, and never changes. Two writers of one key write
//! the same bytes, so the order does not matter. Any program may delete any file at any time: an open map keeps its
//! bytes, and the next request compiles again. A forked process continues with the contents of memory, and waits for
//! no thread of its parent (`process`).
//!
//! # The first mask first
//!
//! [`Cache::get_or_begin`] returns a grammar as soon as its network exists, before its masks are computed. The caller
//! finishes the rest on any thread, and the result is the same and kept in the same places.
//!
//! # What a hit does not give
//!
//! Findings about a source are those of its compilation. An artifact from a file does not repeat them. The artifact's
//! report has the verdict on each keyword, so [`denied`](crate::frontend::deny::denied) works for any artifact.
//!
//! Tests: `tests/`; unit tests in `flight`, `memory` and `histogram`.

mod begin;
mod digest;
mod flight;
mod folder;
mod histogram;
mod index;
mod key;
mod layer;
mod memory;
mod options;
mod process;
mod stats;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use grammarc_artifacts::{Buffer, Error, GrammarArtifact, VocabularyArtifact};

use crate::budget::{Budget, BudgetError};
use crate::compile::{Begun, CompileError, CompileOptions, Compiler};
use crate::diagnostics::{Diagnostic, Source};
use crate::from_source::SourceRequest;
use crate::frontend::FrontEnd;
use crate::ir::Lowered;

use flight::{Flights, Lead, Seat, Waited};
use folder::Folder;
use memory::{Answer, Bounds, Kept, Memory, Remembered};
use process::OfProcess;
use stats::{Count, Counters};

pub use begin::{Beginning, Pending};
pub use digest::{Digest, NoDigest};
pub use folder::KeepError;
pub use histogram::Histogram;
pub use index::{INDEX, Index, IndexError, IndexedArtifact, IndexedVocabulary, file_of};
pub use key::{COMPILER, Content, Key};
pub use layer::{Layer, LayerError, VARIABLE};
pub use options::{CacheOptions, FOLDER_BYTES, MEMORY_BYTES, MEMORY_ENTRIES, REFUSALS};
pub use stats::CacheStats;

/// A cache of grammar artifacts, by their inputs. A clone is the same cache; `Send` and `Sync`.
#[derive(Clone, Debug)]
pub struct Cache {
    inner: Arc<Inner>,
}

/// The contents of a cache, shared by its clones.
#[derive(Debug)]
struct Inner {
    /// Folders of prebuilt artifacts, in the order in which they are searched.
    layers: Vec<Layer>,
    /// The folder in which artifacts are kept. `None` if they are kept only in memory.
    folder: Option<Folder>,
    /// The bounds on the contents of memory.
    bounds: Bounds,
    /// The artifacts in memory and the compilations in progress, of this process.
    shared: OfProcess<Shared>,
    /// The statistics.
    counters: Counters,
}

/// The state of a cache that the threads of a process share.
#[derive(Debug)]
struct Shared {
    /// The artifacts and refusals in memory.
    memory: Mutex<Memory>,
    /// The compilations in progress, by key.
    flights: Flights<Answer>,
}

impl Shared {
    /// Returns the state with this memory and no compilations in progress.
    fn new(memory: Memory) -> Self {
        Self { memory: Mutex::new(memory), flights: Flights::default() }
    }

    /// Returns the state for a forked process, with a copy of the memory. The copy is empty if a thread of the parent
    /// held the lock during the fork.
    fn inherit(&self, bounds: Bounds) -> Self {
        let memory = self.memory.try_lock().map(|memory| memory.copy());
        Self::new(memory.unwrap_or_else(|_| Memory::new(bounds)))
    }

    /// Locks the memory.
    fn memory(&self) -> MutexGuard<'_, Memory> {
        // A thread can only have panicked with this lock when memory ran out; every entry is complete all the same.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An artifact from a cache, with its origin.
#[derive(Debug)]
pub struct Cached {
    /// The artifact.
    pub artifact: GrammarArtifact,
    /// Where the artifact came from.
    pub origin: Origin,
    /// Findings of the compilation. Empty unless this process compiled the artifact and still has it in memory.
    pub findings: Arc<[Diagnostic]>,
}

/// Where the artifact of a request came from.
#[derive(Debug)]
pub enum Origin {
    /// The artifact was in memory.
    Memory,
    /// The artifact was in a layer.
    Layer,
    /// The artifact was in the folder.
    Folder,
    /// Another request obtained the artifact, and this one waited for it.
    Shared,
    /// The artifact was compiled, and is now kept.
    Made,
    /// The artifact was compiled, and could not be kept in the folder. It is valid all the same.
    NotKept(KeepError),
}

/// Why a request got no artifact. The messages are those of the diagnostics.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CacheError {
    /// The source has errors, or its grammar does not compile. Equal requests get the same error.
    #[error("{}", first(.0))]
    Refused(Arc<[Diagnostic]>),
    /// The request's budget is spent, by the compilation or by waiting for one.
    #[error("{}", first(.diagnostics))]
    Spent {
        /// The limit that was exceeded.
        error: BudgetError,
        /// The error as diagnostics about the source.
        diagnostics: Arc<[Diagnostic]>,
    },
}

/// Returns the text of the first diagnostic, or an empty text if there is none.
fn first(diagnostics: &[Diagnostic]) -> String {
    diagnostics.first().map(ToString::to_string).unwrap_or_default()
}

impl CacheError {
    /// Returns the errors as diagnostics about the source.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Refused(diagnostics) | Self::Spent { diagnostics, .. } => diagnostics,
        }
    }
}

/// A request for an artifact, with its key.
struct Request<'r> {
    /// The compiler for the vocabulary.
    compiler: &'r Compiler,
    /// The language of the source, with its options.
    front_end: &'r FrontEnd,
    /// The source.
    source: &'r Source,
    /// The options of the compilation.
    options: &'r CompileOptions,
    /// The key of the artifact in memory and in the folder.
    key: Key,
    /// The content to look for in layers. `None` if the cache has no layers.
    content: Option<Content>,
    /// The compilation up to the masks, if it was done before.
    begun: Cell<Option<(Lowered, Begun)>>,
}

impl<'r> Request<'r> {
    /// Returns a request, and computes its key and, if there are layers, its content.
    fn new(
        compiler: &'r Compiler,
        front_end: &'r FrontEnd,
        source: &'r Source,
        options: &'r CompileOptions,
        layers: &[Layer],
    ) -> Self {
        let vocabulary = compiler.vocabulary();
        let content =
            (!layers.is_empty()).then(|| Content::new(vocabulary, front_end, &source.text));
        let key = Key::new(vocabulary, front_end, source, options);
        Self { compiler, front_end, source, options, key, content, begun: Cell::default() }
    }

    /// Compiles up to the masks.
    ///
    /// # Errors
    ///
    /// The errors of the source, or that the budget is spent.
    fn begin(&self, budget: &Budget) -> Result<(Lowered, Begun), Vec<Diagnostic>> {
        let &Self { compiler, front_end, source, options, .. } = self;
        let request = SourceRequest { front_end, source, deny: &[], options };
        compiler.begin_source(&request, budget)
    }

    /// Compiles the artifact. If `sealed` is set, the artifact is ready to be written to a file.
    ///
    /// # Errors
    ///
    /// The errors of the source, or that the budget is spent.
    fn compile(&self, sealed: bool, budget: &Budget) -> Result<Kept, Vec<Diagnostic>> {
        let compiler = self.compiler;
        let refused = |error: CompileError| vec![error.to_diagnostic()];
        let (lowered, begun) = self.begun.take().map_or_else(|| self.begin(budget), Ok)?;
        let compiled = compiler.finish(begun, &lowered, budget).map_err(refused)?;
        let artifact = match sealed {
            true => compiled.to_sealed_artifact(compiler),
            false => compiled.to_artifact(compiler),
        };
        let findings = lowered.findings.into_iter().chain(compiled.findings).collect();
        Ok(Kept { artifact: artifact.map_err(refused)?, findings })
    }
}

impl Cache {
    /// Opens the cache in a folder, which is created if it does not exist. The bounds have their defaults.
    ///
    /// # Errors
    ///
    /// If the folder can be neither found nor created.
    pub fn new(folder: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::open(CacheOptions::new().folder(folder))
    }

    /// Opens a cache with these options.
    ///
    /// # Errors
    ///
    /// If the folder can be neither found nor created.
    pub fn open(options: CacheOptions) -> Result<Self, Error> {
        let CacheOptions { layers, folder, folder_bytes, memory: bounds } = options;
        let folder = folder.map(|path| Folder::open(path, folder_bytes)).transpose()?;
        let shared = OfProcess::new(Shared::new(Memory::new(bounds)));
        let inner = Inner { layers, folder, bounds, shared, counters: Counters::default() };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Returns the artifact of a source. The artifact is taken from the cache, or compiled and then kept.
    ///
    /// # Errors
    ///
    /// The errors of the source, or that the budget is spent. A request that waits for another one ends within some
    /// milliseconds of its cancellation flag being set.
    pub fn get_or_compile(
        &self,
        compiler: &Compiler,
        front_end: &FrontEnd,
        source: &Source,
        options: &CompileOptions,
        budget: &Budget,
    ) -> Result<Cached, CacheError> {
        let started = Instant::now();
        let layers = &self.inner.layers;
        let request = Request::new(compiler, front_end, source, options, layers);
        let answer = self.answer(&request, budget);
        self.inner.counters.answered_in(started.elapsed());
        answer
    }

    /// Looks a request up in memory and in files, without compiling or waiting. Returns the artifact, or the errors
    /// of the source. `None` if the cache has neither; such a miss is not counted.
    pub fn kept(
        &self,
        compiler: &Compiler,
        front_end: &FrontEnd,
        source: &Source,
        options: &CompileOptions,
    ) -> Option<Result<Cached, CacheError>> {
        let request = Request::new(compiler, front_end, source, options, &self.inner.layers);
        let shared = self.inner.shared.get(|before| before.inherit(self.inner.bounds));
        self.kept_of(shared, &request)
    }

    /// Looks a request up in memory and then in files, without compiling or waiting. `None` if neither has an answer.
    fn kept_of(
        &self,
        shared: &Shared,
        request: &Request<'_>,
    ) -> Option<Result<Cached, CacheError>> {
        match self.remembered(shared, request) {
            Some(answer) => Some(answered(answer, Origin::Memory)),
            None => self.kept_in_files(shared, request).map(Ok),
        }
    }

    /// Answers a request from memory, from another request in progress, or from files. Compiles the artifact if none of
    /// them has it.
    fn answer(&self, request: &Request<'_>, budget: &Budget) -> Result<Cached, CacheError> {
        let Inner { shared, counters, bounds, .. } = &*self.inner;
        let shared = shared.get(|before| before.inherit(*bounds));
        loop {
            if let Some(answer) = self.remembered(shared, request) {
                return answered(answer, Origin::Memory);
            }
            match shared.flights.board(request.key.0) {
                Seat::Lead(lead) => return self.lead(shared, request, lead, budget),
                Seat::Wait(flight) => match flight.wait(budget) {
                    Waited::Landed(answer) => {
                        counters.one(Count::Shared);
                        return answered(answer, Origin::Shared);
                    }
                    Waited::GivenUp => {}
                    Waited::Spent => return Err(self.spent(budget, Vec::new())),
                },
            }
        }
    }

    /// Returns the statistics so far.
    pub fn stats(&self) -> CacheStats {
        self.inner.counters.snapshot()
    }

    /// Returns the path of a key's file in the folder, whether it exists or not. `None` if the cache has no folder.
    pub fn path(&self, key: &Key) -> Option<PathBuf> {
        Some(self.inner.folder.as_ref()?.file(key))
    }

    /// Returns the artifact of a key. `None` unless the folder has an undamaged one. Does not look into memory and
    /// layers.
    pub fn get(&self, key: &Key, vocabulary: &VocabularyArtifact) -> Option<GrammarArtifact> {
        let found = self.inner.folder.as_ref()?.get(key, vocabulary)?;
        self.inner.counters.one(Count::FolderHits);
        Some(found)
    }

    /// Writes an artifact to the folder under a key. Does nothing if there is no folder.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or exceeds the bound on the folder.
    pub fn put(&self, key: &Key, artifact: &Buffer) -> Result<(), KeepError> {
        let Inner { folder: Some(folder), counters, .. } = &*self.inner else { return Ok(()) };
        let evicted = folder.put(key, artifact)?;
        counters.add(Count::BytesWritten, folder::entry_bytes(artifact));
        counters.add(Count::EvictedFromFolder, evicted);
        Ok(())
    }

    /// Returns the path of the folder. `None` if the cache has none.
    pub fn folder(&self) -> Option<&Path> {
        self.inner.folder.as_ref().map(Folder::path)
    }

    /// Returns the answer to a request from memory, and counts the request. `None` if memory has no answer.
    fn remembered(&self, shared: &Shared, request: &Request<'_>) -> Option<Answer> {
        let Inner { folder, counters, .. } = &*self.inner;
        let remembered = {
            let mut memory = shared.memory();
            let content = request.content.and_then(|content| memory.get(&content.0));
            content.or_else(|| memory.get(&request.key.0))
        };
        let Remembered { answer, touch } = remembered?;
        counters.one(match answer {
            Ok(_) => Count::MemoryHits,
            Err(_) => Count::RefusedFromMemory,
        });
        if touch && let Some(folder) = folder {
            folder.touch(&request.key);
        }
        Some(answer)
    }

    /// Answers a request whose key this thread has taken: looks in the files, and compiles if they lack the artifact.
    /// All waiting requests get the answer.
    fn lead(
        &self,
        shared: &Shared,
        request: &Request<'_>,
        lead: Lead<'_, Answer>,
        budget: &Budget,
    ) -> Result<Cached, CacheError> {
        let counters = &self.inner.counters;
        // Another thread may have put the answer into memory since this thread looked.
        if let Some(answer) = self.remembered(shared, request) {
            lead.land(answer.clone());
            return answered(answer, Origin::Memory);
        }
        // If the compilation has begun, the files were searched before.
        let begun = request.begun.take();
        let in_files = match begun {
            None => self.kept_in_files(shared, request),
            Some(_) => None,
        };
        request.begun.set(begun);
        if let Some(Cached { artifact, origin, findings }) = in_files {
            lead.land(Ok(Kept { artifact: artifact.clone(), findings: Arc::clone(&findings) }));
            return Ok(Cached { artifact, origin, findings });
        }
        match self.compile(request, budget) {
            Ok((kept, origin)) => {
                counters.one(Count::Compiled);
                self.remember(shared, request.key.0, kept.clone());
                lead.land(Ok(kept.clone()));
                answered(Ok(kept), origin)
            }
            Err(diagnostics) => {
                let error = self.refused(shared, request, budget, diagnostics);
                // If the budget is spent, waiting requests find the flight given up.
                if let CacheError::Refused(diagnostics) = &error {
                    lead.land(Err(diagnostics.clone()));
                }
                Err(error)
            }
        }
    }

    /// Returns the error of a failed request: a refusal, which is then kept in memory, or a spent budget, which is not.
    fn refused(
        &self,
        shared: &Shared,
        request: &Request<'_>,
        budget: &Budget,
        diagnostics: Vec<Diagnostic>,
    ) -> CacheError {
        if budget.error().is_some() {
            return self.spent(budget, diagnostics);
        }
        let diagnostics: Arc<[Diagnostic]> = diagnostics.into();
        self.inner.counters.one(Count::Refused);
        shared.memory().refuse(request.key.0, diagnostics.clone());
        CacheError::Refused(diagnostics)
    }

    /// Keeps an artifact in memory under a digest, its key or content.
    fn remember(&self, shared: &Shared, digest: Digest, kept: Kept) {
        let left = shared.memory().keep(digest, kept);
        self.inner.counters.add(Count::EvictedFromMemory, left as u64);
    }

    /// Returns the artifact of a request from a layer or the folder, and adds it to memory. `None` if the files lack
    /// it.
    fn kept_in_files(&self, shared: &Shared, request: &Request<'_>) -> Option<Cached> {
        let (digest, artifact, origin) = self.in_files(request)?;
        let kept = Kept { artifact, findings: Arc::default() };
        self.remember(shared, digest, kept.clone());
        answered(Ok(kept), origin).ok()
    }

    /// Looks the artifact of a request up in the layers, and then in the cache's folder. Also returns the digest under
    /// which it is kept in memory, and where it was found.
    fn in_files(&self, request: &Request<'_>) -> Option<(Digest, GrammarArtifact, Origin)> {
        let vocabulary = request.compiler.vocabulary();
        if let Some(content) = request.content {
            let mut layers = self.inner.layers.iter();
            if let Some(artifact) = layers.find_map(|layer| layer.get(&content, vocabulary)) {
                self.inner.counters.one(Count::LayerHits);
                return Some((content.0, artifact, Origin::Layer));
            }
        }
        Some((request.key.0, self.get(&request.key, vocabulary)?, Origin::Folder))
    }

    /// Compiles the artifact of a request, and writes it to the folder if there is one. Also returns whether it could
    /// be written.
    ///
    /// # Errors
    ///
    /// The errors of the source, or that the budget is spent.
    fn compile(
        &self,
        request: &Request<'_>,
        budget: &Budget,
    ) -> Result<(Kept, Origin), Vec<Diagnostic>> {
        let Inner { folder, counters, .. } = &*self.inner;
        let started = Instant::now();
        let made = request.compile(folder.is_some(), budget);
        counters.compiled_for(started.elapsed());
        let kept = made?;
        if folder.is_none() {
            return Ok((kept, Origin::Made));
        }
        let origin = match self.put(&request.key, kept.artifact.container().buffer()) {
            Ok(()) => Origin::Made,
            Err(error) => {
                counters.one(Count::NotKept);
                Origin::NotKept(error)
            }
        };
        Ok((kept, origin))
    }

    /// Returns the error of a request whose budget is spent, and counts the request.
    fn spent(&self, budget: &Budget, diagnostics: Vec<Diagnostic>) -> CacheError {
        let error = budget.error().cloned().expect("whoever finds it spent has met a limit");
        self.inner.counters.spent(&error);
        let diagnostics = match diagnostics {
            none if none.is_empty() => vec![error.to_diagnostic()],
            some => some,
        };
        CacheError::Spent { error, diagnostics: diagnostics.into() }
    }
}

/// Converts an answer to the result of a request.
fn answered(answer: Answer, origin: Origin) -> Result<Cached, CacheError> {
    match answer {
        Ok(Kept { artifact, findings }) => Ok(Cached { artifact, origin, findings }),
        Err(diagnostics) => Err(CacheError::Refused(diagnostics)),
    }
}

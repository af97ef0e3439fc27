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

#[derive(Debug)]
struct Inner {
    layers: Vec<Layer>,
    folder: Option<Folder>,
    bounds: Bounds,
    shared: OfProcess<Shared>,
    counters: Counters,
}

/// State that the threads of a process share.
#[derive(Debug)]
struct Shared {
    memory: Mutex<Memory>,
    flights: Flights<Answer>,
}

impl Shared {
    fn new(memory: Memory) -> Self {
        Self { memory: Mutex::new(memory), flights: Flights::default() }
    }

    /// Copies the memory for a forked process. The copy is empty if a thread of the parent held the lock during the
    /// fork.
    fn inherit(&self, bounds: Bounds) -> Self {
        let memory = self.memory.try_lock().map(|memory| memory.copy());
        Self::new(memory.unwrap_or_else(|_| Memory::new(bounds)))
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        // A thread that panicked with the lock was out of memory, and no entry is ever incomplete.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An artifact from a cache, with its origin.
#[derive(Debug)]
pub struct Cached {
    /// The artifact.
    pub artifact: GrammarArtifact,
    /// The origin of the artifact.
    pub origin: Origin,
    /// Findings of the compilation. Empty unless this process compiled the artifact and still has it in memory.
    pub findings: Arc<[Diagnostic]>,
}

/// The origin of an artifact.
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

/// Why there is no artifact. The messages are those of the diagnostics.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CacheError {
    /// The source has errors, or its grammar does not compile. Equal requests are refused alike.
    #[error("{}", first(.0))]
    Refused(Arc<[Diagnostic]>),
    /// The request's budget is spent, by the compilation or by waiting for one.
    #[error("{}", first(.diagnostics))]
    Spent {
        /// The limit that was met.
        error: BudgetError,
        /// The same as findings about the source.
        diagnostics: Arc<[Diagnostic]>,
    },
}

fn first(diagnostics: &[Diagnostic]) -> String {
    diagnostics.first().map(ToString::to_string).unwrap_or_default()
}

impl CacheError {
    /// The errors, as findings about the source.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Refused(diagnostics) | Self::Spent { diagnostics, .. } => diagnostics,
        }
    }
}

/// A request for an artifact.
struct Request<'r> {
    compiler: &'r Compiler,
    front_end: &'r FrontEnd,
    source: &'r Source,
    options: &'r CompileOptions,
    key: Key,
    /// The content to look for in layers, if there are any.
    content: Option<Content>,
    /// The compilation up to the masks, if it is done.
    begun: Cell<Option<(Lowered, Begun)>>,
}

impl<'r> Request<'r> {
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
    fn begin(&self, budget: &Budget) -> Result<(Lowered, Begun), Vec<Diagnostic>> {
        let &Self { compiler, front_end, source, options, .. } = self;
        let request = SourceRequest { front_end, source, deny: &[], options };
        compiler.begin_source(&request, budget)
    }

    /// The artifact, ready to be written where it is `sealed`.
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

    /// Returns the artifact of a source: a kept one, or a new one, which is then kept.
    ///
    /// # Errors
    ///
    /// The errors of the source, or that the budget is spent. A request that waits ends within some milliseconds of
    /// its flag being set.
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

    /// Looks for an artifact in memory, at other requests and in files, and compiles it where it is nowhere.
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

    /// The numbers so far.
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

    /// Keeps an artifact in the folder under a key. Does nothing if there is no folder.
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

    /// The folder. `None` if the cache has none.
    pub fn folder(&self) -> Option<&Path> {
        self.inner.folder.as_ref().map(Folder::path)
    }

    /// The answer to a request from memory, which is then counted.
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

    /// Looks in the files and compiles, for all who wait for it.
    fn lead(
        &self,
        shared: &Shared,
        request: &Request<'_>,
        lead: Lead<'_, Answer>,
        budget: &Budget,
    ) -> Result<Cached, CacheError> {
        let counters = &self.inner.counters;
        // A flight may have landed since this thread looked.
        if let Some(answer) = self.remembered(shared, request) {
            lead.land(answer.clone());
            return answered(answer, Origin::Memory);
        }
        // A compilation that has begun was looked for in the files before.
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
                // Waiting requests find a spent budget given up.
                if let CacheError::Refused(diagnostics) = &error {
                    lead.land(Err(diagnostics.clone()));
                }
                Err(error)
            }
        }
    }

    /// Returns the error of a failed request: a refusal, which is remembered, or a spent budget.
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

    /// Keeps an artifact in memory.
    fn remember(&self, shared: &Shared, digest: Digest, kept: Kept) {
        let left = shared.memory().keep(digest, kept);
        self.inner.counters.add(Count::EvictedFromMemory, left as u64);
    }

    /// Returns the artifact of a request from a layer or the folder, and adds it to memory.
    fn kept_in_files(&self, shared: &Shared, request: &Request<'_>) -> Option<Cached> {
        let (digest, artifact, origin) = self.in_files(request)?;
        let kept = Kept { artifact, findings: Arc::default() };
        self.remember(shared, digest, kept.clone());
        answered(Ok(kept), origin).ok()
    }

    /// Looks the artifact up in the read-only layers, then in the cache's folder. The digest is its key in memory.
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

    /// Compiles, and keeps the artifact in the folder.
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

    /// The error of a request whose budget is spent.
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

fn answered(answer: Answer, origin: Origin) -> Result<Cached, CacheError> {
    match answer {
        Ok(Kept { artifact, findings }) => Ok(Cached { artifact, origin, findings }),
        Err(diagnostics) => Err(CacheError::Refused(diagnostics)),
    }
}

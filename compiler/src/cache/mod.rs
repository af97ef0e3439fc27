//! Artifacts kept, so that a source is compiled once: the call for a server that meets schemas at run time is
//! [`Cache::get_or_compile`].
//!
//! A request is looked for in four places, the quickest first:
//!
//! | place | holds | bounded by |
//! | --- | --- | --- |
//! | `memory` | opened artifacts and refusals | number and bytes, by last use |
//! | `layer` | artifacts that `grammarc build` made, never written here | who made it |
//! | `folder` | one file for each [`Key`], shared by processes | bytes, by last use |
//! | `flight` | what another thread compiles just now | one for each key |
//!
//! An entry is a grammar artifact behind its key. A hit reads no schema: it digests the source's bytes and, but in memory,
//! maps the file and checks it, as every opening does. A file that fails the check, because it was cut short, damaged, has
//! another entry's key, belongs to another user, or was written for other shared rules, counts as absent and is written anew.
//!
//! # Requests beside each other
//!
//! Threads that ask for one key at once have it looked up and compiled once, by the first of them; the others wait for as
//! long as their own budgets last. If the first gives up, because its time is over, it is cancelled or it panics, another
//! thread goes on with its own budget: a limit that was met is a matter of the request and no news about the source. That is
//! also why refusals are remembered, and spent budgets never.
//!
//! # Processes beside each other
//!
//! A file appears under its name by a rename, whole or not at all, and is never changed. Two writers of one key write
//! the same bytes, so it does not matter who is last. Any program may delete any file at any time: a map that is open
//! keeps its bytes, and the next request compiles again. A process that is forked goes on with what is in memory and waits
//! for nobody of the process that it came from (`process`).
//!
//! # The first mask first
//!
//! [`Cache::get_or_begin`] gives a grammar as soon as there is a network for it, before its masks are computed; whoever
//! asked has the rest done where it likes, with the same result and kept in the same places.
//!
//! # What a hit does not give
//!
//! Findings about a source are those of its compilation, and are not repeated by an artifact from a file. The artifact's
//! report has what became of each keyword, so that [`denied`](crate::frontend::deny::denied) can be asked of any.

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

/// Grammar artifacts by what they are made from. A clone is the same cache; `Send` and `Sync`.
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

    /// The same for a process that was forked from this one's. It begins empty if a thread was at the memory just then.
    fn inherit(&self, bounds: Bounds) -> Self {
        let memory = self.memory.try_lock().map(|memory| memory.copy());
        Self::new(memory.unwrap_or_else(|_| Memory::new(bounds)))
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        // A thread that panicked with it locked was out of memory, and no entry is ever half there.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An artifact that a cache returned, and where it came from.
#[derive(Debug)]
pub struct Cached {
    /// The artifact.
    pub artifact: GrammarArtifact,
    /// The origin of the artifact.
    pub origin: Origin,
    /// Findings of the compilation, where this process has done it and they are still in memory.
    pub findings: Arc<[Diagnostic]>,
}

/// The origin of an artifact.
#[derive(Debug)]
pub enum Origin {
    /// It was in memory.
    Memory,
    /// It was in a layer.
    Layer,
    /// It was in the folder.
    Folder,
    /// Another request came to it first, which this one waited for.
    Shared,
    /// It was compiled, and is kept now.
    Made,
    /// It was compiled and could not be kept in the folder. The artifact is as good as any.
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
    /// Its compilation up to the masks, where that is done.
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
    /// The cache in a folder, which is made where it does not exist; bounds are the documented ones.
    ///
    /// # Errors
    ///
    /// If the folder can be neither found nor made.
    pub fn new(folder: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::open(CacheOptions::new().folder(folder))
    }

    /// A cache of this make.
    ///
    /// # Errors
    ///
    /// If the folder can be neither found nor made.
    pub fn open(options: CacheOptions) -> Result<Self, Error> {
        let CacheOptions { layers, folder, folder_bytes, memory: bounds } = options;
        let folder = folder.map(|path| Folder::open(path, folder_bytes)).transpose()?;
        let shared = OfProcess::new(Shared::new(Memory::new(bounds)));
        let inner = Inner { layers, folder, bounds, shared, counters: Counters::default() };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The artifact of a source: one that is kept, or a new one that is kept from now on.
    ///
    /// # Errors
    ///
    /// The errors of the source, and that the budget is spent; a waiting request's ends within some
    /// milliseconds of its flag being set.
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

    /// Looks a request up in memory and in files, without compiling or waiting. Returns the artifact, or the errors of the
    /// source. `None` if the cache has neither; such a miss is not counted.
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

    /// The file of a key in the folder, whether it is there or not; none where the cache has no folder.
    pub fn path(&self, key: &Key) -> Option<PathBuf> {
        Some(self.inner.folder.as_ref()?.file(key))
    }

    /// The artifact of a key, where the folder has a whole one. Memory and layers are not looked into.
    pub fn get(&self, key: &Key, vocabulary: &VocabularyArtifact) -> Option<GrammarArtifact> {
        let found = self.inner.folder.as_ref()?.get(key, vocabulary)?;
        self.inner.counters.one(Count::FolderHits);
        Some(found)
    }

    /// Keeps an artifact in the folder under a key, where there is a folder.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or is larger than the folder may be.
    pub fn put(&self, key: &Key, artifact: &Buffer) -> Result<(), KeepError> {
        let Inner { folder: Some(folder), counters, .. } = &*self.inner else { return Ok(()) };
        let evicted = folder.put(key, artifact)?;
        counters.add(Count::BytesWritten, folder::entry_bytes(artifact));
        counters.add(Count::EvictedFromFolder, evicted);
        Ok(())
    }

    /// The folder, where there is one.
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

    /// The error of a request whose source has errors, which is remembered, or whose budget is spent.
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

    /// The artifact of a request that a layer or the folder has, which is then in memory as well.
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

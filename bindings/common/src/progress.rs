//! Masks that a background thread computes while a host already uses the grammar.
//!
//! At most [`MOST`] such threads run in a process at once; further requests are compiled before they return. After a
//! fork, unmasked grammars of the child stay unmasked: their masks are exact and found by walks.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use grammarc_compiler::cache::Pending;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_runtime::Grammar;

use crate::failure::Failure;

/// Maximum number of compilations in the background.
const MOST: usize = 64;

/// Stack of a thread, in bytes.
const STACK: usize = 2 << 20;

static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// The computation of an unmasked grammar's masks. A clone shares it.
#[derive(Clone, Debug)]
pub struct Progress {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    source: Source,
    ended: Mutex<Option<Ended>>,
    signal: Condvar,
}

/// The end of a computation.
#[derive(Clone, Debug)]
enum Ended {
    Complete,
    Refused(Arc<[Diagnostic]>),
    /// Its thread could not be started, or ended too early.
    Abandoned,
    /// Nobody asked for the masks.
    Unwanted,
}

impl Progress {
    /// Finishes a compilation and gives its masks to the unmasked grammar.
    pub(crate) fn start(pending: Pending, early: Grammar, source: Source) -> Self {
        let inner = Inner { source, ended: Mutex::new(None), signal: Condvar::new() };
        let progress = Self { inner: Arc::new(inner) };
        let work = Work::new(progress.clone());
        let work = move || {
            let ended = match pending.finish() {
                Ok(cached) => {
                    let whole = Grammar::from_artifact(cached.artifact);
                    early.complete(&whole).map_or(Ended::Abandoned, |()| Ended::Complete)
                }
                Err(error) => Ended::Refused(error.diagnostics().into()),
            };
            work.end(ended);
        };
        if RUNNING.load(Ordering::Relaxed) <= MOST {
            // A size of its own: the library reads no variable of the environment, and that of the default is one.
            let thread = std::thread::Builder::new().stack_size(STACK);
            let thread = thread.name("grammarc masks".to_owned());
            // Without a thread the work is dropped, which ends it: the grammar stays early.
            thread.spawn(work).ok();
        } else {
            work();
        }
        progress
    }

    /// Returns the end of a computation that nobody asked for.
    pub(crate) fn never(source: Source) -> Self {
        let ended = Mutex::new(Some(Ended::Unwanted));
        Self { inner: Arc::new(Inner { source, ended, signal: Condvar::new() }) }
    }

    /// Whether all masks are computed. Does not block.
    pub fn is_complete(&self) -> bool {
        matches!(*self.ended(), Some(Ended::Complete))
    }

    /// Waits for the masks. Returns false if `most` has passed first.
    ///
    /// # Errors
    ///
    /// The reason why the masks will not come. The grammar stays early then: its masks are exact and found by walks.
    pub fn wait(&self, most: Option<Duration>) -> Result<bool, Failure> {
        let until = most.map(|most| Instant::now() + most);
        let mut ended = self.ended();
        loop {
            match &*ended {
                Some(Ended::Complete) => return Ok(true),
                Some(Ended::Refused(diagnostics)) => {
                    let source_text = self.inner.source.clone();
                    return Err(Failure::Source { source_text, diagnostics: diagnostics.to_vec() });
                }
                Some(Ended::Abandoned) => return Err(Failure::Abandoned),
                Some(Ended::Unwanted) => return Err(Failure::WithoutMasks),
                None => {}
            }
            let signal = &self.inner.signal;
            ended = match until {
                None => signal.wait(ended).unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Ok(false);
                    }
                    let waited = signal.wait_timeout(ended, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    fn ended(&self) -> std::sync::MutexGuard<'_, Option<Ended>> {
        self.inner.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, how: Ended) {
        self.ended().get_or_insert(how);
        self.inner.signal.notify_all();
    }
}

/// A computation that counts as running until it is dropped.
struct Work(Progress);

impl Work {
    fn new(progress: Progress) -> Self {
        RUNNING.fetch_add(1, Ordering::Relaxed);
        Self(progress)
    }

    fn end(self, how: Ended) {
        self.0.end(how);
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
        self.0.end(Ended::Abandoned);
    }
}

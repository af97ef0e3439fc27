//! Requests that are answered before the masks are computed.
//!
//! The network is built on the caller's thread, so that a host can begin with it. A [`Pending`] is the rest of the
//! compilation. It owns its inputs, so it can be finished on another thread. Two requests for one key build the network
//! twice, which takes little time. The masks are computed once, because [`Pending::finish`] waits for another request
//! that computes them.

use std::fmt;
use std::sync::Arc;

use grammarc_artifacts::EarlyArtifact;

use super::{Cache, CacheError, Cached, Request};
use crate::budget::Budget;
use crate::compile::{Begun, CompileOptions, Compiler};
use crate::diagnostics::report::Report;
use crate::diagnostics::{Diagnostic, Source};
use crate::frontend::FrontEnd;
use crate::ir::Lowered;

/// The answer to a request that does not wait for the masks: a whole artifact, or a grammar without masks.
#[derive(Debug)]
pub enum Beginning {
    /// The artifact was in the cache, with its masks.
    Whole(Cached),
    /// A grammar without masks. The masks are still to be computed, by [`Pending::finish`].
    Early(Box<Pending>),
}

/// A compilation whose masks are still to be computed. The cache keeps the artifact once it is
/// [finished](Self::finish).
pub struct Pending {
    /// The cache that keeps the artifact.
    cache: Cache,
    /// The compiler for the vocabulary.
    compiler: Arc<Compiler>,
    /// The language of the source, with its options.
    front_end: FrontEnd,
    /// The source.
    source: Source,
    /// The options of the compilation.
    options: CompileOptions,
    /// The rest of the budget, for the masks.
    budget: Budget,
    /// The grammar of the source.
    lowered: Lowered,
    /// The compilation up to the masks.
    begun: Begun,
    /// The grammar without masks.
    early: EarlyArtifact,
}

impl fmt::Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("source", &self.source.name).finish_non_exhaustive()
    }
}

impl Pending {
    /// Returns the grammar without masks of its own. A runtime walks the token trie in place of its masks.
    pub fn early(&self) -> &EarlyArtifact {
        &self.early
    }

    /// Returns the report on each keyword of the source.
    pub fn report(&self) -> &Report {
        &self.lowered.report
    }

    /// Returns the findings of lowering and of the network. Computing the masks adds none.
    pub fn findings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.lowered.findings.iter().chain(self.begun.findings())
    }

    /// Computes the masks within the rest of the budget, or waits for another request that computes them.
    ///
    /// # Errors
    ///
    /// If a limit is exceeded, or the budget is spent. The unmasked grammar then continues without masks.
    pub fn finish(self) -> Result<Cached, CacheError> {
        let Self { cache, compiler, front_end, source, options, budget, lowered, begun, .. } = self;
        let layers = &cache.inner.layers;
        let request = Request::new(&compiler, &front_end, &source, &options, layers);
        request.begun.set(Some((lowered, begun)));
        cache.answer(&request, &budget)
    }
}

impl Cache {
    /// Returns the artifact of a source if it is kept. Otherwise returns a grammar that a host can begin with, while
    /// its masks are computed. The request is counted once it is finished.
    ///
    /// # Errors
    ///
    /// The errors of [`Cache::get_or_compile`], except limits of the masks.
    pub fn get_or_begin(
        &self,
        compiler: &Arc<Compiler>,
        front_end: &FrontEnd,
        source: &Source,
        options: &CompileOptions,
        budget: Budget,
    ) -> Result<Beginning, CacheError> {
        let layers = &self.inner.layers;
        let request = Request::new(compiler, front_end, source, options, layers);
        let shared = self.inner.shared.get(|before| before.inherit(self.inner.bounds));
        if let Some(answer) = self.kept_of(shared, &request) {
            return answer.map(Beginning::Whole);
        }
        let begun = request.begin(&budget).and_then(|(lowered, begun)| {
            let early = begun.early(&lowered, compiler);
            Ok((early.map_err(|error| vec![error.to_diagnostic()])?, lowered, begun))
        });
        match begun {
            Ok((early, lowered, begun)) => Ok(Beginning::Early(Box::new(Pending {
                cache: self.clone(),
                compiler: Arc::clone(compiler),
                front_end: front_end.clone(),
                source: source.clone(),
                options: options.clone(),
                budget,
                lowered,
                begun,
                early,
            }))),
            Err(diagnostics) => Err(self.refused(shared, &request, &budget, diagnostics)),
        }
    }
}

//! From a source to its artifact: the one entry point for callers with a source and a vocabulary.
//!
//! ```text
//! source ─ special tokens of the vocabulary ─► lowered ─ denied keywords ─► begun ─ masks ─► compiled
//!                                                 ▲                           │
//!                                                 └─ fewer sets of keys ◄─────┘ too many
//! ```
//!
//! A vocabulary that cannot spell every byte needs a state for each set of required keys in any order. If there are
//! too many sets, the source is lowered again with fewer such keys. The report names the keys that keep their order.

use crate::budget::Budget;
use crate::compile::{Begun, CompileError, CompileOptions, Compiled, Compiler};
use crate::controls::ControlTokens;
use crate::diagnostics::{Diagnostic, Source};
use crate::frontend::FrontEnd;
use crate::frontend::deny::{Deny, denied};
use crate::ir::Lowered;

/// A source with everything that determines its artifact, except the vocabulary.
#[derive(Clone, Copy, Debug)]
pub struct SourceRequest<'r> {
    /// The language of the source, with its options.
    pub front_end: &'r FrontEnd,
    /// The source.
    pub source: &'r Source,
    /// Keywords that the source must not have; each one found is an error.
    pub deny: &'r [Deny],
    /// The options of the compilation.
    pub options: &'r CompileOptions,
}

impl SourceRequest<'_> {
    /// Lowers the source to a grammar, for vocabularies with the special tokens `controls`: see [`FrontEnd::controls`].
    ///
    /// # Errors
    ///
    /// The errors of the source, denied keywords, or that the budget is spent.
    pub fn lower(
        &self,
        controls: &ControlTokens,
        budget: &Budget,
    ) -> Result<Lowered, Vec<Diagnostic>> {
        let lowered = self.front_end.lower_for(self.source.clone(), controls, budget)?;
        let denied = denied(self.source, &lowered.report, self.deny);
        if denied.is_empty() { Ok(lowered) } else { Err(denied) }
    }

    /// Lowers the source with fewer required keys in any order: more keys keep their order. `None` if no fewer are
    /// possible.
    fn lower_fewer(
        &self,
        compiler: &Compiler,
        budget: &Budget,
    ) -> Option<Result<Lowered, Vec<Diagnostic>>> {
        let front_end = self.front_end.with_fewer_sets()?;
        let fewer = SourceRequest { front_end: &front_end, ..*self };
        let controls = front_end.controls(self.source, compiler.vocabulary());
        Some(fewer.lower(&controls, budget))
    }
}

impl Compiler {
    /// Compiles a source. The findings are those of the source and of its grammar.
    ///
    /// ```
    /// use grammarc_compiler::budget::Budget;
    /// use grammarc_compiler::compile::{CompileOptions, Compiler};
    /// use grammarc_compiler::diagnostics::{Diagnostic, Source};
    /// use grammarc_compiler::frontend::FrontEnd;
    /// use grammarc_compiler::from_source::SourceRequest;
    ///
    /// fn artifact(compiler: &Compiler, schema: &str) -> Result<grammarc_artifacts::Buffer, Vec<Diagnostic>> {
    ///     let request = SourceRequest {
    ///         front_end: &FrontEnd::JsonSchema(Default::default()),
    ///         source: &Source::new("schema.json", schema),
    ///         deny: &[],
    ///         options: &CompileOptions::default(),
    ///     };
    ///     let compiled = compiler.compile_source(&request, &Budget::new())?;
    ///     compiled.to_buffer(compiler).map_err(|error| vec![error.to_diagnostic()])
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`SourceRequest::lower`] and of [`Compiler::compile`], as findings about the source.
    pub fn compile_source(
        &self,
        request: &SourceRequest<'_>,
        budget: &Budget,
    ) -> Result<Compiled, Vec<Diagnostic>> {
        let (lowered, begun) = self.begin_source(request, budget)?;
        let mut compiled = self.finish(begun, &lowered, budget).map_err(found)?;
        compiled.findings.splice(0..0, lowered.findings);
        Ok(compiled)
    }

    /// Does the part of [`compile_source`](Self::compile_source) before the masks: see [`Compiler::begin`].
    ///
    /// # Errors
    ///
    /// The errors of [`compile_source`](Self::compile_source), except limits of the masks.
    pub fn begin_source(
        &self,
        request: &SourceRequest<'_>,
        budget: &Budget,
    ) -> Result<(Lowered, Begun), Vec<Diagnostic>> {
        let controls = request.front_end.controls(request.source, self.vocabulary());
        let lowered = request.lower(&controls, budget)?;
        let (fewer, begun) = self.begin_or_fewer(request, &lowered, budget)?;
        Ok((fewer.unwrap_or(lowered), begun))
    }

    /// Compiles a lowered source, so that one lowering serves several vocabularies. The findings of lowering are not
    /// repeated in the result.
    ///
    /// # Errors
    ///
    /// The errors of [`compile_source`](Self::compile_source).
    pub fn compile_lowered(
        &self,
        request: &SourceRequest<'_>,
        lowered: &Lowered,
        budget: &Budget,
    ) -> Result<Compiled, Vec<Diagnostic>> {
        let (fewer, begun) = self.begin_or_fewer(request, lowered, budget)?;
        self.finish(begun, fewer.as_ref().unwrap_or(lowered), budget).map_err(found)
    }

    /// Compiles a lowered source up to the masks. If it has too many sets of required keys, lowers it again with fewer
    /// and also returns that grammar.
    ///
    /// # Errors
    ///
    /// The errors of [`compile_source`](Self::compile_source), except limits of the masks.
    fn begin_or_fewer(
        &self,
        request: &SourceRequest<'_>,
        lowered: &Lowered,
        budget: &Budget,
    ) -> Result<(Option<Lowered>, Begun), Vec<Diagnostic>> {
        let begin = |lowered: &Lowered| {
            self.begin(lowered, request.front_end.kind(), request.options, budget)
        };
        let begun = begin(lowered);
        if begun.as_ref().is_err_and(CompileError::is_of_sets)
            && let Some(fewer) = request.lower_fewer(self, budget)
        {
            let fewer = fewer?;
            let begun = begin(&fewer).map_err(found)?;
            return Ok((Some(fewer), begun));
        }
        Ok((None, begun.map_err(found)?))
    }
}

/// Converts an error of a compilation to a diagnostic about its source.
fn found(error: CompileError) -> Vec<Diagnostic> {
    vec![error.to_diagnostic()]
}

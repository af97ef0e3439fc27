//! Owns standard output and standard error.
//!
//! Results go to standard output and diagnostics to standard error. A result is flushed when it is complete, so that
//! a reader sees whole values whenever the process ends.

use std::io::{self, Write};

use grammarc_compiler::diagnostics::{Diagnostic, Source};

use crate::args::Format;
use crate::failure::Failure;
use crate::render::{Answer, human, json};

/// Standard output and standard error in one format.
#[derive(Debug)]
pub(crate) struct Output {
    format: Format,
}

impl Output {
    /// Output in this format.
    pub(crate) fn new(format: Format) -> Self {
        Self { format }
    }

    /// Whether progress may be drawn on standard error.
    pub(crate) fn is_for_people(&self) -> bool {
        self.format == Format::Human
    }

    /// Writes a result.
    pub(crate) fn answer(&mut self, answer: &impl Answer) -> Result<(), Failure> {
        self.raw(|out| match self.format {
            Format::Human => answer.human(out),
            Format::Json => json::answer(answer, out),
        })
    }

    /// Writes text without a format, such as a completion script.
    pub(crate) fn raw(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let mut out = io::BufWriter::new(io::stdout().lock());
        write(&mut out)?;
        out.flush()?;
        Ok(())
    }

    /// Writes findings about a source.
    pub(crate) fn diagnostics(
        &mut self,
        source: &Source,
        diagnostics: &[Diagnostic],
    ) -> Result<(), Failure> {
        let mut out = io::BufWriter::new(io::stderr().lock());
        for diagnostic in diagnostics {
            match self.format {
                Format::Human => human::diagnostic(source, diagnostic, &mut out)?,
                Format::Json => json::diagnostic(source, diagnostic, &mut out)?,
            }
        }
        out.flush()?;
        Ok(())
    }

    /// Writes why a verb failed, if it did, and returns the exit code.
    pub(crate) fn finish(&mut self, result: Result<u8, Failure>) -> u8 {
        let failure = match result {
            Ok(code) => return code,
            Err(failure) => failure,
        };
        let code = failure.exit_code();
        let written = match &failure {
            Failure::ReaderGone => Ok(()),
            Failure::Refused { source, diagnostics } => self.diagnostics(source, diagnostics),
            Failure::Found(problem) | Failure::Tool(problem) => {
                let mut out = io::stderr().lock();
                let written = match self.format {
                    Format::Human => human::problem(problem, &mut out),
                    Format::Json => json::problem(problem, &mut out),
                };
                written.map_err(Failure::from)
            }
        };
        // Without standard error the exit code has to say it all.
        drop(written);
        code
    }
}

//! Owns standard output and standard error.
//!
//! Results go to standard output and diagnostics to standard error. A result is flushed when it is complete, so that
//! a reader sees whole values whenever the process ends.

use std::io::{self, Write};

use grammarc_compiler::diagnostics::{Diagnostic, Severity, Source};

use crate::args::Format;
use crate::failure::Failure;
use crate::render::{Answer, human, json};

/// Standard output and standard error in one format.
#[derive(Debug)]
pub(crate) struct Output {
    format: Format,
    shown: Tally,
}

/// The warnings and notes that were written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) warnings: u64,
    pub(crate) notes: u64,
    /// Message of the first warning. If there is none, that of the first note.
    pub(crate) first: Option<String>,
}

impl Output {
    /// Output in this format.
    pub(crate) fn new(format: Format) -> Self {
        Self { format, shown: Tally::default() }
    }

    /// Whether progress may be drawn on standard error.
    pub(crate) fn is_for_people(&self) -> bool {
        self.format == Format::Human
    }

    /// The warnings and notes that were written so far.
    pub(crate) fn shown(&self) -> &Tally {
        &self.shown
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
            self.shown.add(diagnostic);
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

impl Tally {
    fn add(&mut self, diagnostic: &Diagnostic) {
        let message = || human::placed_message(diagnostic);
        match diagnostic.severity {
            Severity::Error => {}
            Severity::Warning => {
                if self.warnings == 0 {
                    self.first = Some(message());
                }
                self.warnings += 1;
            }
            Severity::Note => {
                self.first.get_or_insert_with(message);
                self.notes += 1;
            }
        }
    }
}

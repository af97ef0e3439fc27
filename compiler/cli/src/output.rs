//! Owns standard output and standard error.
//!
//! Results go to standard output and diagnostics to standard error. A result is flushed when it is complete, so that
//! a reader sees whole values whenever the process ends.

use std::io::{self, Write};

use grammarc_compiler::diagnostics::{Diagnostic, Severity, Source};

use crate::args::Format;
use crate::failure::Failure;
use crate::render::{Answer, human, json};

/// Standard output and standard error, written in one format.
#[derive(Debug)]
pub(crate) struct Output {
    format: Format,
    shown: Tally,
}

/// Counts of the warnings and notes that were written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) warnings: u64,
    pub(crate) notes: u64,
    /// Message of the first warning. If no warning was written, the message of the first note.
    /// `None` if neither was written.
    pub(crate) first: Option<String>,
}

impl Output {
    /// Creates an output that writes in this format.
    pub(crate) fn new(format: Format) -> Self {
        Self { format, shown: Tally::default() }
    }

    /// Whether the output is read by people, so that progress may be drawn on standard error.
    pub(crate) fn is_for_people(&self) -> bool {
        self.format == Format::Human
    }

    /// Returns the counts of the warnings and notes that were written so far.
    pub(crate) fn shown(&self) -> &Tally {
        &self.shown
    }

    /// Writes the result of a verb to standard output.
    pub(crate) fn answer(&mut self, answer: &impl Answer) -> Result<(), Failure> {
        self.raw(|out| match self.format {
            Format::Human => answer.human(out),
            Format::Json => json::answer(answer, out),
        })
    }

    /// Writes text to standard output as it is, in no format: a completion script, for example.
    pub(crate) fn raw(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let mut out = io::BufWriter::new(io::stdout().lock());
        write(&mut out)?;
        out.flush()?;
        Ok(())
    }

    /// Writes errors, warnings and notes about a source to standard error.
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

    /// Writes the reason to standard error if the verb failed. Returns the exit code of the
    /// process.
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
        // If standard error cannot be written, the exit code alone reports the failure.
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

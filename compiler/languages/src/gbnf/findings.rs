//! Collects diagnostics up to a limit.

use super::codes;
use grammarc_grammar::diagnostics::Diagnostic;

/// Most diagnostics reported for one source. A file of another format has an error at every other character, and only
/// the first few are of use. Beyond the limit, a note says that there are more.
const MAX_FINDINGS: usize = 50;

/// The diagnostics of one source, 50 at most.
#[derive(Debug, Default)]
pub(super) struct Findings {
    found: Vec<Diagnostic>,
    full: bool,
}

impl Findings {
    /// Adds a diagnostic. Beyond 50 it is dropped.
    pub(super) fn push(&mut self, finding: Diagnostic) {
        if self.found.len() < MAX_FINDINGS {
            self.found.push(finding);
        } else {
            self.full = true;
        }
    }

    /// Whether a diagnostic was dropped, so that it is no use to find more.
    pub(super) fn are_full(&self) -> bool {
        self.full
    }

    /// Whether no diagnostics were added.
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns the diagnostics in source order, without duplicates. If some were dropped, a note at the end says so.
    pub(super) fn into_sorted(self) -> Vec<Diagnostic> {
        let mut found = self.found;
        found.sort_by_key(|finding| finding.labels.first().map_or(0, |label| label.span.start));
        // Text after an unterminated string is read twice, which duplicates its errors.
        found.dedup();
        if self.full {
            found.push(Diagnostic::note(
                codes::TOO_MANY,
                format!("there are more errors; the first {MAX_FINDINGS} are shown"),
            ));
        }
        found
    }
}

//! Collects diagnostics up to a limit.

use super::codes;
use grammarc_grammar::diagnostics::Diagnostic;

/// Most errors reported for one source. A file in another format has one at every other character, and nobody reads
/// more than the first few. Beyond, a note says that there are more.
const MAX_FINDINGS: usize = 50;

/// Diagnostics of one source.
#[derive(Debug, Default)]
pub(super) struct Findings {
    found: Vec<Diagnostic>,
    full: bool,
}

impl Findings {
    /// Adds a diagnostic, or drops it beyond the limit.
    pub(super) fn push(&mut self, finding: Diagnostic) {
        if self.found.len() < MAX_FINDINGS {
            self.found.push(finding);
        } else {
            self.full = true;
        }
    }

    /// Whether a diagnostic was dropped. If so, there is no use in finding more.
    pub(super) fn are_full(&self) -> bool {
        self.full
    }

    /// Whether there are no diagnostics.
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns all diagnostics in source order.
    pub(super) fn into_sorted(self) -> Vec<Diagnostic> {
        let mut found = self.found;
        found.sort_by_key(|finding| finding.labels.first().map_or(0, |label| label.span.start));
        // Text behind an unterminated string is read twice.
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

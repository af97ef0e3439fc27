//! Collects diagnostics up to a limit.

use super::codes;
use grammarc_grammar::diagnostics::Diagnostic;

/// Most errors reported for one source. A file that is no grammar at all has one at every other character; nobody
/// reads more than the first few.
const MAX_FINDINGS: usize = 50;

/// Diagnostics of one source.
#[derive(Debug, Default)]
pub(super) struct Findings {
    found: Vec<Diagnostic>,
    full: bool,
}

impl Findings {
    /// Adds a diagnostic; beyond the limit it is dropped.
    pub(super) fn push(&mut self, finding: Diagnostic) {
        if self.found.len() < MAX_FINDINGS {
            self.found.push(finding);
        } else {
            self.full = true;
        }
    }

    /// Whether a diagnostic was dropped, so that looking for more is idle.
    pub(super) fn are_full(&self) -> bool {
        self.full
    }

    /// Whether nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// All diagnostics in source order.
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

//! The exactness report: for every keyword occurrence of a source, what the compiled grammar makes of it.

use std::fmt;

/// What the compiled grammar makes of one keyword occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// Accepts exactly what the specification says.
    Exact,
    /// Carries no constraint, by the specification.
    Annotation,
    /// Accepts nothing that the specification refuses, and not all that it accepts.
    Narrower,
    /// Accepts more than the specification says.
    Approximate,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::Annotation => "annotation",
            Self::Narrower => "narrower",
            Self::Approximate => "approximate",
        })
    }
}

/// One keyword occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportEntry {
    /// JSON pointer to the keyword in the source, such as `/properties/name/pattern`.
    pub pointer: String,
    /// The keyword itself.
    pub keyword: String,
    /// What the grammar makes of it.
    pub verdict: Verdict,
    /// Why, where the verdict is not exact; empty otherwise.
    pub reason: String,
}

/// All keyword occurrences of a source, in source order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The occurrences.
    pub entries: Vec<ReportEntry>,
}

impl Report {
    /// Number of occurrences with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.entries.iter().filter(|entry| entry.verdict == verdict).count()
    }
}

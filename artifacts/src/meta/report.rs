//! The exactness report: for every keyword occurrence of a source, how exactly the compiled grammar implements it.
//!
//! A front end fills the report, and an artifact stores it. A source has hundreds of occurrences. So all texts are in one
//! string, which copies of a report share. Most keywords are the last step of their pointer and take no memory. Most reasons
//! are constants of the compiler.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use rkyv::{Archive, Deserialize, Serialize};

/// The verdict on one keyword occurrence in the compiled grammar.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Archive, Serialize, Deserialize,
)]
#[repr(u8)]
pub enum Verdict {
    /// Accepts exactly what the specification says.
    Exact = 0,
    /// Carries no constraint, by the specification.
    Annotation = 1,
    /// Accepts more than the specification says.
    Approximate = 2,
    /// Accepts less than the specification says, and nothing else. `reason` names the missing part.
    Narrower = 3,
}

impl Verdict {
    /// The word for the verdict in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Annotation => "annotation",
            Self::Approximate => "approximate",
            Self::Narrower => "narrower",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One keyword occurrence: a line of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportEntry<'r> {
    /// JSON pointer to the keyword in the source, such as `/properties/name/pattern`.
    pub pointer: &'r str,
    /// The keyword itself.
    pub keyword: &'r str,
    /// The verdict on the keyword.
    pub verdict: Verdict,
    /// The reason of a verdict that is not exact. Empty otherwise.
    pub reason: &'r str,
}

/// All keyword occurrences of a source, in source order.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Report(Arc<Entries>);

#[derive(Clone, Default, PartialEq, Eq)]
struct Entries {
    /// The pointers, one after the other. A keyword that is not the end of its pointer follows it.
    texts: String,
    rows: Vec<Row>,
}

/// An entry without its texts.
#[derive(Clone, PartialEq, Eq)]
struct Row {
    /// The end of the pointer, which starts at the end of the texts of the entry before.
    pointer: usize,
    /// The start of the keyword.
    keyword: usize,
    /// The end of the keyword and of the texts of the entry.
    end: usize,
    verdict: Verdict,
    reason: Cow<'static, str>,
}

/// Initial capacity for the texts of one entry, in bytes. Most pointers are shorter.
const TEXT_OF_ENTRY: usize = 128;

impl Report {
    /// Returns an empty report with room for `entries` occurrences.
    pub fn with_capacity(entries: usize) -> Self {
        let texts = String::with_capacity(entries * TEXT_OF_ENTRY);
        Self(Arc::new(Entries { texts, rows: Vec::with_capacity(entries) }))
    }

    /// Adds an occurrence. `pointer` adds its pointer to a text.
    pub fn add(
        &mut self,
        pointer: impl FnOnce(&mut String),
        keyword: &str,
        verdict: Verdict,
        reason: Cow<'static, str>,
    ) {
        let Entries { texts, rows } = Arc::make_mut(&mut self.0);
        let start = texts.len();
        pointer(texts);
        let end_of_pointer = texts.len();
        // In a pointer a keyword is written with escapes, which hardly any needs.
        if !texts[start..].ends_with(keyword) {
            texts.push_str(keyword);
        }
        let end = texts.len();
        let keyword = end - keyword.len();
        rows.push(Row { pointer: end_of_pointer, keyword, end, verdict, reason });
    }

    /// The occurrences, in source order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = ReportEntry<'_>> {
        let mut start = 0;
        let Entries { texts, rows } = &*self.0;
        rows.iter().map(move |&Row { pointer, keyword, end, verdict, ref reason }| {
            let from = std::mem::replace(&mut start, end);
            let (pointer, keyword) = (&texts[from..pointer], &texts[keyword..end]);
            ReportEntry { pointer, keyword, verdict, reason }
        })
    }

    /// Number of occurrences with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.0.rows.iter().filter(|row| row.verdict == verdict).count()
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries: Vec<_> = self.entries().collect();
        f.debug_struct("Report").field("entries", &entries).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_what_was_added() {
        let entries = [
            ("/type", "type", Verdict::Exact, ""),
            ("/a/x~1y", "x/y", Verdict::Annotation, "unknown"),
            ("", "", Verdict::Narrower, "none"),
            ("/a/format", "format", Verdict::Approximate, "long"),
        ];
        let mut report = Report::with_capacity(1);
        for (pointer, keyword, verdict, reason) in entries {
            report.add(|text| text.push_str(pointer), keyword, verdict, reason.into());
        }
        let expected = entries.map(|(pointer, keyword, verdict, reason)| ReportEntry {
            pointer,
            keyword,
            verdict,
            reason,
        });
        assert!(report.entries().eq(expected), "{report:?}");
        assert_eq!(report.count(Verdict::Exact), 1);
    }
}

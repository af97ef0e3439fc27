//! The exactness report: for every occurrence of a keyword in a source, how exactly the compiled grammar implements it.
//!
//! A front end fills the report, and an artifact stores it. A source has hundreds of occurrences. So all texts are in
//! one string, which copies of a report share. Most keywords are the last step of their JSON pointer and take no
//! memory. Most reasons are constants of the compiler.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use rkyv::{Archive, Deserialize, Serialize};

/// How exactly the compiled grammar implements one occurrence of a keyword.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Archive, Serialize, Deserialize,
)]
#[repr(u8)]
pub enum Verdict {
    /// The grammar accepts exactly what the specification says.
    Exact = 0,
    /// By the specification, the keyword does not constrain anything.
    Annotation = 1,
    /// The grammar accepts more than the specification says.
    Approximate = 2,
    /// The grammar accepts less than the specification allows, and nothing else. The entry's `reason` names the missing
    /// part.
    Narrower = 3,
}

impl Verdict {
    /// Returns the word for the verdict, as reports show it.
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

/// One occurrence of a keyword, which is one line of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportEntry<'r> {
    /// JSON pointer to the keyword in the source, such as `/properties/name/pattern`.
    pub pointer: &'r str,
    /// Keyword without escapes, such as `pattern`.
    pub keyword: &'r str,
    /// How exactly the grammar implements the keyword.
    pub verdict: Verdict,
    /// Reason for the verdict. Empty if the grammar is exact.
    pub reason: &'r str,
}

/// The exactness report: all occurrences of keywords in a source, in source order.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Report(Arc<Entries>);

#[derive(Clone, Default, PartialEq, Eq)]
struct Entries {
    /// Texts of all entries, one after the other: the JSON pointer, and then the keyword if the pointer does not end
    /// with it.
    texts: String,
    /// For each entry, the ranges of its texts in `texts`, and its verdict.
    rows: Vec<Row>,
}

/// An entry whose texts are ranges of [`Entries::texts`], as byte offsets.
#[derive(Clone, PartialEq, Eq)]
struct Row {
    /// Exclusive end of the pointer, which starts at `end` of the entry before.
    pointer: usize,
    /// Start of the keyword in [`Entries::texts`].
    keyword: usize,
    /// Exclusive end of the keyword. The texts of the next entry start here.
    end: usize,
    verdict: Verdict,
    reason: Cow<'static, str>,
}

/// Initial capacity of [`Entries::texts`] for each entry, in bytes. Most pointers are shorter. A longer one grows the
/// string.
const TEXT_OF_ENTRY: usize = 128;

impl Report {
    /// Returns an empty report with room for `entries` occurrences of keywords.
    pub fn with_capacity(entries: usize) -> Self {
        let texts = String::with_capacity(entries * TEXT_OF_ENTRY);
        Self(Arc::new(Entries { texts, rows: Vec::with_capacity(entries) }))
    }

    /// Adds an occurrence of a keyword. `pointer` appends the JSON pointer to the string that it gets.
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
        // In a pointer, the keyword is escaped. Hardly any keyword contains a character that needs it.
        if !texts.as_bytes()[start..].ends_with(keyword.as_bytes()) {
            texts.push_str(keyword);
        }
        let end = texts.len();
        let keyword = end - keyword.len();
        rows.push(Row { pointer: end_of_pointer, keyword, end, verdict, reason });
    }

    /// Returns the entries of the report, one for each occurrence of a keyword, in source order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = ReportEntry<'_>> {
        let mut start = 0;
        let Entries { texts, rows } = &*self.0;
        rows.iter().map(move |&Row { pointer, keyword, end, verdict, ref reason }| {
            let from = std::mem::replace(&mut start, end);
            let text = |range: Range<usize>| texts.get(range).unwrap_or_default();
            let (pointer, keyword) = (text(from..pointer), text(keyword..end));
            ReportEntry { pointer, keyword, verdict, reason }
        })
    }

    /// Returns the number of entries of the report with this verdict.
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

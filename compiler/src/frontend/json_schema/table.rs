//! The tables of keywords and formats as one table for people and programs.

use crate::diagnostics::report::Verdict;

use super::dialect::Draft;
use super::formats::{self, Exactness};
use super::keyword::{KEYWORDS, Support};

/// What becomes of a keyword or format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SupportRow {
    /// The keyword, or the name of the format.
    pub name: &'static str,
    /// First and last draft that define the keyword; `None` for a format.
    pub drafts: Option<(&'static str, &'static str)>,
    /// What the report says of it, unless the note says otherwise.
    pub verdict: Verdict,
    /// Why, where it is not exact, or where the report says something else.
    pub note: &'static str,
}

/// All keywords of drafts 4 to 2020-12 by name, then all formats by name.
pub fn support_table() -> impl Iterator<Item = SupportRow> {
    let keywords = KEYWORDS.iter().map(|keyword| {
        let (verdict, note) = match keyword.support {
            Support::Exact => (Verdict::Exact, keyword.except),
            Support::Definitions => (Verdict::Annotation, "holds schemas for references"),
            Support::Annotation(reason) => (Verdict::Annotation, reason),
        };
        let drafts = Some((draft(keyword.since), draft(keyword.until)));
        SupportRow { name: keyword.name, drafts, verdict, note }
    });
    let formats = formats::all().iter().map(|format| {
        let (verdict, note) = match format.exactness {
            Exactness::Exact => (Verdict::Exact, ""),
            Exactness::Narrower(refused) => (Verdict::Narrower, refused),
        };
        SupportRow { name: format.name, drafts: None, verdict, note }
    });
    keywords.chain(formats)
}

fn draft(draft: Draft) -> &'static str {
    match draft {
        Draft::Draft4 => "4",
        Draft::Draft6 => "6",
        Draft::Draft7 => "7",
        Draft::Draft201909 => "2019-09",
        Draft::Draft202012 => "2020-12",
    }
}

//! The tables of keywords and formats as one table, for documentation and for programs.

use grammarc_grammar::diagnostics::report::Verdict;

use super::keyword::{KEYWORDS, OPENAPI, Support};
use crate::source::dialect::Draft;
use crate::values::formats;
use crate::values::formats::Exactness;

/// A row of the table of support: how the front end treats one keyword or format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SupportRow {
    /// The keyword, or the name of the format.
    pub name: &'static str,
    /// The first and the last draft that define the keyword, or OpenAPI 3.0 twice; `None` for a format.
    pub drafts: Option<(&'static str, &'static str)>,
    /// The verdict in the report, unless the note says otherwise.
    pub verdict: Verdict,
    /// The reason for a verdict other than exact, or a remark; may be empty.
    pub note: &'static str,
}

/// Returns all keywords of drafts 4 to 2020-12 by name, then the keywords that OpenAPI 3.0 adds, then all formats by
/// name.
pub fn support_table() -> impl Iterator<Item = SupportRow> {
    let row = |name, support, except, drafts| {
        let (verdict, note) = match support {
            Support::Exact => (Verdict::Exact, except),
            Support::Definitions => (Verdict::Annotation, "holds schemas for references"),
            Support::Annotation(reason) => (Verdict::Annotation, reason),
        };
        SupportRow { name, drafts: Some(drafts), verdict, note }
    };
    let keywords = KEYWORDS.iter().map(move |keyword| {
        let drafts = (draft(keyword.since), draft(keyword.until));
        row(keyword.name, keyword.support, keyword.except, drafts)
    });
    let openapi = OPENAPI.iter().map(move |&(name, support)| {
        row(name, support, "an annotation in other dialects", ("OpenAPI 3.0", "OpenAPI 3.0"))
    });
    let formats = formats::all().iter().map(|format| {
        let (verdict, note) = match format.exactness {
            Exactness::Exact => (Verdict::Exact, ""),
            Exactness::Narrower(refused) => (Verdict::Narrower, refused),
        };
        SupportRow { name: format.name, drafts: None, verdict, note }
    });
    keywords.chain(openapi).chain(formats)
}

/// Returns the name of a draft as `$schema` URIs write it.
fn draft(draft: Draft) -> &'static str {
    match draft {
        Draft::Draft4 => "4",
        Draft::Draft6 => "6",
        Draft::Draft7 => "7",
        Draft::Draft201909 => "2019-09",
        Draft::Draft202012 => "2020-12",
    }
}

//! Options of built-in grammars.

use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_json_schema::JsonSchemaOptions;

/// An option that the grammar lacks, or with a bad value.
const OPTION: &str = "builtin::option";

/// Options of a built-in grammar. Each has some of these options; the others must be as they are by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BuiltInOptions {
    /// The schema of each line, for `jsonl`: any value by default.
    pub line: Option<Source>,
    /// The text form of JSON, and options of the schema of lines.
    pub json_schema: JsonSchemaOptions,
    /// Fewest lines of `jsonl`, or records of `csv` besides the head.
    pub min_items: Option<u32>,
    /// Most of them.
    pub max_items: Option<u32>,
    /// The columns of `csv`.
    pub columns: Option<Columns>,
    /// Separator of the fields of `csv`: a comma by default.
    pub separator: Option<char>,
    /// The names of elements of `xml`: any by default.
    pub names: Vec<String>,
    /// The attributes that elements of `xml` may have, in this order: any by default if elements have any names, else
    /// none.
    pub attributes: Vec<String>,
}

/// The columns of a table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Columns {
    /// So many.
    Count(u32),
    /// Columns with these names, which the first record lists.
    Named(Vec<String>),
}

impl BuiltInOptions {
    /// Returns the options that are set, each with the grammars that accept it.
    pub(super) fn set(&self) -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
        let all: [(bool, &'static str, &'static [&'static str]); 7] = [
            (self.line.is_some(), "line", &["jsonl"]),
            (self.min_items.is_some(), "min-items", &["jsonl", "csv"]),
            (self.max_items.is_some(), "max-items", &["jsonl", "csv"]),
            (self.columns.is_some(), "columns", &["csv"]),
            (self.separator.is_some(), "separator", &["csv"]),
            (!self.names.is_empty(), "names", &["xml"]),
            (!self.attributes.is_empty(), "attributes", &["xml"]),
        ];
        all.into_iter().filter(|(is_set, ..)| *is_set).map(|(_, name, owners)| (name, owners))
    }

    /// Returns the bounds on the number of items. The default minimum is `least`.
    pub(super) fn items(&self, least: u32) -> Result<(u32, Option<u32>), Diagnostic> {
        let min = self.min_items.unwrap_or(least);
        match self.max_items {
            Some(max) if max < min.max(1) => {
                Err(wrong(format!("`max-items` is {max}, and there are at least {}", min.max(1))))
            }
            max => Ok((min, max)),
        }
    }
}

pub(super) fn wrong(text: String) -> Diagnostic {
    Diagnostic::error(OPTION, text)
}

//! The options of built-in grammars.

use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_json_schema::JsonSchemaOptions;

/// Error: an option that the built-in grammar does not have, or a bad value of an option.
const OPTION: &str = "builtin::option";

/// The options of all built-in grammars. A grammar uses some of them; setting another one is an error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BuiltInOptions {
    /// The schema of each line of `jsonl`. `None` allows any JSON value.
    pub line: Option<Source>,
    /// How JSON is written, and the options for the schema of lines.
    pub json_schema: JsonSchemaOptions,
    /// Least number of lines of `jsonl`, or of records of `csv` besides the head. `None` takes the grammar's default.
    pub min_items: Option<u32>,
    /// Greatest number of lines or records, inclusive. `None` if unlimited.
    pub max_items: Option<u32>,
    /// The columns of `csv`. `None` allows any number of fields in each record.
    pub columns: Option<Columns>,
    /// The separator between the fields of `csv`. `None` is a comma.
    pub separator: Option<char>,
    /// The names that elements of `xml` may have. Empty allows any names.
    pub names: Vec<String>,
    /// The attributes that elements of `xml` may have, in this order. If empty, elements may have any attributes if
    /// `names` is empty, and none otherwise.
    pub attributes: Vec<String>,
}

/// The columns of a `csv` table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Columns {
    /// This number of columns, at least 1.
    Count(u32),
    /// Columns with these names, which the first record lists.
    Named(Vec<String>),
}

impl BuiltInOptions {
    /// Returns the options that are set, each with the names of the grammars that accept it.
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

    /// Returns the bounds on the number of lines or records, both inclusive. The minimum is `least` by default. A
    /// maximum of 0 or below the minimum is an error.
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

//! Built-in grammars: formats that every host asks for, by name.
//!
//! | name | texts | options |
//! | --- | --- | --- |
//! | `json`, `json-object`, `json-array` | any JSON value, object or array | the text form of JSON Schema |
//! | `jsonl` | JSON values, one a line | `line`: the schema of each; the number of lines; the text form |
//! | `csv` | records of fields (RFC 4180) | `columns`: how many, or their names for a head; `separator`; the number of records |
//! | `xml` | one element and what is in it | `names` of elements, `attributes` |
//!
//! The source is the name. Those of JSON are schemas, so that they take the masks that a vocabulary has of strings and numbers;
//! the others are written as GBNF with the options in it (`csv`, `xml`). What such a grammar accepts too much without an
//! option is in the report as approximate.

mod csv;
mod jsonl;
mod xml;

use std::borrow::Cow;
use std::ops::Range;

use crate::budget::{Budget, Phase};
use crate::diagnostics::report::{Report, Verdict};
use crate::diagnostics::{Diagnostic, Source};
use crate::frontend::gbnf::{self, GbnfOptions};
use crate::frontend::json_schema::{self, JsonSchemaOptions};
use crate::frontend::suggest::nearest;
use crate::ir::{Literals, Lowered, Origin};

/// Names of the built-in grammars.
pub const NAMES: [&str; 6] = ["json", "json-object", "json-array", "jsonl", "csv", "xml"];

/// A name that no built-in grammar has.
const UNKNOWN: &str = "builtin::unknown";
/// An option that the grammar does not have, or with a value that makes no sense.
const OPTION: &str = "builtin::option";

/// Options of a built-in grammar. Each has some of these options; the others must be as they are by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuiltInOptions {
    /// The schema of each line, for `jsonl`: any value by default.
    pub line: Option<Source>,
    /// How JSON is written, and options of the schema of lines.
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
    /// The attributes that elements of `xml` may have, in this order: any by default if elements have any names, else none.
    pub attributes: Vec<String>,
}

/// The columns of a table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Columns {
    /// So many.
    Count(u32),
    /// These, named by the first record.
    Named(Vec<String>),
}

impl BuiltInOptions {
    /// The options that are set, with the grammars that have them.
    fn set(&self) -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
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

    /// The bounds on the number of items, where `least` is the fewest by default.
    fn items(&self, least: u32) -> Result<(u32, Option<u32>), Diagnostic> {
        let min = self.min_items.unwrap_or(least);
        match self.max_items {
            Some(max) if max < min.max(1) => {
                Err(wrong(format!("`max-items` is {max}, and there are at least {}", min.max(1))))
            }
            max => Ok((min, max)),
        }
    }
}

/// The grammar of a name.
///
/// # Errors
///
/// There is no such name, an option is not the grammar's or makes no sense, the schema of lines has errors, which point into that
/// schema; or the budget is spent.
pub fn lower(
    source: Source,
    options: &BuiltInOptions,
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    budget.begin(Phase::Reading);
    budget.check_in_source()?;
    let name = source.text.trim();
    let whole = 0..source.text.len();
    let Some(&name) = NAMES.iter().find(|known| **known == name) else {
        let help = match nearest(name, NAMES) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", NAMES.join(", ")),
        };
        let text = format!("there is no built-in grammar {name:?}");
        let error = Diagnostic::error(UNKNOWN, text).with_label(whole, "").with_help(help);
        return Err(vec![error]);
    };
    let here = |error: Diagnostic| vec![error.with_label(whole.clone(), "")];
    if let Some((option, owners)) = options.set().find(|(_, owners)| !owners.contains(&name)) {
        let text = format!("`{option}` is for {}, and this is {name}", owners.join(" and "));
        return Err(here(wrong(text)));
    }
    let schema = |text: &str| -> Result<Lowered, Vec<Diagnostic>> {
        let lowered = json_schema::lower(Source::new(name, text), &options.json_schema, budget)?;
        // Nothing of the schema is the user's.
        Ok(Lowered { report: Report::default(), ..lowered })
    };
    let lowered = match name {
        "json" => schema("true")?,
        "json-object" => schema(r#"{"type":"object"}"#)?,
        "json-array" => schema(r#"{"type":"array"}"#)?,
        "jsonl" => return jsonl::lower(source.clone(), options, budget),
        "csv" => written(csv::write(options).map_err(here)?, budget)?,
        _ => written(xml::write(options).map_err(here)?, budget)?,
    };
    Ok(at(lowered, source))
}

/// A grammar as GBNF, and what the report says of an option.
struct Written {
    text: String,
    report: (&'static str, Verdict, &'static str),
}

fn written(written: Written, budget: &Budget) -> Result<Lowered, Vec<Diagnostic>> {
    let Written { text, report: (option, verdict, reason) } = written;
    let source = Source::new("<built-in>", text);
    let lowered = gbnf::lower(source, &GbnfOptions::default(), budget)?;
    let mut report = Report::default();
    let pointer = |text: &mut String| {
        text.push('/');
        text.push_str(option);
    };
    report.add(pointer, option, verdict, Cow::Borrowed(reason));
    Ok(Lowered { report, findings: Vec::new(), literals: Literals::default(), ..lowered })
}

/// The same grammar, all of it at the name.
fn at(mut lowered: Lowered, source: Source) -> Lowered {
    let whole: Range<usize> = 0..source.text.len();
    for rule in &mut lowered.grammar.rules {
        rule.origin = Origin { span: Some(whole.clone()), pointer: None };
    }
    Lowered { source, findings: Vec::new(), ..lowered }
}

fn wrong(text: String) -> Diagnostic {
    Diagnostic::error(OPTION, text)
}

/// A text as a string of GBNF.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c.is_ascii_alphanumeric() {
            true => quoted.push(c),
            false => quoted.push_str(&format!("\\U{:08X}", c as u32)),
        }
    }
    quoted.push('"');
    quoted
}

/// The bounds of a repetition as GBNF writes them.
fn bounds(min: u32, max: Option<u32>) -> String {
    match max {
        Some(max) => format!("{{{min},{max}}}"),
        None => format!("{{{min},}}"),
    }
}

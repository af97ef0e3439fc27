//! Built-in grammars: common formats by name.
//!
//! | name | texts | options |
//! | --- | --- | --- |
//! | `json`, `json-object`, `json-array` | any JSON value, object or array | the text form of JSON Schema |
//! | `jsonl` | JSON values, one a line | `line`: the schema of each; the number of lines; the text form |
//! | `csv` | records of fields (RFC 4180) | `columns`: how many, or their names for a head; `separator`; the number of records |
//! | `xml` | one element and what is in it | `names` of elements, `attributes` |
//!
//! The source text is the name of a grammar. The grammars of JSON are schemas, so a vocabulary's stored masks of
//! strings and numbers apply to them. `csv` and `xml` are written as GBNF. The report marks a grammar as approximate if
//! it accepts too much without an option.
//!
//! Tests: `settings/tests/built_in.rs`.

mod csv;
mod gbnf_text;
mod jsonl;
mod options;
mod xml;

use std::borrow::Cow;
use std::ops::Range;

use super::gbnf;
use super::gbnf::GbnfOptions;
use grammarc_grammar::budget::{Budget, Phase};
use grammarc_grammar::diagnostics::report::Report;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{Literals, Lowered, Origin};
use grammarc_grammar::suggest::nearest;
use grammarc_json_schema as json_schema;

pub use options::{BuiltInOptions, Columns};

use gbnf_text::GbnfText;
use options::wrong;

/// The names of all built-in grammars.
pub const NAMES: [&str; 6] = ["json", "json-object", "json-array", "jsonl", "csv", "xml"];

/// Error: a source text that is not the name of a built-in grammar.
const UNKNOWN: &str = "builtin::unknown";

/// Returns the built-in grammar whose name is the text of `source`.
///
/// # Errors
///
/// The name is unknown, an option does not belong to the grammar or has a bad value, or the budget is spent. For
/// `jsonl`, the schema of the option `line` may have errors, which point into that schema.
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
        // The schema is not the user's, so its report is left out.
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

fn written(written: GbnfText, budget: &Budget) -> Result<Lowered, Vec<Diagnostic>> {
    let GbnfText { text, report: (option, verdict, reason) } = written;
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

/// Makes all places of a grammar point at the source, which is the grammar's name.
fn at(mut lowered: Lowered, source: Source) -> Lowered {
    let whole: Range<usize> = 0..source.text.len();
    for rule in &mut lowered.grammar.rules {
        rule.origin = Origin { span: Some(whole.clone()), pointer: None };
    }
    Lowered { source, findings: Vec::new(), ..lowered }
}

//! Comma-separated values, by RFC 4180 with the Unicode of RFC 7111.
//!
//! With columns given, every record has that number of fields. Without, records may differ in their numbers of fields,
//! since no grammar can compare arbitrary numbers. Records end with LF or CR LF; after the last record, the line end is
//! optional.

use std::fmt::Write as _;

use super::gbnf_text::{GbnfText, bounds, quoted};
use super::options::{BuiltInOptions, Columns, wrong};
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;

pub(super) fn write(options: &BuiltInOptions) -> Result<GbnfText, Diagnostic> {
    let separator = options.separator.unwrap_or(',');
    if matches!(separator, '"' | '\r' | '\n') || (separator.is_control() && separator != '\t') {
        return Err(wrong(format!("the separator can't be {separator:?}")));
    }
    let names = match &options.columns {
        Some(Columns::Named(names)) => names.as_slice(),
        _ => &[],
    };
    let count = match &options.columns {
        Some(Columns::Count(count)) => Some(*count),
        Some(Columns::Named(names)) => Some(u32::try_from(names.len()).unwrap_or(u32::MAX)),
        None => None,
    };
    if count == Some(0) {
        return Err(wrong("a record has one column at least".to_owned()));
    }
    if let Some(name) = names.iter().find(|name| name.chars().any(char::is_control)) {
        return Err(wrong(format!("the name {name:?} has a control character in it")));
    }
    let more = match count {
        Some(count) => format!("{{{}}}", count - 1),
        None => "*".to_owned(),
    };
    let between = quoted(&separator.to_string());
    let head = names.iter().map(|name| {
        let needs_quotes = name.contains(['"', separator]);
        let spelled = format!("\"{}\"", name.replace('"', "\"\""));
        // A name that needs no quotes may still be quoted, like any field.
        match needs_quotes || name.is_empty() {
            true => quoted(&spelled),
            false => format!("({} | {})", quoted(name), quoted(&spelled)),
        }
    });
    let head = head.collect::<Vec<_>>().join(&format!(" {between} "));
    let (min, max) = options.items(u32::from(names.is_empty()))?;
    let mut text = String::new();
    let _ = match names.is_empty() {
        true => {
            let rest = bounds(min.saturating_sub(1), max.map(|max| max - 1));
            let optional = if min == 0 { "?" } else { "" };
            writeln!(text, "root ::= ( record ( eol record ){rest} eol? ){optional}")
        }
        false => writeln!(text, "root ::= {head} ( eol record ){} eol?", bounds(min, max)),
    };
    let _ = write!(
        text,
        r#"record ::= field ( {between} field ){more}
field ::= text* | "\"" ( text | {between} | [\r\n] | "\"\"" )* "\""
text ::= [^\x00-\x1F\x7F"\U{:08X}]
eol ::= "\r"? "\n"
"#,
        u32::from(separator)
    );
    let report = match options.columns {
        Some(_) => ("columns", Verdict::Exact, ""),
        None => (
            "columns",
            Verdict::Approximate,
            "without a number of columns, records may differ in their numbers of fields",
        ),
    };
    Ok(GbnfText { text, report })
}

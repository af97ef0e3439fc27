//! Built-in grammars as they are written in GBNF.

use grammarc_grammar::diagnostics::report::Verdict;

/// A grammar as GBNF, and what the report says of an option.
pub(super) struct GbnfText {
    pub(super) text: String,
    pub(super) report: (&'static str, Verdict, &'static str),
}

/// Returns a text as a string of GBNF.
pub(super) fn quoted(text: &str) -> String {
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

/// Returns the bounds of a repetition as GBNF writes them.
pub(super) fn bounds(min: u32, max: Option<u32>) -> String {
    match max {
        Some(max) => format!("{{{min},{max}}}"),
        None => format!("{{{min},}}"),
    }
}

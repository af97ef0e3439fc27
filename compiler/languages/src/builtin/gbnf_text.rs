//! Helpers to write built-in grammars as GBNF.

use grammarc_grammar::diagnostics::report::Verdict;

/// A grammar as GBNF text, with an entry of the report: an option, its verdict and the reason.
pub(super) struct GbnfText {
    pub(super) text: String,
    pub(super) report: (&'static str, Verdict, &'static str),
}

/// Returns a text as a GBNF string literal.
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

/// Returns the bounds of a repetition in GBNF notation, `{min,max}` or `{min,}`.
pub(super) fn bounds(min: u32, max: Option<u32>) -> String {
    match max {
        Some(max) => format!("{{{min},{max}}}"),
        None => format!("{{{min},}}"),
    }
}

//! XML: one element, which contains text and elements, after an optional declaration.
//!
//! With `names` given, an end tag has the name of its start tag, and each attribute occurs at most once, in the given
//! order. Without, a context-free grammar cannot compare names: end tags may have other names than their start tags,
//! and attributes may repeat.
//!
//! Only the plain form of a document is accepted. `<`, `>` and `&` in texts are entities, and values are in double
//! quotes. There are no comments, CDATA sections, processing instructions or document types.

use std::fmt::Write as _;

use super::gbnf_text::{GbnfText, quoted};
use super::options::{BuiltInOptions, wrong};
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;

/// The characters that a name may begin with in XML 1.0, without the colon of namespaces, as the inside of a GBNF
/// class.
const START: &str = "A-Z_a-z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C-\\u200D\
                     \\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\U00010000-\\U000EFFFF";

/// The further characters that a name may contain after the first, as the inside of a GBNF class.
const INSIDE: &str = "0-9.\\u00B7\\u0300-\\u036F\\u203F-\\u2040\\-";

pub(super) fn write(options: &BuiltInOptions) -> Result<GbnfText, Diagnostic> {
    let all = options.names.iter().chain(&options.attributes);
    if let Some(name) = all.into_iter().find(|name| !is_name(name)) {
        return Err(wrong(format!("{name:?} is no name of XML")));
    }
    for names in [&options.names, &options.attributes] {
        if let Some((at, name)) =
            names.iter().enumerate().find(|(at, name)| names[..*at].contains(name))
        {
            return Err(wrong(format!("the name {name:?} stands twice, again at {at}")));
        }
    }
    let any = options.names.is_empty();
    let mut text = String::new();
    let elements = (0..options.names.len()).map(|at| format!("element-{at}"));
    let elements = elements.collect::<Vec<_>>().join(" | ");
    let _ = writeln!(
        text,
        "root ::= ( \"<?xml version=\\\"1.0\\\"\" \" encoding=\\\"UTF-8\\\"\"? \"?>\" \"\\n\"? )? element \"\\n\"?"
    );
    let attributes = match (any, options.attributes.is_empty()) {
        (true, true) => "( \" \" name \"=\" value )*".to_owned(),
        (false, true) => String::new(),
        (_, false) => {
            let each = options.attributes.iter();
            let each = each.map(|name| format!("( \" \" {} \"=\" value )?", quoted(name)));
            each.collect::<Vec<_>>().join(" ")
        }
    };
    let element = |name: &str| {
        let start = format!("\"<\" {name} {attributes} \" \"?");
        format!("{start} ( \"/>\" | \">\" content \"</\" {name} \">\" )")
    };
    match any {
        true => {
            let _ = writeln!(text, "element ::= {}", element("name"));
            let _ = writeln!(
                text,
                "name ::= part ( \":\" part )?\npart ::= [{START}] [{START}{INSIDE}]*"
            );
        }
        false => {
            let _ = writeln!(text, "element ::= {elements}");
            for (at, name) in options.names.iter().enumerate() {
                let _ = writeln!(text, "element-{at} ::= {}", element(&quoted(name)));
            }
        }
    }
    text.push_str(
        r#"content ::= ( [^<>&\x00-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF] | entity | element )*
entity ::= "&" ( "lt" | "gt" | "amp" | "quot" | "apos" ) ";"
"#,
    );
    if !attributes.is_empty() {
        text.push_str(
            r#"value ::= "\"" ( [^<&"\x00-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF] | entity )* "\""
"#,
        );
    }
    let report = match any {
        true => (
            "names",
            Verdict::Approximate,
            "without a list of names, an end tag may have another name than its start tag, and an attribute may repeat",
        ),
        false => ("names", Verdict::Exact, ""),
    };
    Ok(GbnfText { text, report })
}

/// Whether a text is an XML name, with at most one colon between two parts.
fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        let mut chars = part.chars();
        chars.next().is_some_and(is_start) && chars.all(|c| is_start(c) || is_inside(c))
    };
    match name.split_once(':') {
        Some((prefix, local)) => is_part(prefix) && is_part(local),
        None => is_part(name),
    }
}

fn is_start(c: char) -> bool {
    matches!(c, 'A'..='Z' | '_' | 'a'..='z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}'
        | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}'
        | '\u{10000}'..='\u{EFFFF}')
}

fn is_inside(c: char) -> bool {
    matches!(c, '0'..='9' | '.' | '-' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

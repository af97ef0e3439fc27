//! Constructs of XGrammar's EBNF that GBNF has not: lookahead assertions, macros, attributes of rules.
//!
//! They are recognised so that an error names the construct; without this, each would be an unexpected character
//! somewhere inside it.

use std::ops::Range;

use super::codes;
use super::lexer::{Lexeme, LexemeKind};
use crate::diagnostics::Diagnostic;

/// Names of macros. A rule of the same name is called as any other.
const MACROS: [(&str, &str); 6] = [
    ("Regex", "write the expression as rules, or compile it by itself as a `.regex` source"),
    ("Substring", "write the parts that are allowed as alternatives"),
    ("Token", "a token is written `<[id]>` or `<text>`"),
    ("ExcludeToken", "any token but one is written `!<[id]>` or `!<text>`"),
    ("TagDispatch", "write the text before a tag and the tags as rules"),
    ("TokenTagDispatch", "write the text before a tag and the tags as rules"),
];

/// The error for the lookahead assertion that begins at a place.
pub(super) fn lookahead(span: Range<usize>) -> Diagnostic {
    let text = "a lookahead assertion `(=...)` is of XGrammar's notation and not of GBNF";
    Diagnostic::error(codes::LOOKAHEAD, text)
        .with_label(span, "the assertion starts here")
        .with_help(
            "leave it out where it changes no text; else write what may follow as alternatives",
        )
}

/// The error for a macro, where the name is one's and a parenthesis follows it.
pub(super) fn macro_call(name: &str, span: Range<usize>) -> Option<Diagnostic> {
    let (_, help) = MACROS.iter().find(|(known, _)| *known == name)?;
    let text = format!("the macro `{name}(...)` is of XGrammar's notation and not of GBNF");
    Some(Diagnostic::error(codes::MACRO, text).with_label(span, "").with_help(*help))
}

/// The error for attributes of a rule, where the lexemes are `name [attributes] ::=`.
pub(super) fn attributes(lexemes: &[Lexeme]) -> Option<Diagnostic> {
    let [name, class, define, ..] = lexemes else { return None };
    let kinds = (&name.kind, &class.kind, &define.kind);
    if !matches!(kinds, (LexemeKind::Name, LexemeKind::Class(_), LexemeKind::Define)) {
        return None;
    }
    let text = "attributes of a rule are of XGrammar's notation and not of GBNF";
    let finding = Diagnostic::error(codes::RULE_ATTRIBUTES, text);
    let finding = finding.with_label(class.span.clone(), "attributes");
    Some(
        finding.with_help(
            "leave them out: `name ::= body`; they change nothing of the texts of the rule",
        ),
    )
}

/// The error for a source that is JSON.
pub(super) fn json(text: &str) -> Option<Diagnostic> {
    let text = text.trim_start_matches('\u{feff}');
    let start = text.len() - text.trim_start().len();
    if !text[start..].starts_with('{') {
        return None;
    }
    let is_key = text[start + 1..].trim_start().starts_with('"');
    is_key.then(|| {
        Diagnostic::error(codes::IS_JSON, "the source is JSON and not a GBNF grammar")
            .with_label(start..start + 1, "")
            .with_help("compile a JSON Schema with `--kind json-schema`, or name its file `.json`")
    })
}

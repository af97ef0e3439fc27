//! Parts of a source that are no grammar, or stand where they cannot, with an error that names them.

use std::ops::Range;

use super::codes;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::other_language;
use grammarc_grammar::other_language::Other;

/// The error for a lookahead assertion within a rule.
pub(super) fn lookahead(span: Range<usize>) -> Diagnostic {
    let text = "a lookahead assertion `(=...)` stands at the end of a rule alone";
    Diagnostic::error(codes::LOOKAHEAD, text)
        .with_label(span, "the assertion starts here")
        .with_help("give what is before it a rule of its own, or leave it out")
}

/// The error for a source of another language.
pub(super) fn language(text: &str) -> Option<Diagnostic> {
    let code = match other_language::recognize(text)?.language {
        Other::Json => codes::IS_JSON,
        _ => codes::OTHER_LANGUAGE,
    };
    // A key of YAML is what a rule with `:` for `::=` looks like.
    other_language::error(text, code, "a GBNF grammar", |other| {
        matches!(other, Other::Gbnf | Other::Yaml)
    })
}

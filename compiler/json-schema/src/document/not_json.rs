//! The error of a text that is not JSON: its position, and advice on common mistakes.

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::other_language;
use grammarc_grammar::other_language::Other;

/// Converts an error of serde_json to a diagnostic with its position, and with advice on common mistakes.
pub(super) fn not_json(text: &str, code: &'static str, error: &serde_json::Error) -> Diagnostic {
    if let Some(other) = other_language::error(text, code, "JSON", |other| other == Other::Json) {
        return other;
    }
    let at = offset(text, error.line(), error.column());
    let message = error.to_string();
    let what = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
    let diagnostic = |what: &str| {
        Diagnostic::error(code, format!("not JSON: {what}"))
            .with_label(at..(at + 1).min(text.len()), "here")
    };
    match instead(&text[at..], text[..at].trim_end().ends_with(',')) {
        Some((what, help)) => diagnostic(what).with_help(help),
        None => diagnostic(what),
    }
}

/// Recognizes a common mistake at the start of `rest`, where parsing failed. Returns the problem and the advice, or
/// `None` for other mistakes.
fn instead(rest: &str, is_behind_comma: bool) -> Option<(&'static str, &'static str)> {
    const WORDS: [(&str, &str, &str); 6] = [
        ("True", "`True` is Python's", "write `true`; `json.dumps` does"),
        ("False", "`False` is Python's", "write `false`; `json.dumps` does"),
        ("None", "`None` is Python's", "write `null`; `json.dumps` does"),
        ("NaN", "`NaN` is no number of JSON", "leave it out"),
        ("Infinity", "`Infinity` is no number of JSON", "leave the bound out"),
        ("undefined", "`undefined` is JavaScript's", "write `null`, or leave the member out"),
    ];
    if rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with('#') {
        return Some((
            "a comment stands here",
            "remove the comments; `$comment` in a schema is for people",
        ));
    }
    if let Some((_, what, help)) = WORDS.iter().find(|(word, ..)| rest.starts_with(word)) {
        return Some((what, help));
    }
    match rest.chars().next()? {
        '\'' | '‘' | '’' => Some((
            "a string stands in single quotes",
            "write it in double quotes; a dictionary of Python becomes JSON with `json.dumps`",
        )),
        '“' | '”' | '„' => {
            Some(("a string stands in typographic quotes", "write it in straight double quotes"))
        }
        '}' | ']' if is_behind_comma => {
            Some(("a comma stands behind the last member", "remove the comma"))
        }
        first if first.is_ascii_alphabetic() || first == '_' || first == '$' => {
            Some(("a key or a string stands without quotes", "write it in double quotes"))
        }
        _ => None,
    }
}

/// Converts serde_json's line and column to a byte offset. Lines and columns count from 1, columns in bytes.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (before + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_json_is_named_where_it_stands() {
        for (text, at, words) in [
            ("{\n  // a comment\n  \"type\": \"string\"}", "// a", "comment"),
            ("{\"a\": 1, /* b */ \"c\": 2}", "/* b", "comment"),
            ("{\"a\": 1} # end", "# end", "comment"),
            ("{'type': 'string'}", "'type'", "single quotes"),
            ("{\"a\": 'b'}", "'b'", "single quotes"),
            ("{“a”: 1}", "“a”", "typographic"),
            ("{\"a\": True}", "True", "Python"),
            ("{\"a\": None}", "None", "Python"),
            ("{\"a\": NaN}", "NaN", "number"),
            ("{type: \"string\"}", "type:", "without quotes"),
            ("{\"a\": 1,}", "}", "comma"),
            ("[1, ]", "]", "comma"),
        ] {
            let error = serde_json::from_str::<serde_json::Value>(text).expect_err(text);
            let found = not_json(text, "test::syntax", &error);
            let from = &text[found.labels[0].span.start..];
            assert!(from.starts_with(at), "{text}: {found:?}");
            assert!(found.message.contains(words) && found.help.is_some(), "{text}: {found:?}");
        }
    }
}

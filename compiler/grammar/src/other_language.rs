//! Recognizes a source that is written in another language than the expected one, by syntax that
//! only the other language has.
//!
//! A Lark grammar in a `.gbnf` file has an error at nearly every character, and none of these
//! errors names the cause. Once a source is rejected, front ends ask this module for one sentence
//! that names the cause. A language is recognized only by syntax that the expected language does
//! not have, so an ordinary slip keeps its own error.
//!
//! Cost: one pass over the first [`MOST_LINES`] lines of a rejected source.

use std::ops::Range;

use super::diagnostics::Diagnostic;

/// The most lines of a source that are searched. Further lines are ignored.
const MOST_LINES: usize = 1_000;

/// A language or an encoding in which a source may be written instead of the expected language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// Text in UTF-16.
    Utf16,
    /// JSON.
    Json,
    /// XML.
    Xml,
    /// A Lark grammar.
    Lark,
    /// A GBNF grammar.
    Gbnf,
    /// A grammar in Backus–Naur form, with rule names in angle brackets.
    Bnf,
    /// A grammar in the EBNF notation of the XML specification by the W3C.
    W3c,
    /// A grammar in the EBNF notation of ISO 14977.
    Iso,
    /// An ANTLR grammar.
    Antlr,
    /// TypeScript.
    TypeScript,
    /// YAML.
    Yaml,
}

/// A language that was recognized in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognized {
    /// The recognized language.
    pub language: Other,
    /// The byte range of the syntax that identifies the language.
    pub(crate) span: Range<usize>,
}

impl Other {
    /// Returns the name of the language, for messages.
    fn name(self) -> &'static str {
        match self {
            Self::Utf16 => "text in UTF-16",
            Self::Json => "JSON",
            Self::Xml => "XML or HTML",
            Self::Lark => "Lark",
            Self::Gbnf => "GBNF",
            Self::Bnf => "BNF with names in angle brackets",
            Self::W3c => "the EBNF of the W3C",
            Self::Iso => "the EBNF of ISO 14977",
            Self::Antlr => "a grammar of ANTLR",
            Self::TypeScript => "TypeScript",
            Self::Yaml => "YAML",
        }
    }

    /// Returns advice for a user whose source is in this language.
    fn help(self) -> &'static str {
        match self {
            Self::Utf16 => "save it as UTF-8",
            Self::Json => {
                "compile a JSON Schema with `--kind json-schema`, or name its file `.json`"
            }
            Self::Xml => "look at the file: a download may have brought a web page",
            Self::Lark => "compile it with `--kind lark`, or name its file `.lark`",
            Self::Gbnf => "compile it with `--kind gbnf`, or name its file `.gbnf`",
            Self::Bnf => {
                "in GBNF names stand without brackets: `name ::= other \"text\"`, and the first rule is `root`"
            }
            Self::W3c => {
                "in GBNF rules have no numbers, strings stand in double quotes, `#x41` is `[\\x41]`, a comment begins with `#`, \
                 and the first rule is `root`"
            }
            Self::Iso => {
                "in GBNF a rule is `name ::= \"a\" b`, without `,` and `;`; `{ a }` is `a*`, `[ a ]` is `a?`, a comment begins \
                 with `#`, and the first rule is `root`"
            }
            Self::Antlr => {
                "in Lark a rule is `name: \"a\" OTHER` without `;`, and the first rule is `start`"
            }
            Self::TypeScript => "compile it with `--kind typescript`, or name its file `.ts`",
            Self::Yaml => "convert it to JSON: schemas are read as JSON alone",
        }
    }
}

/// Returns the diagnostic for a source in another language than the expected one. Returns `None` if
/// no language is recognized, or an expected one. `expected` is the name of the expected language,
/// with an article.
pub fn error(
    text: &str,
    code: &'static str,
    expected: &str,
    is_expected: impl Fn(Other) -> bool,
) -> Option<Diagnostic> {
    let Recognized { language, span } =
        recognize(text).filter(|found| !is_expected(found.language))?;
    let message = format!("the source is {} and not {expected}", language.name());
    Some(Diagnostic::error(code, message).with_label(span, "").with_help(language.help()))
}

/// Recognizes a language in a text by syntax that only this language has. Returns `None` if no such
/// syntax is found.
pub fn recognize(text: &str) -> Option<Recognized> {
    let start = text.len() - text.trim_start_matches('\u{feff}').trim_start().len();
    let found = |language, span| Some(Recognized { language, span });
    if let Some(zero) = text.find('\0').filter(|zero| *zero < 4) {
        return found(Other::Utf16, zero..zero + 1);
    }
    let rest = &text[start..];
    if rest.starts_with('{') && rest[1..].trim_start().starts_with(['"', '}']) {
        return found(Other::Json, start..start + 1);
    }
    if ["<?xml", "<!DOCTYPE", "<!doctype", "<html"].iter().any(|tag| rest.starts_with(tag)) {
        return found(Other::Xml, start..start + 1);
    }
    let lines: Vec<Line<'_>> = lines(text).take(MOST_LINES).collect();
    for (language, is_it) in MARKS {
        if let Some(line) = lines.iter().find(|line| is_it(line.text)) {
            return found(language, line.span());
        }
    }
    found(Other::Yaml, lines.first().filter(|line| is_yaml(line.text))?.span())
}

/// A function that tests whether a line of a source, without white space around it, identifies one
/// language.
type IsLine = fn(&str) -> bool;

/// Pairs of a language and the test of its lines, in the order of the tests. The first language with a matching line is
/// recognized.
const MARKS: [(Other, IsLine); 7] = [
    (Other::Bnf, is_bnf),
    (Other::W3c, is_w3c),
    (Other::Gbnf, is_gbnf),
    (Other::Antlr, is_antlr),
    (Other::TypeScript, is_typescript),
    (Other::Iso, is_iso),
    (Other::Lark, is_lark),
];

/// A line that is neither empty nor a comment.
struct Line<'t> {
    /// The line, without white space around it.
    text: &'t str,
    /// The byte offset of the line's first character that is not white space.
    at: usize,
}

/// Returns the lines of a text that are neither empty nor comments.
fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut at = 0;
    let all = text.split_inclusive('\n').map(move |line| {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        Line { text: line.trim(), at: start }
    });
    all.filter(|line| {
        !line.text.is_empty() && !line.text.starts_with('#') && !line.text.starts_with("//")
    })
}

/// Whether a text is an identifier: letters, digits and `_-$.`, of which the first is no digit.
fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-$.".contains(c);
    !text.is_empty() && text.chars().all(is_part) && !text.starts_with(|c: char| c.is_ascii_digit())
}

impl Line<'_> {
    /// Returns the byte range of the line, without white space around it.
    fn span(&self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }
}

/// Returns the text of a line before the first `mark`, without white space around it. Returns
/// `None` if the line does not contain `mark`.
fn before<'t>(line: &'t str, mark: &str) -> Option<&'t str> {
    line.split_once(mark).map(|(before, _)| before.trim())
}

/// Whether a line is a rule of GBNF.
fn is_gbnf(line: &str) -> bool {
    line.contains("::=")
}

/// Whether a line is a rule of BNF, whose name is in angle brackets.
fn is_bnf(line: &str) -> bool {
    line.starts_with('<') && before(line, "::=").is_some_and(|name| name.ends_with('>'))
}

/// Whether a line is a rule in the notation of the W3C: the rule has a number, as in `[1] a ::=`,
/// or a character code, as in `#x20`. Single quotes alone do not count, because they may be a slip
/// in GBNF.
fn is_w3c(line: &str) -> bool {
    let Some((name, body)) = line.split_once("::=") else { return false };
    let body = body.trim();
    name.starts_with('[') || body.starts_with("#x") || body.contains(" #x") || body.contains("[#x")
}

/// Whether a line is a comment or a rule in the notation of ISO 14977.
fn is_iso(line: &str) -> bool {
    let named = before(line, "=").is_some_and(|name| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_- ".contains(c))
    });
    line.starts_with("(*") || named && line.ends_with(';')
}

/// Whether a line is the heading of an ANTLR grammar.
fn is_antlr(line: &str) -> bool {
    let named = ["grammar ", "parser grammar ", "lexer grammar "];
    named.iter().any(|start| line.starts_with(start)) && line.ends_with(';')
}

/// Whether a line begins a declaration of TypeScript.
fn is_typescript(line: &str) -> bool {
    let is_type = line.strip_prefix("type ").is_some_and(|rest| rest.contains('='));
    let starts = ["export ", "interface ", "declare "];
    is_type || starts.iter().any(|start| line.starts_with(start))
}

/// Whether a line is a Lark directive, a Lark rule named `start`, or a terminal of Lark.
fn is_lark(line: &str) -> bool {
    let directives = ["%import ", "%ignore ", "%declare ", "%llguidance "];
    if directives.iter().any(|directive| line.starts_with(directive)) {
        return true;
    }
    let Some((name, body)) = line.split_once(':') else { return false };
    let name = name.trim_start_matches(['?', '!']).trim();
    let name = name.split(['.', '[']).next().unwrap_or(name);
    let has_letters = name.chars().any(|c| c.is_ascii_uppercase());
    let is_terminal = has_letters && !name.chars().any(|c| c.is_ascii_lowercase());
    let body = body.trim_start();
    is_name(name)
        && !body.starts_with('=')
        && (name == "start" && !body.is_empty() || is_terminal && body.starts_with(['"', '/']))
}

/// Whether a line begins a YAML document, or is a key of a YAML mapping.
fn is_yaml(line: &str) -> bool {
    let key = line.split_once(':').filter(|(_, value)| value.is_empty() || value.starts_with(' '));
    line == "---"
        || line.starts_with("%YAML")
        || key.is_some_and(|(key, _)| is_name(key.trim_matches(['"', '\''])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_detected_by_their_marks() {
        for (text, expected) in [
            ("t\0y\0p\0e\0", Some(Other::Utf16)),
            ("\0t\0y\0p\0e", Some(Other::Utf16)),
            ("\u{feff} { \"type\": \"string\"}", Some(Other::Json)),
            ("<!DOCTYPE html>\n<html>", Some(Other::Xml)),
            ("?start: item+\nitem: \"a\"", Some(Other::Lark)),
            ("item: WORD\nWORD: /a+/", Some(Other::Lark)),
            ("%import common.INT\nx: INT", Some(Other::Lark)),
            ("# rules\nroot ::= \"a\" | item", Some(Other::Gbnf)),
            ("root ::= [^'] \"'\"", Some(Other::Gbnf)),
            ("<digit> ::= \"0\" | \"1\"", Some(Other::Bnf)),
            ("[1] document ::= prolog element", Some(Other::W3c)),
            ("Char ::= #x9 | [#x20-#xD7FF]", Some(Other::W3c)),
            ("a ::= b\nb ::= c | #x41", Some(Other::W3c)),
            ("a ::= 'b' | c", Some(Other::Gbnf)),
            ("letter = \"A\" | \"B\" ;", Some(Other::Iso)),
            ("(* digits *)\ndigit = \"0\" | \"1\"", Some(Other::Iso)),
            ("grammar Expr;\nexpr : INT ;", Some(Other::Antlr)),
            ("interface A { a: string }", Some(Other::TypeScript)),
            ("type A = { a: string };", Some(Other::TypeScript)),
            ("type: object\nproperties:\n  a:\n    type: string", Some(Other::Yaml)),
            ("---\ntype: object", Some(Other::Yaml)),
            ("root \"a\"", None),
            ("[1, 2", None),
            ("", None),
        ] {
            assert_eq!(recognize(text).map(|found| found.language), expected, "{text}");
        }
    }
}

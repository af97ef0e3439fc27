//! Recognizes constructs of other dialects of regular expressions, and names what to write instead.
//!
//! Patterns are copied from Python, Perl, PCRE or JavaScript. Their parsers only report "invalid group" or the like,
//! without the form that this dialect has. These functions, except [`delimited`], run only after a pattern was
//! rejected.
//!
//! Cost: linear in the pattern.

use std::ops::Range;

/// The dialect in which a pattern is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The pattern is read as ECMA-262 in unicode mode, as for JSON Schema's `pattern`.
    Ecma,
    /// The pattern is read in the syntax of the `regex` crate, as for `.regex` sources.
    Regex,
}

/// A construct of another dialect in a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The place of the construct in the pattern, in bytes.
    pub span: Range<usize>,
    /// The name of the construct, such as "a named group of Python".
    pub what: &'static str,
    /// The help for the error: what to write instead of the construct.
    pub help: &'static str,
}

use Dialect::{Ecma, Regex};

/// The known constructs. Each has the dialect that lacks it (`None` if both do), its first characters, its name, and
/// what to write instead. The first row that matches is used.
const STARTS: &[(Option<Dialect>, &str, &str, &str)] = &[
    (Some(Ecma), "(?P<", "a named group of Python", "write `(?<name>...)`, or `(?:...)`"),
    (
        None,
        "(?P=",
        "a backreference of Python",
        "what a backreference matches is not regular; spell the cases out",
    ),
    (None, "(?P>", "a recursive call of PCRE", "a pattern cannot call itself; a GBNF grammar can"),
    (None, "(?R)", "a recursive call of PCRE", "a pattern cannot call itself; a GBNF grammar can"),
    (None, "(?>", "an atomic group", "write `(?:...)`"),
    (None, "(?#", "a comment", "leave it out"),
    (None, "(?|", "a branch reset", "write `(?:...)`"),
    (Some(Ecma), "(?x", "a flag that this dialect has not", "leave white space out of the pattern"),
    (
        Some(Ecma),
        "(?a",
        "a flag of Python",
        "leave it out: `\\d`, `\\w` and `\\s` are ASCII here but for white space",
    ),
    (Some(Ecma), "(?u", "a flag of Python", "leave it out: patterns are Unicode"),
    (
        Some(Ecma),
        "[[:",
        "a POSIX class",
        "write its characters, such as `[a-zA-Z]` for `[[:alpha:]]`, or `\\p{L}`",
    ),
    (
        Some(Ecma),
        "[^[:",
        "a POSIX class",
        "write its characters, such as `[^a-zA-Z]` for `[^[:alpha:]]`",
    ),
    (Some(Ecma), "\\A", "an anchor of Python and Perl", "write `^`"),
    (Some(Ecma), "\\Z", "an anchor of Python and Perl", "write `$`"),
    (Some(Ecma), "\\z", "an anchor of Perl and Rust", "write `$`"),
    (Some(Regex), "\\Z", "an anchor of Python and Perl", "leave it out: the whole text is matched"),
    (Some(Ecma), "\\a", "an escape of other dialects", "write `\\x07`"),
    (Some(Ecma), "\\e", "an escape of other dialects", "write `\\x1b`"),
    (Some(Regex), "\\e", "an escape of other dialects", "write `\\x1b`"),
    (None, "\\h", "an escape of Perl", "write `[\\t ]`"),
    (None, "\\R", "an escape of Perl", "write `(?:\\r\\n|\\n|\\r)`"),
    (None, "\\K", "an escape of Perl", "leave it out: all of a match counts"),
    (None, "\\G", "an anchor of Perl", "leave it out"),
    (
        None,
        "\\X",
        "an escape of Perl",
        "write `(?:\\P{M}\\p{M}*)`, a character with the marks that belong to it",
    ),
    (None, "\\N", "an escape of Perl", "write `[^\\n]`"),
    (
        None,
        "\\Q",
        "a quotation of Perl",
        "write the characters, with `\\` before those that mean something",
    ),
    (Some(Ecma), "\\x{", "an escape of Perl and Rust", "write `\\u{...}`"),
    (Some(Ecma), "\\pL", "a property without braces", "write `\\p{L}`"),
    (Some(Ecma), "\\pN", "a property without braces", "write `\\p{N}`"),
    (
        Some(Regex),
        "\\c",
        "an escape of ECMA-262",
        "write the control character as `\\x01` to `\\x1A`",
    ),
    (Some(Regex), "\\0", "an escape of ECMA-262", "write `\\x00`"),
];

/// Finds the first construct of another dialect in a rejected pattern. `None` if there is none.
pub fn foreign(pattern: &str, dialect: Dialect) -> Option<Foreign> {
    let bytes = pattern.as_bytes();
    let mut in_class: Option<usize> = None;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &pattern[at..];
        let fits = |(lacks, start, ..): &&(Option<Dialect>, &str, &str, &str)| {
            rest.starts_with(start) && lacks.is_none_or(|lacks| lacks == dialect)
        };
        let begins = in_class.is_none() || bytes[at] == b'\\';
        if let Some((_, start, what, help)) = STARTS.iter().find(fits).filter(|_| begins) {
            return Some(Foreign { span: at..at + start.len(), what, help });
        }
        let within =
            |length: usize, what, help| Some(Foreign { span: at..at + length, what, help });
        match bytes[at] {
            b'\\' => at += escape_length(rest),
            b'[' if in_class.is_some() && dialect == Regex => {
                let help =
                    "inside of a class `[` begins another one; write `\\[` for the character";
                return within(1, "a class in a class", help);
            }
            b'[' => {
                in_class.get_or_insert(at);
                at += 1;
            }
            b']' => {
                in_class = None;
                at += 1;
            }
            b'(' if in_class.is_none() && dialect == Ecma && flags(rest).is_some() => {
                let help = "write `(?i:...)` around the part in which case does not matter; of other flags \
                            `s` and `m` are taken likewise";
                return within(
                    flags(rest).unwrap_or(1),
                    "a flag for the rest of the pattern",
                    help,
                );
            }
            b'*' | b'+' | b'?' | b'}' if in_class.is_none() && rest[1..].starts_with('+') => {
                let help = "leave out the second `+`: which match is preferred has no meaning here";
                return within(2, "a possessive repetition", help);
            }
            _ => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    None
}

/// Returns the length in bytes of the escape at the start of a text, with the braces of `\p{...}`, `\u{...}` and
/// `\x{...}`. The text begins with a backslash.
fn escape_length(text: &str) -> usize {
    let braced = ["\\p{", "\\P{", "\\u{", "\\x{"].iter().any(|start| text.starts_with(start));
    let single = || 1 + text[1..].chars().next().map_or(0, char::len_utf8);
    text.find('}').filter(|_| braced).map_or_else(single, |end| end + 1)
}

/// Returns the length in bytes of `(?flags)` at the start of a text. `None` if the text begins otherwise.
fn flags(text: &str) -> Option<usize> {
    let letters = text.strip_prefix("(?")?;
    let end = letters.find(|c: char| !c.is_ascii_lowercase() && c != '-')?;
    (end > 0 && letters[end..].starts_with(')')).then_some(end + 3)
}

/// Whether a pattern has the form of a JavaScript or Perl literal, `/abc/i`. As a pattern, its slashes are part of the
/// text.
pub fn delimited(pattern: &str) -> bool {
    let Some(body) = pattern.strip_prefix('/') else { return false };
    let Some((body, flags)) = body.rsplit_once('/') else { return false };
    let is_flags = flags.chars().all(|flag| "dgimsuvyx".contains(flag));
    // A pattern for a path may begin and end with slashes. Without flags, an anchor next to a slash is therefore
    // required.
    is_flags && (!flags.is_empty() || body.starts_with('^') || body.ends_with('$'))
}

/// The help for a pattern that is [`delimited`] by slashes.
pub const DELIMITED: &str =
    "leave the slashes out; `(?i:...)` around it ignores case, and `^...$` matches the whole text";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructs_are_found_where_they_are() {
        for (dialect, pattern, expected) in [
            (Ecma, r"a(?P<year>\d+)", Some("(?P<")),
            (Ecma, "(?i)abc", Some("(?i)")),
            (Ecma, "x(?im-s)abc", Some("(?im-s)")),
            (Ecma, r"\Aabc\Z", Some(r"\A")),
            (Ecma, r"abc\Z", Some(r"\Z")),
            (Ecma, r"\\Z", None),
            (Ecma, r"(\e)", Some(r"\e")),
            (Ecma, r"^\a$", Some(r"\a")),
            (Ecma, "[[:alpha:]]+", Some("[[:")),
            (Ecma, "a++", Some("++")),
            (Ecma, "[a++]", None),
            (Ecma, r"\p{Nonesuch}+", None),
            (Ecma, r"a{2}+", Some("}+")),
            (Ecma, "[(?P<]", None),
            (Ecma, r"^\X$", Some(r"\X")),
            (Regex, r"\X", Some(r"\X")),
            (Ecma, "é(?>a)", Some("(?>")),
            (Ecma, "(?:a)(?<n>b)(?=c)(?<!d)", None),
            (Regex, "(?P<n>a)(?i)b", None),
            (Regex, "[a[b]", Some("[")),
            (Regex, r"\cA", Some(r"\c")),
            (Regex, r"\0", Some(r"\0")),
            (Regex, r"a\Z", Some(r"\Z")),
        ] {
            let found = foreign(pattern, dialect).map(|foreign| &pattern[foreign.span]);
            assert_eq!(found, expected, "{pattern}");
        }
    }

    #[test]
    fn slashes_around_a_pattern() {
        for (pattern, expected) in [
            ("/abc/i", true),
            ("/^a$/", true),
            ("/v1/users/", false),
            ("/", false),
            ("a/b/i", false),
            ("/v1/items", false),
        ] {
            assert_eq!(delimited(pattern), expected, "{pattern}");
        }
    }
}

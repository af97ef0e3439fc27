//! Recognizes names of Unicode properties that ECMA-262 does not have, and suggests the intended property.
//!
//! Python's `regex`, Perl, Java and Rust accept `\p{Greek}`, `\p{IsGreek}` and names in any case. ECMA-262 requires
//! `\p{Script=Greek}` and exact case. These functions run only after a pattern was rejected.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_regular_expression::{LiteralParser, Options};

/// Names of common properties in ECMA-262. A name that differs in case or underscores only is corrected to one of them.
const NAMES: [&str; 44] = [
    "L",
    "LC",
    "Ll",
    "Lm",
    "Lo",
    "Lt",
    "Lu",
    "M",
    "Mc",
    "Me",
    "Mn",
    "N",
    "Nd",
    "Nl",
    "No",
    "P",
    "Pc",
    "Pd",
    "Pe",
    "Pf",
    "Pi",
    "Po",
    "Ps",
    "S",
    "Sc",
    "Sk",
    "Sm",
    "So",
    "Z",
    "Zl",
    "Zp",
    "Zs",
    "Letter",
    "Lowercase_Letter",
    "Uppercase_Letter",
    "Mark",
    "Number",
    "Decimal_Number",
    "Punctuation",
    "Symbol",
    "Separator",
    "Alphabetic",
    "White_Space",
    "Emoji",
];

/// Classes of POSIX and Java, each with the ECMA-262 property that denotes the same characters.
const CLASSES: [(&str, &str); 6] = [
    ("alpha", "Alphabetic"),
    ("digit", "Nd"),
    ("lower", "Lowercase"),
    ("punct", "P"),
    ("space", "White_Space"),
    ("upper", "Uppercase"),
];

/// A property in a pattern that ECMA-262 does not have.
pub(super) struct Misnamed {
    /// The place of the escape, `\p{...}`, in the pattern, in bytes.
    pub(super) span: Range<usize>,
    /// The help for the error: what to write instead.
    pub(super) help: String,
}

/// Finds the first property in a pattern that ECMA-262 does not have. `None` if there is none.
pub(super) fn misnamed(pattern: &str) -> Option<Misnamed> {
    let mut at = 0;
    while let Some(found) = pattern[at..].find('\\') {
        at += found;
        let rest = &pattern[at..];
        let name = rest.strip_prefix("\\p{").or_else(|| rest.strip_prefix("\\P{"));
        let Some((name, _)) = name.and_then(|name| name.split_once('}')) else {
            at += 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
            continue;
        };
        let span = at..at + name.len() + 4;
        if !is_known(name) {
            return Some(Misnamed { help: help(&rest[..2], name), span });
        }
        at = span.end;
    }
    None
}

/// Whether ECMA-262 has a property of this name, or of this name and value in the form `name=value`.
fn is_known(name: &str) -> bool {
    let allocator = Allocator::default();
    let pattern = format!("\\p{{{name}}}");
    LiteralParser::new(&allocator, &pattern, Some("u"), Options::default()).parse().is_ok()
}

fn help(escape: &str, name: &str) -> String {
    match meant(name) {
        Some(meant) => format!("write `{escape}{{{meant}}}`"),
        None => "a property is a general category (`\\p{L}`, `\\p{Lu}`), a script (`\\p{Script=Greek}`) or one such as \
                 `\\p{Alphabetic}`"
            .to_owned(),
    }
}

/// Returns the ECMA-262 property that a name of another dialect denotes. `None` if none is similar.
fn meant(name: &str) -> Option<String> {
    let (key, value) = name.split_once(['=', ':']).unwrap_or(("", name));
    let value = value.trim().trim_start_matches('^');
    let plain = |text: &str| text.replace(['_', '-', ' '], "").to_ascii_lowercase();
    let same =
        |text: &str| NAMES.into_iter().find(|known| plain(known) == plain(text)).map(str::to_owned);
    let script = |text: &str| {
        let words = text.split(['_', ' ', '-']).map(|word| {
            let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
            first.to_uppercase() + &rest.to_lowercase()
        });
        let name = format!("Script={}", words.collect::<Vec<_>>().join("_"));
        is_known(&name).then_some(name)
    };
    let class = |text: &str| {
        let text = plain(text);
        CLASSES
            .into_iter()
            .find(|(class, _)| *class == text)
            .map(|(_, property)| property.to_owned())
    };
    if matches!(&*plain(key), "gc" | "generalcategory") {
        return same(value);
    }
    let of = |text: &str| same(text).or_else(|| class(text)).or_else(|| script(text));
    let prefixed = || {
        ["Is", "In", "is", "in", "Posix"]
            .into_iter()
            .find_map(|prefix| of(value.strip_prefix(prefix)?))
    };
    of(value).or_else(prefixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_of_other_dialects() {
        for (pattern, place, words) in [
            ("^\\p{Greek}+$", "\\p{Greek}", "`\\p{Script=Greek}`"),
            ("\\P{greek}", "\\P{greek}", "`\\P{Script=Greek}`"),
            ("\\p{L}\\p{IsCyrillic}", "\\p{IsCyrillic}", "`\\p{Script=Cyrillic}`"),
            ("\\p{InGreek}", "\\p{InGreek}", "`\\p{Script=Greek}`"),
            ("\\p{lu}", "\\p{lu}", "`\\p{Lu}`"),
            ("\\p{uppercase letter}", "\\p{uppercase letter}", "`\\p{Uppercase_Letter}`"),
            ("\\p{old_italic}", "\\p{old_italic}", "`\\p{Script=Old_Italic}`"),
            ("\\p{Punct}", "\\p{Punct}", "`\\p{P}`"),
            ("\\p{Nonesuch}", "\\p{Nonesuch}", "a property is"),
        ] {
            let found = misnamed(pattern).expect(pattern);
            assert_eq!(&pattern[found.span.clone()], place, "{pattern}");
            assert!(found.help.contains(words), "{pattern}: {}", found.help);
        }
        for pattern in ["\\p{L}", "\\\\p{x}", "\\p", "\\p{Script=Greek}\\P{Alphabetic}", "a\\"] {
            assert!(misnamed(pattern).is_none(), "{pattern}");
        }
        for (_, property) in CLASSES {
            assert!(is_known(property), "{property}");
        }
        for name in NAMES {
            assert!(is_known(name), "{name}");
        }
    }
}

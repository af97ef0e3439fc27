//! The character classes of ECMA-262, as sets of Unicode scalar values.
//!
//! JSON Schema reads strings by code points, and no UTF-8 string contains a lone surrogate. So surrogates are removed
//! from classes, and a lone surrogate in a pattern matches nothing.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// The characters that end a line in ECMA-262.
const LINE_ENDS: [(char, char); 3] = [('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')];

/// The characters of `WhiteSpace` and `LineTerminator` in ECMA-262.
const SPACES: [(char, char); 10] = [
    ('\t', '\r'),
    (' ', ' '),
    ('\u{a0}', '\u{a0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200a}'),
    ('\u{2028}', '\u{2029}'),
    ('\u{202f}', '\u{202f}'),
    ('\u{205f}', '\u{205f}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{feff}', '\u{feff}'),
];

const DIGITS: [(char, char); 1] = [('0', '9')];

const WORD: [(char, char); 4] = [('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];

fn of(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|&(lo, hi)| ClassUnicodeRange::new(lo, hi)))
}

/// Returns the class of all characters.
pub(super) fn any() -> ClassUnicode {
    of(&[('\0', char::MAX)])
}

/// Which definitions the classes `.`, `\d`, `\s` and `\w` have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The definitions of ECMA-262: digits and word characters are ASCII.
    #[default]
    Ecma,
    /// The definitions of the `regex` crate: digits and word characters are Unicode, and only a line feed ends a line.
    Regex,
}

impl Meaning {
    /// Returns the class `.`: every character that does not end a line.
    pub(super) fn dot(self) -> ClassUnicode {
        match self {
            Self::Ecma => not(of(&LINE_ENDS)),
            Self::Regex => not(of(&[('\n', '\n')])),
        }
    }

    /// Returns the class `\d`, the digits.
    pub(super) fn digits(self) -> ClassUnicode {
        match self {
            Self::Ecma => of(&DIGITS),
            Self::Regex => named(r"\d"),
        }
    }

    /// Returns the class `\s`, white space.
    pub(super) fn spaces(self) -> ClassUnicode {
        match self {
            Self::Ecma => of(&SPACES),
            Self::Regex => named(r"\s"),
        }
    }

    /// Returns the class `\w`, the word characters. In ECMA-262 with `ignore_case`, it includes the characters that
    /// fold to an ASCII word character.
    pub(super) fn word(self, ignore_case: bool) -> ClassUnicode {
        match self {
            Self::Ecma if ignore_case => folded(of(&WORD)),
            Self::Ecma => of(&WORD),
            Self::Regex => named(r"\w"),
        }
    }
}

/// Returns the complement of a class: all other characters.
pub(super) fn not(mut class: ClassUnicode) -> ClassUnicode {
    class.negate();
    class
}

/// Adds all characters that equal a member of the class under simple case folding.
pub(super) fn folded(mut class: ClassUnicode) -> ClassUnicode {
    // ECMA-262 prescribes simple case folding in unicode mode. The call fails only if regex-syntax lacks the table,
    // which this build contains.
    match class.try_case_fold_simple() {
        Ok(()) | Err(_) => class,
    }
}

/// Returns the scalar values in a range of code points, both ends inclusive. Surrogates are left out.
pub(super) fn range(lo: u32, hi: u32) -> ClassUnicode {
    let below = char::from_u32(lo).or((lo < 0xe000).then_some('\u{e000}'));
    let above = char::from_u32(hi).or((hi >= 0xd800).then_some('\u{d7ff}'));
    match (below, above) {
        (Some(lo), Some(hi)) if lo <= hi => of(&[(lo, hi)]),
        _ => of(&[]),
    }
}

/// Returns the characters of a Unicode property, by its name and value in ECMA-262. `None` if there is no such
/// property.
pub(super) fn property(name: &str, value: Option<&str>) -> Option<ClassUnicode> {
    // regex-syntax accepts more names, but the parser of the pattern accepts only those of ECMA-262.
    parsed(&match value {
        Some(value) => format!(r"\p{{{name}={value}}}"),
        None => format!(r"\p{{{name}}}"),
    })
}

/// Returns a class by its notation in regex-syntax, such as `\d`. This build contains the tables of the classes.
fn named(text: &str) -> ClassUnicode {
    parsed(text).unwrap_or_else(ClassUnicode::empty)
}

fn parsed(text: &str) -> Option<ClassUnicode> {
    match regex_syntax::parse(text).ok()?.into_kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class),
        HirKind::Class(Class::Bytes(class)) => class.to_unicode_class(),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Some(of(&text.chars().map(|c| (c, c)).collect::<Vec<_>>()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surrogates_are_left_out_of_ranges() {
        assert_eq!(range(0xd7ff, 0xe000), of(&[('\u{d7ff}', '\u{e000}')]));
        assert_eq!(range(0xd800, 0xdfff), of(&[]));
        assert_eq!(range(0xdc00, 0x1_0000), of(&[('\u{e000}', '\u{10000}')]));
        assert_eq!(range(0x61, 0xd900), of(&[('a', '\u{d7ff}')]));
        assert_eq!(range(0x61, 0x7a), of(&[('a', 'z')]));
    }

    #[test]
    fn properties_by_name_and_by_value() {
        let has =
            |class: &ClassUnicode, c| class.iter().any(|r| (r.start()..=r.end()).contains(&c));
        let greek = property("Script", Some("Greek")).expect("a script");
        assert!(has(&greek, 'λ') && !has(&greek, 'l'));
        let letters = property("L", None).expect("a general category");
        assert!(has(&letters, 'ß') && !has(&letters, '1'));
        for name in ["Any", "ASCII", "Assigned", "Alphabetic", "Emoji", "ID_Start", "White_Space"] {
            assert!(property(name, None).is_some_and(|class| !class.ranges().is_empty()), "{name}");
        }
        assert_eq!(property("Zl", None), Some(of(&[('\u{2028}', '\u{2028}')])));
        assert_eq!(property("Nonesuch", None), None);
    }

    #[test]
    fn words_fold_to_two_characters_outside_ascii() {
        assert_eq!(
            Meaning::Ecma.word(true),
            of(&[
                ('0', '9'),
                ('A', 'Z'),
                ('_', '_'),
                ('a', 'z'),
                ('\u{17f}', '\u{17f}'),
                ('\u{212a}', '\u{212a}')
            ])
        );
    }
}

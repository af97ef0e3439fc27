//! Sets of characters as ECMA-262 defines them.
//!
//! The sets are of scalar values. JSON Schema reads strings by code points, and no UTF-8 string holds a lone
//! surrogate. So surrogates are removed from classes, and a lone surrogate matches nothing.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// Characters that end a line.
const LINE_ENDS: [(char, char); 3] = [('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')];

/// `WhiteSpace` and `LineTerminator` of ECMA-262.
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

/// Every character.
pub(super) fn any() -> ClassUnicode {
    of(&[('\0', char::MAX)])
}

/// The definitions of `.`, `\d`, `\s` and `\w`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The classes of ECMA-262: digits and words are ASCII.
    #[default]
    Ecma,
    /// The classes of the `regex` crate: digits and words are Unicode, and a line ends with a line feed alone.
    Regex,
}

impl Meaning {
    /// `.`: every character that does not end a line.
    pub(super) fn dot(self) -> ClassUnicode {
        match self {
            Self::Ecma => not(of(&LINE_ENDS)),
            Self::Regex => not(of(&[('\n', '\n')])),
        }
    }

    /// `\d`.
    pub(super) fn digits(self) -> ClassUnicode {
        match self {
            Self::Ecma => of(&DIGITS),
            Self::Regex => named(r"\d"),
        }
    }

    /// `\s`.
    pub(super) fn spaces(self) -> ClassUnicode {
        match self {
            Self::Ecma => of(&SPACES),
            Self::Regex => named(r"\s"),
        }
    }

    /// `\w`. In ECMA-262 with `ignore_case`, also the characters that fold to an ASCII word character.
    pub(super) fn word(self, ignore_case: bool) -> ClassUnicode {
        match self {
            Self::Ecma if ignore_case => folded(of(&WORD)),
            Self::Ecma => of(&WORD),
            Self::Regex => named(r"\w"),
        }
    }
}

/// Returns the complement of a class.
pub(super) fn not(mut class: ClassUnicode) -> ClassUnicode {
    class.negate();
    class
}

/// Closes a class under simple case folding.
pub(super) fn folded(mut class: ClassUnicode) -> ClassUnicode {
    // Simple folding is what ECMA-262 prescribes in unicode mode. It needs a table of regex-syntax that is always
    // compiled in here.
    match class.try_case_fold_simple() {
        Ok(()) | Err(_) => class,
    }
}

/// Returns the scalar values in a range of code points.
pub(super) fn range(lo: u32, hi: u32) -> ClassUnicode {
    let below = char::from_u32(lo).or((lo < 0xe000).then_some('\u{e000}'));
    let above = char::from_u32(hi).or((hi >= 0xd800).then_some('\u{d7ff}'));
    match (below, above) {
        (Some(lo), Some(hi)) if lo <= hi => of(&[(lo, hi)]),
        _ => of(&[]),
    }
}

/// Returns the characters of a Unicode property, by its name in ECMA-262.
pub(super) fn property(name: &str, value: Option<&str>) -> Option<ClassUnicode> {
    // regex-syntax knows more names; the parser of the pattern accepts only those of ECMA-262.
    parsed(&match value {
        Some(value) => format!(r"\p{{{name}={value}}}"),
        None => format!(r"\p{{{name}}}"),
    })
}

/// Returns a class by its name in regex-syntax. Its tables are always compiled in here.
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

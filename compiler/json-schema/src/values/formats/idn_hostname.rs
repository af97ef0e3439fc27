//! Host names beyond ASCII, RFC 5890 to 5893: labels in their Unicode form.
//!
//! The specification requires of a label in Unicode:
//!
//! - an ASCII form of at most 63 characters, and Normalization Form C;
//! - only code points that RFC 5892 derives to be valid, in the contexts of its appendix A;
//! - in names with right-to-left characters, the rule of RFC 5893.
//!
//! An automaton of all these conditions is far too large, and most of them concern characters that nobody registers. So
//! the accepted names are restricted:
//!
//! - A label has at most [`MAX_CHARACTERS`] characters of the Basic Multilingual Plane. Its ASCII form is never too
//!   long: an exhaustive search found at most 59 characters, prefix included.
//! - The characters are those of [`LETTERS`] and [`MARKS`], of Hebrew and Arabic, and the exceptions of RFC 5892.
//!   `LETTERS` and `MARKS` are ranges of modern scripts. Their code points are all valid, left to right, and stable
//!   under normalization.
//! - Labels in Unicode are among the first three. All other labels are ASCII without double hyphens (see `hostname`).
//! - A name with right-to-left characters begins with a right-to-left label. Each other label is right-to-left as well,
//!   or begins with an ASCII letter.

use super::abnf::{alpha, compiled, digit, one, set, text};
use super::hostname::{label, rest};
use grammarc_grammar::ir::{ByteSet, Expr};

/// Most characters of a label (part between dots) in Unicode. Longer labels are rejected.
const MAX_CHARACTERS: u32 = 14;
/// Number of leading labels (parts between dots) of a host name that may have the full length or be in Unicode.
const FIRST_LABELS: u32 = 3;

/// Inclusive ranges of characters.
type Ranges = &'static [(char, char)];

/// Letters and digits that are valid anywhere in a label (part between dots) of a host name.
const LETTERS: [Ranges; 10] = [
    &[('ß', 'ö'), ('ø', 'ÿ')],
    GREEK,
    &[('\u{430}', '\u{45f}')],
    &[('\u{561}', '\u{586}')],
    &[('\u{904}', '\u{939}'), ('\u{966}', '\u{96f}')],
    &[
        ('\u{e01}', '\u{e30}'),
        ('\u{e32}', '\u{e32}'),
        ('\u{e40}', '\u{e46}'),
        ('\u{e50}', '\u{e59}'),
    ],
    &[('\u{f0b}', '\u{f0b}'), ('\u{10d0}', '\u{10fa}')],
    JAPANESE,
    &[('\u{3005}', '\u{3007}'), ('\u{30fc}', '\u{30fe}'), ('\u{3400}', '\u{4dbf}')],
    &[('\u{ac00}', '\u{d7a3}')],
];
/// Greek letters that may occur in a label of a host name.
const GREEK: Ranges = &[('ά', 'ώ')];
/// Hiragana, Katakana and Han. A label with a katakana middle dot must contain a character of these ranges.
const JAPANESE: Ranges =
    &[('\u{3041}', '\u{3096}'), ('\u{30a1}', '\u{30fa}'), ('\u{4e00}', '\u{9fff}')];
/// Combining marks, valid anywhere in a label of a host name except at its start. Their combining class is 0, so any
/// order is normalized.
const MARKS: Ranges = &[('\u{93a}', '\u{93b}'), ('\u{93e}', '\u{94c}'), ('\u{e31}', '\u{e31}')];
/// The Devanagari sign that joins two consonants. A zero width joiner or non-joiner may follow it.
const VIRAMA: char = '\u{94d}';

/// Hebrew letters that may occur in a label of a host name.
const HEBREW: Ranges = &[('א', 'ת'), ('\u{5ef}', '\u{5f2}')];
/// Arabic letters that join on both sides, which may occur in a label of a host name.
const ARABIC_DUAL: Ranges = &[
    ('\u{626}', '\u{626}'),
    ('\u{628}', '\u{628}'),
    ('\u{62a}', '\u{62e}'),
    ('\u{633}', '\u{63f}'),
    ('\u{641}', '\u{647}'),
    ('\u{649}', '\u{64a}'),
];
/// Arabic letters that may occur in a label of a host name.
const ARABIC: Ranges = &[
    ('\u{620}', '\u{63f}'),
    ('\u{641}', '\u{64a}'),
    ('\u{671}', '\u{674}'),
    ('\u{679}', '\u{6d3}'),
    ('\u{6fa}', '\u{6ff}'),
];
/// Arabic-Indic digits. A label must not mix them with other digits.
const ARABIC_INDIC_DIGITS: Ranges = &[('\u{660}', '\u{669}')];
/// Digits that the bidirectional algorithm treats as European numbers, like the ASCII digits.
const EXTENDED_ARABIC_INDIC_DIGITS: Ranges = &[('\u{6f0}', '\u{6f9}')];

/// Returns the host names in which labels may be in Unicode.
pub(super) fn idn_hostname() -> Expr {
    // The full stops that RFC 3490 section 3.1 allows.
    let separator = Expr::alt(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}'].map(character));
    name(FIRST_LABELS, &separator)
}

/// Returns the host names whose first `first_labels` labels may be in Unicode. `separator` matches the full stop after
/// such a label.
pub(super) fn name(first_labels: u32, separator: &Expr) -> Expr {
    let left_to_right = compiled(&Expr::alt([label(), in_unicode(left_to_right())]));
    let dotted = |next: Expr| Expr::seq([separator.clone(), next]).optional();
    let left_to_right =
        (0..first_labels).fold(rest(), |rest, _| Expr::seq([left_to_right.clone(), dotted(rest)]));

    let right_to_left = in_unicode(right_to_left());
    let begins_with_letter = Expr::seq([one(alpha()), Expr::bytes(ByteSet::FULL).star()]);
    let after = Expr::alt([Expr::And(vec![label(), begins_with_letter]), right_to_left.clone()]);
    let after = Expr::seq([separator.clone(), after]).repeat(0, Some(first_labels - 1));
    Expr::alt([left_to_right, Expr::seq([right_to_left, after])])
}

/// Returns a grammar expression that matches the character `c`.
fn character(c: char) -> Expr {
    Expr::scalars([(c, c)])
}

/// Returns a grammar expression that matches one character of the ranges.
fn one_of(ranges: Ranges) -> Expr {
    Expr::scalars(ranges.iter().copied())
}

/// Restricts the labels (parts of a host name) that `shape` accepts: to 1 to [`MAX_CHARACTERS`] characters, without
/// hyphens at either end or at positions 3 and 4.
fn in_unicode(shape: Expr) -> Expr {
    let any = || Expr::scalars([('\0', char::MAX)]);
    let length = any().repeat(1, Some(MAX_CHARACTERS));
    let hyphens = Expr::alt([
        Expr::seq([text("-"), any().star()]),
        Expr::seq([any().star(), text("-")]),
        Expr::seq([any().repeat(2, Some(2)), text("--"), any().star()]),
    ]);
    compiled(&Expr::And(vec![shape, length, Expr::Not(Box::new(hyphens))]))
}

/// Returns the grammar expression of left-to-right labels (parts of a host name), without limits on length and hyphens.
fn left_to_right() -> Expr {
    let lower = one(ByteSet::range(b'a', b'z').union(digit()).union(set("-")));
    let letters = Expr::alt(LETTERS.map(one_of));
    // The middle dot is allowed between two letters `l`.
    let middle_dot = Expr::seq([text("l"), Expr::seq([character('·'), text("l")]).star()]);
    let keraia = Expr::seq([character('\u{375}'), one_of(GREEK)]);
    let katakana_middle_dot = Expr::seq([character('\u{30fb}'), one_of(JAPANESE)]);
    let digits = one_of(EXTENDED_ARABIC_INDIC_DIGITS);
    let first = Expr::alt([lower, letters, middle_dot, keraia, katakana_middle_dot, digits]);

    let joiner = one_of(&[('\u{200c}', '\u{200d}')]);
    let virama = Expr::seq([character(VIRAMA), joiner.optional()]);
    let next = Expr::alt([first.clone(), one_of(MARKS), virama]);
    Expr::seq([first, next.star()])
}

/// Returns the grammar expression of right-to-left labels (parts of a host name), without limits on length and hyphens.
fn right_to_left() -> Expr {
    // Geresh and gershayim follow a Hebrew letter.
    let hebrew = Expr::seq([one_of(HEBREW), one_of(&[('\u{5f3}', '\u{5f4}')]).optional()]);
    // A zero width non-joiner is allowed where it prevents two letters from joining.
    let apart = Expr::seq([one_of(ARABIC_DUAL), character('\u{200c}')]);
    let arabic = Expr::alt([one_of(ARABIC), Expr::seq([apart.plus(), one_of(ARABIC_DUAL)])]);
    let letter = Expr::alt([hebrew, arabic]);
    let labels = |digits: Expr| {
        Expr::seq([letter.clone(), Expr::alt([letter.clone(), text("-"), digits]).star()])
    };
    let european = Expr::alt([one(digit()), one_of(EXTENDED_ARABIC_INDIC_DIGITS)]);
    Expr::alt([labels(european), labels(one_of(ARABIC_INDIC_DIGITS))])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn characters(ranges: Ranges) -> impl Iterator<Item = char> {
        ranges.iter().flat_map(|&(first, last)| first..=last)
    }

    fn class(pattern: &str) -> impl Fn(char) -> bool {
        let hir = regex_syntax::parse(pattern).expect("the pattern is valid");
        let regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class)) =
            hir.into_kind()
        else {
            panic!("{pattern} is a class");
        };
        move |c| class.iter().any(|range| (range.start()..=range.end()).contains(&c))
    }

    /// RFC 5892 section 2, as far as the categories and the folding of case say: a letter or digit that folding leaves
    /// as it is, or an exception.
    #[test]
    fn the_letters_are_valid() {
        let letter = class(r"[\p{Ll}\p{Lo}\p{Lm}\p{Nd}]");
        let ignorable = class(r"[\p{Default_Ignorable_Code_Point}\p{White_Space}]");
        let exceptions = ['ß', 'ς', '\u{6fd}', '\u{6fe}', '\u{f0b}', '\u{3007}'];
        let disallowed = class(r"[\u{640}\u{7fa}\u{302e}\u{302f}\u{3031}-\u{3035}\u{303b}]");
        let right_to_left = [HEBREW, ARABIC, ARABIC_DUAL];
        for c in LETTERS.into_iter().chain(right_to_left).flat_map(characters) {
            // A character whose uppercase form has several characters, such as ΰ, composes to itself again.
            let composes = c.to_uppercase().count() > 1;
            let stable = composes || c.to_uppercase().flat_map(char::to_lowercase).eq([c]);
            assert!(exceptions.contains(&c) || letter(c) && stable, "{c:?}");
            assert!(!ignorable(c) && !disallowed(c), "{c:?}");
        }
        let mark = class(r"[\p{Mn}\p{Mc}]");
        assert!(characters(MARKS).chain([VIRAMA]).all(mark));
    }
}

//! The JSON texts of one character of a class.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::options::Escapes;
use crate::values::strings::characters::Ranges;
use grammarc_grammar::automata::{Nfa, StateBudget, minimal};
use grammarc_grammar::ir::{ByteSet, Expr};
use grammarc_patterns::class::Classes;

/// The characters with a two-character escape, each with the second character of that escape. The last one, `/`, needs
/// no escape.
const SHORT: [(char, u8); 8] = [
    ('"', b'"'),
    ('\\', b'\\'),
    ('\u{8}', b'b'),
    ('\u{c}', b'f'),
    ('\n', b'n'),
    ('\r', b'r'),
    ('\t', b't'),
    ('/', b'/'),
];

/// The characters that JSON allows only as escapes.
const SPECIAL: [(char, char); 3] = [('\0', '\u{1f}'), ('"', '"'), ('\\', '\\')];

/// The JSON text of one character: at most six bytes, such as `\u001f`.
pub(super) type Text = SmallVec<[u8; 8]>;

/// Writes the JSON texts of classes of characters as grammar expressions, each class once.
#[derive(Default)]
pub(super) struct Speller {
    /// Which escapes of a character are accepted.
    escapes: Escapes,
    /// Converts classes of unescaped characters to expressions over UTF-8.
    classes: Classes,
    /// Maps each class of characters that was written to its grammar expression.
    known: FxHashMap<Ranges, Expr>,
}

impl Speller {
    pub(super) fn new(escapes: Escapes) -> Self {
        Self { escapes, ..Self::default() }
    }

    /// Returns the grammar expression of the JSON texts of one character of the ranges.
    pub(super) fn expr(&mut self, ranges: &Ranges) -> Expr {
        if let Some(known) = self.known.get(ranges) {
            return known.clone();
        }
        let mut raw = class(ranges);
        raw.difference(&class(&SPECIAL));
        let escaped = match self.escapes {
            Escapes::Shortest => shortest(ranges),
            Escapes::Any => any(ranges),
        };
        let escaped = Expr::seq([Expr::byte(b'\\'), escaped]);
        let expr = Expr::alt([self.classes.expr(&raw), escaped]);
        self.known.insert(ranges.clone(), expr.clone());
        expr
    }

    /// Returns the JSON text of a character, or `None` if escapes give it several texts.
    pub(super) fn literal(&self, character: char) -> Option<Text> {
        if self.escapes == Escapes::Any {
            return None;
        }
        let short = SHORT[..7].iter().find(|(plain, _)| *plain == character);
        Some(match short {
            Some(&(_, letter)) => Text::from_slice(&[b'\\', letter]),
            None if character < ' ' => {
                Text::from_slice(format!("\\u{:04x}", u32::from(character)).as_bytes())
            }
            None => Text::from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        })
    }

    /// Returns whether the shared rule for special characters (escaped or outside ASCII) may be used for the ranges.
    /// The ranges must contain all special characters, and only the shortest escapes may be written.
    pub(super) fn has_all_special(&self, ranges: &Ranges) -> bool {
        self.escapes == Escapes::Shortest
            && SPECIAL
                .iter()
                .chain(&[('\u{80}', char::MAX)])
                .all(|&(lo, hi)| ranges.iter().any(|&(from, to)| from <= lo && hi <= to))
    }
}

/// Returns the grammar expression of the JSON texts of the character `c`.
pub(crate) fn one_character(c: char, escapes: Escapes) -> Expr {
    Speller::new(escapes).expr(&smallvec![(c, c)])
}

/// Returns the grammar expression of the JSON texts of any one character.
pub(crate) fn character(escapes: Escapes) -> Expr {
    static CHARACTERS: [OnceLock<Expr>; 2] = [OnceLock::new(), OnceLock::new()];
    let made = || Speller::new(escapes).expr(&smallvec![('\0', char::MAX)]);
    CHARACTERS[usize::from(escapes == Escapes::Any)].get_or_init(made).clone()
}

/// Returns the ASCII characters in the ranges that need no escape.
pub(super) fn plain(ranges: &Ranges) -> ByteSet {
    let within = |byte: &u8| {
        let c = char::from(*byte);
        let of = |ranges: &[(char, char)]| ranges.iter().any(|&(lo, hi)| lo <= c && c <= hi);
        of(ranges) && !of(&SPECIAL)
    };
    (0..0x80).filter(within).collect()
}

/// Returns the ranges as a class of `regex-syntax`.
fn class(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|&(lo, hi)| ClassUnicodeRange::new(lo, hi)))
}

/// Returns whether a character is in the ranges.
fn contains(ranges: &Ranges, c: char) -> bool {
    ranges.iter().any(|&(lo, hi)| lo <= c && c <= hi)
}

/// Returns the second characters of the two-character escapes in `short` whose character is in the ranges.
fn letters(ranges: &Ranges, short: &[(char, u8)]) -> Expr {
    let inside = short.iter().filter(|(plain, _)| contains(ranges, *plain));
    Expr::bytes(inside.map(|(_, letter)| *letter).collect())
}

/// Returns the shortest escapes, without their backslash, of the characters in the ranges. Characters that need no
/// escape are left out.
fn shortest(ranges: &Ranges) -> Expr {
    let digits = |first: u8| {
        let low = (0..16u8).filter(|digit| {
            let c = char::from(16 * first + digit);
            contains(ranges, c) && !SHORT.iter().any(|(plain, _)| *plain == c)
        });
        let low = low.map(|digit| digit + if digit < 10 { b'0' } else { b'a' - 10 });
        Expr::seq([Expr::byte(b'0' + first), Expr::bytes(low.collect())])
    };
    let controls = Expr::seq([Expr::literal("u00"), Expr::alt([digits(0), digits(1)])]);
    Expr::alt([letters(ranges, &SHORT[..7]), controls])
}

/// Returns all escapes, without their first backslash, of the characters in the ranges: a letter, `u` and four digits,
/// or a surrogate pair.
fn any(ranges: &Ranges) -> Expr {
    let mut nfa = Nfa::new();
    let (from, to) = (nfa.start, nfa.end);
    for &(lo, hi) in ranges {
        let (lo, hi) = (u32::from(lo), u32::from(hi));
        for (first, last) in [(0, 0xd7ff), (0xe000, 0xffff)] {
            digits(&mut nfa, lo.max(first)..=hi.min(last), 4, from, to);
        }
        if hi > 0xffff {
            pairs(&mut nfa, lo.max(0x1_0000) - 0x1_0000..=hi - 0x1_0000, from, to);
        }
    }
    // The ranges bound the size of the automaton: a tree of digits, with a few branches at each node.
    let digits = minimal(&nfa, StateBudget::of(usize::MAX));
    let digits = digits.map_or(Expr::Never, |dfa| match dfa.is_never() {
        true => Expr::Never,
        false => Expr::Regular(dfa.into()),
    });
    Expr::alt([letters(ranges, &SHORT), Expr::seq([Expr::byte(b'u'), digits])])
}

/// Adds the numbers of a range (inclusive) in `count` hexadecimal digits, each in either case. Adds nothing if the
/// range is empty.
fn digits(nfa: &mut Nfa, numbers: RangeInclusive<u32>, count: u32, from: u32, to: u32) {
    let (lo, hi) = numbers.into_inner();
    if lo > hi {
        return;
    }
    let unit = 1 << (4 * (count - 1));
    let ((first, low), (last, high)) = ((lo / unit, lo % unit), (hi / unit, hi % unit));
    if count == 1 {
        digit(nfa, first..=last, from, to);
    } else if first == last || (low == 0 && high == unit - 1) {
        let middle = nfa.state();
        digit(nfa, first..=last, from, middle);
        digits(nfa, low..=high, count - 1, middle, to);
    } else {
        // The numbers with the lowest first digit, those between, and those with the highest first digit.
        digits(nfa, lo..=first * unit + unit - 1, count, from, to);
        if first + 1 < last {
            digits(nfa, (first + 1) * unit..=last * unit - 1, count, from, to);
        }
        digits(nfa, last * unit..=hi, count, from, to);
    }
}

/// Adds one hexadecimal digit with a value of the range, in either case.
fn digit(nfa: &mut Nfa, values: RangeInclusive<u32>, from: u32, to: u32) {
    let runs = [(0, 9, b'0'), (10, 15, b'a'), (10, 15, b'A')];
    for (least, most, start) in runs {
        let (lo, hi) = (*values.start().max(&least), *values.end().min(&most));
        if lo <= hi {
            let start = u32::from(start) - least;
            nfa.edge(from, start + lo, start + hi, to);
        }
    }
}

/// Adds surrogate pairs, the second with its own `\u`. Characters are counted from U+10000.
fn pairs(nfa: &mut Nfa, characters: RangeInclusive<u32>, from: u32, to: u32) {
    let (lo, hi) = characters.into_inner();
    let (first, last) = (lo >> 10, hi >> 10);
    let mut block = |(lead_lo, lead_hi), (trail_lo, trail_hi)| {
        let ends = [nfa.state(), nfa.state(), nfa.state()];
        digits(nfa, 0xd800 + lead_lo..=0xd800 + lead_hi, 4, from, ends[0]);
        nfa.edge(ends[0], u32::from(b'\\'), u32::from(b'\\'), ends[1]);
        nfa.edge(ends[1], u32::from(b'u'), u32::from(b'u'), ends[2]);
        digits(nfa, 0xdc00 + trail_lo..=0xdc00 + trail_hi, 4, ends[2], to);
    };
    if first == last {
        block((first, first), (lo & 0x3ff, hi & 0x3ff));
        return;
    }
    block((first, first), (lo & 0x3ff, 0x3ff));
    if first + 1 < last {
        block((first + 1, last - 1), (0, 0x3ff));
    }
    block((last, last), (0, hi & 0x3ff));
}

#[cfg(test)]
mod tests {
    use super::*;
    use grammarc_grammar::ir::recognize::recognizes;
    use grammarc_grammar::ir::{GrammarBuilder, Origin};

    fn accepts(expr: &Expr, text: &str) -> bool {
        let mut builder = GrammarBuilder::new();
        let root = builder.declare("root");
        builder.define(root, expr.clone(), Origin::default());
        recognizes(&builder.finish(root), text.as_bytes())
    }

    /// All texts of a character that JSON allows, and some invalid ones.
    fn texts(c: char) -> Vec<String> {
        let units: Vec<u16> = c.encode_utf16(&mut [0; 2]).to_vec();
        let lower: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
        let upper: String = units.iter().map(|unit| format!("\\u{unit:04X}")).collect();
        let mut texts = vec![c.to_string(), format!("\\{c}"), lower, upper];
        for letter in "bfnrt".chars() {
            texts.push(format!("\\{letter}"));
        }
        if let [lead, trail] = *units {
            texts.push(format!("\\u{lead:04x}"));
            texts.push(format!("\\u{trail:04x}\\u{lead:04x}"));
        }
        texts
    }

    #[test]
    fn classes_have_the_texts_of_their_characters_and_no_others() {
        let ranges: [&[(char, char)]; 6] = [
            &[('\0', char::MAX)],
            &[('a', 'f'), ('\n', '\n'), ('é', 'é')],
            &[('\0', '\u{12}'), ('"', '/'), ('\u{d000}', '\u{e0ff}')],
            &[('\u{ffff}', '\u{10001}'), ('\u{103fe}', '\u{10c02}')],
            &[('\\', '\\')],
            &[],
        ];
        let probes: Vec<char> = ranges
            .iter()
            .flat_map(|ranges| ranges.iter().flat_map(|&(lo, hi)| [lo, hi]))
            .chain("azAZ09/\\\"\u{7f}\u{1f}\u{d7ff}\u{e000}\u{10400}😀".chars())
            .collect();
        for ranges in ranges {
            let ranges = Ranges::from(ranges);
            let (mut one, mut all) = (Speller::new(Escapes::Shortest), Speller::new(Escapes::Any));
            let (one_expr, all_expr) = (one.expr(&ranges), all.expr(&ranges));
            for &probe in &probes {
                for text in texts(probe) {
                    let read = serde_json::from_str::<String>(&format!("\"{text}\"")).ok();
                    let mut read = read.iter().flat_map(|text| text.chars());
                    let character = read.next().filter(|_| read.next().is_none());
                    let inside = character.is_some_and(|c| contains(&ranges, c));
                    assert_eq!(accepts(&all_expr, &text), inside, "{text} in {ranges:?}");
                    let only = character.and_then(|c| one.literal(c));
                    let inside = inside && only.is_some_and(|only| *only == *text.as_bytes());
                    assert_eq!(accepts(&one_expr, &text), inside, "{text} in {ranges:?}, shortest");
                }
            }
        }
    }
}

//! Classes of characters that many patterns go on with to the end, up to a bound or so many times: names, digits, lines.
//!
//! The rest of a string behind a state from which any number of them leads to the end is a rule that a vocabulary is built
//! with, as any rest of any string is, so its masks are there before a schema comes. Bounded and fixed numbers of them are
//! repetitions, for which the network takes the vocabulary's rules. The classes are those that one in three hundred of the
//! schemas of public collections has in this way; others are written into the rule that they stand in.

use super::Escapes;
use super::characters::Ranges;
use super::spell::Speller;
use crate::ir::Expr;

/// First and last characters, ascending and apart.
type Bounds = &'static [(char, char)];

/// A class of characters.
#[derive(Debug)]
pub(crate) struct Alphabet {
    ranges: Bounds,
    /// Names of the rests of any number of them, and of at least one.
    names: [&'static str; 2],
    /// Whether many patterns bound their number.
    is_counted: bool,
    /// Whether many patterns fix it.
    is_fixed: bool,
}

const fn free(names: [&'static str; 2], ranges: Bounds) -> Alphabet {
    Alphabet { ranges, names, is_counted: false, is_fixed: false }
}

const fn counted(names: [&'static str; 2], ranges: Bounds) -> Alphabet {
    Alphabet { ranges, names, is_counted: true, is_fixed: false }
}

const fn fixed(alphabet: Alphabet) -> Alphabet {
    Alphabet { is_fixed: true, ..alphabet }
}

/// All of them.
static ALPHABETS: [Alphabet; 17] = [
    fixed(free(["[0-9a-f]*", "[0-9a-f]+"], &[('0', '9'), ('a', 'f')])),
    fixed(free(["[0-9A-Fa-f]*", "[0-9A-Fa-f]+"], &[('0', '9'), ('A', 'F'), ('a', 'f')])),
    free(["[0-9]*", "[0-9]+"], &[('0', '9')]),
    free(["[a-z]*", "[a-z]+"], &[('a', 'z')]),
    free(["[a-z_]*", "[a-z_]+"], &[('_', '_'), ('a', 'z')]),
    counted(["[a-z0-9-]*", "[a-z0-9-]+"], &[('-', '-'), ('0', '9'), ('a', 'z')]),
    fixed(counted(["[A-Za-z0-9]*", "[A-Za-z0-9]+"], &[('0', '9'), ('A', 'Z'), ('a', 'z')])),
    free(["\\w*", "\\w+"], &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
    counted(["[\\w-]*", "[\\w-]+"], &[('-', '-'), ('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
    free(["[\\w.-]*", "[\\w.-]+"], &[('-', '.'), ('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
    counted(
        ["[\\w:-]*", "[\\w:-]+"],
        &[('-', '-'), ('0', ':'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
    ),
    free(["[\\w.:-]*", "[\\w.:-]+"], &[('-', '.'), ('0', ':'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
    free(["[\\w./:-]*", "[\\w./:-]+"], &[('-', ':'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
    free(
        ["[\\w ./-]*", "[\\w ./-]+"],
        &[(' ', ' '), ('-', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
    ),
    free(
        ["[\\w\\s-]*", "[\\w\\s-]+"],
        &[
            ('\t', '\r'),
            (' ', ' '),
            ('-', '-'),
            ('0', '9'),
            ('A', 'Z'),
            ('_', '_'),
            ('a', 'z'),
            ('\u{a0}', '\u{a0}'),
            ('\u{1680}', '\u{1680}'),
            ('\u{2000}', '\u{200a}'),
            ('\u{2028}', '\u{2029}'),
            ('\u{202f}', '\u{202f}'),
            ('\u{205f}', '\u{205f}'),
            ('\u{3000}', '\u{3000}'),
            ('\u{feff}', '\u{feff}'),
        ],
    ),
    free(
        ["\\S*", "\\S+"],
        &[
            ('\0', '\u{8}'),
            ('\u{e}', '\u{1f}'),
            ('!', '\u{9f}'),
            ('\u{a1}', '\u{167f}'),
            ('\u{1681}', '\u{1fff}'),
            ('\u{200b}', '\u{2027}'),
            ('\u{202a}', '\u{202e}'),
            ('\u{2030}', '\u{205e}'),
            ('\u{2060}', '\u{2fff}'),
            ('\u{3001}', '\u{fefe}'),
            ('\u{ff00}', char::MAX),
        ],
    ),
    free(
        [".*", ".+"],
        &[('\0', '\t'), ('\u{b}', '\u{c}'), ('\u{e}', '\u{2027}'), ('\u{202a}', char::MAX)],
    ),
];

impl Alphabet {
    /// The one of these characters.
    pub(super) fn of(ranges: &Ranges) -> Option<&'static Self> {
        ALPHABETS.iter().find(|alphabet| alphabet.ranges == &ranges[..])
    }

    /// All of them.
    pub(crate) fn all() -> &'static [Self] {
        &ALPHABETS
    }

    /// The rest of a string of any number of the characters, or of `least`, which is one: its name, and its texts in the
    /// shortest form.
    pub(crate) fn rest(&self, least: u32) -> (&'static str, impl FnOnce() -> Expr) {
        let name = self.names[least as usize];
        (name, move || closed(self.character().repeat(least, None)))
    }

    /// The rest of a string of so many of the characters, where many patterns bound their number.
    pub(crate) fn counted(&self, max: u32) -> Option<Expr> {
        self.is_counted.then(|| closed(self.character().repeat(1, Some(max))))
    }

    /// Whether many patterns fix their number.
    pub(super) fn is_fixed(&self) -> bool {
        self.is_fixed
    }

    /// So many of the characters before the end of a string or a hyphen, where many patterns fix their number.
    pub(crate) fn fixed(&self, count: u32) -> Option<Expr> {
        let end = Expr::bytes(b"\"-".iter().copied().collect());
        self.is_fixed.then(|| Expr::seq([self.character().repeat(count, Some(count)), end]))
    }

    fn character(&self) -> Expr {
        Speller::new(Escapes::Shortest).expr(&self.ranges.into())
    }
}

fn closed(text: Expr) -> Expr {
    Expr::seq([text, Expr::byte(b'"')])
}

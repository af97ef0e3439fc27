//! Classes of characters that many patterns repeat up to the end of the string: names, digits, lines.
//!
//! If a state accepts exactly any number of such characters, the rest of the string is a rule that every vocabulary
//! is built with. Its masks exist before a schema is compiled. Bounded and fixed numbers of the characters are
//! repetitions, for which the network takes the vocabulary's rules. A class is in the table if one in three hundred
//! schemas of public collections uses it this way. Others are written inline.
//!
//! A class is given as a pattern, and parsed on first use.

use std::sync::LazyLock;

use super::characters::{Characters, Ranges};
use super::spell::Speller;
use crate::options::Escapes;
use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::ir::Expr;
use grammarc_patterns::ecma;

/// A class of characters.
#[derive(Debug)]
pub(crate) struct Alphabet {
    /// The rests of any number of them, and of at least one, as patterns.
    names: [&'static str; 2],
    /// Whether many patterns bound their number.
    is_counted: bool,
    /// Whether many patterns fix it.
    is_fixed: bool,
    ranges: LazyLock<Ranges>,
}

const COUNTED: u8 = 1;
const FIXED: u8 = 2;

/// A class, and which of the above it is.
macro_rules! alphabet {
    ($class:literal, $kinds:expr) => {
        Alphabet {
            names: [concat!($class, "*"), concat!($class, "+")],
            is_counted: $kinds & COUNTED != 0,
            is_fixed: $kinds & FIXED != 0,
            ranges: LazyLock::new(|| ranges(concat!("^", $class, "*$"))),
        }
    };
}

/// All of them.
static ALPHABETS: [Alphabet; 17] = [
    alphabet!("[0-9a-f]", FIXED),
    alphabet!("[0-9A-Fa-f]", FIXED),
    alphabet!("[0-9]", 0),
    alphabet!("[a-z]", 0),
    alphabet!("[a-z_]", 0),
    alphabet!("[a-z0-9-]", COUNTED),
    alphabet!("[A-Za-z0-9]", COUNTED | FIXED),
    alphabet!("\\w", 0),
    alphabet!("[\\w-]", COUNTED),
    alphabet!("[\\w.-]", 0),
    alphabet!("[\\w:-]", COUNTED),
    alphabet!("[\\w.:-]", 0),
    alphabet!("[\\w./:-]", 0),
    alphabet!("[\\w ./-]", 0),
    alphabet!("[\\w\\s-]", 0),
    alphabet!("\\S", 0),
    alphabet!(".", 0),
];

/// States that are enough for one of the classes, repeated.
const STATES: usize = 1 << 10;

/// Returns the class that a pattern repeats.
fn ranges(pattern: &str) -> Ranges {
    let read = ecma::pattern_automaton(pattern, StateBudget::of(STATES));
    let moves = Characters::new(&read.expect("the table has patterns alone")).moves(0);
    moves.into_iter().next().map(|(_, ranges)| ranges).unwrap_or_default()
}

impl Alphabet {
    /// Returns the alphabet with exactly these characters.
    pub(super) fn of(ranges: &Ranges) -> Option<&'static Self> {
        ALPHABETS.iter().find(|alphabet| alphabet.is_of(ranges))
    }

    /// Whether it is that of these characters.
    pub(super) fn is_of(&self, ranges: &Ranges) -> bool {
        *self.ranges == *ranges
    }

    /// All of them.
    pub(crate) fn all() -> &'static [Self] {
        &ALPHABETS
    }

    /// The rest of a string of any number of the characters, or of `least`, which is one: its name, and its texts in
    /// the shortest form.
    pub(crate) fn rest(&self, least: u32) -> (&'static str, impl FnOnce() -> Expr) {
        let name = self.names[least as usize];
        (name, move || closed(self.character().repeat(least, None)))
    }

    /// The rest of a string: up to `max` of the characters. `None` unless many patterns bound their number.
    pub(crate) fn counted(&self, max: u32) -> Option<Expr> {
        self.is_counted.then(|| closed(self.character().repeat(1, Some(max))))
    }

    /// Whether many patterns have a fixed number of the characters.
    pub(super) fn is_fixed(&self) -> bool {
        self.is_fixed
    }

    /// Exactly `count` of the characters, followed by the end of the string or a hyphen. `None` unless many patterns
    /// fix their number.
    pub(crate) fn fixed(&self, count: u32) -> Option<Expr> {
        let end = Expr::bytes(b"\"-".iter().copied().collect());
        self.is_fixed.then(|| Expr::seq([self.character().repeat(count, Some(count)), end]))
    }

    fn character(&self) -> Expr {
        Speller::new(Escapes::Shortest).expr(&self.ranges)
    }
}

fn closed(text: Expr) -> Expr {
    Expr::seq([text, Expr::byte(b'"')])
}

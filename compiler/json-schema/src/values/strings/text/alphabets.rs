//! Classes of characters that many patterns repeat up to the end of the string: names, digits, lines.
//!
//! If a state accepts exactly any number of characters of such a class, the rest of the string is a shared rule of
//! every vocabulary. The token masks of that rule exist before a schema is compiled. Bounded and fixed numbers of the
//! characters are repetitions, for which the network takes rules of the vocabulary. A class is in the table if one in
//! three hundred schemas of public collections uses it this way. Other classes are written inline.
//!
//! A class is given as a pattern, which is parsed on first use.

use std::sync::LazyLock;

use super::spell::Speller;
use crate::options::Escapes;
use crate::values::strings::characters::{Characters, Ranges};
use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::ir::Expr;
use grammarc_patterns::ecma;

/// A class of characters, such as `[a-z]`, with shared rules for its repetitions up to the end of a string.
#[derive(Debug)]
pub(crate) struct Alphabet {
    /// Names of the shared rules for the rest of a string: any number of characters of the class (`*`), and at least
    /// one (`+`).
    names: [&'static str; 2],
    /// Whether many schemas bound how often the class repeats, as in `[a-z]{1,64}`. Then the vocabulary has rules for
    /// such repetitions.
    is_counted: bool,
    /// Whether many schemas fix how often the class repeats, as in `[0-9a-f]{8}`. Then the vocabulary has rules for
    /// such repetitions.
    is_fixed: bool,
    /// The characters of the class.
    ranges: LazyLock<Ranges>,
}

/// Flag of a class of characters that schemas often repeat with an upper bound, as in `[a-z]{1,64}`.
const COUNTED: u8 = 1;
/// Flag of a class of characters that schemas often repeat a fixed number of times, as in `[0-9a-f]{8}`.
const FIXED: u8 = 2;

/// Builds an [`Alphabet`] from a class in pattern syntax and the flags [`COUNTED`] and [`FIXED`].
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

/// The classes of characters that have shared rules.
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

/// Most states of the automaton of one class of characters, repeated. Every class of the table takes fewer.
const STATES: usize = 1 << 10;

/// Returns the characters of the class that `pattern` repeats.
fn ranges(pattern: &str) -> Ranges {
    let read = ecma::pattern_automaton(pattern, StateBudget::of(STATES));
    let moves = Characters::new(&read.expect("the table has patterns alone")).moves(0);
    moves.into_iter().next().map(|(_, ranges)| ranges).unwrap_or_default()
}

impl Alphabet {
    /// Returns the alphabet (class with shared rules) with exactly these characters, or `None` if the table has none.
    pub(super) fn of(ranges: &Ranges) -> Option<&'static Self> {
        ALPHABETS.iter().find(|alphabet| alphabet.is_of(ranges))
    }

    /// Returns whether this class has exactly the given characters.
    pub(super) fn is_of(&self, ranges: &Ranges) -> bool {
        *self.ranges == *ranges
    }

    /// Returns all alphabets: the classes of characters that have shared rules.
    pub(crate) fn all() -> &'static [Self] {
        &ALPHABETS
    }

    /// Returns the rule for the rest of a string, with the closing quote. The rest is any number of characters of the
    /// class (`least` 0), or at least one (`least` 1). The rule is given by its name and its texts with the shortest
    /// escapes.
    pub(crate) fn rest(&self, least: u32) -> (&'static str, impl FnOnce() -> Expr) {
        let name = self.names[least as usize];
        (name, move || closed(self.character().repeat(least, None)))
    }

    /// Returns the grammar expression of the rest of a string: 1 to `max` characters of the class, and the closing
    /// quote. Returns `None` for classes whose repetitions few schemas bound.
    pub(crate) fn counted(&self, max: u32) -> Option<Expr> {
        self.is_counted.then(|| closed(self.character().repeat(1, Some(max))))
    }

    /// Returns whether many schemas repeat the class a fixed number of times.
    pub(super) fn is_fixed(&self) -> bool {
        self.is_fixed
    }

    /// Returns the grammar expression of exactly `count` characters of the class, followed by the closing quote or a
    /// hyphen. Returns `None` for classes that few schemas repeat a fixed number of times.
    pub(crate) fn fixed(&self, count: u32) -> Option<Expr> {
        let end = Expr::bytes(b"\"-".iter().copied().collect());
        self.is_fixed.then(|| Expr::seq([self.character().repeat(count, Some(count)), end]))
    }

    /// Returns the grammar expression of one character of the class, with the shortest escapes.
    fn character(&self) -> Expr {
        Speller::new(Escapes::Shortest).expr(&self.ranges)
    }
}

/// Returns the expression `text`, followed by the closing quote.
fn closed(text: Expr) -> Expr {
    Expr::seq([text, Expr::byte(b'"')])
}

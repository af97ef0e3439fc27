//! Patterns of ECMA-262 section 22.2.1 with the `u` flag. This is the strict grammar, whose patterns every engine
//! accepts.
//!
//! The grammar is not regular, and some of its early errors compare parts of a pattern. An automaton repeats the states
//! of each part in every context. So the accepted patterns are restricted:
//!
//! - Groups nest at most [`DEPTH`] deep. A group can be repeated and a lookaround cannot, so the automaton must know
//!   which of both a parenthesis closes. Lookarounds are therefore outside of all groups, and groups inside lookarounds
//!   do not nest.
//! - There are no references, because a reference needs its group.
//! - Only one group may be named, because names must differ. It is at the start, and its name is ASCII.
//! - A range in a class begins with a digit, `a` or `A`, and ends with a digit or a letter of the same case that is not
//!   smaller.
//! - In `{n,m}`, both bounds have one digit each and `n` is at most `m`; or `m` has more digits than `n`, up to four.
//! - A property is a general category by its short name.
//! - `\0` is excluded, because no digit may follow it.

use super::abnf::{alpha, alphanumeric, any_char_but, compiled, digit, hexdig, one, set, text};
use grammarc_grammar::ir::{ByteSet, Expr};

/// Greatest nesting depth of groups in a string of the format `regex`. Patterns with deeper groups are rejected.
const DEPTH: u32 = 3;

/// Values of `General_Category`: the first letter of each group, and the second letters of its members.
const CATEGORIES: [(&str, &str); 7] = [
    ("C", "cfnos"),
    ("L", "lmotu"),
    ("M", "cen"),
    ("N", "dlo"),
    ("P", "cdefios"),
    ("S", "ckmo"),
    ("Z", "lps"),
];

/// The characters that denote something other than themselves in a regular expression.
const SYNTAX_CHARACTER: &str = "^$\\.*+?()[]{}|";

/// Returns the strings of the format `regex`, which are regular expressions of ECMA-262: `Pattern`.
pub(super) fn regex() -> Expr {
    let parts = Parts { single: compiled(&single()), quantifier: compiled(&quantifier()) };
    let name =
        Expr::seq([one(alpha().union(set("$_"))), one(alphanumeric().union(set("$_"))).star()]);
    let open = Expr::seq([text("^").optional(), text("(?<"), name, text(">")]);
    let named = Expr::seq([open, parts.disjunction(DEPTH - 1), parts.closed_group()]);

    let open = Expr::seq([text("(?"), text("<").optional(), one(set("=!"))]);
    let lookaround = Expr::seq([open, parts.disjunction(1), text(")")]);
    let pattern = Expr::alt([parts.disjunction(DEPTH), lookaround]).star();
    Expr::seq([named.optional(), pattern])
}

/// The parts of a regular expression that occur in every context, each as a grammar expression.
struct Parts {
    /// An atom of a regular expression (a character, an escape or a class), without groups.
    single: Expr,
    /// A quantifier of a regular expression, such as `*` or `{2,3}?`.
    quantifier: Expr,
}

impl Parts {
    /// Returns a disjunction (alternatives with `|`) without lookarounds, with groups nested at most `depth` deep.
    fn disjunction(&self, depth: u32) -> Expr {
        let bar_or_assertion =
            Expr::alt([one(set("|^$")), Expr::seq([text("\\"), one(set("bB"))])]);
        let atom = Expr::seq([self.single.clone(), self.quantifier.clone().optional()]);
        let group = match depth {
            0 => Expr::Never,
            _ => Expr::seq([
                text("("),
                text("?:").optional(),
                self.disjunction(depth - 1),
                self.closed_group(),
            ]),
        };
        Expr::alt([bar_or_assertion, atom, group]).star()
    }

    /// Returns the closing parenthesis of a group in a regular expression, with an optional quantifier.
    fn closed_group(&self) -> Expr {
        Expr::seq([text(")"), self.quantifier.clone().optional()])
    }
}

/// Returns an atom of a regular expression that is no group: a character, an escape or a class.
fn single() -> Expr {
    let escape = Expr::seq([text("\\"), Expr::alt([class_escape(), character_escape()])]);
    Expr::alt([any_char_but(SYNTAX_CHARACTER), text("."), escape, character_class()])
}

/// Returns the quantifiers, such as `*` or `{2,3}?`: `Quantifier`.
fn quantifier() -> Expr {
    let prefix = Expr::alt([one(set("*+?")), Expr::seq([text("{"), bounds(), text("}")])]);
    Expr::seq([prefix, text("?").optional()])
}

/// Returns the bounds inside the braces of a quantifier: `n`, `n,` or `n,m`.
fn bounds() -> Expr {
    let number = |count: u32| one(digit()).repeat(count, Some(count));
    let longer = |than: u32| {
        Expr::seq([one(ByteSet::range(b'1', b'9')), one(digit()).repeat(than, Some(3))])
    };
    let ordered = (b'0'..=b'9').map(|lo| {
        let hi = Expr::alt([one(ByteSet::range(lo, b'9')), longer(1)]);
        Expr::seq([Expr::byte(lo), text(","), hi])
    });
    let unlike = (2..=3).map(|count| Expr::seq([number(count), text(","), longer(count)]));
    let single = Expr::seq([one(digit()).repeat(1, Some(4)), text(",").optional()]);
    Expr::alt(ordered.chain(unlike).chain([single]))
}

/// Returns the class escapes after the backslash, such as `d` or `p{Lu}`: `CharacterClassEscape`.
fn class_escape() -> Expr {
    let category =
        |(group, members): (&str, &str)| Expr::seq([text(group), one(set(members)).optional()]);
    let categories = Expr::alt(CATEGORIES.map(category));
    let property = Expr::seq([one(set("pP")), text("{"), categories, text("}")]);
    Expr::alt([one(set("dDsSwW")), property])
}

/// Returns the character escapes after the backslash, such as `n` or `x41`: `CharacterEscape`.
fn character_escape() -> Expr {
    let hex = |count: u32| one(hexdig()).repeat(count, Some(count));
    let code_point = Expr::seq([
        text("0").star(),
        Expr::alt([one(hexdig()).repeat(1, Some(5)), Expr::seq([text("10"), hex(4)])]),
    ]);
    Expr::alt([
        one(set("fnrtv")),
        one(set(SYNTAX_CHARACTER).union(set("/"))),
        Expr::seq([text("c"), one(alpha())]),
        Expr::seq([text("x"), hex(2)]),
        Expr::seq([text("u"), hex(4)]),
        Expr::seq([text("u{"), code_point, text("}")]),
    ])
}

/// Returns the character classes in brackets of a regular expression, such as `[a-z]`: `CharacterClass`.
fn character_class() -> Expr {
    let ranges = (b'0'..=b'9').map(|lo| (lo, b'9')).chain([(b'A', b'Z'), (b'a', b'z')]);
    let ranges = ranges
        .map(|(lo, last)| Expr::seq([Expr::byte(lo), text("-"), one(ByteSet::range(lo, last))]));
    // A hyphen after a range denotes itself.
    let range = Expr::seq([Expr::alt(ranges), text("-").optional()]);
    let escape = Expr::alt([class_escape(), character_escape(), one(set("b-"))]);
    // A caret at the start means negation; the same strings may follow it.
    let single = Expr::alt([any_char_but("\\]-"), Expr::seq([text("\\"), escape])]);
    let hyphen = || text("-").optional();
    let items = Expr::alt([range, single]).star();
    Expr::seq([text("["), text("^").optional(), hyphen(), items, hyphen(), text("]")])
}

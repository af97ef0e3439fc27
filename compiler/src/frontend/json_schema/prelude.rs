//! The prelude: rules that every grammar from a JSON Schema shares.
//!
//! Each is a kept rule whose content depends on the [`TextForm`] alone, so its masks are computed once per vocabulary
//! and never again per schema. [`Prelude`] adds to a grammar the ones it calls; [`prelude_grammar`] holds them all
//! for the build of a vocabulary.

use crate::automata::Allowance;
use crate::ir::{Expr, Grammar, GrammarBuilder, Origin, RuleId};

use super::formats;
use super::number;
use super::numbers::integers;
use super::options::{NumberForm, TextForm, Whitespace};
use super::string::special;
use super::strings::{Alphabet, Escapes, Place, StringRules, character, tail};

/// A rule of the prelude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A run of whitespace. There is such a rule in flexible form only: [`Prelude::whitespace`] knows.
    Whitespace,
    /// The rest of a string after its opening quote: any characters and the closing quote.
    StringTail,
    /// The same with at least one character.
    NonEmptyStringTail,
    /// The same where the first character is escaped or outside ASCII. Keys leave the trie of declared keys this way.
    SpecialStringTail,
    /// An integer.
    Integer,
    /// A number.
    Number,
    /// Any array.
    Array,
    /// Any object.
    Object,
    /// Any value.
    Value,
}

impl Piece {
    /// All of them, in the order of the grammar.
    pub const ALL: [Self; 9] = [
        Self::Whitespace,
        Self::StringTail,
        Self::NonEmptyStringTail,
        Self::SpecialStringTail,
        Self::Integer,
        Self::Number,
        Self::Array,
        Self::Object,
        Self::Value,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Whitespace => "whitespace",
            Self::StringTail => "string-tail",
            Self::NonEmptyStringTail => "non-empty-string-tail",
            Self::SpecialStringTail => "special-string-tail",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Array => "array",
            Self::Object => "object",
            Self::Value => "value",
        }
    }
}

/// Most characters that a string of at least so many has a rule for.
pub(super) const MOST_LEAST: u32 = 8;

/// Adds rules of the prelude to a grammar, each when it is first called.
#[derive(Debug)]
pub struct Prelude {
    text: TextForm,
    rules: [Option<RuleId>; Piece::ALL.len()],
    /// The rest of a string of at least two characters, of at least three, and so on.
    longer: Vec<RuleId>,
    /// Rests of strings by their names: what comes after the opening quote of a format's, and of some classes of characters
    /// any number.
    named: Vec<(&'static str, RuleId)>,
}

impl Prelude {
    /// The prelude of a text form, with no rule added yet.
    pub fn new(text: TextForm) -> Self {
        Self { text, rules: [None; Piece::ALL.len()], longer: Vec::new(), named: Vec::new() }
    }

    /// The rule of a piece.
    #[inline]
    pub fn rule(&mut self, builder: &mut GrammarBuilder, piece: Piece) -> RuleId {
        match self.rules[piece as usize] {
            Some(rule) => rule,
            None => self.add(builder, piece),
        }
    }

    fn add(&mut self, builder: &mut GrammarBuilder, piece: Piece) -> RuleId {
        let rule = builder.declare(piece.name());
        // Entered before its content is made: values hold arrays and arrays hold values.
        self.rules[piece as usize] = Some(rule);
        let expr = self.content(builder, piece);
        builder.define_kept(rule, expr, Origin::default());
        rule
    }

    /// A call of a piece.
    pub fn call(&mut self, builder: &mut GrammarBuilder, piece: Piece) -> Expr {
        Expr::Call(self.rule(builder, piece))
    }

    /// Whitespace that may stand between two tokens of a document.
    pub fn whitespace(&mut self, builder: &mut GrammarBuilder) -> Expr {
        match self.text.whitespace {
            Whitespace::Compact | Whitespace::Spaced | Whitespace::Flexible { max: 0 } => {
                Expr::Empty
            }
            Whitespace::Flexible { .. } => self.call(builder, Piece::Whitespace),
        }
    }

    /// A byte between two items, or between a key and its value, with the whitespace around it.
    pub fn separator(&mut self, builder: &mut GrammarBuilder, byte: u8) -> Expr {
        if self.text.whitespace == Whitespace::Spaced {
            return Expr::seq([Expr::byte(byte), Expr::byte(b' ')]);
        }
        match self.whitespace(builder) {
            Expr::Empty => Expr::byte(byte),
            space => Expr::seq([space.clone(), Expr::byte(byte), space]),
        }
    }

    /// Any string, with its quotes.
    pub fn string(&mut self, builder: &mut GrammarBuilder) -> Expr {
        Expr::seq([Expr::byte(b'"'), self.call(builder, Piece::StringTail)])
    }

    /// The rest of a string of at least `min` characters, no more than [`MOST_LEAST`]. Each rule is a character and a
    /// call of the one before it in tail position, so that none returns in the middle of a string.
    pub(super) fn at_least(&mut self, builder: &mut GrammarBuilder, min: u32) -> Expr {
        let Some(index) = min.checked_sub(2) else {
            let piece = if min == 0 { Piece::StringTail } else { Piece::NonEmptyStringTail };
            return self.call(builder, piece);
        };
        while self.longer.len() <= index as usize {
            let min = self.longer.len() as u32 + 2;
            let rest = self.at_least(builder, min - 1);
            let tail = Expr::seq([character(self.text.escapes), rest]);
            self.longer.push(kept(builder, format!("string-tail{{{min},}}"), tail));
        }
        Expr::Call(self.longer[index as usize])
    }

    /// A call of the rest of a string by its name, where it was added.
    pub(super) fn named(&self, name: &str) -> Option<Expr> {
        let known = self.named.iter().find(|(other, _)| *other == name);
        known.map(|&(_, rule)| Expr::Call(rule))
    }

    /// Adds a rest of a string by its name, and calls it.
    pub(super) fn add_named(
        &mut self,
        builder: &mut GrammarBuilder,
        name: &'static str,
        tail: Expr,
    ) -> Expr {
        let rule = kept(builder, name, tail);
        self.named.push((name, rule));
        Expr::Call(rule)
    }

    fn content(&mut self, builder: &mut GrammarBuilder, piece: Piece) -> Expr {
        match piece {
            Piece::Whitespace => match self.text.whitespace {
                Whitespace::Compact | Whitespace::Spaced => Expr::Empty,
                Whitespace::Flexible { max } => {
                    Expr::Bytes(b" \t\n\r".iter().copied().collect()).repeat(0, Some(max))
                }
            },
            Piece::StringTail => Expr::seq([character(self.text.escapes).star(), Expr::byte(b'"')]),
            Piece::NonEmptyStringTail => {
                Expr::seq([character(self.text.escapes), self.call(builder, Piece::StringTail)])
            }
            Piece::SpecialStringTail => {
                Expr::seq([special(), self.call(builder, Piece::StringTail)])
            }
            Piece::Integer => match self.text.numbers {
                NumberForm::Canonical => number::integer(self.text.digits),
                NumberForm::Any => integers(self.text.digits),
            },
            Piece::Number => number::number(self.text.digits),
            Piece::Array => {
                let value = self.call(builder, Piece::Value);
                self.list(builder, *b"[]", value)
            }
            Piece::Object => {
                let member = Expr::seq([
                    self.string(builder),
                    self.separator(builder, b':'),
                    self.call(builder, Piece::Value),
                ]);
                self.list(builder, *b"{}", member)
            }
            Piece::Value => Expr::alt([
                Expr::literal("null"),
                Expr::literal("true"),
                Expr::literal("false"),
                self.call(builder, Piece::Number),
                self.string(builder),
                self.call(builder, Piece::Array),
                self.call(builder, Piece::Object),
            ]),
        }
    }

    /// Any number of items between brackets. Whitespace has one place to be in an empty list, so that its bound
    /// holds.
    fn list(&mut self, builder: &mut GrammarBuilder, [open, close]: [u8; 2], item: Expr) -> Expr {
        let space = self.whitespace(builder);
        let comma = self.separator(builder, b',');
        let more = Expr::seq([comma, item.clone()]).star();
        let items = Expr::seq([item, more, space.clone()]).optional();
        Expr::seq([Expr::byte(open), space, items, Expr::byte(close)])
    }
}

/// Adds a kept rule.
fn kept(builder: &mut GrammarBuilder, name: impl Into<String>, expr: Expr) -> RuleId {
    let rule = builder.declare(name);
    builder.define_kept(rule, expr, Origin::default());
    rule
}

/// A bound that no token comes near, so that the network counts it.
const FAR: u32 = 1 << 20;

/// The rules that a vocabulary is built with, as the text forms of strings see them.
struct Shared<'a> {
    prelude: &'a mut Prelude,
    builder: &'a mut GrammarBuilder,
}

impl StringRules for Shared<'_> {
    fn piece(&mut self, piece: Piece) -> Expr {
        self.prelude.call(self.builder, piece)
    }

    fn counted_tail(&mut self, min: u32, max: Option<u32>) -> Expr {
        let characters = character(self.prelude.text.escapes).repeat(min, max);
        Expr::seq([characters, Expr::byte(b'"')])
    }

    fn characters(&mut self, min: u32, max: u32) -> Expr {
        character(self.prelude.text.escapes).repeat(min, Some(max))
    }

    fn named_tail(&mut self, name: &'static str, content: impl FnOnce(&mut Self) -> Expr) -> Expr {
        let tail = content(self);
        self.prelude.add_named(self.builder, name, tail)
    }
}

/// A grammar of all rules of the prelude in each of these text forms, and of the formats that many schemas name in the
/// shortest; it starts with any of them.
///
/// Some more rules stand for strings of bounded length: the network shares the chains and the countdowns of a repetition
/// between all bounds (see `network::repeat`), so these make it build them once for every `maxLength` with a small
/// `minLength`, for every `minLength` alone, and for every fixed length. So does one for the canonical fractions of numbers
/// between bounds.
pub fn prelude_grammar(texts: &[TextForm]) -> Grammar {
    let mut builder = GrammarBuilder::new();
    let start = builder.declare("prelude");
    let mut calls = vec![Expr::Call(kept(&mut builder, "fraction", number::fraction(FAR)))];
    for &text in texts {
        let mut prelude = Prelude::new(text);
        for piece in Piece::ALL {
            let expr = match piece {
                Piece::Whitespace => prelude.whitespace(&mut builder),
                piece => prelude.call(&mut builder, piece),
            };
            if expr != Expr::Empty {
                calls.push(expr);
            }
        }
        calls.extend((2..=MOST_LEAST).map(|min| prelude.at_least(&mut builder, min)));
        let mut shared = Shared { prelude: &mut prelude, builder: &mut builder };
        let optional = (1..=MOST_LEAST).map(|min| (min, Some(FAR)));
        for (min, max) in optional.chain([(FAR, Some(FAR)), (FAR, None)]) {
            let tail = shared.counted_tail(min, max);
            calls.push(Expr::Call(kept(shared.builder, "string-tail{m,n}", tail)));
        }
        if text.escapes != Escapes::Shortest {
            continue;
        }
        for alphabet in Alphabet::all() {
            for (name, rest) in [0, 1].map(|least| alphabet.rest(least)) {
                calls.push(shared.named_tail(name, |_| rest()));
            }
            let counted = alphabet.counted(FAR).map(|tail| ("characters{1,n}", tail));
            let fixed = alphabet.fixed(FAR).map(|tail| ("characters{n}", tail));
            let tails = counted.into_iter().chain(fixed);
            calls.extend(tails.map(|(name, tail)| Expr::Call(kept(shared.builder, name, tail))));
        }
        for format in formats::common() {
            // No count is needed where the automaton has it.
            calls.extend(tail(
                &mut shared,
                &format.strings(),
                (Place::Value, text.escapes),
                Allowance::of(0),
            ));
        }
    }
    builder.define(start, Expr::alt(calls), Origin::default());
    builder.finish(start)
}

//! The prelude: rules that every grammar from a JSON Schema shares.
//!
//! The content of each rule depends only on the [`TextForm`]. So its token masks are computed once for a vocabulary,
//! and never again for a schema. [`Prelude`] adds to a grammar the rules that it calls. [`prelude_grammar`] has all of
//! them, for the build of a vocabulary.

use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::ir::{Expr, Grammar, GrammarBuilder, Origin, RuleId};

use super::layout::{Gaps, Layout};
use crate::options::Escapes;
use crate::options::{NumberForm, TextForm, Whitespace};
use crate::values::formats;
use crate::values::numbers::any as number;
use crate::values::numbers::integers;
use crate::values::pieces::Piece;
use crate::values::strings::escaped::special;
use crate::values::strings::{Alphabet, Place, StringRules, character, tail};

/// Greatest minimum length, in characters, for which strings without a maximum length have a shared rule.
pub(crate) const MOST_LEAST: u32 = 8;

/// The prelude: shared rules of JSON, such as any string or any value. Each rule is added to a grammar when it is first
/// called.
#[derive(Debug)]
pub struct Prelude {
    /// The text form (whitespace, numbers and escapes) that the rules accept.
    text: TextForm,
    /// For each [`Piece`] (shared rule), its rule in the grammar; `None` until it is called.
    rules: [Option<RuleId>; Piece::ALL.len()],
    /// For each layout, by its index, the rules of any array, object and value; `None` until they are called.
    containers: Vec<Option<Containers>>,
    /// The rules for the rest of a string after its opening quote. The rule at index `i` has at least `i + 2`
    /// characters and the closing quote.
    longer: Vec<RuleId>,
    /// Names and rules for the rest of a string with its closing quote. A rule has the strings of a format, or
    /// repetitions of a class of characters.
    named: Vec<(&'static str, RuleId)>,
}

impl Prelude {
    /// Creates the prelude (shared rules of JSON) of a text form, without any rule.
    pub fn new(text: TextForm) -> Self {
        let rules = [None; Piece::ALL.len()];
        Self { text, rules, containers: Vec::new(), longer: Vec::new(), named: Vec::new() }
    }

    /// Returns the shared rule `piece`, and adds it to the grammar on first use. If a document may have several
    /// layouts, arrays, objects and values are in the first of them.
    #[inline]
    pub fn rule(&mut self, builder: &mut GrammarBuilder, piece: Piece) -> RuleId {
        match self.rules[piece as usize] {
            Some(rule) => rule,
            None => self.add(builder, piece),
        }
    }

    fn add(&mut self, builder: &mut GrammarBuilder, piece: Piece) -> RuleId {
        let rule = match piece {
            Piece::Array | Piece::Object | Piece::Value => {
                let layout = Layout::of(self.text.whitespace)[0];
                self.containers(builder, layout).of(piece)
            }
            Piece::Whitespace => kept(builder, piece.name(), self.whitespace()),
            Piece::StringTail | Piece::NonEmptyStringTail | Piece::SpecialStringTail => {
                let tail = self.tail(builder, piece);
                kept(builder, piece.name(), tail)
            }
            Piece::Integer | Piece::Number => kept(builder, piece.name(), self.number(piece)),
        };
        self.rules[piece as usize] = Some(rule);
        rule
    }

    fn whitespace(&self) -> Expr {
        match self.text.whitespace {
            Whitespace::Flexible { max } => space(max),
            _ => Expr::Empty,
        }
    }

    fn tail(&mut self, builder: &mut GrammarBuilder, piece: Piece) -> Expr {
        let first = match piece {
            Piece::NonEmptyStringTail => character(self.text.escapes),
            Piece::SpecialStringTail => special(),
            _ => return Expr::seq([character(self.text.escapes).star(), Expr::byte(b'"')]),
        };
        Expr::seq([first, self.call(builder, Piece::StringTail)])
    }

    fn number(&self, piece: Piece) -> Expr {
        let TextForm { numbers, digits, .. } = self.text;
        match (piece, numbers) {
            (Piece::Integer, NumberForm::Any) => integers(digits),
            (Piece::Integer, _) => number::integer(digits),
            (_, NumberForm::Canonical) => number::canonical(digits),
            (_, NumberForm::Natural | NumberForm::Any) => number::number(digits),
        }
    }

    /// Returns a call of the shared rule `piece`, which is added to the grammar on first use.
    pub fn call(&mut self, builder: &mut GrammarBuilder, piece: Piece) -> Expr {
        Expr::Call(self.rule(builder, piece))
    }

    /// Returns a call of the shared rule of any array, object or value in a layout (form of whitespace).
    pub(crate) fn laid_out(
        &mut self,
        builder: &mut GrammarBuilder,
        piece: Piece,
        layout: Layout,
    ) -> Expr {
        Expr::Call(self.containers(builder, layout).of(piece))
    }

    /// Returns the separators and whitespace between the tokens of an array or object in a layout.
    pub(crate) fn gaps(&mut self, builder: &mut GrammarBuilder, layout: Layout) -> Gaps {
        let run = match layout {
            Layout::Flexible => self.call(builder, Piece::Whitespace),
            _ => Expr::Empty,
        };
        layout.gaps(run)
    }

    /// Returns the rules of any array, object and value in a layout, or `None` if they were not added yet.
    fn known(&self, layout: Layout) -> Option<Containers> {
        self.containers.get(layout.index()).copied().flatten()
    }

    /// Returns the rules of any array, object and value in a layout. They call the rules of the layouts inside, which
    /// are added first.
    fn containers(&mut self, builder: &mut GrammarBuilder, layout: Layout) -> Containers {
        if let Some(known) = self.known(layout) {
            return known;
        }
        let mut missing = vec![layout];
        let mut at = layout;
        while !at.is_last() && at.inside() != at && self.known(at.inside()).is_none() {
            at = at.inside();
            missing.push(at);
        }
        let mut last = None;
        while let Some(layout) = missing.pop() {
            last = Some(self.add_containers(builder, layout));
        }
        last.expect("there is one at least")
    }

    fn add_containers(&mut self, builder: &mut GrammarBuilder, layout: Layout) -> Containers {
        let mut declare = |piece: Piece| builder.declare(layout.name(piece.name()));
        let [array, object, value] = [Piece::Array, Piece::Object, Piece::Value].map(&mut declare);
        let rules = Containers { array, object, value };
        // The rules are entered before they have content, because arrays contain values and values contain arrays.
        let index = layout.index();
        self.containers.resize(self.containers.len().max(index + 1), None);
        self.containers[index] = Some(rules);
        let gaps = self.gaps(builder, layout);
        let inner = match self.known(layout.inside()).filter(|_| !layout.is_last()) {
            Some(inner) => Expr::Call(inner.value),
            None => Expr::Never,
        };
        let member = Expr::seq([self.string(builder), gaps.colon.clone(), inner.clone()]);
        for (rule, brackets, item) in [(array, *b"[]", inner), (object, *b"{}", member)] {
            builder.define_kept(rule, list(&gaps, brackets, item), Origin::default());
        }
        let any = Expr::alt([
            Expr::literal("null"),
            Expr::literal("true"),
            Expr::literal("false"),
            self.call(builder, Piece::Number),
            self.string(builder),
            Expr::Call(array),
            Expr::Call(object),
        ]);
        builder.define_kept(value, any, Origin::default());
        rules
    }

    /// Returns the grammar expression of any string, with its quotes.
    pub fn string(&mut self, builder: &mut GrammarBuilder) -> Expr {
        Expr::seq([Expr::byte(b'"'), self.call(builder, Piece::StringTail)])
    }

    /// Returns a call of the rule for strings of at least `min` characters, after the opening quote; `min` is at most
    /// [`MOST_LEAST`]. Each rule is a character and a tail call of the rule before it, so no rule returns in the middle
    /// of a string.
    pub(crate) fn at_least(&mut self, builder: &mut GrammarBuilder, min: u32) -> Expr {
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

    /// Returns a call of the rule with this name for the rest of a string, or `None` if it was not added.
    pub(crate) fn named(&self, name: &str) -> Option<Expr> {
        let known = self.named.iter().find(|(other, _)| *other == name);
        known.map(|&(_, rule)| Expr::Call(rule))
    }

    /// Adds a rule with this name for the rest of a string, and returns a call of it.
    pub(crate) fn add_named(
        &mut self,
        builder: &mut GrammarBuilder,
        name: &'static str,
        tail: Expr,
    ) -> Expr {
        let rule = kept(builder, name, tail);
        self.named.push((name, rule));
        Expr::Call(rule)
    }
}

/// The rules of any array, object and value in one layout.
#[derive(Clone, Copy, Debug)]
struct Containers {
    /// The grammar rule of any array in the layout.
    array: RuleId,
    /// The grammar rule of any object in the layout.
    object: RuleId,
    /// The grammar rule of any JSON value in the layout.
    value: RuleId,
}

impl Containers {
    fn of(self, piece: Piece) -> RuleId {
        match piece {
            Piece::Array => self.array,
            Piece::Object => self.object,
            _ => self.value,
        }
    }
}

/// Returns the grammar expression of any number of items between brackets. An empty list has only one place for
/// whitespace, so that a bound on runs of whitespace holds.
fn list(gaps: &Gaps, [open, close]: [u8; 2], item: Expr) -> Expr {
    let more = Expr::seq([gaps.comma.clone(), item.clone()]).star();
    let items = Expr::seq([gaps.first.clone(), item, more, gaps.last.clone()]).optional();
    Expr::seq([Expr::byte(open), gaps.lead.clone(), items, Expr::byte(close)])
}

/// Returns the grammar expression of a run of at most `max` whitespace characters.
pub(crate) fn space(max: u32) -> Expr {
    Expr::Bytes(b" \t\n\r".iter().copied().collect()).repeat(0, Some(max))
}

/// Adds a grammar rule that is never inlined, so that vocabularies can share it.
fn kept(builder: &mut GrammarBuilder, name: impl Into<String>, expr: Expr) -> RuleId {
    let rule = builder.declare(name);
    builder.define_kept(rule, expr, Origin::default());
    rule
}

/// A repetition bound above the length of every token, so that the network counts the repetition in a register.
const FAR: u32 = 1 << 20;

/// Adds those shared rules to a prelude that the grammar expressions of strings call.
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

/// Builds a grammar of all rules of the prelude in each text form. Text forms with the shortest escapes also get the
/// rules of common formats. The grammar starts with any of its rules.
///
/// Some more rules are strings of bounded length. The network shares the states and countdowns of a repetition between
/// all bounds (see `network::repeat`), so these rules make the vocabulary have them. They cover every `maxLength` with
/// a small `minLength`, every `minLength` alone, and every fixed length. Another rule does so for the canonical
/// fractions of numbers between bounds.
pub fn prelude_grammar(texts: &[TextForm]) -> Grammar {
    let mut builder = GrammarBuilder::new();
    let start = builder.declare("prelude");
    let mut calls = vec![Expr::Call(kept(&mut builder, "fraction", number::fraction(FAR)))];
    for &text in texts {
        let mut prelude = Prelude::new(text);
        for piece in Piece::ALL {
            let is_there = match text.whitespace {
                Whitespace::Flexible { max } => max > 0,
                _ => piece != Piece::Whitespace,
            };
            if is_there {
                calls.push(prelude.call(&mut builder, piece));
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
            // The automaton implies the bound, so nothing is counted.
            calls.extend(tail(
                &mut shared,
                &format.strings(),
                Place::Value,
                text.escapes,
                StateBudget::of(0),
            ));
        }
    }
    builder.define(start, Expr::alt(calls), Origin::default());
    builder.finish(start)
}

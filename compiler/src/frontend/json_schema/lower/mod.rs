//! Lowering: the content graph as rules.
//!
//! A formula becomes one rule, and equal formulas the same rule; one that is a few scalars is written where it is used,
//! which saves a frame. Rules are made from a queue and never recursively, so nesting costs no stack.

mod array;
mod keys;
mod object;
mod optional;

use rustc_hash::FxHashMap;

use crate::automata::Allowance;
use crate::budget::{Budget, Held};
use crate::diagnostics::Diagnostic;
use crate::ir::{Expr, Grammar, GrammarBuilder, Origin, RuleId, RuleKind};

use super::algebra::{Algebra, Content, ContentGraph, FormulaId};
use super::document::{NodeId, Pointers};
use super::numbers::{NumeralSet, Pieces};
use super::options::{JsonSchemaOptions, TextForm};
use super::prelude::{MOST_LEAST, Piece, Prelude};
use super::strings::{Place, StringRules, StringSet, character, tail};

/// Size of an expression of scalars up to which it is written where it is used.
const INLINE: usize = 128;

/// Bytes that a rule takes, about, and those of expressions that are made in a step of a budget.
const BYTES_A_RULE: usize = 1 << 9;
const BYTES_A_STEP: usize = 1 << 3;

/// Makes the grammar of a content graph.
pub(crate) fn lower(
    algebra: &Algebra<'_>,
    graph: &ContentGraph,
    options: &JsonSchemaOptions,
    budget: &Budget,
) -> Result<Grammar, Diagnostic> {
    let mut emitter = Emitter {
        algebra,
        graph,
        options,
        allowed: Allowance::new(options.max_states, budget),
        memory: budget.hold(),
        bytes: 0,
        builder: GrammarBuilder::new(),
        prelude: Prelude::new(options.text),
        rules: vec![None; graph.len()],
        scalars: vec![None; graph.len()],
        tails: FxHashMap::default(),
        characters: FxHashMap::default(),
        keys: Vec::new(),
        pointers: algebra.document.pointers(),
        room: String::new(),
        strings: Default::default(),
        numbers: FxHashMap::default(),
        queue: Vec::new(),
        count: 0,
        at: algebra.document.root(),
    };
    let start = emitter.rule(graph.root());
    let mut next = 0;
    while let Some((formula, rule, origin)) = emitter.queue.get_mut(next) {
        next += 1;
        let (formula, rule, origin) = (*formula, *rule, std::mem::take(origin));
        emitter.at = algebra.place(formula).unwrap_or(algebra.document.root());
        let expr = emitter.content(graph.content(formula))?;
        emitter.grow(BYTES_A_RULE)?;
        emitter.builder.define(rule, expr, origin);
        if emitter.count > options.max_rules {
            let text = format!("the schema takes more than {} rules", options.max_rules);
            return Err(algebra
                .document
                .error("json-schema::rule-limit", emitter.at, text)
                .with_help("simplify the schema here, or raise the limit on rules"));
        }
    }
    Ok(emitter.builder.finish(start))
}

/// The grammar under construction, as the modules for arrays and objects see it.
struct Emitter<'a> {
    algebra: &'a Algebra<'a>,
    graph: &'a ContentGraph,
    options: &'a JsonSchemaOptions,
    /// What an automaton may take.
    allowed: Allowance<'a>,
    /// The expressions made so far, and how many bytes they take, about.
    memory: Held<'a>,
    bytes: usize,
    builder: GrammarBuilder,
    prelude: Prelude,
    rules: Vec<Option<RuleId>>,
    /// Expressions of formulas that only hold for scalars.
    scalars: Vec<Option<Expr>>,
    tails: FxHashMap<(u32, Option<u32>), RuleId>,
    /// Rules of so many characters.
    characters: FxHashMap<(u32, u32), RuleId>,
    /// Texts of keys, with their quotes, by key.
    keys: Vec<Option<Expr>>,
    /// Pointers to where rules come from.
    pointers: Pointers<'a>,
    /// Room for a text.
    room: String,
    /// Texts of sets of strings, with their quotes.
    strings: [FxHashMap<StringSet, Expr>; 2],
    /// Texts of sets of numbers.
    numbers: FxHashMap<NumeralSet, Expr>,
    /// Rules to be defined: what they are of and where that comes from.
    queue: Vec<(FormulaId, RuleId, Origin)>,
    count: usize,
    /// What is being written, to blame for a limit.
    at: NodeId,
}

impl Emitter<'_> {
    /// The values of a formula: a call of its rule, or its content where that is small.
    fn refer(&mut self, formula: FormulaId) -> Result<Expr, Diagnostic> {
        let index = self.graph.index(formula);
        if let Some(expr) = &self.scalars[index] {
            return Ok(expr.clone());
        }
        let content = self.graph.content_at(index);
        let is_empty = |list: &Option<Vec<_>>| list.as_ref().is_some_and(Vec::is_empty);
        let no_objects = content.objects.as_ref().is_some_and(Vec::is_empty);
        let whole = content.is_all();
        if whole || (is_empty(&content.arrays) && no_objects) {
            let expr = self.content(content)?;
            let expr = match expr.size() {
                ..=INLINE => expr,
                _ => self.helper("scalars", expr),
            };
            self.scalars[index] = Some(expr.clone());
            return Ok(expr);
        }
        Ok(Expr::Call(self.rule(formula)))
    }

    /// Whitespace that may stand between two tokens of a document.
    fn whitespace(&mut self) -> Expr {
        self.prelude.whitespace(&mut self.builder)
    }

    /// A byte between two items, or between a key and its value, with the whitespace around it.
    fn separator(&mut self, byte: u8) -> Expr {
        self.prelude.separator(&mut self.builder, byte)
    }

    /// A call of a new rule.
    fn helper(&mut self, name: &str, expr: Expr) -> Expr {
        self.helper_of(name, expr, RuleKind::Plain)
    }

    /// A call of a new rule of a kind.
    fn helper_of(&mut self, name: &str, expr: Expr, kind: RuleKind) -> Expr {
        self.count += 1;
        let rule = self.builder.declare(name);
        self.builder.define_as(rule, expr, Origin::default(), kind);
        Expr::Call(rule)
    }

    fn rule(&mut self, formula: FormulaId) -> RuleId {
        let index = self.graph.index(formula);
        if let Some(rule) = self.rules[index] {
            return rule;
        }
        self.count += 1;
        let origin = self.origin(formula);
        let name = match origin.pointer.as_deref() {
            None => "any",
            Some("") => "root",
            Some(pointer) => pointer,
        };
        let rule = self.builder.declare(name);
        self.rules[index] = Some(rule);
        self.queue.push((formula, rule, origin));
        rule
    }

    fn origin(&mut self, formula: FormulaId) -> Origin {
        let Some(place) = self.algebra.place(formula) else { return Origin::default() };
        self.room.clear();
        self.pointers.write(place, &mut self.room);
        let (span, pointer) = (self.algebra.document.span(place), self.room.clone());
        Origin { span: Some(span), pointer: Some(pointer) }
    }

    fn content(&mut self, content: &Content) -> Result<Expr, Diagnostic> {
        if content.is_all() {
            return Ok(StringRules::piece(self, Piece::Value));
        }
        let Content { scalars, arrays, objects } = content;
        let mut choices = Vec::new();
        choices.extend(scalars.null.then(|| Expr::literal("null")));
        choices.extend(scalars.no.then(|| Expr::literal("false")));
        choices.extend(scalars.yes.then(|| Expr::literal("true")));
        if !scalars.numbers.is_none() {
            choices.push(self.number(&scalars.numbers)?);
        }
        if !scalars.strings.is_none() {
            choices.push(self.string(&scalars.strings, Place::Value)?);
        }
        match arrays {
            None => choices.push(StringRules::piece(self, Piece::Array)),
            Some(arrays) => {
                for automaton in arrays {
                    choices.push(self.array(automaton)?);
                }
            }
        }
        match objects {
            None => choices.push(StringRules::piece(self, Piece::Object)),
            Some(objects) => choices.extend(self.objects(objects)?),
        }
        Ok(Expr::alt(choices))
    }

    /// The texts of the numbers of a set, worked out once.
    fn number(&mut self, numbers: &NumeralSet) -> Result<Expr, Diagnostic> {
        if let Some(known) = self.numbers.get(numbers) {
            return Ok(known.clone());
        }
        let TextForm { digits, numbers: form, .. } = self.options.text;
        let text = numbers.text(form, digits, self.allowed, self);
        let text = text.map_err(|error| self.too_complex("numbers", &error.to_string()))?;
        self.numbers.insert(numbers.clone(), text.clone());
        Ok(text)
    }

    /// The texts of the strings of a set, worked out once.
    fn string(&mut self, strings: &StringSet, place: Place) -> Result<Expr, Diagnostic> {
        if let Some(known) = self.strings[place as usize].get(strings) {
            return Ok(known.clone());
        }
        let limit = self.allowed;
        let rest = tail(self, strings, (place, self.options.text.escapes), limit);
        let rest = rest.map_err(|error| self.too_complex("strings", &error.to_string()))?;
        let text = Expr::seq([Expr::byte(b'"'), rest]);
        self.strings[place as usize].insert(strings.clone(), text.clone());
        Ok(text)
    }

    /// Counts an expression of so many bytes, about.
    fn grow(&mut self, bytes: usize) -> Result<(), Diagnostic> {
        self.bytes += bytes;
        let spent = self.allowed.spend(bytes / BYTES_A_STEP);
        let spent = spent.and_then(|()| self.allowed.hold(&mut self.memory, self.bytes));
        spent.map_err(|spent| self.too_complex("values", &spent.to_string()))
    }

    fn too_complex(&self, what: &str, why: &str) -> Diagnostic {
        let text = format!("the {what} allowed here are too complex: {why}");
        self.algebra
            .document
            .error("json-schema::state-limit", self.at, text)
            .with_help("lower the bound on the length, or simplify what it applies to")
    }
}

impl StringRules for Emitter<'_> {
    fn piece(&mut self, piece: Piece) -> Expr {
        self.prelude.call(&mut self.builder, piece)
    }

    /// A kept rule of its own for each length, so that the count is in one place however often the length is used.
    fn counted_tail(&mut self, min: u32, max: Option<u32>) -> Expr {
        if let Some(&rule) = self.tails.get(&(min, max)) {
            return Expr::Call(rule);
        }
        if max.is_none() && min <= MOST_LEAST {
            return self.prelude.at_least(&mut self.builder, min);
        }
        let characters = character(self.options.text.escapes).repeat(min, max);
        let tail = Expr::seq([characters, Expr::byte(b'"')]);
        let most = max.map_or_else(String::new, |max| max.to_string());
        let rule = self.builder.declare(format!("string-tail{{{min},{most}}}"));
        self.builder.define_kept(rule, tail, Origin::default());
        self.tails.insert((min, max), rule);
        self.count += 1;
        Expr::Call(rule)
    }

    fn characters(&mut self, min: u32, max: u32) -> Expr {
        let (builder, text) = (&mut self.builder, self.options.text);
        let rule = self.characters.entry((min, max)).or_insert_with(|| {
            let rule = builder.declare(format!("characters{{{min},{max}}}"));
            let characters = character(text.escapes).repeat(min, Some(max));
            builder.define(rule, characters, Origin::default());
            rule
        });
        Expr::Call(*rule)
    }

    fn named_tail(&mut self, name: &'static str, content: impl FnOnce(&mut Self) -> Expr) -> Expr {
        if let Some(call) = self.prelude.named(name) {
            return call;
        }
        let tail = content(self);
        self.count += 1;
        self.prelude.add_named(&mut self.builder, name, tail)
    }
}

impl Pieces for Emitter<'_> {
    fn piece(&mut self, piece: Piece) -> Expr {
        self.prelude.call(&mut self.builder, piece)
    }
}

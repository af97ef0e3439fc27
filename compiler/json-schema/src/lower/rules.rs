//! The rules of a grammar under construction, and the shared rules that texts call.

use rustc_hash::FxHashMap;

use grammarc_grammar::automata::{StateBudget, StateLimit};
use grammarc_grammar::budget::MemoryUse;
use grammarc_grammar::ir::{Expr, GrammarBuilder, Origin, RuleId, RuleKind};

use crate::options::TextForm;
use crate::text_form::layout::{Gaps, Layout};
use crate::text_form::prelude::{MOST_LEAST, Prelude};
use crate::values::numbers::Pieces;
use crate::values::pieces::Piece;
use crate::values::strings::{StringRules, character};

/// Estimated bytes of grammar expressions that are made in one step of the budget.
const BYTES_A_STEP: usize = 1 << 3;

/// The rules of a grammar under construction.
pub(super) struct Rules<'a> {
    /// How values are written: whitespace, numbers and escapes.
    pub(super) text: TextForm,
    /// The limit on the states of one automaton, with the budget of the compilation.
    pub(super) allowed: StateBudget<'a>,
    /// The memory of the grammar expressions so far, as reported to the budget.
    memory: MemoryUse<'a>,
    /// Estimated bytes of memory of the grammar expressions so far.
    bytes: usize,
    /// The rules of the grammar so far, with their definitions.
    pub(super) builder: GrammarBuilder,
    /// The shared rules of JSON that every grammar may call.
    prelude: Prelude,
    /// Maps bounds on a number of characters (inclusive; `None` for no upper bound) to the rule of such strings after
    /// the opening quote.
    tails: FxHashMap<(u32, Option<u32>), RuleId>,
    /// Maps bounds on a number of characters (inclusive) to the rule of such runs of characters.
    characters: FxHashMap<(u32, u32), RuleId>,
    /// Number of rules that count towards the limit `max_rules`.
    pub(super) count: usize,
}

impl<'a> Rules<'a> {
    /// Creates the collection of rules for a grammar, without any rule.
    pub(super) fn new(text: TextForm, allowed: StateBudget<'a>) -> Self {
        Self {
            text,
            allowed,
            memory: allowed.held(),
            bytes: 0,
            builder: GrammarBuilder::new(),
            prelude: Prelude::new(text),
            tails: FxHashMap::default(),
            characters: FxHashMap::default(),
            count: 0,
        }
    }

    /// Counts a grammar expression of `bytes` bytes of memory.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the budget or the memory is exhausted.
    pub(super) fn grow(&mut self, bytes: usize) -> Result<(), StateLimit> {
        self.bytes += bytes;
        self.allowed.spend(bytes / BYTES_A_STEP)?;
        self.allowed.hold(&mut self.memory, self.bytes)
    }

    /// Declares a grammar rule that is defined later, and counts it towards the limit `max_rules`.
    pub(super) fn declare(&mut self, name: &str) -> RuleId {
        self.count += 1;
        self.builder.declare(name)
    }

    /// Defines a new grammar rule with the expression `expr`, and returns a call of it.
    pub(super) fn helper(&mut self, name: &str, expr: Expr) -> Expr {
        self.helper_of(name, expr, RuleKind::Plain)
    }

    /// Defines a new grammar rule of a kind with the expression `expr`, and returns a call of it.
    pub(super) fn helper_of(&mut self, name: &str, expr: Expr, kind: RuleKind) -> Expr {
        let rule = self.declare(name);
        self.builder.define_as(rule, expr, Origin::default(), kind);
        Expr::Call(rule)
    }

    /// Returns a call of the shared rule of any value, array or object in a layout.
    pub(super) fn any(&mut self, piece: Piece, layout: Layout) -> Expr {
        self.prelude.laid_out(&mut self.builder, piece, layout)
    }

    /// Returns the whitespace between the tokens of a JSON array or object in a layout.
    pub(super) fn gaps(&mut self, layout: Layout) -> Gaps {
        self.prelude.gaps(&mut self.builder, layout)
    }
}

impl StringRules for Rules<'_> {
    fn piece(&mut self, piece: Piece) -> Expr {
        self.prelude.call(&mut self.builder, piece)
    }

    /// Makes one rule for each pair of bounds on the number of characters, and never inlines it. So the states of each
    /// count exist once, however often the rule is called.
    fn counted_tail(&mut self, min: u32, max: Option<u32>) -> Expr {
        if let Some(&rule) = self.tails.get(&(min, max)) {
            return Expr::Call(rule);
        }
        if max.is_none() && min <= MOST_LEAST {
            return self.prelude.at_least(&mut self.builder, min);
        }
        let characters = character(self.text.escapes).repeat(min, max);
        let tail = Expr::seq([characters, Expr::byte(b'"')]);
        let most = max.map_or_else(String::new, |max| max.to_string());
        let rule = self.declare(&format!("string-tail{{{min},{most}}}"));
        self.builder.define_kept(rule, tail, Origin::default());
        self.tails.insert((min, max), rule);
        Expr::Call(rule)
    }

    fn characters(&mut self, min: u32, max: u32) -> Expr {
        let (builder, text) = (&mut self.builder, self.text);
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

impl Pieces for Rules<'_> {
    fn piece(&mut self, piece: Piece) -> Expr {
        self.prelude.call(&mut self.builder, piece)
    }
}

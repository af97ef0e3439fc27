//! The texts of keys and scalars, each computed once.

use rustc_hash::FxHashMap;

use grammarc_grammar::automata::StateLimit;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::Expr;

use super::rules::Rules;
use crate::algebra::{Scalars, Types};
use crate::document::{Json, NodeId};
use crate::options::Escapes;
use crate::options::TextForm;
use crate::values::numbers::{Decimal, NumeralSet};
use crate::values::strings::escaped::push_quoted;
use crate::values::strings::{Place, StringSet, tail};

/// Most digits of a divisor that is shown in an error.
const SHOWN: usize = 40;

/// The texts of keys and scalars as grammar expressions, memoised.
pub(super) struct Texts<'a> {
    /// The rules of the grammar.
    pub(super) rules: Rules<'a>,
    /// The sets of values that satisfy formulas, and the keys that formulas name.
    pub(super) types: &'a Types<'a>,
    /// The place of the schema that is being written. Errors about an exceeded limit point to it.
    pub(super) at: NodeId,
    /// For each key, by its number, the grammar expression of its text with quotes; `None` until it is needed.
    keys: Vec<Option<Expr>>,
    /// For values and for keys, by [`Place`], maps each set of strings to the grammar expression of its texts with
    /// quotes.
    strings: [FxHashMap<StringSet, Expr>; 2],
    /// Maps each set of numbers to the grammar expression of their texts.
    numbers: FxHashMap<NumeralSet, Expr>,
    /// A reused buffer for texts and pointers.
    pub(super) buffer: String,
}

impl<'a> Texts<'a> {
    /// Creates the memo of texts, without any text.
    pub(super) fn new(types: &'a Types<'a>, rules: Rules<'a>) -> Self {
        Self {
            rules,
            types,
            at: types.logic.document.root(),
            keys: Vec::new(),
            strings: Default::default(),
            numbers: FxHashMap::default(),
            buffer: String::new(),
        }
    }

    /// Counts a grammar expression of `bytes` bytes of memory.
    ///
    /// # Errors
    ///
    /// The budget or the memory is exhausted.
    pub(super) fn grow(&mut self, bytes: usize) -> Result<(), Diagnostic> {
        self.rules.grow(bytes).map_err(|spent| self.too_complex("values", &spent.to_string()))
    }

    /// Returns the texts of the scalars of a set as grammar expressions, one for each type.
    pub(super) fn scalars(&mut self, scalars: &Scalars) -> Result<Vec<Expr>, Diagnostic> {
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
        Ok(choices)
    }

    /// Returns the grammar expression of the texts of a set of numbers.
    pub(super) fn number(&mut self, numbers: &NumeralSet) -> Result<Expr, Diagnostic> {
        if let Some(known) = self.numbers.get(numbers) {
            return Ok(known.clone());
        }
        let TextForm { digits, numbers: form, .. } = self.rules.text;
        let text = numbers.text(form, digits, self.rules.allowed, &mut self.rules);
        let text = text.map_err(|error| self.too_many_residues(numbers, error))?;
        self.numbers.insert(numbers.clone(), text.clone());
        Ok(text)
    }

    /// Returns the grammar expression of the texts of a set of strings, with quotes. `place` says whether the strings
    /// are values or keys.
    pub(super) fn string(&mut self, strings: &StringSet, place: Place) -> Result<Expr, Diagnostic> {
        if let Some(known) = self.strings[place as usize].get(strings) {
            return Ok(known.clone());
        }
        let (limit, escapes) = (self.rules.allowed, self.rules.text.escapes);
        let rest = tail(&mut self.rules, strings, place, escapes, limit);
        let rest = rest.map_err(|error| self.too_complex("strings", &error.to_string()))?;
        let quote = Expr::byte(b'"');
        let text = match rest {
            // The quote becomes part of the graph. A token that begins after the quote then begins where the counts are
            // known.
            Expr::Graph(graph) if !graph.counters().is_empty() => {
                Expr::Graph(graph.behind(quote).into())
            }
            rest => Expr::seq([quote, rest]),
        };
        self.strings[place as usize].insert(strings.clone(), text.clone());
        Ok(text)
    }

    /// Returns the grammar expression of the text of a key, with its quotes.
    pub(super) fn key(&mut self, key: u32) -> Result<Expr, Diagnostic> {
        let index = key as usize;
        if let Some(Some(known)) = self.keys.get(index) {
            return Ok(known.clone());
        }
        let text = self.types.objects.key(key);
        let expr = match self.rules.text.escapes {
            Escapes::Shortest => {
                self.buffer.clear();
                push_quoted(&mut self.buffer, text);
                Expr::literal(&self.buffer)
            }
            Escapes::Any => self.string(&StringSet::literal(text), Place::Key)?,
        };
        if self.keys.len() <= index {
            self.keys.resize(index + 1, None);
        }
        self.keys[index] = Some(expr.clone());
        Ok(expr)
    }

    /// Returns the error of a set of numbers whose automaton is too large, at the `multipleOf` with the most digits among
    /// those that the set may be due to.
    fn too_many_residues(&self, numbers: &NumeralSet, limit: StateLimit) -> Diagnostic {
        let Some(period) = numbers.period() else {
            return self.too_complex("numbers", &limit.to_string());
        };
        let document = self.types.logic.document;
        let is_factor = |node: &NodeId| match document.json(*node) {
            Json::Number(text) if document.key(*node) == "multipleOf" => {
                Decimal::parse(text).is_ok_and(|divisor| divisor.divides(&period))
            }
            _ => false,
        };
        let factors = document.nodes().filter(is_factor);
        let at = factors.max_by_key(|&node| document.span(node).len()).unwrap_or(self.at);
        let divisor = match period.written() {
            ..=SHOWN => format!("of {}", period.text()),
            _ => "that are allowed here".to_owned(),
        };
        let text =
            format!("`multipleOf`: the multiples {divisor} take too large an automaton: {limit}");
        document.error("json-schema::state-limit", at, text).with_help(
            "use a divisor with fewer digits, set `minimum` and `maximum` with at most a million multiples between them, \
             or raise `--max-automaton-states` (the option `max-states`)",
        )
    }

    /// Returns the error of a set whose texts exceed a limit, at the current schema.
    pub(super) fn too_complex(&self, what: &str, why: &str) -> Diagnostic {
        let text = format!("the {what} allowed here are too complex: {why}");
        let document = self.types.logic.document;
        document
            .error("json-schema::state-limit", self.at, text)
            .with_help("lower the bound on the length, or simplify what it applies to")
    }
}

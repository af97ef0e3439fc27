//! Sets of unquoted, unescaped strings that a given text terminates.
//!
//! A string that contains the terminator would end there, so it cannot be written. Excluding it is an operation on
//! sets, which keeps lengths as numbers. Only the written form counts lengths: the product with the terminator's
//! automaton has its states times the bound.

use super::band::Band;
use super::set::StringSet;
use grammarc_grammar::automata::{StateBudget, StateLimit};
use grammarc_grammar::ir::Expr;

impl StringSet {
    /// The strings that contain one of some nonempty texts.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if that takes more states, or the budget is spent.
    pub(crate) fn holding(texts: &[&str], limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        let mut holding = Self::none();
        for text in texts {
            let pattern = Self::pattern(&regex_syntax::escape(text), limit);
            holding = holding.union(&pattern.map_err(|_| limit.error())?, limit)?;
        }
        Ok(holding)
    }

    /// Returns the strings without quotes and escapes.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if a bound on the length takes more states, or the budget is spent.
    pub(crate) fn raw(&self, limit: StateBudget<'_>) -> Result<Expr, StateLimit> {
        let bands = self.bands.iter().map(|band| band.raw(limit));
        Ok(Expr::alt(bands.collect::<Result<Vec<_>, _>>()?))
    }
}

impl Band {
    fn raw(&self, limit: StateBudget<'_>) -> Result<Expr, StateLimit> {
        if let Some(texts) = self.language.listed().filter(|_| self.is_implied()) {
            return Ok(Expr::any_of(texts.iter().collect()));
        }
        let dfa = self.language.dfa_within(limit)?;
        let regular = Expr::Regular(dfa.clone().into());
        if self.is_unbounded() || self.is_implied() {
            return Ok(regular);
        }
        let characters = Expr::scalars([('\0', char::MAX)]).repeat(self.min, self.max);
        if self.language.is_all() {
            return Ok(characters);
        }
        // Characters have up to four bytes, and their inner states are distinct for each count.
        let counts = self.max.unwrap_or(self.min) as usize;
        let states = dfa.states.len().saturating_mul(counts.saturating_add(1));
        limit.spend(states)?;
        match states <= limit.states {
            true => Ok(Expr::And(vec![regular, characters])),
            false => Err(limit.error()),
        }
    }
}

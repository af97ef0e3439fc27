//! Sets of strings that are written without quotes and escapes and end before a given text.
//!
//! A string that contains the terminating text would end there, so it cannot be written. Excluding such strings is an
//! operation on sets, which keeps lengths as numbers. Only the written form counts lengths: its automaton has as many
//! states as that of the language, times the bound on the length.

use super::band::Band;
use super::set::StringSet;
use grammarc_grammar::automata::{StateBudget, StateLimit};
use grammarc_grammar::ir::Expr;

impl StringSet {
    /// Returns the strings that contain at least one of the given texts, which must not be empty.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if an automaton needs more than `limit` states, or if the budget is exhausted.
    pub(crate) fn holding(texts: &[&str], limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        let mut holding = Self::none();
        for text in texts {
            let pattern = Self::pattern(&regex_syntax::escape(text), limit);
            holding = holding.union(&pattern.map_err(|_| limit.error())?, limit)?;
        }
        Ok(holding)
    }

    /// Returns the grammar expression of the strings of the set, written without quotes and escapes.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if counting a bound on the length needs more than `limit` states, or if the budget is exhausted.
    pub(crate) fn raw(&self, limit: StateBudget<'_>) -> Result<Expr, StateLimit> {
        let bands = self.bands.iter().map(|band| band.raw(limit));
        Ok(Expr::alt(bands.collect::<Result<Vec<_>, _>>()?))
    }
}

impl Band {
    /// Returns the grammar expression of the strings of the band (a language with bounds on the length), written
    /// without quotes and escapes.
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
        // The intersection with the bounds on the length needs a copy of the automaton for each number of characters.
        let counts = self.max.unwrap_or(self.min) as usize;
        let states = dfa.states.len().saturating_mul(counts.saturating_add(1));
        limit.spend(states)?;
        match states <= limit.states {
            true => Ok(Expr::And(vec![regular, characters])),
            false => Err(limit.error()),
        }
    }
}

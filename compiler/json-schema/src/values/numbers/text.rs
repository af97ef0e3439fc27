//! The texts of the members of a set of numbers, as an expression.

use grammarc_grammar::automata::{
    Dfa, DfaState, Edge, StateBudget, StateLimit, complement, intersect, minimize_within,
};
use grammarc_grammar::ir::Expr;

use super::counted::counted;
use super::numerals::NumeralSet;
use super::set::NumberSet;
use super::spelling;
use crate::options::{DigitLimits, NumberForm};
use crate::values::pieces::Piece;

/// Most numbers of a set that are listed one by one, if the automaton of their texts would have too many states. The
/// network packs such a list into a few bytes for each number.
const LISTED: usize = 1 << 20;

/// Most states of an automaton that is never replaced by a list of texts. A larger one is replaced if the set has at
/// most as many numbers as states. A state with its mask takes several times the bytes of a listed number.
const PACKED: usize = 4_096;

/// Makes calls of the rules of JSON, such as any string or any number, that all grammars from a JSON Schema share.
pub(crate) trait Pieces {
    /// Returns a call of the rule `piece`, which all grammars from a JSON Schema share.
    fn piece(&mut self, piece: Piece) -> Expr;
}

impl NumeralSet {
    /// Returns the grammar expression of the texts of the set's numbers in the notation `form`, within the limits on
    /// digits.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if an automaton exceeds the budget `limit` and the numbers are not listed instead.
    pub(crate) fn text(
        &self,
        form: NumberForm,
        digits: DigitLimits,
        limit: StateBudget<'_>,
        pieces: &mut impl Pieces,
    ) -> Result<Expr, StateLimit> {
        if self.is_all() {
            return Ok(pieces.piece(Piece::Number));
        }
        let integers = NumberSet::integers();
        let automaton = match self.has_one_text(form) {
            true if *self.plain() == integers => return Ok(pieces.piece(Piece::Integer)),
            true => self.plain().dfa(limit),
            false if self.values() == Some(&integers) => return Ok(pieces.piece(Piece::Integer)),
            false => self.spellings(digits, limit),
        };
        match automaton {
            Err(error) => self.listed(LISTED, limit)?.ok_or(error),
            Ok(automaton) => {
                let states = automaton.states.len();
                let is_large = states > PACKED && self.has_one_text(form);
                let listed = if is_large { self.listed(states, limit)? } else { None };
                Ok(listed.unwrap_or_else(|| counted(&automaton, digits)))
            }
        }
    }

    /// Returns the grammar expression that lists the canonical texts of the set's numbers. Returns `None` if they are
    /// more than `most`, or if the set lacks some numerals of its numbers.
    fn listed(&self, most: usize, limit: StateBudget<'_>) -> Result<Option<Expr>, StateLimit> {
        let Some(values) = self.values() else { return Ok(None) };
        let Some(numbers) = values.members(most, limit)? else { return Ok(None) };
        let texts = numbers.iter().map(|number| {
            let text = number.text();
            limit.spend(text.len())?;
            Ok(text)
        });
        Ok(Some(Expr::any_of(texts.collect::<Result<Vec<_>, _>>()?)))
    }

    /// Returns whether `form` accepts only one text for each number of the set, its canonical text.
    pub(crate) fn has_one_text(&self, form: NumberForm) -> bool {
        match form {
            NumberForm::Canonical => true,
            // A number whose only numerals have a point or an exponent keeps them.
            NumberForm::Natural => {
                self.plain().is_subset(&NumberSet::integers())
                    && self.pointed().is_subset(self.plain())
            }
            NumberForm::Any => false,
        }
    }

    /// Returns the automaton of all JSON texts of the numerals in the set. `digits` limits only the digits of
    /// exponents: those of a mantissa (the number before `e`) are not limited here.
    fn spellings(&self, digits: DigitLimits, limit: StateBudget<'_>) -> Result<Dfa, StateLimit> {
        if let Some(values) = self.values() {
            return spelling::spellings(values, digits, limit);
        }
        // A numeral with an exponent does not count as plain.
        let whole = DigitLimits { exponent: 0, ..digits };
        let integers = self.plain().intersect(&NumberSet::integers(), limit)?;
        let plain = spelling::spellings(&integers, whole, limit)?;
        let not_plain = complement(&intersect(&plain, &plain_texts(), limit)?, limit)?;
        let pointed = spelling::spellings(self.pointed(), digits, limit)?;
        let not_pointed = intersect(&pointed, &complement(&plain_texts(), limit)?, limit)?;
        let not_pointed = complement(&not_pointed, limit)?;
        let neither = intersect(&not_plain, &not_pointed, limit)?;
        minimize_within(&complement(&neither, limit)?.trimmed(), limit)
    }
}

/// Returns the automaton of one or more digits with an optional sign. Leading zeros are allowed, since the result is
/// only intersected with texts of numbers.
fn plain_texts() -> Dfa {
    let edge = |byte: u8, last: u8, target| Edge { lo: byte.into(), hi: last.into(), target };
    let digits = || edge(b'0', b'9', 2);
    let states = [vec![edge(b'-', b'-', 1), digits()], vec![digits()], vec![digits()]];
    let states = states.into_iter().zip([false, false, true]);
    Dfa {
        states: states
            .map(|(edges, accepting)| DfaState { edges: edges.into(), accepting })
            .collect(),
    }
}

/// Returns the grammar expression of every text of every integer within the limits on digits, such as `100`, `1E2` and
/// `100.0`.
pub(crate) fn integers(digits: DigitLimits) -> Expr {
    let spelled = spelling::spellings(&NumberSet::integers(), digits, StateBudget::of(usize::MAX));
    counted(&spelled.expect("without a limit none is met"), digits)
}

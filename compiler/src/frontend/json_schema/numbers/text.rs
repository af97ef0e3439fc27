//! The texts of a set's members as an expression.

use crate::automata::StateLimit;
use crate::ir::Expr;

use super::super::options::DigitLimits;
use super::super::prelude::Piece;
use super::counted::counted;
use super::set::NumberSet;
use super::spelling;

/// Which texts of a number are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NumberForm {
    /// The canonical text alone; where nothing but the type constrains the number, any text of the shared rules.
    #[default]
    Canonical,
    /// Every text of a member: zeros at the end of a fraction, `-0`, exponents.
    Any,
}

/// Calls of the rules that every grammar shares.
pub(crate) trait Pieces {
    /// A call of the rule of a piece.
    fn piece(&mut self, piece: Piece) -> Expr;
}

impl NumberSet {
    /// The texts of the members.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] where an automaton of more than `limit` states is needed, which [`NumberForm::Canonical`] never
    /// does.
    pub(crate) fn text(
        &self,
        form: NumberForm,
        digits: DigitLimits,
        limit: usize,
        pieces: &mut impl Pieces,
    ) -> Result<Expr, StateLimit> {
        if self.is_all() {
            return Ok(pieces.piece(Piece::Number));
        }
        match form {
            NumberForm::Canonical if *self == Self::integers() => Ok(pieces.piece(Piece::Integer)),
            NumberForm::Canonical => Ok(counted(self.dfa(), digits)),
            NumberForm::Any if *self == Self::integers() => Ok(pieces.piece(Piece::Integer)),
            NumberForm::Any => Ok(counted(&spelling::spellings(self, digits, limit)?, digits)),
        }
    }
}

/// Every text of every integer.
pub(crate) fn integers(digits: DigitLimits) -> Expr {
    let spelled = spelling::spellings(&NumberSet::integers(), digits, usize::MAX);
    counted(&spelled.expect("without a limit none is met"), digits)
}

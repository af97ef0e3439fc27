//! What the next value, a member's or an item, decides about the atoms of a formula.

use crate::algebra::logic::formula::{FormulaId, Formulas};
use crate::algebra::types::layer::Types;

/// A kind of atom that the next value can decide.
pub(crate) trait Atoms: Copy {
    /// The arena of formulas over these atoms.
    fn formulas<'m>(self, types: &'m mut Types<'_>) -> &'m mut Formulas;
    /// The formula over values that decides the atom. `None` if the atom is not about the next value.
    fn subject(self, types: &Types<'_>, atom: u32) -> Option<FormulaId>;
    /// What remains of the atom after a value that satisfies its subject, or does not.
    fn read(self, types: &mut Types<'_>, atom: u32, satisfied: bool) -> FormulaId;
    /// Whether the atom is monotone in its subject: `true` if satisfying the subject can only help, `false` if it can only
    /// harm. `None` if it may do either.
    fn helps(self, types: &Types<'_>, atom: u32) -> Option<bool>;
}

/// A derivative: the values that lead to a formula, and that formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Derivative {
    /// A formula over the next value.
    pub(crate) value: FormulaId,
    /// The formula that remains after such a value.
    pub(crate) rest: FormulaId,
}

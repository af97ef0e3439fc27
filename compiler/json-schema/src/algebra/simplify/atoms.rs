//! What the next value (of a member or an item) decides about the atoms of a formula.

use crate::algebra::logic::formula::{FormulaId, Formulas};
use crate::algebra::types::layer::Types;

/// The atoms of an object or array formula that the next member or item may decide.
pub(crate) trait Atoms: Copy {
    /// Returns the arena of the formulas over these atoms.
    fn formulas<'m>(self, types: &'m mut Types<'_>) -> &'m mut Formulas;
    /// Returns the formula over values that decides the atom. Returns `None` if the next value does not concern the
    /// atom.
    fn subject(self, types: &Types<'_>, atom: u32) -> Option<FormulaId>;
    /// Returns what remains of the atom after the next value. `satisfied` says whether that value satisfies the atom's
    /// subject.
    fn read(self, types: &mut Types<'_>, atom: u32, satisfied: bool) -> FormulaId;
    /// Returns whether the atom is monotone in its subject: `true` if satisfying the subject can only help, `false` if
    /// it can only harm. Returns `None` if it may do either.
    fn helps(self, types: &Types<'_>, atom: u32) -> Option<bool>;
}

/// A derivative of an object or array formula: a condition on the next value, and the formula that then remains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Derivative {
    /// A formula over values that the next value satisfies.
    pub(crate) value: FormulaId,
    /// The object or array formula that remains after such a value.
    pub(crate) rest: FormulaId,
}

//! The effect of the next value (of a member or an item) on the atoms of a formula.

use crate::algebra::logic::formula::{FormulaId, Formulas};
use crate::algebra::types::layer::Types;

/// A selector of atoms (basic facts about members or items) of an object or array formula: those that the next member
/// or item may decide.
pub(crate) trait Atoms: Copy {
    /// Returns the arena (id-indexed store) of the object formulas or array formulas that have these atoms.
    fn formulas<'m>(self, types: &'m mut Types<'_>) -> &'m mut Formulas;
    /// Returns the subject of an atom: the formula over values whose truth for the next value decides the atom. Returns
    /// `None` if the next value does not concern the atom.
    fn subject(self, types: &Types<'_>, atom: u32) -> Option<FormulaId>;
    /// Returns the formula that replaces the atom after the next value is read. `satisfied` says whether that value
    /// satisfies the atom's subject (the formula over values that decides it).
    fn read(self, types: &mut Types<'_>, atom: u32, satisfied: bool) -> FormulaId;
    /// Returns how the atom depends on its subject, the formula over values that decides it. `true`: a value that
    /// satisfies the subject can only help the atom. `false`: it can only harm. Returns `None` if it may do either.
    fn helps(self, types: &Types<'_>, atom: u32) -> Option<bool>;
}

/// A derivative of an object or array formula with respect to its next member or item (Brzozowski): a condition on the
/// next value, and the formula for the rest of the object or array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Derivative {
    /// The condition: a formula that the value of the next member or item satisfies.
    pub(crate) value: FormulaId,
    /// The object or array formula that the members or items after such a value must satisfy.
    pub(crate) rest: FormulaId,
}

//! The effect of a member with a given key on the atoms of an object formula.

use crate::algebra::logic::formula::{FormulaId, Formulas};
use crate::algebra::simplify::atoms::Atoms;
use crate::algebra::types::layer::Types;
use crate::algebra::types::object_atoms::ObjectAtom;

/// A selector of the atoms (basic facts of an object formula) that constrain the member with one given key.
#[derive(Clone, Copy)]
pub(crate) struct KeyAtoms {
    /// Number of the key whose member comes next.
    key: u32,
    /// Whether the object formula contains a negated fact (atom) about the key. `None` if the key occurs at most once,
    /// so its member decides every atom about it for good.
    again: Option<bool>,
}

impl KeyAtoms {
    /// Creates the selector for the atoms (basic facts of an object formula) about `key`, a key that occurs at most
    /// once in an object.
    pub(crate) fn once(key: u32) -> Self {
        Self { key, again: None }
    }

    /// Creates the selector for the atoms (basic facts of an object formula) about `key`, a key that may be repeated.
    /// `negated` says whether the formula contains a negated atom about the key.
    pub(crate) fn again(key: u32, negated: bool) -> Self {
        Self { key, again: Some(negated) }
    }
}

impl Atoms for KeyAtoms {
    fn formulas<'m>(self, types: &'m mut Types<'_>) -> &'m mut Formulas {
        &mut types.objects.formulas
    }

    fn subject(self, types: &Types<'_>, atom: u32) -> Option<FormulaId> {
        let objects = &types.objects;
        match objects.atoms[atom as usize] {
            ObjectAtom::Property { key, value, .. } if key == self.key => Some(value),
            ObjectAtom::Members { names, value } => {
                objects.set_has(names, self.key).then_some(value)
            }
            _ => None,
        }
    }

    fn read(self, types: &mut Types<'_>, atom: u32, satisfied: bool) -> FormulaId {
        match types.objects.atoms[atom as usize] {
            ObjectAtom::Property { key, value, .. }
                if self.again == Some(true) || (satisfied && self.again.is_some()) =>
            {
                types.objects.atom(ObjectAtom::Property { key, value, absent: satisfied })
            }
            _ if !satisfied => FormulaId::FALSE,
            ObjectAtom::Property { .. } => FormulaId::TRUE,
            other => types.objects.atom(other),
        }
    }

    fn helps(self, _: &Types<'_>, _: u32) -> Option<bool> {
        Some(true)
    }
}

//! Atoms of object formulas, and the arena of these formulas.
//!
//! An atom constrains the value under one key, the values under all keys of a set, or the number of members. The
//! complement of an atom needs no atom of its own: a negative literal is the complement.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::memo::BySubject;
use crate::algebra::logic::formula::{FormulaId, Formulas};
use crate::document::NodeId;
use crate::read::schema::Bounds;
use crate::values::strings::StringSet;

/// The subject of a literal of an object formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ObjectAtom {
    /// The value under the key satisfies the formula. If the key is absent, the atom has the value `absent`.
    Property {
        /// Number of the key.
        key: u32,
        /// A formula over values.
        value: FormulaId,
        /// Whether the key may be missing.
        absent: bool,
    },
    /// The value under every key of the set satisfies the formula over values.
    Members {
        /// Number of the set of keys.
        names: u32,
        /// A formula over values.
        value: FormulaId,
    },
    /// The number of members is within the bounds.
    Count(Bounds),
    /// The object is in exactly one set of the family with this number. Resolved before automata are built.
    OneOf(u32),
}

/// Sets of objects, of which exactly one holds an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Family {
    /// The sets.
    pub(crate) sets: Box<[FormulaId]>,
    /// The place of the keyword `oneOf`.
    pub(crate) place: NodeId,
}

/// Formulas over objects, and the keys and sets of keys that they name.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    pub(crate) formulas: Formulas,
    pub(crate) atoms: IndexSet<ObjectAtom, FxBuildHasher>,
    pub(crate) keys: IndexSet<Box<str>, FxBuildHasher>,
    pub(crate) names: IndexSet<StringSet, FxBuildHasher>,
    /// Families of sets: an object must be in exactly one set of a family.
    families: IndexSet<Family, FxBuildHasher>,
    pub(crate) memo: BySubject<FormulaId>,
}

impl Objects {
    /// An empty arena with capacity for the schemas.
    pub(crate) fn with_capacity(schemas: usize) -> Self {
        let mut objects = Self {
            formulas: Formulas::with_capacity(2 * schemas),
            memo: BySubject::with_capacity(schemas),
            ..Self::default()
        };
        objects.atoms.reserve(schemas);
        objects.keys.reserve(schemas);
        objects
    }

    /// The formula of an atom.
    pub(crate) fn atom(&mut self, atom: ObjectAtom) -> FormulaId {
        match atom {
            ObjectAtom::Count(bounds) if bounds.is_all() => return FormulaId::TRUE,
            ObjectAtom::Count(bounds) if bounds.is_empty() => return FormulaId::FALSE,
            _ => {}
        }
        let (atom, _) = self.atoms.insert_full(atom);
        self.formulas.literal(u32::try_from(atom).expect("budgets are below 2^32"), true)
    }

    /// The atom of a single key.
    pub(crate) fn property(&mut self, key: &str, value: FormulaId, absent: bool) -> FormulaId {
        let key = match self.keys.get_index_of(key) {
            Some(known) => known,
            None => self.keys.insert_full(key.into()).0,
        };
        let key = u32::try_from(key).expect("keys take text");
        self.atom(ObjectAtom::Property { key, value, absent })
    }

    /// The atom of all keys of a set.
    pub(crate) fn members(&mut self, names: StringSet, value: FormulaId) -> FormulaId {
        if value == FormulaId::TRUE || names.is_none() {
            return FormulaId::TRUE;
        }
        let (names, _) = self.names.insert_full(names);
        let names = u32::try_from(names).expect("sets of keys take text");
        self.atom(ObjectAtom::Members { names, value })
    }

    /// The atom of an `oneOf`. `place` is that of the keyword.
    pub(crate) fn exactly_one(&mut self, sets: &[FormulaId], place: NodeId) -> FormulaId {
        let sets: Vec<_> = sets.iter().copied().filter(|&set| set != FormulaId::FALSE).collect();
        match sets[..] {
            [] => return FormulaId::FALSE,
            [one] => return one,
            _ => {}
        }
        let (family, _) = self.families.insert_full(Family { sets: sets.into(), place });
        self.atom(ObjectAtom::OneOf(u32::try_from(family).expect("families take text")))
    }

    /// The family with a number.
    pub(crate) fn family(&self, family: u32) -> &Family {
        &self.families[family as usize]
    }

    /// The families of a formula with their atoms, ascending.
    pub(crate) fn families(&self, formula: FormulaId) -> Vec<(u32, u32)> {
        let literals = self.formulas.literals(formula);
        let family = |atom: u32| match self.atoms[atom as usize] {
            ObjectAtom::OneOf(family) => Some((family, atom)),
            _ => None,
        };
        let mut families: Vec<_> =
            literals.iter().filter_map(|literal| family(literal.atom)).collect();
        families.sort_unstable();
        families.dedup();
        families
    }
}

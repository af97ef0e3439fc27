//! Atoms of object formulas, and the arena of these formulas.
//!
//! An atom constrains the value under one key, the values under all keys of a set, or the number of members. The
//! complement of an atom is its negative literal, so it needs no atom of its own.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::memo::BySubject;
use crate::algebra::logic::formula::{FormulaId, Formulas};
use crate::document::NodeId;
use crate::read::schema::Bounds;
use crate::values::strings::StringSet;

/// A basic fact about an object, such as "the value under this key is a string". Each such fact is an atom (variable)
/// of object formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ObjectAtom {
    /// If the object has the key, its value satisfies the formula. If the key is absent, the truth value of the fact is
    /// `absent`.
    Property {
        /// Number of the key in the arena's table of keys.
        key: u32,
        /// The formula that the value under the key satisfies.
        value: FormulaId,
        /// Whether the fact holds for an object without the key.
        absent: bool,
    },
    /// The value under every key of a set satisfies the formula over values.
    Members {
        /// Number of the set of keys in the arena's table of sets.
        names: u32,
        /// The formula that the value under each key of the set satisfies.
        value: FormulaId,
    },
    /// The number of members of the object is within the bounds.
    Count(Bounds),
    /// The object is in exactly one set of the family (the branches of one `oneOf`) with this number. This atom is
    /// replaced before automata are built.
    OneOf(u32),
}

/// The branches of an `oneOf` over objects: an object must be in exactly one of these sets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Family {
    /// For each branch, the formula of its objects.
    pub(crate) sets: Box<[FormulaId]>,
    /// The place of the keyword `oneOf` in the schema document.
    pub(crate) place: NodeId,
}

/// The arena of object formulas, with the keys and sets of keys that they name.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    /// The boolean formulas over facts about objects.
    pub(crate) formulas: Formulas,
    /// The facts about objects that formulas use as atoms; the index of a fact is the number of the atom.
    pub(crate) atoms: IndexSet<ObjectAtom, FxBuildHasher>,
    /// The keys that formulas name, without quotes and escapes; the index of a key is its number.
    pub(crate) keys: IndexSet<Box<str>, FxBuildHasher>,
    /// The sets of keys that formulas name; the index of a set is its number.
    pub(crate) names: IndexSet<StringSet, FxBuildHasher>,
    /// The branches of each `oneOf` over objects; the index of a family is its number.
    families: IndexSet<Family, FxBuildHasher>,
    /// Maps each subject (schema, keyword or constant) to the object formula of the objects that satisfy it.
    pub(crate) memo: BySubject<FormulaId>,
}

impl Objects {
    /// Creates an empty arena with capacity for the formulas of `schemas` schemas.
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

    /// Returns the object formula that states one fact. The formula is true or false for bounds that allow every number
    /// of members or none.
    pub(crate) fn atom(&mut self, atom: ObjectAtom) -> FormulaId {
        match atom {
            ObjectAtom::Count(bounds) if bounds.is_all() => return FormulaId::TRUE,
            ObjectAtom::Count(bounds) if bounds.is_empty() => return FormulaId::FALSE,
            _ => {}
        }
        let (atom, _) = self.atoms.insert_full(atom);
        self.formulas.literal(u32::try_from(atom).expect("budgets are below 2^32"), true)
    }

    /// Returns the object formula "the value under `key` satisfies `value`". `absent` is the truth value for objects
    /// without the key.
    pub(crate) fn property(&mut self, key: &str, value: FormulaId, absent: bool) -> FormulaId {
        let key = match self.keys.get_index_of(key) {
            Some(known) => known,
            None => self.keys.insert_full(key.into()).0,
        };
        let key = u32::try_from(key).expect("keys take text");
        self.atom(ObjectAtom::Property { key, value, absent })
    }

    /// Returns the object formula "the value under every key in `names` satisfies `value`".
    pub(crate) fn members(&mut self, names: StringSet, value: FormulaId) -> FormulaId {
        if value == FormulaId::TRUE || names.is_none() {
            return FormulaId::TRUE;
        }
        let (names, _) = self.names.insert_full(names);
        let names = u32::try_from(names).expect("sets of keys take text");
        self.atom(ObjectAtom::Members { names, value })
    }

    /// Returns the object formula "the object is in exactly one of `sets`". `place` is the place of the keyword
    /// `oneOf`.
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

    /// Returns the family (the branches of one `oneOf`) with this number.
    pub(crate) fn family(&self, family: u32) -> &Family {
        &self.families[family as usize]
    }

    /// Returns each `oneOf` in an object formula, ascending: the number of its family (list of branches) and the number
    /// of its atom.
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

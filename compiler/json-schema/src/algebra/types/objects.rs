//! Schemas of objects, as a formula over atoms.
//!
//! An atom constrains the value under one key, the values under all keys of a set, or the number of members. The
//! complement of an atom needs no atom of its own: a negative literal says the opposite.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use grammarc_grammar::diagnostics::Diagnostic;

use super::one_of::Ones;
use super::scalars::Strings;
use crate::algebra::logic::domain::{Domain, evaluate, of_schema};
use crate::algebra::logic::formula::Formulas;
use crate::algebra::{Algebra, BySubject, FormulaId, Scalar};
use crate::document::{Json, NodeId};
use crate::read::schema::{Bounds, Part, SchemaId};
use crate::values::strings::StringSet;
use crate::values::types::TypeSet;

/// The subject of a literal of an object formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ObjectAtom {
    /// The value under the key satisfies the formula over values; without the key, the atom is `absent`.
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
    /// Exactly one of some sets of objects holds the object, by its number. Told apart by [`exclusive`](super::one_of)
    /// before automata are made.
    One(u32),
}

/// Formulas over objects, and the keys and sets of keys that they name.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    pub(crate) formulas: Formulas,
    pub(crate) atoms: IndexSet<ObjectAtom, FxBuildHasher>,
    pub(crate) keys: IndexSet<Box<str>, FxBuildHasher>,
    pub(crate) names: IndexSet<StringSet, FxBuildHasher>,
    pub(crate) ones: Ones,
    memo: BySubject<FormulaId>,
}

impl Objects {
    /// With room for what so many schemas say.
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

    /// The atom, as a formula.
    pub(crate) fn atom(&mut self, atom: ObjectAtom) -> FormulaId {
        match atom {
            ObjectAtom::Count(bounds) if bounds.is_all() => return FormulaId::TRUE,
            ObjectAtom::Count(bounds) if bounds.is_empty() => return FormulaId::FALSE,
            _ => {}
        }
        let (atom, _) = self.atoms.insert_full(atom);
        self.formulas.literal(u32::try_from(atom).expect("budgets are below 2^32"), true)
    }

    /// The value under a key satisfies a formula, or the key is missing where it may.
    pub(crate) fn property(&mut self, key: &str, value: FormulaId, absent: bool) -> FormulaId {
        let key = match self.keys.get_index_of(key) {
            Some(known) => known,
            None => self.keys.insert_full(key.into()).0,
        };
        let key = u32::try_from(key).expect("keys take text");
        self.atom(ObjectAtom::Property { key, value, absent })
    }

    /// The values under all keys of a set satisfy a formula.
    pub(crate) fn members(&mut self, names: StringSet, value: FormulaId) -> FormulaId {
        if value == FormulaId::TRUE || names.is_none() {
            return FormulaId::TRUE;
        }
        let (names, _) = self.names.insert_full(names);
        let names = u32::try_from(names).expect("sets of keys take text");
        self.atom(ObjectAtom::Members { names, value })
    }
}

impl Algebra<'_> {
    /// The objects that a formula over values holds for. Alternatives of which exactly one holds are one atom each, so
    /// that this asks nothing of the values of members: schemas may refer to each other in any way.
    pub(crate) fn object_formula(&mut self, formula: FormulaId) -> Result<FormulaId, Diagnostic> {
        evaluate::<ObjectFormulas>(self, formula)
    }
}

/// Sets of objects, as formulas.
pub(crate) struct ObjectFormulas;

impl Domain for ObjectFormulas {
    type Set = FormulaId;

    fn constant(all: bool) -> FormulaId {
        if all { FormulaId::TRUE } else { FormulaId::FALSE }
    }

    fn is_none(set: &FormulaId) -> bool {
        *set == FormulaId::FALSE
    }

    fn and(
        algebra: &mut Algebra<'_>,
        a: &FormulaId,
        b: &FormulaId,
    ) -> Result<FormulaId, Diagnostic> {
        algebra.spend()?;
        Ok(algebra.objects.formulas.and([*a, *b]))
    }

    fn or(
        algebra: &mut Algebra<'_>,
        a: &FormulaId,
        b: &FormulaId,
    ) -> Result<FormulaId, Diagnostic> {
        algebra.spend()?;
        Ok(algebra.objects.formulas.or([*a, *b]))
    }

    fn any(algebra: &mut Algebra<'_>, sets: Vec<FormulaId>) -> Result<FormulaId, Diagnostic> {
        algebra.spend()?;
        Ok(algebra.objects.formulas.or(sets))
    }

    fn not(algebra: &mut Algebra<'_>, set: &FormulaId) -> Result<FormulaId, Diagnostic> {
        algebra.spend()?;
        Ok(algebra.objects.formulas.not(*set))
    }

    fn exactly_one(
        algebra: &mut Algebra<'_>,
        sets: Vec<FormulaId>,
    ) -> Result<FormulaId, Diagnostic> {
        algebra.spend()?;
        Ok(algebra.objects.exactly_one(&sets, algebra.at))
    }

    fn part(
        algebra: &mut Algebra<'_>,
        schema: SchemaId,
        _: NodeId,
        part: &Part,
    ) -> Result<Option<FormulaId>, Diagnostic> {
        Ok(Some(match part {
            Part::Types(types) => Self::constant(types.contains(TypeSet::OBJECT)),
            Part::Properties(properties) => {
                let mut all = Vec::with_capacity(properties.len());
                for (key, schema) in properties {
                    let value = algebra.schema(*schema);
                    all.push(algebra.objects.property(key, value, true));
                }
                algebra.objects.formulas.and(all)
            }
            Part::Members(names, schema) => {
                let value = algebra.schema(*schema);
                algebra.objects.members(names.clone(), value)
            }
            Part::Names(schema) => {
                let names = of_schema::<Strings>(algebra, *schema)?;
                let others = Strings::not(algebra, &names)?;
                algebra.objects.members(others, FormulaId::FALSE)
            }
            Part::Required(keys) => required(algebra, keys),
            Part::MemberCount(bounds) => algebra.objects.atom(ObjectAtom::Count(*bounds)),
            Part::DependentSchema(key, schema) => {
                let met = of_schema::<Self>(algebra, *schema)?;
                dependent(algebra, key, met)
            }
            Part::DependentRequired(key, keys) => {
                let met = required(algebra, keys);
                dependent(algebra, key, met)
            }
            Part::UnevaluatedProperties(rest) => {
                return algebra.unevaluated_members(schema, *rest).map(Some);
            }
            _ => return Ok(None),
        }))
    }

    fn value(algebra: &mut Algebra<'_>, node: NodeId) -> Result<FormulaId, Diagnostic> {
        let Json::Object(members) = algebra.document.json(node) else {
            return Ok(FormulaId::FALSE);
        };
        let mut all = Vec::with_capacity(members.len() + 1);
        for (key, member) in members.iter() {
            let value = algebra.value(member.value);
            all.push(algebra.objects.property(key, value, false));
        }
        let others = StringSet::all_but(members.keys(), algebra.limits.states);
        let others = algebra.limited(others)?;
        all.push(algebra.objects.members(others, FormulaId::FALSE));
        Ok(algebra.objects.formulas.and(all))
    }

    fn scalar(_: &mut Algebra<'_>, _: &Scalar) -> FormulaId {
        FormulaId::FALSE
    }

    fn memo<'m>(algebra: &'m mut Algebra<'_>) -> &'m mut BySubject<FormulaId> {
        &mut algebra.objects.memo
    }
}

fn required(algebra: &mut Algebra<'_>, keys: &[Box<str>]) -> FormulaId {
    let objects = &mut algebra.objects;
    let all: Vec<_> =
        keys.iter().map(|key| objects.property(key, FormulaId::TRUE, false)).collect();
    objects.formulas.and(all)
}

fn dependent(algebra: &mut Algebra<'_>, key: &str, met: FormulaId) -> FormulaId {
    let without = algebra.objects.property(key, FormulaId::FALSE, true);
    algebra.objects.formulas.or([without, met])
}

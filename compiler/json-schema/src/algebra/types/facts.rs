//! The facts about keys that the conjuncts of an object formula state.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use grammarc_grammar::diagnostics::Diagnostic;

use super::layer::Types;
use super::object_atoms::{ObjectAtom, Objects};
use super::objects::object_formula;
use crate::algebra::logic::formula::{Formula, FormulaId};
use crate::read::schema::Bounds;

/// A conjunct of an object formula about a single key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyConjunct {
    /// Number of the key that the conjunct concerns.
    pub(crate) key: u32,
    /// A formula that the value under the key satisfies.
    pub(crate) value: FormulaId,
    /// Whether the conjunct holds for objects without the key.
    pub(crate) absent: bool,
}

/// The facts that the conjuncts of an object formula together state about one key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fact {
    /// A formula that the value under the key satisfies: the conjunction over all conjuncts about the key.
    pub(crate) value: FormulaId,
    /// Whether some conjunct holds only for objects with the key.
    pub(crate) present: bool,
}

/// Maps the number of each key to the facts about it, in the order of the conjuncts.
pub(crate) type Facts = IndexMap<u32, Fact, FxBuildHasher>;

/// A conjunct of an object formula about every key of a set, such as `additionalProperties`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetConjunct {
    /// Number of the set of keys that the conjunct concerns.
    pub(crate) names: u32,
    /// A formula that the value under each key of the set satisfies.
    pub(crate) value: FormulaId,
}

/// The conjuncts of an object formula that concern many keys: sets of keys, and the number of members.
#[derive(Default)]
pub(crate) struct OfAllKeys {
    /// The conjuncts that concern every key of a set.
    pub(crate) members: Vec<SetConjunct>,
    /// The bounds on the number of members, all conjuncts intersected.
    pub(crate) count: Bounds,
}

/// Returns the conjuncts of an object formula about single keys.
pub(crate) fn key_conjuncts(types: &mut Types<'_>, formula: FormulaId) -> Vec<KeyConjunct> {
    let Types { logic, objects, .. } = types;
    let conjuncts = objects.formulas.conjuncts(formula);
    let mut found = Vec::with_capacity(conjuncts.size_hint().0);
    for conjunct in conjuncts {
        let Formula::Literal(literal) = *objects.formulas.get(conjunct) else { continue };
        let atom = objects.atoms[literal.atom as usize];
        let ObjectAtom::Property { key, value, absent } = atom else { continue };
        found.push(match literal.positive {
            true => KeyConjunct { key, value, absent },
            false => KeyConjunct { key, value: logic.values.not(value), absent: !absent },
        });
    }
    found
}

/// Returns for each key the facts that the conjuncts of an object formula state about it.
pub(crate) fn facts(types: &mut Types<'_>, formula: FormulaId) -> Facts {
    let mut facts = Facts::default();
    for KeyConjunct { key, value, absent } in key_conjuncts(types, formula) {
        let fact = facts.entry(key).or_insert(Fact { value: FormulaId::TRUE, present: false });
        fact.value = types.logic.values.and([fact.value, value]);
        fact.present |= !absent;
    }
    facts
}

/// Returns the conjuncts of an object formula about sets of keys and about the number of members.
pub(crate) fn of_all_keys(objects: &Objects, formula: FormulaId) -> OfAllKeys {
    let mut found = OfAllKeys::default();
    for conjunct in objects.formulas.conjuncts(formula) {
        let Formula::Literal(literal) = *objects.formulas.get(conjunct) else { continue };
        match objects.atoms[literal.atom as usize] {
            ObjectAtom::Members { names, value } if literal.positive => {
                found.members.push(SetConjunct { names, value });
            }
            ObjectAtom::Count(bounds) if literal.positive => {
                found.count = found.count.intersect(bounds);
            }
            _ => {}
        }
    }
    found
}

/// Returns the conjunction of `value`, a formula over the value under `key`, and the formulas of all sets of `members`
/// that contain the key.
pub(crate) fn with_all_keys(
    types: &mut Types<'_>,
    key: u32,
    mut value: FormulaId,
    members: &[SetConjunct],
) -> FormulaId {
    for set in members {
        if types.objects.set_has(set.names, key) {
            value = types.logic.values.and([value, set.value]);
        }
    }
    value
}

/// A key that a formula names, and the formula's facts about its value.
pub(crate) struct NamedMember {
    /// The key, without quotes and escapes.
    pub(crate) key: Box<str>,
    /// The formula that the value satisfies, from the conjuncts about this key alone.
    pub(crate) own: FormulaId,
    /// The conjunction of `own` and the formulas of all sets of keys that contain the key.
    pub(crate) value: FormulaId,
    /// Whether every object that satisfies the formula has the key.
    pub(crate) present: bool,
}

/// Returns the keys that a formula over values names in every case (in conjuncts), each with the formula that its value
/// must satisfy.
pub(crate) fn named_members(
    types: &mut Types<'_>,
    formula: FormulaId,
) -> Result<Vec<NamedMember>, Diagnostic> {
    let objects = object_formula(types, formula)?;
    let OfAllKeys { members, .. } = of_all_keys(&types.objects, objects);
    let facts = facts(types, objects).into_iter();
    let member = |(key, Fact { value: own, present }): (u32, Fact)| {
        let value = with_all_keys(types, key, own, &members);
        NamedMember { key: types.objects.key(key).into(), own, value, present }
    };
    Ok(facts.map(member).collect())
}

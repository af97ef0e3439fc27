//! Facts about keys that the conjuncts of an object formula state.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use grammarc_grammar::diagnostics::Diagnostic;

use super::layer::Types;
use super::object_atoms::{ObjectAtom, Objects};
use super::objects::object_formula;
use crate::algebra::logic::formula::{Formula, FormulaId};
use crate::read::schema::Bounds;

/// A conjunct about a single key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyConjunct {
    /// The key's number.
    pub(crate) key: u32,
    /// A formula over its value.
    pub(crate) value: FormulaId,
    /// Whether the key may be absent.
    pub(crate) absent: bool,
}

/// The intersection of all conjuncts about one key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fact {
    /// A formula over its value.
    pub(crate) value: FormulaId,
    /// Whether the key is required.
    pub(crate) present: bool,
}

/// Facts by key, in the order of the conjuncts.
pub(crate) type Facts = IndexMap<u32, Fact, FxBuildHasher>;

/// A conjunct about every key of a set, such as `additionalProperties`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetConjunct {
    /// The number of the set.
    pub(crate) names: u32,
    /// A formula over the value of each of its keys.
    pub(crate) value: FormulaId,
}

/// The conjuncts of an object formula about sets of keys, and about the number of keys.
#[derive(Default)]
pub(crate) struct OfAllKeys {
    /// The conjuncts about sets of keys.
    pub(crate) members: Vec<SetConjunct>,
    /// The bounds on the number of keys.
    pub(crate) count: Bounds,
}

/// The conjuncts of an object formula about single keys.
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

/// The facts that the conjuncts of an object formula state about single keys.
pub(crate) fn facts(types: &mut Types<'_>, formula: FormulaId) -> Facts {
    let mut facts = Facts::default();
    for KeyConjunct { key, value, absent } in key_conjuncts(types, formula) {
        let fact = facts.entry(key).or_insert(Fact { value: FormulaId::TRUE, present: false });
        fact.value = types.logic.values.and([fact.value, value]);
        fact.present |= !absent;
    }
    facts
}

/// The conjuncts of an object formula about sets of keys, and about the number of keys.
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

/// The intersection of a formula over the value of a key with those of all sets of `members` that contain the key.
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

/// A key that a formula names.
pub(crate) struct NamedMember {
    /// The key.
    pub(crate) key: Box<str>,
    /// The formula over its value, from the conjuncts that name the key.
    pub(crate) own: FormulaId,
    /// `own`, and the formulas of all sets of keys that contain the key.
    pub(crate) value: FormulaId,
    /// Whether the key is required.
    pub(crate) present: bool,
}

/// The keys that the conjuncts of a value formula name, each with the formula that its value must satisfy.
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

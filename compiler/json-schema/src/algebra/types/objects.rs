//! The keywords about objects, as formulas over [atoms](super::object_atoms).

use grammarc_grammar::diagnostics::Diagnostic;

use super::containers::{Container, FormulasOf};
use super::domain::{Domain, evaluate, of_schema};
use super::layer::Types;
use super::memo::BySubject;
use super::object_atoms::ObjectAtom;
use super::scalars::Strings;
use super::unevaluated::unevaluated_members;
use crate::algebra::logic::formula::{FormulaId, Formulas};
use crate::document::{Json, NodeId};
use crate::read::schema::{Part, SchemaId};
use crate::values::strings::StringSet;
use crate::values::types::TypeSet;

/// The domain of sets of objects. Each set is a boolean formula over facts about members
/// ([`ObjectAtom`](super::object_atoms::ObjectAtom)).
pub(crate) type ObjectFormulas = FormulasOf<ObjectKeywords>;

/// Returns the object formula of the objects that satisfy a formula over values. An `oneOf` becomes one atom (a fact
/// that is resolved later), so the function never descends into the values of members. Schemas may therefore refer to
/// each other in any way.
pub(crate) fn object_formula(
    types: &mut Types<'_>,
    formula: FormulaId,
) -> Result<FormulaId, Diagnostic> {
    evaluate::<ObjectFormulas>(types, formula)
}

/// The meaning of each keyword for objects.
pub(crate) struct ObjectKeywords;

impl Container for ObjectKeywords {
    fn arena<'m>(types: &'m mut Types<'_>) -> &'m mut Formulas {
        &mut types.objects.formulas
    }

    fn memo<'m>(types: &'m mut Types<'_>) -> &'m mut BySubject<FormulaId> {
        &mut types.objects.memo
    }

    fn part(
        types: &mut Types<'_>,
        schema: SchemaId,
        _: NodeId,
        part: &Part,
    ) -> Result<Option<FormulaId>, Diagnostic> {
        Ok(Some(match part {
            Part::Types(allowed) => ObjectFormulas::constant(allowed.contains(TypeSet::OBJECT)),
            Part::Properties(properties) => {
                let mut all = Vec::with_capacity(properties.len());
                for (key, schema) in properties {
                    let value = types.logic.schema(*schema);
                    all.push(types.objects.property(key, value, true));
                }
                types.objects.formulas.and(all)
            }
            Part::Members(names, schema) => {
                let value = types.logic.schema(*schema);
                types.objects.members(names.clone(), value)
            }
            Part::Names(schema) => {
                let names = of_schema::<Strings>(types, *schema)?;
                let others = Strings::not(types, &names)?;
                types.objects.members(others, FormulaId::FALSE)
            }
            Part::Required(keys) => required(types, keys),
            Part::MemberCount(bounds) => types.objects.atom(ObjectAtom::Count(*bounds)),
            Part::DependentSchema(key, schema) => {
                let met = of_schema::<ObjectFormulas>(types, *schema)?;
                dependent(types, key, met)
            }
            Part::DependentRequired(key, keys) => {
                let met = required(types, keys);
                dependent(types, key, met)
            }
            Part::UnevaluatedProperties(rest) => {
                return unevaluated_members::<Self>(types, schema, *rest).map(Some);
            }
            _ => return Ok(None),
        }))
    }

    fn value(types: &mut Types<'_>, node: NodeId) -> Result<FormulaId, Diagnostic> {
        let Json::Object(members) = types.logic.document.json(node) else {
            return Ok(FormulaId::FALSE);
        };
        let mut all = Vec::with_capacity(members.len() + 1);
        for (key, member) in members.iter() {
            let value = types.logic.value(member.value);
            all.push(types.objects.property(key, value, false));
        }
        let others = StringSet::all_but(members.keys(), types.states());
        let others = types.logic.limited(others)?;
        all.push(types.objects.members(others, FormulaId::FALSE));
        Ok(types.objects.formulas.and(all))
    }

    fn exactly_one(types: &mut Types<'_>, sets: Vec<FormulaId>) -> Result<FormulaId, Diagnostic> {
        types.spend()?;
        Ok(types.objects.exactly_one(&sets, types.logic.at))
    }
}

/// Returns the object formula of the objects that have all `keys`.
fn required(types: &mut Types<'_>, keys: &[Box<str>]) -> FormulaId {
    let objects = &mut types.objects;
    let all: Vec<_> =
        keys.iter().map(|key| objects.property(key, FormulaId::TRUE, false)).collect();
    objects.formulas.and(all)
}

/// Returns the object formula of the objects that lack `key` or satisfy the object formula `met`.
fn dependent(types: &mut Types<'_>, key: &str, met: FormulaId) -> FormulaId {
    let without = types.objects.property(key, FormulaId::FALSE, true);
    types.objects.formulas.or([without, met])
}

//! The keywords about arrays, as formulas over [atoms](super::array_atoms).

use grammarc_grammar::diagnostics::Diagnostic;

use super::array_atoms::ArrayAtom;
use super::containers::{Container, FormulasOf};
use super::domain::{Domain, evaluate};
use super::layer::Types;
use super::memo::BySubject;
use super::unevaluated::unevaluated_items;
use crate::algebra::logic::formula::{FormulaId, Formulas};
use crate::document::{Json, NodeId};
use crate::read::schema::{Bounds, Part, SchemaId};
use crate::values::types::TypeSet;

/// The domain of sets of arrays. Each set is a boolean formula over facts about items ([`ArrayAtom`]).
pub(crate) type ArrayFormulas = FormulasOf<ArrayKeywords>;

/// Returns the array formula of the arrays that satisfy a formula over values.
pub(crate) fn array_formula(
    types: &mut Types<'_>,
    formula: FormulaId,
) -> Result<FormulaId, Diagnostic> {
    evaluate::<ArrayFormulas>(types, formula)
}

/// The meaning of each keyword for arrays.
pub(crate) struct ArrayKeywords;

impl Container for ArrayKeywords {
    fn arena<'m>(types: &'m mut Types<'_>) -> &'m mut Formulas {
        &mut types.arrays.formulas
    }

    fn memo<'m>(types: &'m mut Types<'_>) -> &'m mut BySubject<FormulaId> {
        &mut types.arrays.memo
    }

    fn part(
        types: &mut Types<'_>,
        schema: SchemaId,
        place: NodeId,
        part: &Part,
    ) -> Result<Option<FormulaId>, Diagnostic> {
        Ok(Some(match part {
            Part::Types(allowed) => ArrayFormulas::constant(allowed.contains(TypeSet::ARRAY)),
            Part::Prefix(schemas) => {
                let mut all = Vec::with_capacity(schemas.len());
                for (at, schema) in (0..).zip(schemas) {
                    let value = types.logic.schema(*schema);
                    all.push(types.arrays.atom(ArrayAtom::Item(at, value)));
                }
                types.arrays.formulas.and(all)
            }
            Part::Items(from, schema) => {
                let value = types.logic.schema(*schema);
                types.arrays.atom(ArrayAtom::Items(*from, value))
            }
            Part::Contains(schema, bounds) => {
                let value = types.logic.schema(*schema);
                types.arrays.atom(ArrayAtom::Contains(value, *bounds))
            }
            Part::ItemCount(bounds) => types.arrays.atom(ArrayAtom::Count(*bounds)),
            Part::UniqueItems => types.arrays.atom(ArrayAtom::Unique(place)),
            Part::UnevaluatedItems(rest) => {
                return unevaluated_items::<Self>(types, schema, *rest).map(Some);
            }
            _ => return Ok(None),
        }))
    }

    fn value(types: &mut Types<'_>, node: NodeId) -> Result<FormulaId, Diagnostic> {
        let Json::Array(items) = types.logic.document.json(node) else {
            return Ok(FormulaId::FALSE);
        };
        let mut all = Vec::with_capacity(items.len() + 1);
        for (at, &item) in (0..).zip(items) {
            let value = types.logic.value(item);
            all.push(types.arrays.atom(ArrayAtom::Item(at, value)));
        }
        let count = u32::try_from(items.len()).unwrap_or(u32::MAX);
        let count = ArrayAtom::Count(Bounds { min: count, max: Some(count) });
        all.push(types.arrays.atom(count));
        Ok(types.arrays.formulas.and(all))
    }
}

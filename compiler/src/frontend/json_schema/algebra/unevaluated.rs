//! `unevaluatedProperties` and `unevaluatedItems`: what applies to members and items that no other keyword has looked
//! at.
//!
//! The keywords that look depend on the alternatives that the value satisfies. Assuming fewer of them satisfied only
//! leaves more unevaluated, so the union over all sets of alternatives, each with its set satisfied, is exact and
//! needs no negation. The number of sets is exponential in the alternatives that evaluate something new, which is limited.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::diagnostics::Diagnostic;

use super::super::schema::{Part, SchemaId};
use super::super::strings::StringSet;
use super::arrays::{ArrayAtom, ArrayFormulas};
use super::domain::{Domain, of_schema};
use super::objects::ObjectFormulas;
use super::{Algebra, FormulaId};

/// Most alternatives whose sets are told apart.
const MOST_ALTERNATIVES: usize = 10;

/// Items that are evaluated under a condition.
#[derive(Clone, Debug, Default)]
struct Items {
    /// So many at the beginning.
    prefix: u32,
    /// The values that satisfy one of these.
    values: Vec<FormulaId>,
}

impl Items {
    fn add(&mut self, other: &Self) {
        self.prefix = self.prefix.max(other.prefix);
        self.values.extend(&other.values);
    }
}

type ByCondition<T> = IndexMap<FormulaId, T, FxBuildHasher>;

impl Algebra<'_> {
    /// The objects of a schema whose members that it does not evaluate satisfy another.
    pub(super) fn unevaluated_members(
        &mut self,
        schema: SchemaId,
        rest: SchemaId,
    ) -> Result<FormulaId, Diagnostic> {
        let mut found = ByCondition::default();
        self.evaluated_members(schema, FormulaId::TRUE, false, &mut found)?;
        let limit = self.limits.states;
        let always = found.shift_remove(&FormulaId::TRUE).unwrap_or_else(StringSet::none);
        let mut sets = vec![(FormulaId::TRUE, always)];
        self.check_alternatives(found.len())?;
        for (condition, names) in found {
            for (assumed, known) in sets.clone() {
                let assumed = self.objects.formulas.and([assumed, condition]);
                if assumed != FormulaId::FALSE && !self.limited(names.is_subset(&known, limit))? {
                    let known = self.limited(known.union(&names, limit))?;
                    sets.push((assumed, known));
                }
            }
        }
        let value = self.schema(rest);
        let mut any = Vec::with_capacity(sets.len());
        for (assumed, known) in sets {
            let others = self.limited(known.complement(limit))?;
            let members = self.objects.members(others, value);
            any.push(self.objects.formulas.and([assumed, members]));
        }
        Ok(self.objects.formulas.or(any))
    }

    fn check_alternatives(&self, count: usize) -> Result<(), Diagnostic> {
        if count <= MOST_ALTERNATIVES {
            return Ok(());
        }
        Err(self.too_much(format!(
            "what is unevaluated depends on more than {MOST_ALTERNATIVES} alternatives"
        )))
    }

    /// The keys that a schema evaluates, by the condition under which it does. `nested` where the schema is not the one
    /// that asks.
    fn evaluated_members(
        &mut self,
        schema: SchemaId,
        condition: FormulaId,
        nested: bool,
        found: &mut ByCondition<StringSet>,
    ) -> Result<(), Diagnostic> {
        let schemas = self.schemas;
        for (_, part) in schemas.parts(schema) {
            let names = match part {
                Part::Properties(properties) => {
                    let keys = properties.iter().map(|(key, _)| &**key);
                    self.limited(StringSet::literals(keys, self.limits.states))?
                }
                Part::Members(names, _) => names.clone(),
                Part::UnevaluatedProperties(_) if nested => StringSet::all(),
                Part::All(all) => {
                    for &one in all {
                        self.evaluated_members(one, condition, true, found)?;
                    }
                    continue;
                }
                Part::Any(branches) | Part::One(branches) => {
                    for &branch in branches {
                        let met = of_schema::<ObjectFormulas>(self, branch)?;
                        let met = self.objects.formulas.and([condition, met]);
                        self.evaluated_members(branch, met, true, found)?;
                    }
                    continue;
                }
                Part::If(test, then, otherwise) => {
                    let met = of_schema::<ObjectFormulas>(self, *test)?;
                    let unmet = self.objects.formulas.not(met);
                    let met = self.objects.formulas.and([condition, met]);
                    let unmet = self.objects.formulas.and([condition, unmet]);
                    self.evaluated_members(*test, met, true, found)?;
                    if let Some(then) = then {
                        self.evaluated_members(*then, met, true, found)?;
                    }
                    if let Some(otherwise) = otherwise {
                        self.evaluated_members(*otherwise, unmet, true, found)?;
                    }
                    continue;
                }
                Part::DependentSchema(key, schema) => {
                    let there = self.objects.property(key, FormulaId::TRUE, false);
                    let met = self.objects.formulas.and([condition, there]);
                    self.evaluated_members(*schema, met, true, found)?;
                    continue;
                }
                _ => continue,
            };
            if condition != FormulaId::FALSE {
                let known = found.entry(condition).or_insert_with(StringSet::none).clone();
                let all = self.limited(known.union(&names, self.limits.states))?;
                found.insert(condition, all);
            }
        }
        Ok(())
    }

    /// The arrays of a schema whose items that it does not evaluate satisfy another.
    pub(super) fn unevaluated_items(
        &mut self,
        schema: SchemaId,
        rest: SchemaId,
    ) -> Result<FormulaId, Diagnostic> {
        let mut found = ByCondition::default();
        self.evaluated_items(schema, FormulaId::TRUE, false, &mut found)?;
        let always = found.shift_remove(&FormulaId::TRUE).unwrap_or_default();
        self.check_alternatives(found.len())?;
        let mut sets = vec![(FormulaId::TRUE, always)];
        for (condition, items) in found {
            for (assumed, known) in sets.clone() {
                let assumed = self.arrays.formulas.and([assumed, condition]);
                if assumed != FormulaId::FALSE {
                    let mut known = known;
                    known.add(&items);
                    sets.push((assumed, known));
                }
            }
        }
        let value = self.schema(rest);
        let mut any = Vec::with_capacity(sets.len());
        for (assumed, known) in sets {
            let value = self.values.or(known.values.into_iter().chain([value]));
            let items = match known.prefix {
                u32::MAX => FormulaId::TRUE,
                from => self.arrays.atom(ArrayAtom::Items(from, value)),
            };
            any.push(self.arrays.formulas.and([assumed, items]));
        }
        Ok(self.arrays.formulas.or(any))
    }

    fn evaluated_items(
        &mut self,
        schema: SchemaId,
        condition: FormulaId,
        nested: bool,
        found: &mut ByCondition<Items>,
    ) -> Result<(), Diagnostic> {
        let schemas = self.schemas;
        for (_, part) in schemas.parts(schema) {
            let items = match part {
                Part::Prefix(prefix) => {
                    let prefix = u32::try_from(prefix.len()).unwrap_or(u32::MAX);
                    Items { prefix, values: Vec::new() }
                }
                Part::Items(..) => Items { prefix: u32::MAX, values: Vec::new() },
                Part::UnevaluatedItems(_) if nested => {
                    Items { prefix: u32::MAX, values: Vec::new() }
                }
                Part::Contains(schema, _) => {
                    let value = self.schema(*schema);
                    Items { prefix: 0, values: vec![value] }
                }
                Part::All(all) => {
                    for &one in all {
                        self.evaluated_items(one, condition, true, found)?;
                    }
                    continue;
                }
                Part::Any(branches) | Part::One(branches) => {
                    for &branch in branches {
                        let met = of_schema::<ArrayFormulas>(self, branch)?;
                        let met = self.arrays.formulas.and([condition, met]);
                        self.evaluated_items(branch, met, true, found)?;
                    }
                    continue;
                }
                Part::If(test, then, otherwise) => {
                    let met = of_schema::<ArrayFormulas>(self, *test)?;
                    let unmet = ArrayFormulas::not(self, &met)?;
                    let met = self.arrays.formulas.and([condition, met]);
                    let unmet = self.arrays.formulas.and([condition, unmet]);
                    self.evaluated_items(*test, met, true, found)?;
                    if let Some(then) = then {
                        self.evaluated_items(*then, met, true, found)?;
                    }
                    if let Some(otherwise) = otherwise {
                        self.evaluated_items(*otherwise, unmet, true, found)?;
                    }
                    continue;
                }
                _ => continue,
            };
            if condition != FormulaId::FALSE {
                found.entry(condition).or_default().add(&items);
            }
        }
        Ok(())
    }
}

//! `unevaluatedProperties` and `unevaluatedItems`: schemas for members and items that no other keyword evaluates.
//!
//! The evaluated members depend on the alternatives that the value satisfies. Assuming fewer alternatives only leaves more
//! members unevaluated. So the union over all sets of alternatives, each with its set satisfied, is exact without negation.
//!
//! No two branches of one `oneOf` hold together, so no set has two of them: sixty kinds of an object are sixty sets.
//! Otherwise the number of sets is exponential in the alternatives that evaluate something new, and bounded.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use grammarc_grammar::diagnostics::Diagnostic;

use super::arrays::{ArrayAtom, ArrayFormulas};
use super::objects::ObjectFormulas;
use crate::algebra::logic::domain::{Domain, of_schema};
use crate::algebra::{Algebra, FormulaId};
use crate::read::schema::{Part, SchemaId};
use crate::values::strings::StringSet;

/// Most sets of alternatives. Beyond, the keyword is an error.
const MOST_SETS: usize = 1 << 10;

/// The branches that hold of each `oneOf` on the way to a keyword: the schema of the `oneOf`, and the branch by its place. No
/// `oneOf` has two.
type Choices = Vec<(SchemaId, usize)>;

/// Whether two sets of choices contain different branches of one `oneOf`.
fn exclude_each_other(one: &Choices, other: &Choices) -> bool {
    one.iter().any(|(of, branch)| other.iter().any(|(at, taken)| of == at && branch != taken))
}

/// Keys or items that keywords evaluate under a condition, and the choices that lead there.
#[derive(Clone, Debug)]
struct Alternative<T> {
    choices: Choices,
    evaluated: T,
}

/// A set of keys, or of items, that keywords evaluate.
trait Evaluated: Clone {
    /// The empty set.
    fn none() -> Self;

    /// The conjunction of two conditions on objects or arrays.
    fn both(algebra: &mut Algebra<'_>, one: FormulaId, other: FormulaId) -> FormulaId;

    /// The union with another set; `None` if it is this set.
    fn with(&self, algebra: &Algebra<'_>, more: &Self) -> Result<Option<Self>, Diagnostic>;
}

impl Evaluated for StringSet {
    fn none() -> Self {
        Self::none()
    }

    fn both(algebra: &mut Algebra<'_>, one: FormulaId, other: FormulaId) -> FormulaId {
        algebra.objects.formulas.and([one, other])
    }

    fn with(&self, algebra: &Algebra<'_>, more: &Self) -> Result<Option<Self>, Diagnostic> {
        let limit = algebra.limits.states;
        if algebra.limited(more.is_subset(self, limit))? {
            return Ok(None);
        }
        algebra.limited(self.union(more, limit)).map(Some)
    }
}

/// Items that are evaluated under a condition.
#[derive(Clone, Debug, Default)]
struct Items {
    /// Number of items at the beginning.
    prefix: u32,
    /// Formulas: an item that satisfies one of these is evaluated.
    values: Vec<FormulaId>,
}

impl Items {
    fn add(&mut self, other: &Self) {
        self.prefix = self.prefix.max(other.prefix);
        self.values.extend(&other.values);
    }
}

impl Evaluated for Items {
    fn none() -> Self {
        Self::default()
    }

    fn both(algebra: &mut Algebra<'_>, one: FormulaId, other: FormulaId) -> FormulaId {
        algebra.arrays.formulas.and([one, other])
    }

    fn with(&self, _: &Algebra<'_>, more: &Self) -> Result<Option<Self>, Diagnostic> {
        let mut both = self.clone();
        both.add(more);
        Ok(Some(both))
    }
}

type ByCondition<T> = IndexMap<FormulaId, Alternative<T>, FxBuildHasher>;

/// The way to a keyword: the condition under which its schema holds, the choices that lead there, and whether it is another schema
/// than the one that asks.
#[derive(Clone, Copy)]
struct Way<'a> {
    condition: FormulaId,
    choices: &'a Choices,
    nested: bool,
}

impl Way<'_> {
    /// The same for a schema on the way.
    fn on(self, condition: FormulaId) -> Self {
        Self { condition, nested: true, ..self }
    }
}

/// The alternative of a condition, for more that is evaluated under it: it holds wherever any way to it does.
fn alternative<'f, T: Evaluated>(
    found: &'f mut ByCondition<T>,
    Way { condition, choices, .. }: Way<'_>,
) -> &'f mut T {
    let new = || Alternative { choices: choices.clone(), evaluated: T::none() };
    let known = found.entry(condition).or_insert_with(new);
    known.choices.retain(|choice| choices.contains(choice));
    &mut known.evaluated
}

/// The sets of alternatives that may hold together: the objects or arrays for which each does, and what it evaluates.
fn sets<T: Evaluated>(
    algebra: &mut Algebra<'_>,
    mut found: ByCondition<T>,
) -> Result<Vec<(FormulaId, T)>, Diagnostic> {
    let always = found.shift_remove(&FormulaId::TRUE).map(|always| always.evaluated);
    let none = Alternative { choices: Vec::new(), evaluated: always.unwrap_or_else(T::none) };
    let mut sets = vec![(FormulaId::TRUE, none)];
    for (condition, more) in found {
        for at in 0..sets.len() {
            let (assumed, known) = &sets[at];
            if exclude_each_other(&known.choices, &more.choices) {
                continue;
            }
            let assumed = T::both(algebra, *assumed, condition);
            if assumed == FormulaId::FALSE {
                continue;
            }
            let Some(evaluated) = known.evaluated.with(algebra, &more.evaluated)? else { continue };
            let choices = [&known.choices[..], &more.choices[..]].concat();
            sets.push((assumed, Alternative { choices, evaluated }));
            if sets.len() > MOST_SETS {
                let why = format!(
                    "what is unevaluated depends on more than {MOST_SETS} sets of alternatives"
                );
                return Err(algebra.too_much(why));
            }
        }
    }
    Ok(sets.into_iter().map(|(assumed, known)| (assumed, known.evaluated)).collect())
}

impl Algebra<'_> {
    /// The objects of a schema whose unevaluated members satisfy another schema.
    pub(crate) fn unevaluated_members(
        &mut self,
        schema: SchemaId,
        rest: SchemaId,
    ) -> Result<FormulaId, Diagnostic> {
        let mut found = ByCondition::default();
        let way = Way { condition: FormulaId::TRUE, choices: &Vec::new(), nested: false };
        self.evaluated_members(schema, way, &mut found)?;
        let limit = self.limits.states;
        let sets = sets(self, found)?;
        let value = self.schema(rest);
        let mut any = Vec::with_capacity(sets.len());
        for (assumed, known) in sets {
            let others = self.limited(known.complement(limit))?;
            let members = self.objects.members(others, value);
            any.push(self.objects.formulas.and([assumed, members]));
        }
        Ok(self.objects.formulas.or(any))
    }

    /// The keys that a schema evaluates, by the condition under which it does.
    fn evaluated_members(
        &mut self,
        schema: SchemaId,
        way: Way<'_>,
        found: &mut ByCondition<StringSet>,
    ) -> Result<(), Diagnostic> {
        let schemas = self.schemas;
        let condition = way.condition;
        for (_, part) in schemas.parts(schema) {
            let names = match part {
                Part::Properties(properties) => {
                    let keys = properties.iter().map(|(key, _)| &**key);
                    self.limited(StringSet::literals(keys, self.limits.states))?
                }
                Part::Members(names, _) => names.clone(),
                Part::UnevaluatedProperties(_) if way.nested => StringSet::all(),
                Part::All(all) => {
                    for &one in all {
                        self.evaluated_members(one, way.on(condition), found)?;
                    }
                    continue;
                }
                Part::Any(branches) | Part::One(branches) => {
                    for (place, &branch) in branches.iter().enumerate() {
                        let met = of_schema::<ObjectFormulas>(self, branch)?;
                        let met = self.objects.formulas.and([condition, met]);
                        let mut choices = way.choices.clone();
                        if matches!(part, Part::One(_)) {
                            choices.push((schema, place));
                        }
                        let way = Way { condition: met, choices: &choices, nested: true };
                        self.evaluated_members(branch, way, found)?;
                    }
                    continue;
                }
                Part::If(test, then, otherwise) => {
                    let met = of_schema::<ObjectFormulas>(self, *test)?;
                    let unmet = self.objects.formulas.not(met);
                    let met = self.objects.formulas.and([condition, met]);
                    let unmet = self.objects.formulas.and([condition, unmet]);
                    self.evaluated_members(*test, way.on(met), found)?;
                    if let Some(then) = then {
                        self.evaluated_members(*then, way.on(met), found)?;
                    }
                    if let Some(otherwise) = otherwise {
                        self.evaluated_members(*otherwise, way.on(unmet), found)?;
                    }
                    continue;
                }
                Part::DependentSchema(key, schema) => {
                    let there = self.objects.property(key, FormulaId::TRUE, false);
                    let met = self.objects.formulas.and([condition, there]);
                    self.evaluated_members(*schema, way.on(met), found)?;
                    continue;
                }
                _ => continue,
            };
            if condition != FormulaId::FALSE {
                let known = alternative(found, way);
                *known = self.limited(known.union(&names, self.limits.states))?;
            }
        }
        Ok(())
    }

    /// The arrays of a schema whose unevaluated items satisfy another schema.
    pub(crate) fn unevaluated_items(
        &mut self,
        schema: SchemaId,
        rest: SchemaId,
    ) -> Result<FormulaId, Diagnostic> {
        let mut found = ByCondition::default();
        let way = Way { condition: FormulaId::TRUE, choices: &Vec::new(), nested: false };
        self.evaluated_items(schema, way, &mut found)?;
        let sets = sets(self, found)?;
        let value = self.schema(rest);
        let mut any = Vec::with_capacity(sets.len());
        for (assumed, Items { prefix, values }) in sets {
            let value = self.values.or(values.into_iter().chain([value]));
            let items = match prefix {
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
        way: Way<'_>,
        found: &mut ByCondition<Items>,
    ) -> Result<(), Diagnostic> {
        let schemas = self.schemas;
        let condition = way.condition;
        for (_, part) in schemas.parts(schema) {
            let items = match part {
                Part::Prefix(prefix) => {
                    let prefix = u32::try_from(prefix.len()).unwrap_or(u32::MAX);
                    Items { prefix, values: Vec::new() }
                }
                Part::Items(..) => Items { prefix: u32::MAX, values: Vec::new() },
                Part::UnevaluatedItems(_) if way.nested => {
                    Items { prefix: u32::MAX, values: Vec::new() }
                }
                Part::Contains(schema, _) => {
                    let value = self.schema(*schema);
                    Items { prefix: 0, values: vec![value] }
                }
                Part::All(all) => {
                    for &one in all {
                        self.evaluated_items(one, way.on(condition), found)?;
                    }
                    continue;
                }
                Part::Any(branches) | Part::One(branches) => {
                    for (place, &branch) in branches.iter().enumerate() {
                        let met = of_schema::<ArrayFormulas>(self, branch)?;
                        let met = self.arrays.formulas.and([condition, met]);
                        let mut choices = way.choices.clone();
                        if matches!(part, Part::One(_)) {
                            choices.push((schema, place));
                        }
                        let way = Way { condition: met, choices: &choices, nested: true };
                        self.evaluated_items(branch, way, found)?;
                    }
                    continue;
                }
                Part::If(test, then, otherwise) => {
                    let met = of_schema::<ArrayFormulas>(self, *test)?;
                    let unmet = ArrayFormulas::not(self, &met)?;
                    let met = self.arrays.formulas.and([condition, met]);
                    let unmet = self.arrays.formulas.and([condition, unmet]);
                    self.evaluated_items(*test, way.on(met), found)?;
                    if let Some(then) = then {
                        self.evaluated_items(*then, way.on(met), found)?;
                    }
                    if let Some(otherwise) = otherwise {
                        self.evaluated_items(*otherwise, way.on(unmet), found)?;
                    }
                    continue;
                }
                _ => continue,
            };
            if condition != FormulaId::FALSE {
                alternative(found, way).add(&items);
            }
        }
        Ok(())
    }
}

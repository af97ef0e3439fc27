//! `unevaluatedProperties` and `unevaluatedItems`: schemas for the members and items that no other keyword evaluates.
//!
//! Which members are evaluated depends on the alternatives that the value satisfies. Assuming fewer alternatives leaves
//! more members unevaluated. So the result is a union over all sets of alternatives, where the value satisfies each
//! alternative of the set. The union is exact without any negation.
//!
//! Two branches of one `oneOf` never accept the same value, so no set has both: sixty kinds of an object are sixty
//! sets.
//!
//! Cost: exponential in the alternatives that evaluate something new, up to [`MOST_SETS`].

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use grammarc_grammar::diagnostics::Diagnostic;

use super::array_atoms::ArrayAtom;
use super::containers::{Container, FormulasOf};
use super::domain::of_schema;
use super::layer::Types;
use crate::algebra::logic::formula::FormulaId;
use crate::read::schema::{Part, SchemaId};
use crate::values::strings::StringSet;

/// Most sets of alternatives of one `unevaluatedProperties` or `unevaluatedItems` keyword. Beyond, compilation fails,
/// since each set is an alternative of the formula.
const MOST_SETS: usize = 1 << 10;

/// The `oneOf` branches on the path to a keyword: for each, the schema with the `oneOf` and the index of the branch.
type Choices = Vec<(SchemaId, usize)>;

/// Returns whether two lists of choices contain different branches of one `oneOf`.
fn exclude_each_other(one: &Choices, other: &Choices) -> bool {
    one.iter().any(|(of, branch)| other.iter().any(|(at, taken)| of == at && branch != taken))
}

/// The keys or items that are evaluated under one condition, with the `oneOf` branches that lead to it.
#[derive(Clone, Debug)]
struct Alternative<T> {
    /// The `oneOf` branches that every path to a keyword under this condition takes.
    choices: Choices,
    /// The keys or items that keywords evaluate if the condition holds.
    evaluated: T,
}

/// A set of keys, or of items, that some keywords evaluate. `unevaluatedProperties` and `unevaluatedItems` concern the
/// others.
trait Evaluated: Clone {
    /// Returns the empty set of keys or items.
    fn none() -> Self;

    /// Returns the keys or items that a keyword itself evaluates, or `None` if it evaluates none. `nested` says whether
    /// the keyword belongs to another schema than the `unevaluated…` keyword.
    fn of_part(
        types: &mut Types<'_>,
        part: &Part,
        nested: bool,
    ) -> Result<Option<Self>, Diagnostic>;

    /// Returns the condition that the object has a key, under which a schema of `dependentSchemas` applies. Returns
    /// `None` for items, where it never applies.
    fn with_key(_: &mut Types<'_>, _: &str) -> Option<FormulaId> {
        None
    }

    /// Returns the union of two sets of keys or items, or `None` if `more` adds nothing.
    fn with(&self, types: &Types<'_>, more: &Self) -> Result<Option<Self>, Diagnostic>;

    /// Adds the elements of `more` to the set.
    fn add(&mut self, types: &Types<'_>, more: &Self) -> Result<(), Diagnostic>;
}

impl Evaluated for StringSet {
    fn none() -> Self {
        Self::none()
    }

    fn of_part(
        types: &mut Types<'_>,
        part: &Part,
        nested: bool,
    ) -> Result<Option<Self>, Diagnostic> {
        Ok(match part {
            Part::Properties(properties) => {
                let keys = properties.iter().map(|(key, _)| &**key);
                Some(types.logic.limited(Self::literals(keys, types.states()))?)
            }
            Part::Members(names, _) => Some(names.clone()),
            Part::UnevaluatedProperties(_) if nested => Some(Self::all()),
            _ => None,
        })
    }

    fn with_key(types: &mut Types<'_>, key: &str) -> Option<FormulaId> {
        Some(types.objects.property(key, FormulaId::TRUE, false))
    }

    fn with(&self, types: &Types<'_>, more: &Self) -> Result<Option<Self>, Diagnostic> {
        let limit = types.states();
        if types.logic.limited(more.is_subset(self, limit))? {
            return Ok(None);
        }
        types.logic.limited(self.union(more, limit)).map(Some)
    }

    fn add(&mut self, types: &Types<'_>, more: &Self) -> Result<(), Diagnostic> {
        *self = types.logic.limited(self.union(more, types.states()))?;
        Ok(())
    }
}

/// The items of an array that keywords evaluate if a condition holds.
#[derive(Clone, Debug, Default)]
struct Items {
    /// Number of items at the beginning of the array that are evaluated; `u32::MAX` for all items.
    prefix: u32,
    /// Formulas over values: an item that satisfies one of them is evaluated.
    values: Vec<FormulaId>,
}

impl Items {
    /// Returns the set of the first `prefix` items.
    fn first(prefix: u32) -> Self {
        Self { prefix, values: Vec::new() }
    }
}

impl Evaluated for Items {
    fn none() -> Self {
        Self::default()
    }

    fn of_part(
        types: &mut Types<'_>,
        part: &Part,
        nested: bool,
    ) -> Result<Option<Self>, Diagnostic> {
        Ok(match part {
            Part::Prefix(prefix) => {
                Some(Self::first(u32::try_from(prefix.len()).unwrap_or(u32::MAX)))
            }
            Part::Items(..) => Some(Self::first(u32::MAX)),
            Part::UnevaluatedItems(_) if nested => Some(Self::first(u32::MAX)),
            Part::Contains(schema, _) => {
                Some(Self { prefix: 0, values: vec![types.logic.schema(*schema)] })
            }
            _ => None,
        })
    }

    fn with(&self, types: &Types<'_>, more: &Self) -> Result<Option<Self>, Diagnostic> {
        let mut both = self.clone();
        both.add(types, more)?;
        Ok(Some(both))
    }

    fn add(&mut self, _: &Types<'_>, more: &Self) -> Result<(), Diagnostic> {
        self.prefix = self.prefix.max(more.prefix);
        self.values.extend(&more.values);
        Ok(())
    }
}

/// Maps each condition (object or array formula) to the keys or items that keywords evaluate if it holds.
type ByCondition<T> = IndexMap<FormulaId, Alternative<T>, FxBuildHasher>;

/// The path from the schema of an `unevaluated…` keyword to another keyword.
#[derive(Clone, Copy)]
struct Way<'a> {
    /// The condition under which the keyword at the end of the path applies.
    condition: FormulaId,
    /// The `oneOf` branches that the path takes.
    choices: &'a Choices,
    /// Whether the path leads to another schema than that of the `unevaluated…` keyword.
    nested: bool,
}

impl Way<'_> {
    /// Returns the path to a subschema that applies under `condition`.
    fn on(self, condition: FormulaId) -> Self {
        Self { condition, nested: true, ..self }
    }
}

/// Returns the set of keys or items that are evaluated under the condition of a path, for the caller to extend. A new
/// condition gets an empty set. If several paths have one condition, only the `oneOf` branches that all of them take
/// are kept.
fn alternative<'f, T: Evaluated>(
    found: &'f mut ByCondition<T>,
    Way { condition, choices, .. }: Way<'_>,
) -> &'f mut T {
    let new = || Alternative { choices: choices.clone(), evaluated: T::none() };
    let known = found.entry(condition).or_insert_with(new);
    known.choices.retain(|choice| choices.contains(choice));
    &mut known.evaluated
}

/// Returns an entry for every set of alternatives that may hold together: the condition that all of them hold, and the
/// keys or items that they then evaluate.
fn sets<C: Container, T: Evaluated>(
    types: &mut Types<'_>,
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
            let assumed = C::arena(types).and([*assumed, condition]);
            if assumed == FormulaId::FALSE {
                continue;
            }
            let Some(evaluated) = known.evaluated.with(types, &more.evaluated)? else { continue };
            let choices = [&known.choices[..], &more.choices[..]].concat();
            sets.push((assumed, Alternative { choices, evaluated }));
            if sets.len() > MOST_SETS {
                let why = format!(
                    "what is unevaluated depends on more than {MOST_SETS} sets of alternatives"
                );
                return Err(types.logic.too_much(why));
            }
        }
    }
    Ok(sets.into_iter().map(|(assumed, known)| (assumed, known.evaluated)).collect())
}

/// Returns the object formula of the objects whose unevaluated members, as judged by `schema`, satisfy `rest`.
pub(crate) fn unevaluated_members<C: Container>(
    types: &mut Types<'_>,
    schema: SchemaId,
    rest: SchemaId,
) -> Result<FormulaId, Diagnostic> {
    let sets = evaluated_sets::<C, StringSet>(types, schema)?;
    let value = types.logic.schema(rest);
    let mut any = Vec::with_capacity(sets.len());
    for (assumed, known) in sets {
        let others = types.logic.limited(known.complement(types.states()))?;
        let members = types.objects.members(others, value);
        any.push(C::arena(types).and([assumed, members]));
    }
    Ok(C::arena(types).or(any))
}

/// Returns the array formula of the arrays whose unevaluated items, as judged by `schema`, satisfy `rest`.
pub(crate) fn unevaluated_items<C: Container>(
    types: &mut Types<'_>,
    schema: SchemaId,
    rest: SchemaId,
) -> Result<FormulaId, Diagnostic> {
    let sets = evaluated_sets::<C, Items>(types, schema)?;
    let value = types.logic.schema(rest);
    let mut any = Vec::with_capacity(sets.len());
    for (assumed, Items { prefix, values }) in sets {
        let value = types.logic.values.or(values.into_iter().chain([value]));
        let items = match prefix {
            u32::MAX => FormulaId::TRUE,
            from => types.arrays.atom(ArrayAtom::Items(from, value)),
        };
        any.push(C::arena(types).and([assumed, items]));
    }
    Ok(C::arena(types).or(any))
}

/// Returns the keys or items that the keywords of a schema evaluate, for each set of alternatives that may hold
/// together.
fn evaluated_sets<C: Container, T: Evaluated>(
    types: &mut Types<'_>,
    schema: SchemaId,
) -> Result<Vec<(FormulaId, T)>, Diagnostic> {
    let mut found = ByCondition::default();
    let way = Way { condition: FormulaId::TRUE, choices: &Vec::new(), nested: false };
    evaluated::<C, T>(types, schema, way, &mut found)?;
    sets::<C, T>(types, found)
}

/// Adds the keys or items that the keywords of a schema evaluate to `found`, under the condition of each path. Recurses
/// over schemas that apply to the same value; the survey bounds their nesting.
fn evaluated<C: Container, T: Evaluated>(
    types: &mut Types<'_>,
    schema: SchemaId,
    way: Way<'_>,
    found: &mut ByCondition<T>,
) -> Result<(), Diagnostic> {
    let schemas = types.logic.schemas;
    let condition = way.condition;
    for (_, part) in schemas.parts(schema) {
        match part {
            Part::All(all) => {
                for &one in all {
                    evaluated::<C, T>(types, one, way.on(condition), found)?;
                }
            }
            Part::Any(branches) | Part::One(branches) => {
                for (place, &branch) in branches.iter().enumerate() {
                    let met = of_schema::<FormulasOf<C>>(types, branch)?;
                    let met = C::arena(types).and([condition, met]);
                    let mut choices = way.choices.clone();
                    if matches!(part, Part::One(_)) {
                        choices.push((schema, place));
                    }
                    let way = Way { condition: met, choices: &choices, nested: true };
                    evaluated::<C, T>(types, branch, way, found)?;
                }
            }
            Part::If(test, then, otherwise) => {
                let met = of_schema::<FormulasOf<C>>(types, *test)?;
                let arena = C::arena(types);
                let unmet = arena.not(met);
                let (met, unmet) = (arena.and([condition, met]), arena.and([condition, unmet]));
                evaluated::<C, T>(types, *test, way.on(met), found)?;
                if let Some(then) = then {
                    evaluated::<C, T>(types, *then, way.on(met), found)?;
                }
                if let Some(otherwise) = otherwise {
                    evaluated::<C, T>(types, *otherwise, way.on(unmet), found)?;
                }
            }
            Part::DependentSchema(key, schema) => {
                if let Some(there) = T::with_key(types, key) {
                    let met = C::arena(types).and([condition, there]);
                    evaluated::<C, T>(types, *schema, way.on(met), found)?;
                }
            }
            part => {
                if let Some(more) = T::of_part(types, part, way.nested)?
                    && condition != FormulaId::FALSE
                {
                    alternative(found, way).add(types, &more)?;
                }
            }
        }
    }
    Ok(())
}

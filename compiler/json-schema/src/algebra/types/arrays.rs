//! Schemas of arrays, as a formula over atoms.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;

use super::scalars::Scalars;
use crate::algebra::logic::domain::{Domain, evaluate};
use crate::algebra::logic::formula::{Formula, Formulas};
use crate::algebra::{Algebra, BySubject, FormulaId, Scalar, Subject};
use crate::document::{Json, NodeId};
use crate::options::Escapes;
use crate::read::schema::{Bounds, Part, SchemaId};
use crate::values::types::TypeSet;

/// The subject of a literal of an array formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ArrayAtom {
    /// The item at the position, if there is one, satisfies the formula over values.
    Item(u32, FormulaId),
    /// Every item from the position on satisfies the formula over values.
    Items(u32, FormulaId),
    /// The number of items that satisfy the formula over values is within the bounds.
    Contains(FormulaId, Bounds),
    /// The counter with this number counts the items that satisfy the formula over values; whether the item before is one. It
    /// holds of every array: the [automaton](crate::algebra::automata::items::ItemAutomaton) has the counter's bounds.
    Counted {
        /// The formula over values.
        value: FormulaId,
        /// The counter's number.
        counter: u8,
        /// Whether the item before satisfies the formula.
        met: bool,
    },
    /// The number of items is within the bounds.
    Count(Bounds),
    /// No two items are equal. The keyword's place.
    Unique(NodeId),
}

/// Formulas over arrays.
#[derive(Debug, Default)]
pub(crate) struct Arrays {
    pub(crate) formulas: Formulas,
    pub(crate) atoms: IndexSet<ArrayAtom, FxBuildHasher>,
    memo: BySubject<FormulaId>,
    /// Places of the keywords whose items are held to have different texts.
    pub(crate) unique: Vec<NodeId>,
}

impl Arrays {
    /// With room for what so many schemas say.
    pub(crate) fn with_capacity(schemas: usize) -> Self {
        Self { memo: BySubject::with_capacity(schemas), ..Self::default() }
    }

    /// The atom, as a formula.
    pub(crate) fn atom(&mut self, atom: ArrayAtom) -> FormulaId {
        match atom {
            ArrayAtom::Items(_, FormulaId::TRUE) => return FormulaId::TRUE,
            ArrayAtom::Count(bounds) | ArrayAtom::Contains(_, bounds) if bounds.is_all() => {
                return FormulaId::TRUE;
            }
            ArrayAtom::Count(bounds) | ArrayAtom::Contains(_, bounds) if bounds.is_empty() => {
                return FormulaId::FALSE;
            }
            ArrayAtom::Contains(FormulaId::FALSE, bounds) => {
                return if bounds.min == 0 { FormulaId::TRUE } else { FormulaId::FALSE };
            }
            ArrayAtom::Contains(FormulaId::TRUE, bounds) => {
                return self.atom(ArrayAtom::Count(bounds));
            }
            _ => {}
        }
        let (atom, _) = self.atoms.insert_full(atom);
        self.formulas.literal(u32::try_from(atom).expect("budgets are below 2^32"), true)
    }
}

/// Distinct values of an item up to which `uniqueItems` is exact: an automaton has a state for every set of them.
const MOST_UNIQUE: usize = 8;

/// Why `uniqueItems` is approximate where nothing holds items to it.
pub(crate) const MANY: &str = "items with many possible values may repeat";

/// Why `uniqueItems` is approximate where items are held to have different texts.
const WRITTEN: &str = "items that are equal and written differently may repeat";

impl Algebra<'_> {
    /// The arrays that a formula over values holds for.
    pub(crate) fn array_formula(&mut self, formula: FormulaId) -> Result<FormulaId, Diagnostic> {
        evaluate::<ArrayFormulas>(self, formula)
    }

    /// The formula with other atoms in the place of `uniqueItems` (each possible value of an item occurs at most once), and
    /// false.
    ///
    /// The formula without the keyword, and true, where an item has too many possible values and every array of the formula has
    /// the keyword: the texts of items then have to differ, which is the same unless a value has several texts. The keyword is
    /// entered as approximate where only some arrays have it, and holds for the items that have few values; negated, it holds
    /// of all arrays.
    pub(crate) fn tell_unique(
        &mut self,
        formula: FormulaId,
    ) -> Result<(FormulaId, bool), Diagnostic> {
        let arrays = &self.arrays;
        let literals = arrays.formulas.literals(formula);
        let unique = |atom: u32| matches!(arrays.atoms[atom as usize], ArrayAtom::Unique(_));
        if !literals.iter().any(|literal| unique(literal.atom)) {
            return Ok((formula, false));
        }
        let mut values: IndexSet<Scalar, FxBuildHasher> = IndexSet::default();
        let mut all_told = true;
        let item_values = self.item_values(formula);
        for &items in &item_values {
            match self.finite(items, MOST_UNIQUE)? {
                Some(few) => values.extend(few),
                None => all_told = false,
            }
        }
        if values.len() > MOST_UNIQUE {
            all_told = false;
            values.clear();
        }
        if !all_told && let Some(rest) = self.unique_apart(formula, &item_values)? {
            return Ok((rest, true));
        }
        let once: Vec<_> = values
            .into_iter()
            .map(|value| {
                let value = self.subject(Subject::Scalar(value));
                self.arrays.atom(ArrayAtom::Contains(value, Bounds::at_most(1)))
            })
            .collect();
        let told = self.arrays.formulas.and(once);
        let atoms = self.arrays.atoms.clone();
        let inexact = &mut self.inexact;
        let replaced = self.arrays.formulas.replace(
            formula,
            &mut Default::default(),
            &mut |formulas, literal| match atoms[literal.atom as usize] {
                ArrayAtom::Unique(_) if all_told && !literal.positive => formulas.not(told),
                ArrayAtom::Unique(place) => {
                    if !all_told {
                        inexact.insert((place, Verdict::Approximate, MANY));
                    }
                    if literal.positive { told } else { FormulaId::TRUE }
                }
                _ => formulas.literal(literal.atom, literal.positive),
            },
        );
        Ok((replaced, false))
    }

    /// The conjuncts of a formula besides `uniqueItems`, if that holds of all its arrays.
    fn unique_apart(
        &mut self,
        formula: FormulaId,
        item_values: &[FormulaId],
    ) -> Result<Option<FormulaId>, Diagnostic> {
        let formulas = &self.arrays.formulas;
        let places = formulas.conjuncts(formula).filter_map(|conjunct| {
            let Formula::Literal(literal) = *formulas.get(conjunct) else { return None };
            match self.arrays.atoms[literal.atom as usize] {
                ArrayAtom::Unique(place) if literal.positive => Some(place),
                _ => None,
            }
        });
        let places: Vec<NodeId> = places.collect();
        if places.is_empty() {
            return Ok(None);
        }
        let mut one_text = true;
        for &items in item_values {
            one_text = one_text && self.has_one_text(items)?;
        }
        for &place in &places {
            self.arrays.unique.push(place);
            if !one_text {
                self.inexact.insert((place, Verdict::Approximate, WRITTEN));
            }
        }
        let atoms = &self.arrays.atoms;
        let unique: FxHashSet<u32> = (0..)
            .zip(atoms)
            .filter(|(_, atom)| matches!(atom, ArrayAtom::Unique(_)))
            .map(|(index, _)| index)
            .collect();
        let rest = self.arrays.formulas.replace(
            formula,
            &mut Default::default(),
            &mut |formulas, literal| match unique.contains(&literal.atom) {
                true if literal.positive => FormulaId::TRUE,
                true => FormulaId::FALSE,
                false => formulas.literal(literal.atom, literal.positive),
            },
        );
        Ok(Some(rest))
    }

    /// Whether each value of a formula has one text at most.
    fn has_one_text(&mut self, formula: FormulaId) -> Result<bool, Diagnostic> {
        if self.object_formula(formula)? != FormulaId::FALSE
            || self.array_formula(formula)? != FormulaId::FALSE
        {
            return Ok(false);
        }
        let text = self.text;
        let scalars = self.scalars(formula)?;
        let Scalars { numbers, strings, .. } = &*scalars;
        let numbers = numbers.is_none() || numbers.has_one_text(text.numbers);
        let strings = strings.is_none() || text.escapes == Escapes::Shortest;
        Ok(numbers && strings)
    }

    /// Formulas over values, one of which every item satisfies in an array of two or more that the formula holds for.
    fn item_values(&mut self, formula: FormulaId) -> Vec<FormulaId> {
        let mut items: BTreeMap<u32, Vec<FormulaId>> = BTreeMap::new();
        let (mut rests, mut most) = (Vec::new(), u32::MAX);
        for conjunct in self.arrays.formulas.conjuncts(formula) {
            let Formula::Literal(literal) = *self.arrays.formulas.get(conjunct) else { continue };
            match self.arrays.atoms[literal.atom as usize] {
                _ if !literal.positive => {}
                ArrayAtom::Item(at, value) => items.entry(at).or_default().push(value),
                ArrayAtom::Items(from, value) => rests.push((from, value)),
                ArrayAtom::Count(bounds) => most = most.min(bounds.max.unwrap_or(u32::MAX)),
                _ => {}
            }
        }
        if most < 2 {
            return Vec::new();
        }
        let ends = items.keys().map(|at| at + 1).chain(rests.iter().map(|(from, _)| *from));
        let uniform = ends.max().unwrap_or(0);
        let positions = 0..=uniform.min(most - 1);
        let values = positions.map(|position| {
            let here = items.get(&position).into_iter().flatten().copied();
            let rest = rests.iter().filter(|(from, _)| *from <= position).map(|(_, value)| *value);
            self.values.and(here.chain(rest))
        });
        let distinct: IndexSet<_, FxBuildHasher> = values.collect();
        distinct.into_iter().collect()
    }
}

/// Sets of arrays, as formulas.
pub(crate) struct ArrayFormulas;

impl Domain for ArrayFormulas {
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
        Ok(algebra.arrays.formulas.and([*a, *b]))
    }

    fn or(
        algebra: &mut Algebra<'_>,
        a: &FormulaId,
        b: &FormulaId,
    ) -> Result<FormulaId, Diagnostic> {
        algebra.spend()?;
        Ok(algebra.arrays.formulas.or([*a, *b]))
    }

    fn any(algebra: &mut Algebra<'_>, sets: Vec<FormulaId>) -> Result<FormulaId, Diagnostic> {
        algebra.spend()?;
        Ok(algebra.arrays.formulas.or(sets))
    }

    fn not(algebra: &mut Algebra<'_>, set: &FormulaId) -> Result<FormulaId, Diagnostic> {
        algebra.spend()?;
        Ok(algebra.arrays.formulas.not(*set))
    }

    fn part(
        algebra: &mut Algebra<'_>,
        schema: SchemaId,
        place: NodeId,
        part: &Part,
    ) -> Result<Option<FormulaId>, Diagnostic> {
        Ok(Some(match part {
            Part::Types(types) => Self::constant(types.contains(TypeSet::ARRAY)),
            Part::Prefix(schemas) => {
                let mut all = Vec::with_capacity(schemas.len());
                for (at, schema) in (0..).zip(schemas) {
                    let value = algebra.schema(*schema);
                    all.push(algebra.arrays.atom(ArrayAtom::Item(at, value)));
                }
                algebra.arrays.formulas.and(all)
            }
            Part::Items(from, schema) => {
                let value = algebra.schema(*schema);
                algebra.arrays.atom(ArrayAtom::Items(*from, value))
            }
            Part::Contains(schema, bounds) => {
                let value = algebra.schema(*schema);
                algebra.arrays.atom(ArrayAtom::Contains(value, *bounds))
            }
            Part::ItemCount(bounds) => algebra.arrays.atom(ArrayAtom::Count(*bounds)),
            Part::UniqueItems => algebra.arrays.atom(ArrayAtom::Unique(place)),
            Part::UnevaluatedItems(rest) => {
                return algebra.unevaluated_items(schema, *rest).map(Some);
            }
            _ => return Ok(None),
        }))
    }

    fn value(algebra: &mut Algebra<'_>, node: NodeId) -> Result<FormulaId, Diagnostic> {
        let Json::Array(items) = algebra.document.json(node) else { return Ok(FormulaId::FALSE) };
        let mut all = Vec::with_capacity(items.len() + 1);
        for (at, &item) in (0..).zip(items) {
            let value = algebra.value(item);
            all.push(algebra.arrays.atom(ArrayAtom::Item(at, value)));
        }
        let count = u32::try_from(items.len()).unwrap_or(u32::MAX);
        let count = ArrayAtom::Count(Bounds { min: count, max: Some(count) });
        all.push(algebra.arrays.atom(count));
        Ok(algebra.arrays.formulas.and(all))
    }

    fn scalar(_: &mut Algebra<'_>, _: &Scalar) -> FormulaId {
        FormulaId::FALSE
    }

    fn memo<'m>(algebra: &'m mut Algebra<'_>) -> &'m mut BySubject<FormulaId> {
        &mut algebra.arrays.memo
    }
}

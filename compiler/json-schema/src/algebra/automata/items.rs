//! Builds the automaton over the items of an array.
//!
//! A state is a position (the index of the next item) and the formula that remains. Positions are distinguished up to
//! the last one that an atom names. A repetition counts items that change nothing but their count. Large bounds beside
//! `contains` become [counters](super::counted_items).

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use grammarc_grammar::diagnostics::Diagnostic;

use super::item_automaton::ItemState;
use crate::algebra::logic::formula::{FormulaId, Formulas};
use crate::algebra::simplify::atoms::{Atoms, Derivative};
use crate::algebra::simplify::derivatives::derivatives;
use crate::algebra::simplify::layer::Simplifier;
use crate::algebra::types::array_atoms::ArrayAtom;
use crate::algebra::types::layer::Types;
use crate::read::schema::Bounds;

/// Builds the states of the automaton of an array formula. `repeats` allows loops with bounds on their number of items.
///
/// # Errors
///
/// A limit on work, states or memory is exceeded.
pub(crate) fn item_states(
    simplifier: &mut Simplifier<'_>,
    formula: FormulaId,
    repeats: bool,
) -> Result<Vec<ItemState>, Diagnostic> {
    // From this index on, the facts of the formula (atoms) treat all items alike.
    let literals = simplifier.types.arrays.formulas.literals(formula);
    let uniform = literals
        .iter()
        .map(|literal| match simplifier.types.arrays.atoms[literal.atom as usize] {
            ArrayAtom::Item(at, _) => at + 1,
            ArrayAtom::Items(from, _) => from,
            _ => 0,
        })
        .max()
        .unwrap_or(0);
    let mut items = Items { states: IndexMap::default(), uniform, repeats };
    items.states.insert((0, formula), ItemState::default());
    let mut at = 0;
    while let Some((&(position, rest), _)) = items.states.get_index(at) {
        let state = items.state(simplifier, position, rest, at as u32)?;
        items.states[at] = state;
        at += 1;
        simplifier.types.grow()?;
    }
    Ok(items.states.into_values().collect())
}

/// An automaton over the items of an array under construction.
struct Items {
    /// Maps each automaton state, as the index of the next item and the array formula that remains, to its edges. The
    /// index of an entry is the number of the state.
    states: IndexMap<(u32, FormulaId), ItemState, FxBuildHasher>,
    /// The index from which on the facts of the array formula (atoms) treat all items alike. Larger indices share the
    /// states of this index.
    uniform: u32,
    /// Whether a state may be a loop with bounds on its number of items.
    repeats: bool,
}

impl Items {
    /// Builds the automaton state before the item at index `position`, if the array formula `rest` remains. `at` is the
    /// number of this state, to which a loop leads back.
    fn state(
        &mut self,
        simplifier: &mut Simplifier<'_>,
        position: u32,
        rest: FormulaId,
        at: u32,
    ) -> Result<ItemState, Diagnostic> {
        if rest == FormulaId::FALSE {
            return Ok(ItemState::default());
        }
        let atoms = ItemAtoms(position);
        if self.repeats && position == self.uniform {
            let conjuncts = simplifier.types.arrays.formulas.conjuncts(rest);
            let (counts, others): (Vec<_>, Vec<_>) =
                conjuncts.partition(|&conjunct| simplifier.types.arrays.count(conjunct).is_some());
            let uncounted = simplifier.types.arrays.formulas.and(others);
            let bounds = counts.iter().filter_map(|&count| simplifier.types.arrays.count(count));
            let bounds = bounds.fold(Bounds::default(), Bounds::intersect);
            if bounds.is_empty() {
                return Ok(ItemState::default());
            }
            let loops = derivatives(simplifier, atoms, uncounted, FormulaId::TRUE)?;
            if !simplifier.types.arrays.counts_items(uncounted)
                && loops.iter().all(|after| after.rest == uncounted)
            {
                return Ok(ItemState {
                    items: loops.into_iter().map(|after| (after.value, at)).collect(),
                    end: simplifier.types.arrays.may_end(uncounted),
                    repeat: (!bounds.is_all()).then_some(bounds),
                    increments: simplifier.types.arrays.increments_of(uncounted),
                });
            }
        }
        let (end, increments) =
            (simplifier.types.arrays.may_end(rest), simplifier.types.arrays.increments_of(rest));
        let mut state = ItemState { end, increments, ..ItemState::default() };
        let counted = simplifier.types.arrays.count_item(rest);
        for Derivative { value, rest } in derivatives(simplifier, atoms, counted, FormulaId::TRUE)?
        {
            let entry = self.states.entry(((position + 1).min(self.uniform), rest));
            let to = u32::try_from(entry.index()).expect("budgets are below 2^32");
            entry.or_default();
            state.items.push((value, to));
        }
        Ok(state)
    }
}

/// A selector of the atoms (basic facts of an array formula) about the item at one index of the array.
#[derive(Clone, Copy)]
struct ItemAtoms(u32);

impl Atoms for ItemAtoms {
    fn formulas<'m>(self, types: &'m mut Types<'_>) -> &'m mut Formulas {
        &mut types.arrays.formulas
    }

    fn subject(self, types: &Types<'_>, atom: u32) -> Option<FormulaId> {
        match types.arrays.atoms[atom as usize] {
            ArrayAtom::Item(at, value) if at == self.0 => Some(value),
            ArrayAtom::Items(from, value) if from <= self.0 => Some(value),
            ArrayAtom::Contains(value, _) | ArrayAtom::Counted { value, .. } => Some(value),
            _ => None,
        }
    }

    fn read(self, types: &mut Types<'_>, atom: u32, satisfied: bool) -> FormulaId {
        match types.arrays.atoms[atom as usize] {
            ArrayAtom::Contains(value, bounds) if satisfied => match bounds.after_one() {
                Some(bounds) => types.arrays.atom(ArrayAtom::Contains(value, bounds)),
                None => FormulaId::FALSE,
            },
            ArrayAtom::Contains(..) => types.arrays.formulas.literal(atom, true),
            ArrayAtom::Counted { value, counter, .. } => {
                types.arrays.atom(ArrayAtom::Counted { value, counter, met: satisfied })
            }
            _ if !satisfied => FormulaId::FALSE,
            ArrayAtom::Item(..) => FormulaId::TRUE,
            _ => types.arrays.formulas.literal(atom, true),
        }
    }

    fn helps(self, types: &Types<'_>, atom: u32) -> Option<bool> {
        match types.arrays.atoms[atom as usize] {
            ArrayAtom::Contains(_, Bounds { max: None, .. }) => Some(true),
            ArrayAtom::Contains(_, Bounds { min: 0, .. }) => Some(false),
            ArrayAtom::Contains(..) | ArrayAtom::Counted { .. } => None,
            _ => Some(true),
        }
    }
}

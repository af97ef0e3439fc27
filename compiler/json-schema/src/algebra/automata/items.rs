//! Automata over the items of arrays.
//!
//! A state is the position, as far as it matters, and the formula that remains. A repetition counts items that
//! change nothing but their count. Large bounds beside `contains` are [counters](super::counted_items).

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use grammarc_grammar::diagnostics::Diagnostic;

use crate::algebra::logic::derivatives::Atoms;
use crate::algebra::logic::formula::{Formula, Formulas};
use crate::algebra::types::arrays::ArrayAtom;
use crate::algebra::{Algebra, FormulaId};
use crate::read::schema::Bounds;

/// A state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ItemState {
    /// Formulas over the value of the next item, and the state after it.
    pub(crate) items: Vec<(FormulaId, u32)>,
    /// Whether the array may end.
    pub(crate) end: bool,
    /// The bounds, where set, on how many of the items come before the array ends: they lead back here.
    pub(crate) repeat: Option<Bounds>,
    /// The counters that an item which leads here lowers, besides that of all items; ascending.
    pub(crate) ticks: Vec<u8>,
}

/// An automaton over items. It starts in state 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ItemAutomaton {
    /// The states.
    pub(crate) states: Vec<ItemState>,
    /// Whether the texts of items differ from each other.
    pub(crate) distinct: bool,
    /// The bounds of the counters. With counters the arrays are those of the ways on which all bounds are kept.
    pub(crate) counters: Vec<Bounds>,
    /// Whether the first counter counts all items.
    pub(crate) counts_all: bool,
}

impl Algebra<'_> {
    /// Automata that together accept the arrays that a formula over values holds for: one, or none for no array. `None`
    /// for all arrays.
    pub(crate) fn item_automata(
        &mut self,
        value: FormulaId,
    ) -> Result<Option<Vec<ItemAutomaton>>, Diagnostic> {
        let formula = self.array_formula(value)?;
        let (formula, distinct) = self.tell_unique(formula)?;
        if formula == FormulaId::FALSE {
            self.grow()?;
            return Ok(Some(Vec::new()));
        }
        if formula == FormulaId::TRUE && !distinct {
            return Ok(None);
        }
        if !distinct && let Some(counted) = self.counted_items(formula)? {
            return Ok(Some(vec![counted]));
        }
        let states = self.item_states(formula, true)?;
        Ok(Some(vec![ItemAutomaton { states, distinct, counters: Vec::new(), counts_all: false }]))
    }

    /// The states of an automaton that accepts the arrays of a formula; with repetitions only where `repeats` says so.
    pub(crate) fn item_states(
        &mut self,
        formula: FormulaId,
        repeats: bool,
    ) -> Result<Vec<ItemState>, Diagnostic> {
        // From this position on, atoms say the same of every item.
        let literals = self.arrays.formulas.literals(formula);
        let uniform = literals
            .iter()
            .map(|literal| match self.arrays.atoms[literal.atom as usize] {
                ArrayAtom::Item(at, _) => at + 1,
                ArrayAtom::Items(from, _) => from,
                _ => 0,
            })
            .max()
            .unwrap_or(0);
        let mut states: IndexMap<(u32, FormulaId), ItemState, FxBuildHasher> = IndexMap::default();
        states.insert((0, formula), ItemState::default());
        let mut at = 0;
        while let Some((&(position, rest), _)) = states.get_index(at) {
            let may_repeat = repeats && position == uniform;
            let state =
                self.item_state(&mut states, (position, may_repeat), uniform, rest, at as u32)?;
            states[at] = state;
            at += 1;
            self.grow()?;
        }
        Ok(states.into_values().collect())
    }

    fn item_state(
        &mut self,
        states: &mut IndexMap<(u32, FormulaId), ItemState, FxBuildHasher>,
        (position, repeats): (u32, bool),
        uniform: u32,
        rest: FormulaId,
        at: u32,
    ) -> Result<ItemState, Diagnostic> {
        if rest == FormulaId::FALSE {
            return Ok(ItemState::default());
        }
        let atoms = ItemAtoms(position);
        if repeats {
            let conjuncts = self.arrays.formulas.conjuncts(rest);
            let (counts, others): (Vec<_>, Vec<_>) =
                conjuncts.partition(|&conjunct| self.array_count(conjunct).is_some());
            let uncounted = self.arrays.formulas.and(others);
            let bounds = counts.iter().filter_map(|&count| self.array_count(count));
            let bounds = bounds.fold(Bounds::default(), Bounds::intersect);
            if bounds.is_empty() {
                return Ok(ItemState::default());
            }
            let loops = self.cases(atoms, uncounted, FormulaId::TRUE)?;
            if !self.counts_items(uncounted) && loops.iter().all(|(_, rest)| *rest == uncounted) {
                return Ok(ItemState {
                    items: loops.into_iter().map(|(value, _)| (value, at)).collect(),
                    end: self.array_may_end(uncounted),
                    repeat: (!bounds.is_all()).then_some(bounds),
                    ticks: self.ticks_of(uncounted),
                });
            }
        }
        let (end, ticks) = (self.array_may_end(rest), self.ticks_of(rest));
        let mut state = ItemState { end, ticks, ..ItemState::default() };
        let counted = self.count_item(rest);
        for (value, rest) in self.cases(atoms, counted, FormulaId::TRUE)? {
            let entry = states.entry(((position + 1).min(uniform), rest));
            let to = u32::try_from(entry.index()).expect("budgets are below 2^32");
            entry.or_default();
            state.items.push((value, to));
        }
        Ok(state)
    }

    /// Whether the formula says anything about the number of items.
    fn counts_items(&self, formula: FormulaId) -> bool {
        let literals = self.arrays.formulas.literals(formula);
        let atoms = &self.arrays.atoms;
        literals.iter().any(|literal| matches!(atoms[literal.atom as usize], ArrayAtom::Count(_)))
    }

    pub(crate) fn array_count(&self, formula: FormulaId) -> Option<Bounds> {
        let Formula::Literal(literal) = *self.arrays.formulas.get(formula) else { return None };
        match self.arrays.atoms[literal.atom as usize] {
            ArrayAtom::Count(bounds) if literal.positive => Some(bounds),
            ArrayAtom::Count(bounds) => bounds.complement(),
            _ => None,
        }
    }

    /// The counters of the formulas that the item before satisfies, ascending.
    fn ticks_of(&self, formula: FormulaId) -> Vec<u8> {
        let literals = self.arrays.formulas.literals(formula);
        let ticks =
            literals.iter().filter_map(|literal| match self.arrays.atoms[literal.atom as usize] {
                ArrayAtom::Counted { counter, met: true, .. } => Some(counter),
                _ => None,
            });
        let mut ticks: Vec<u8> = ticks.collect();
        ticks.sort_unstable();
        ticks
    }

    /// The formula with bounds on the number of items moved on by one.
    fn count_item(&mut self, formula: FormulaId) -> FormulaId {
        let literals = self.arrays.formulas.literals(formula);
        let mut counted = FxHashMap::default();
        for literal in literals.iter() {
            if let ArrayAtom::Count(bounds) = self.arrays.atoms[literal.atom as usize] {
                let next = bounds.after_one();
                let next = next.map(|bounds| self.arrays.atom(ArrayAtom::Count(bounds)));
                counted.insert(literal.atom, next.unwrap_or(FormulaId::FALSE));
            }
        }
        if counted.is_empty() {
            return formula;
        }
        let formulas = &mut self.arrays.formulas;
        formulas.replace(formula, &mut Default::default(), &mut |formulas, literal| match counted
            .get(&literal.atom)
        {
            Some(&next) if literal.positive => next,
            Some(&next) => formulas.not(next),
            None => formulas.literal(literal.atom, literal.positive),
        })
    }

    /// Whether an array may end where this is what remains of its formula.
    pub(crate) fn array_may_end(&mut self, formula: FormulaId) -> bool {
        let atoms = &self.arrays.atoms;
        let formulas = &mut self.arrays.formulas;
        let mut known = FxHashMap::default();
        let ended = formulas.replace(formula, &mut known, &mut |_, literal| {
            let holds = match atoms[literal.atom as usize] {
                ArrayAtom::Item(..)
                | ArrayAtom::Items(..)
                | ArrayAtom::Counted { .. }
                | ArrayAtom::Unique(_) => true,
                ArrayAtom::Contains(_, bounds) | ArrayAtom::Count(bounds) => bounds.min == 0,
            };
            if holds == literal.positive { FormulaId::TRUE } else { FormulaId::FALSE }
        });
        ended == FormulaId::TRUE
    }
}

/// Atoms about the item at a position.
#[derive(Clone, Copy)]
struct ItemAtoms(u32);

impl Atoms for ItemAtoms {
    fn formulas<'m>(self, algebra: &'m mut Algebra<'_>) -> &'m mut Formulas {
        &mut algebra.arrays.formulas
    }

    fn subject(self, algebra: &Algebra<'_>, atom: u32) -> Option<FormulaId> {
        match algebra.arrays.atoms[atom as usize] {
            ArrayAtom::Item(at, value) if at == self.0 => Some(value),
            ArrayAtom::Items(from, value) if from <= self.0 => Some(value),
            ArrayAtom::Contains(value, _) | ArrayAtom::Counted { value, .. } => Some(value),
            _ => None,
        }
    }

    fn read(self, algebra: &mut Algebra<'_>, atom: u32, satisfied: bool) -> FormulaId {
        match algebra.arrays.atoms[atom as usize] {
            ArrayAtom::Contains(value, bounds) if satisfied => match bounds.after_one() {
                Some(bounds) => algebra.arrays.atom(ArrayAtom::Contains(value, bounds)),
                None => FormulaId::FALSE,
            },
            ArrayAtom::Contains(..) => algebra.arrays.formulas.literal(atom, true),
            ArrayAtom::Counted { value, counter, .. } => {
                algebra.arrays.atom(ArrayAtom::Counted { value, counter, met: satisfied })
            }
            _ if !satisfied => FormulaId::FALSE,
            ArrayAtom::Item(..) => FormulaId::TRUE,
            _ => algebra.arrays.formulas.literal(atom, true),
        }
    }

    fn helps(self, algebra: &Algebra<'_>, atom: u32) -> Option<bool> {
        match algebra.arrays.atoms[atom as usize] {
            ArrayAtom::Contains(_, Bounds { max: None, .. }) => Some(true),
            ArrayAtom::Contains(_, Bounds { min: 0, .. }) => Some(false),
            ArrayAtom::Contains(..) | ArrayAtom::Counted { .. } => None,
            _ => Some(true),
        }
    }
}

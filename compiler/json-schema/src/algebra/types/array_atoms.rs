//! Atoms of array formulas, and the arena of these formulas.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::memo::BySubject;
use crate::algebra::logic::formula::{Formula, FormulaId, Formulas};
use crate::document::NodeId;
use crate::read::schema::Bounds;

/// The subject of a literal of an array formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ArrayAtom {
    /// The item at the position, if there is one, satisfies the formula over values.
    Item(u32, FormulaId),
    /// Every item from the position on satisfies the formula over values.
    Items(u32, FormulaId),
    /// The number of items that satisfy the formula over values is within the bounds.
    Contains(FormulaId, Bounds),
    /// A counter counts the items that satisfy the formula. The atom holds of every array: the automaton has the bounds of the
    /// counter (`automata/item_automaton.rs`).
    Counted {
        /// The formula over values.
        value: FormulaId,
        /// The counter's number.
        counter: u8,
        /// Whether the item before this state satisfies the formula.
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
    pub(crate) memo: BySubject<FormulaId>,
}

impl Arrays {
    /// An empty arena with capacity for the schemas.
    pub(crate) fn with_capacity(schemas: usize) -> Self {
        Self { memo: BySubject::with_capacity(schemas), ..Self::default() }
    }

    /// The formula of an atom.
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

    /// Whether the formula constrains the number of items.
    pub(crate) fn counts_items(&self, formula: FormulaId) -> bool {
        let literals = self.formulas.literals(formula);
        let atoms = &self.atoms;
        literals.iter().any(|literal| matches!(atoms[literal.atom as usize], ArrayAtom::Count(_)))
    }

    /// The bounds of a literal about the number of items.
    pub(crate) fn count(&self, formula: FormulaId) -> Option<Bounds> {
        let Formula::Literal(literal) = *self.formulas.get(formula) else { return None };
        match self.atoms[literal.atom as usize] {
            ArrayAtom::Count(bounds) if literal.positive => Some(bounds),
            ArrayAtom::Count(bounds) => bounds.complement(),
            _ => None,
        }
    }

    /// The counters of the formulas that the item before satisfies, ascending.
    pub(crate) fn increments_of(&self, formula: FormulaId) -> Vec<u8> {
        let literals = self.formulas.literals(formula);
        let found = literals.iter().filter_map(|literal| match self.atoms[literal.atom as usize] {
            ArrayAtom::Counted { counter, met: true, .. } => Some(counter),
            _ => None,
        });
        let mut increments: Vec<u8> = found.collect();
        increments.sort_unstable();
        increments
    }

    /// The formula after one more item: bounds on the number of items decrease by one.
    pub(crate) fn count_item(&mut self, formula: FormulaId) -> FormulaId {
        let literals = self.formulas.literals(formula);
        let mut counted = FxHashMap::default();
        for literal in literals.iter() {
            if let ArrayAtom::Count(bounds) = self.atoms[literal.atom as usize] {
                let next = bounds.after_one();
                let next = next.map(|bounds| self.atom(ArrayAtom::Count(bounds)));
                counted.insert(literal.atom, next.unwrap_or(FormulaId::FALSE));
            }
        }
        if counted.is_empty() {
            return formula;
        }
        self.formulas.substitute(formula, |atom| counted.get(&atom).copied())
    }

    /// Whether an array may end if this formula remains.
    pub(crate) fn may_end(&mut self, formula: FormulaId) -> bool {
        let atoms = &self.atoms;
        let formulas = &mut self.formulas;
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

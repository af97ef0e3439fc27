//! Atoms of array formulas, and the arena of these formulas.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::memo::BySubject;
use crate::algebra::logic::formula::{Formula, FormulaId, Formulas};
use crate::document::NodeId;
use crate::read::schema::Bounds;

/// A basic fact about an array, such as a bound on its number of items. Each such fact is an atom (variable) of array
/// formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ArrayAtom {
    /// The item at this index satisfies the formula over values, or the array has no item at that index.
    Item(u32, FormulaId),
    /// Every item from this index on satisfies the formula over values.
    Items(u32, FormulaId),
    /// The number of items that satisfy the formula over values is within the bounds.
    Contains(FormulaId, Bounds),
    /// A counter counts the items that satisfy a formula. This fact is true for every array, since the automaton checks
    /// the bounds of the counter (`automata/item_automaton.rs`).
    Counted {
        /// The formula over values that counted items satisfy.
        value: FormulaId,
        /// Number of the counter in the automaton over items.
        counter: u8,
        /// Whether the item just read satisfies the formula.
        met: bool,
    },
    /// The number of items of the array is within the bounds.
    Count(Bounds),
    /// No two items are equal. The node is the place of the keyword `uniqueItems`.
    Unique(NodeId),
}

/// The arena (store) of array formulas, and the facts about arrays that are their atoms.
#[derive(Debug, Default)]
pub(crate) struct Arrays {
    /// The boolean formulas over facts about arrays.
    pub(crate) formulas: Formulas,
    /// The facts about arrays that formulas use as atoms; the index of a fact is the number of the atom.
    pub(crate) atoms: IndexSet<ArrayAtom, FxBuildHasher>,
    /// Maps each subject (schema, keyword or constant) to the array formula of the arrays that satisfy it.
    pub(crate) memo: BySubject<FormulaId>,
}

impl Arrays {
    /// Creates an empty arena with capacity for the array formulas of `schemas` schemas.
    pub(crate) fn with_capacity(schemas: usize) -> Self {
        Self { memo: BySubject::with_capacity(schemas), ..Self::default() }
    }

    /// Returns the array formula that states one fact. The formula is true or false if the fact holds for every array
    /// or for none.
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

    /// Returns whether an array formula constrains the number of items.
    pub(crate) fn counts_items(&self, formula: FormulaId) -> bool {
        let literals = self.formulas.literals(formula);
        let atoms = &self.atoms;
        literals.iter().any(|literal| matches!(atoms[literal.atom as usize], ArrayAtom::Count(_)))
    }

    /// Returns the bounds on the number of items that a formula of a single fact states. Returns `None` for other
    /// formulas, and for negated bounds that are no single interval.
    pub(crate) fn count(&self, formula: FormulaId) -> Option<Bounds> {
        let Formula::Literal(literal) = *self.formulas.get(formula) else { return None };
        match self.atoms[literal.atom as usize] {
            ArrayAtom::Count(bounds) if literal.positive => Some(bounds),
            ArrayAtom::Count(bounds) => bounds.complement(),
            _ => None,
        }
    }

    /// Returns the numbers of the counters that the item just read increments, ascending. `formula` is the array
    /// formula after that item.
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

    /// Returns the array formula that remains after one more item: bounds on the number of items decrease by one. A
    /// bound that is exceeded becomes false.
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

    /// Returns whether an array may end where this array formula remains, so that the formula holds without further
    /// items.
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

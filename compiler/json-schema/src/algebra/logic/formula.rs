//! Boolean formulas over numbered atoms, hash-consed (equal formulas have one id).
//!
//! Formulas are in negation normal form: only atoms are negated. A literal whose truth becomes known is replaced by
//! true or false, and the rest simplifies. Operands keep the order in which they were given, without repetition. This
//! is the order of keywords in the source, and so the order of keys.
//!
//! Invariant: formulas with equal ids are equal. Equivalent formulas may have two ids, which costs size and never
//! correctness.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use indexmap::{Equivalent, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

use grammarc_grammar::insertion_set::InsertionSet;

/// Number of a boolean formula in its arena (store of formulas).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FormulaId(u32);

impl FormulaId {
    /// The formula that always holds.
    pub(crate) const TRUE: Self = Self(0);
    /// The formula that never holds.
    pub(crate) const FALSE: Self = Self(1);

    /// Returns the index of the formula in tables with one entry per formula.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An atom (variable of boolean formulas) or its negation. What an atom states depends on the arena: that a value
/// satisfies a schema, or a fact about members or items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Literal {
    /// Number of the atom (variable of the formula).
    pub(crate) atom: u32,
    /// Whether the literal is the atom (variable) itself; `false` for its negation.
    pub(crate) positive: bool,
}

/// A boolean formula: its outermost operator, and the ids of its operands. Cloning is O(1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Formula {
    /// The formula that always holds.
    True,
    /// The formula that never holds.
    False,
    /// True exactly if the literal (an atom or its negation) is true.
    Literal(Literal),
    /// The conjunction of two or more formulas.
    And(Rc<[FormulaId]>),
    /// The disjunction of two or more formulas.
    Or(Rc<[FormulaId]>),
}

/// A borrowed formula for lookups in the arena: its operands may lie in any slice. `Joined` has `true` for a
/// conjunction.
#[derive(PartialEq, Eq, Hash)]
enum View<'a> {
    /// The formula true or the formula false.
    Constant(bool),
    Literal(Literal),
    /// A conjunction (`true`) or disjunction (`false`) of these formulas.
    Joined(&'a [FormulaId], bool),
}

impl Formula {
    fn view(&self) -> View<'_> {
        match self {
            Self::True => View::Constant(true),
            Self::False => View::Constant(false),
            Self::Literal(literal) => View::Literal(*literal),
            Self::And(operands) => View::Joined(operands, true),
            Self::Or(operands) => View::Joined(operands, false),
        }
    }
}

impl Hash for Formula {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.view().hash(state);
    }
}

impl Equivalent<Formula> for View<'_> {
    fn equivalent(&self, formula: &Formula) -> bool {
        *self == formula.view()
    }
}

/// An arena (store) of boolean formulas, in which equal formulas have one id.
#[derive(Debug)]
pub(crate) struct Formulas {
    /// The formulas; the id of a formula is its index.
    formulas: IndexSet<Formula, FxBuildHasher>,
    /// Maps each atom (variable), by its number, to the ids of its negation and of itself, in this order. `None` for a
    /// formula that does not exist yet.
    of_atom: Vec<[Option<FormulaId>; 2]>,
    /// Maps each formula whose negation was requested to that negation.
    pub(crate) negations: FxHashMap<FormulaId, FormulaId>,
    /// Number of operands of all formulas of the arena, added up.
    operands: usize,
    /// Buffer for the operands of the formula under construction.
    flat: InsertionSet<FormulaId>,
    /// For each formula, by its index, its literals (atoms and negated atoms). `None` if they were not requested, or
    /// are more than [`SHORT`].
    literals: RefCell<Vec<Option<Rc<Literals>>>>,
}

impl Default for Formulas {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

/// Most literals (atoms and negated atoms) of a formula whose list is kept for the next request. Longer lists would
/// take more memory than the formulas.
const SHORT: usize = 64;

/// The distinct literals (atoms and negated atoms) of a formula, in the order of their first occurrence.
#[derive(Debug, Default)]
pub(crate) struct Literals(InsertionSet<Literal>);

impl Literals {
    /// Returns whether the formula contains this literal (an atom or its negation).
    pub(crate) fn contains(&self, literal: Literal) -> bool {
        self.0.contains(literal)
    }

    /// Returns the literal (an atom or its negation) at index `at` in the order of first occurrence in the formula.
    /// Returns `None` beyond the last.
    pub(crate) fn get(&self, at: usize) -> Option<Literal> {
        self.0.order.get(at).copied()
    }

    /// Returns all literals of the formula (atoms and negated atoms) in the order of first occurrence.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Literal> {
        self.0.order.iter()
    }
}

impl Formulas {
    /// Creates an arena with the two constants (true and false), and capacity for `formulas` more formulas.
    pub(crate) fn with_capacity(formulas: usize) -> Self {
        let mut set = IndexSet::with_capacity_and_hasher(formulas + 2, FxBuildHasher);
        set.extend([Formula::True, Formula::False]);
        let (negations, literals) = (FxHashMap::default(), RefCell::default());
        let (of_atom, flat) = (Vec::new(), InsertionSet::default());
        Self { formulas: set, of_atom, negations, operands: 0, flat, literals }
    }

    /// Returns the outermost operator of a formula, with its operands.
    pub(crate) fn get(&self, id: FormulaId) -> &Formula {
        &self.formulas[id.index()]
    }

    /// Returns the number of formulas in the arena so far.
    pub(crate) fn len(&self) -> usize {
        self.formulas.len()
    }

    /// Returns the number of operands of all formulas in the arena so far, added up.
    pub(crate) fn operands(&self) -> usize {
        self.operands
    }

    /// Returns the id of a formula. A new formula is added to the arena.
    fn intern(&mut self, view: View<'_>) -> FormulaId {
        let index = match self.formulas.get_index_of(&view) {
            Some(known) => known,
            None => {
                let formula = match view {
                    View::Constant(true) => Formula::True,
                    View::Constant(false) => Formula::False,
                    View::Literal(literal) => Formula::Literal(literal),
                    View::Joined(operands, true) => Formula::And(operands.into()),
                    View::Joined(operands, false) => Formula::Or(operands.into()),
                };
                if let View::Joined(operands, _) = view {
                    self.operands += operands.len();
                }
                self.formulas.insert_full(formula).0
            }
        };
        FormulaId(u32::try_from(index).expect("budgets are below 2^32"))
    }

    /// Returns the formula that consists of one atom (variable), or of its negation if `positive` is `false`.
    pub(crate) fn literal(&mut self, atom: u32, positive: bool) -> FormulaId {
        let (index, sign) = (atom as usize, usize::from(positive));
        if let Some(known) = self.of_atom.get(index).and_then(|known| known[sign]) {
            return known;
        }
        let literal = self.intern(View::Literal(Literal { atom, positive }));
        self.of_atom.resize(self.of_atom.len().max(index + 1), [None; 2]);
        self.of_atom[index][sign] = Some(literal);
        literal
    }

    /// Returns the conjunction of the operand formulas, simplified.
    pub(crate) fn and(&mut self, operands: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.join(operands, true)
    }

    /// Returns the disjunction of the operand formulas, simplified.
    pub(crate) fn or(&mut self, operands: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.join(operands, false)
    }

    /// Returns the conjunction (`all`) or the disjunction of the operands. Nested operators of the same kind are
    /// flattened and neutral operands dropped. An operand that decides the result (false in a conjunction, true in a
    /// disjunction) is returned alone.
    pub(crate) fn join(
        &mut self,
        operands: impl IntoIterator<Item = FormulaId>,
        all: bool,
    ) -> FormulaId {
        let mut flat = std::mem::take(&mut self.flat);
        let joined = match self.flatten(operands, all, &mut flat) {
            Some(deciding) => deciding,
            None => self.joined(&flat, all),
        };
        flat.clear();
        self.flat = flat;
        joined
    }

    /// Gathers the operands of a conjunction (`all`) or disjunction in `flat`. Nested operators of the same kind are
    /// flattened and neutral operands dropped. Returns the result if one operand decides it, otherwise `None`.
    fn flatten(
        &self,
        operands: impl IntoIterator<Item = FormulaId>,
        all: bool,
        flat: &mut InsertionSet<FormulaId>,
    ) -> Option<FormulaId> {
        let (neutral, deciding) = constants(all);
        for operand in operands {
            if operand == deciding {
                return Some(deciding);
            }
            match self.get(operand) {
                Formula::And(inner) if all => inner.iter().for_each(|&id| _ = flat.insert(id)),
                Formula::Or(inner) if !all => inner.iter().for_each(|&id| _ = flat.insert(id)),
                _ if operand == neutral => {}
                _ => _ = flat.insert(operand),
            }
        }
        None
    }

    /// Returns the conjunction (`all`) or disjunction of flattened operands, simplified.
    fn joined(&mut self, flat: &InsertionSet<FormulaId>, all: bool) -> FormulaId {
        let (neutral, deciding) = constants(all);
        match flat.order[..] {
            [] => return neutral,
            [one] => return one,
            _ => {}
        }
        let opposed = flat.order.iter().any(|&operand| match *self.get(operand) {
            Formula::Literal(Literal { atom, positive }) => {
                let opposite = self.of_atom[atom as usize][usize::from(!positive)];
                opposite.is_some_and(|opposite| flat.contains(opposite))
            }
            _ => false,
        });
        if opposed {
            return deciding;
        }
        // Drops operands that follow from another operand: `a and (a or b)` is `a`.
        let absorbed = |operand: FormulaId| match self.get(operand) {
            Formula::Or(inner) if all => inner.iter().any(|&part| flat.contains(part)),
            Formula::And(inner) if !all => inner.iter().any(|&part| flat.contains(part)),
            _ => false,
        };
        if !flat.order.iter().any(|&id| absorbed(id)) {
            return self.intern(View::Joined(&flat.order, all));
        }
        let kept: Vec<_> = flat.order.iter().copied().filter(|&id| !absorbed(id)).collect();
        match kept[..] {
            [] => neutral,
            [one] => one,
            _ => self.intern(View::Joined(&kept, all)),
        }
    }

    /// Returns the distinct literals of a formula (its atoms and negated atoms). Takes time linear in the formula the
    /// first time, and every time if there are more than [`SHORT`].
    pub(crate) fn literals(&self, id: FormulaId) -> Rc<Literals> {
        if let Some(Some(known)) = self.literals.borrow().get(id.index()) {
            return Rc::clone(known);
        }
        let mut found = Literals::default();
        let mut seen = InsertionSet::default();
        let mut open = Vec::new();
        match self.get(id) {
            Formula::Literal(literal) => _ = found.0.insert(*literal),
            Formula::And(operands) | Formula::Or(operands) => {
                found.0.order.reserve(operands.len());
                open.reserve(operands.len());
                open.push(id);
            }
            Formula::True | Formula::False => {}
        }
        while let Some(next) = open.pop() {
            match self.get(next) {
                Formula::True | Formula::False => {}
                Formula::Literal(literal) => _ = found.0.insert(*literal),
                Formula::And(operands) | Formula::Or(operands) => {
                    if seen.insert(next) {
                        open.extend(operands.iter().rev());
                    }
                }
            }
        }
        let found = Rc::new(found);
        if found.0.order.len() <= SHORT {
            let mut known = self.literals.borrow_mut();
            if known.len() <= id.index() {
                known.resize_with(self.formulas.len(), || None);
            }
            known[id.index()] = Some(Rc::clone(&found));
        }
        found
    }

    /// Splits a conjunction into the formula of all operands but the last, and the last operand. Returns `None` for
    /// other formulas, and if the first part is not in the arena.
    pub(crate) fn all_but_last(&self, id: FormulaId) -> Option<(FormulaId, FormulaId)> {
        let Formula::And(operands) = self.get(id) else { return None };
        let (&last, others) = operands.split_last()?;
        let start = match others {
            &[one] => one,
            _ => {
                let others = View::Joined(others, true);
                FormulaId(u32::try_from(self.formulas.get_index_of(&others)?).ok()?)
            }
        };
        Some((start, last))
    }

    /// Returns the operands of a conjunction, or the formula itself if it is none. True has no conjuncts.
    pub(crate) fn conjuncts(&self, id: FormulaId) -> Conjuncts {
        match self.get(id) {
            Formula::True => Conjuncts { all: None, one: None, next: 0 },
            Formula::And(operands) => Conjuncts { all: Some(operands.clone()), one: None, next: 0 },
            _ => Conjuncts { all: None, one: Some(id), next: 0 },
        }
    }
}

/// An iterator over the conjuncts of a formula, in their order.
#[derive(Clone, Debug)]
pub(crate) struct Conjuncts {
    all: Option<Rc<[FormulaId]>>,
    one: Option<FormulaId>,
    next: usize,
}

impl Iterator for Conjuncts {
    type Item = FormulaId;

    fn next(&mut self) -> Option<FormulaId> {
        let Some(all) = &self.all else { return self.one.take() };
        self.next += 1;
        all.get(self.next - 1).copied()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = match &self.all {
            Some(all) => all.len().saturating_sub(self.next),
            None => usize::from(self.one.is_some()),
        };
        (left, Some(left))
    }
}

/// Returns the neutral and the deciding operand of a conjunction (`all`) or a disjunction.
pub(crate) fn constants(all: bool) -> (FormulaId, FormulaId) {
    match all {
        true => (FormulaId::TRUE, FormulaId::FALSE),
        false => (FormulaId::FALSE, FormulaId::TRUE),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Tree {
        Atom(u32, bool),
        And(Vec<Tree>),
        Or(Vec<Tree>),
        Not(Box<Tree>),
        One(Vec<Tree>),
    }

    fn tree() -> impl Strategy<Value = Tree> {
        let leaf = (0u32..5, any::<bool>()).prop_map(|(atom, sign)| Tree::Atom(atom, sign));
        leaf.prop_recursive(4, 24, 4, |inner| {
            let list = proptest::collection::vec(inner.clone(), 0..4);
            prop_oneof![
                list.clone().prop_map(Tree::And),
                list.clone().prop_map(Tree::Or),
                list.prop_map(Tree::One),
                inner.prop_map(|tree| Tree::Not(Box::new(tree))),
            ]
        })
    }

    fn build(tree: &Tree, formulas: &mut Formulas) -> FormulaId {
        let mut all = |trees: &[Tree]| -> Vec<FormulaId> {
            trees.iter().map(|tree| build(tree, formulas)).collect()
        };
        match tree {
            Tree::Atom(atom, sign) => formulas.literal(*atom, *sign),
            Tree::And(trees) => {
                let operands = all(trees);
                formulas.and(operands)
            }
            Tree::Or(trees) => {
                let operands = all(trees);
                formulas.or(operands)
            }
            Tree::One(trees) => {
                let operands = all(trees);
                formulas.exactly_one(&operands)
            }
            Tree::Not(tree) => {
                let operand = build(tree, formulas);
                formulas.not(operand)
            }
        }
    }

    fn holds(tree: &Tree, atoms: u32) -> bool {
        match tree {
            Tree::Atom(atom, sign) => (atoms >> atom & 1 == 1) == *sign,
            Tree::And(trees) => trees.iter().all(|tree| holds(tree, atoms)),
            Tree::Or(trees) => trees.iter().any(|tree| holds(tree, atoms)),
            Tree::One(trees) => trees.iter().filter(|tree| holds(tree, atoms)).count() == 1,
            Tree::Not(tree) => !holds(tree, atoms),
        }
    }

    proptest! {
        /// Simplification in the arena never changes the truth value of a formula, for any values of its atoms
        /// (variables).
        #[test]
        fn formulas_say_what_their_trees_say(tree in tree()) {
            let mut formulas = Formulas::default();
            let id = build(&tree, &mut formulas);
            for atoms in 0..32 {
                let mut known = FxHashMap::default();
                let value = formulas.replace(id, &mut known, &mut |_, literal| {
                    match (atoms >> literal.atom & 1 == 1) == literal.positive {
                        true => FormulaId::TRUE,
                        false => FormulaId::FALSE,
                    }
                });
                let expected = if holds(&tree, atoms) { FormulaId::TRUE } else { FormulaId::FALSE };
                prop_assert_eq!(value, expected);
            }
        }
    }
}

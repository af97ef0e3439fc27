//! Boolean formulas over numbered atoms, hash-consed.
//!
//! Formulas are in negation normal form: only atoms are negated. A literal, once known, is replaced by true or false, and
//! the rest simplifies. Operands keep the order in which they were given, without repetition. That is the order of keywords
//! in the source, and with it the order of keys.
//!
//! Invariant: formulas with one id are equal. Equivalent formulas may have two ids, which costs size and never correctness.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use indexmap::{Equivalent, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

use grammarc_grammar::insertion_set::InsertionSet;

/// Number of a formula in its arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FormulaId(u32);

impl FormulaId {
    /// The formula that always holds.
    pub(crate) const TRUE: Self = Self(0);
    /// The formula that never holds.
    pub(crate) const FALSE: Self = Self(1);

    /// Index for tables with one entry per formula.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An atom or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Literal {
    /// Number of the atom.
    pub(crate) atom: u32,
    /// Whether the atom holds.
    pub(crate) positive: bool,
}

/// The outermost operator of a formula. Cloning is O(1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Formula {
    /// Always holds.
    True,
    /// Never holds.
    False,
    /// Holds as its atom does.
    Literal(Literal),
    /// All of two or more.
    And(Rc<[FormulaId]>),
    /// Any of two or more.
    Or(Rc<[FormulaId]>),
}

/// A formula as it is looked up: its operands may stand in any list.
#[derive(PartialEq, Eq, Hash)]
enum View<'a> {
    Constant(bool),
    Literal(Literal),
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

/// An arena of formulas.
#[derive(Debug)]
pub(crate) struct Formulas {
    formulas: IndexSet<Formula, FxBuildHasher>,
    /// By atom, its negation and itself, where there are such formulas.
    of_atom: Vec<[Option<FormulaId>; 2]>,
    /// By formula, its negation, where that was asked for.
    pub(crate) negations: FxHashMap<FormulaId, FormulaId>,
    operands: usize,
    /// Operands of the formula that is being made.
    flat: InsertionSet<FormulaId>,
    /// Literals by formula, where somebody asked for them and they are at most [`SHORT`].
    literals: RefCell<Vec<Option<Rc<Literals>>>>,
}

impl Default for Formulas {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

/// Literals of a formula up to which they are kept: lists of more would take more memory than the formulas.
const SHORT: usize = 64;

/// The distinct literals of a formula, in the order in which they stand in it.
#[derive(Debug, Default)]
pub(crate) struct Literals(InsertionSet<Literal>);

impl Literals {
    /// Whether the literal is one of them.
    pub(crate) fn contains(&self, literal: Literal) -> bool {
        self.0.contains(literal)
    }

    /// The literal at a place of the order.
    pub(crate) fn get(&self, at: usize) -> Option<Literal> {
        self.0.order.get(at).copied()
    }

    /// The literals.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Literal> {
        self.0.order.iter()
    }
}

impl Formulas {
    /// An arena of the two constants, with room for so many formulas besides.
    pub(crate) fn with_capacity(formulas: usize) -> Self {
        let mut set = IndexSet::with_capacity_and_hasher(formulas + 2, FxBuildHasher);
        set.extend([Formula::True, Formula::False]);
        let (negations, literals) = (FxHashMap::default(), RefCell::default());
        let (of_atom, flat) = (Vec::new(), InsertionSet::default());
        Self { formulas: set, of_atom, negations, operands: 0, flat, literals }
    }

    /// The outermost operator of a formula.
    pub(crate) fn get(&self, id: FormulaId) -> &Formula {
        &self.formulas[id.index()]
    }

    /// Number of formulas so far.
    pub(crate) fn len(&self) -> usize {
        self.formulas.len()
    }

    /// Number of operands of all formulas so far.
    pub(crate) fn operands(&self) -> usize {
        self.operands
    }

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

    /// An atom, or its negation.
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

    /// All of the operands.
    pub(crate) fn and(&mut self, operands: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.join(operands, true)
    }

    /// Any of the operands.
    pub(crate) fn or(&mut self, operands: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.join(operands, false)
    }

    /// Nested operators of one kind become flat, neutral operands go, and one that decides the result is it.
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

    /// Gathers the operands that are neither neutral nor nested; the result, where one decides it.
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
        // An operand that another one implies or is implied by: `a and (a or b)` is `a`.
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

    /// The literals of a formula. Linear in it the first time, and again where they are many.
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

    /// The last operand of an `And`, and the formula of the others, where that is known already.
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

    /// The operands that all hold where the formula does: those of an `And`, or the formula itself.
    pub(crate) fn conjuncts(&self, id: FormulaId) -> Conjuncts {
        match self.get(id) {
            Formula::True => Conjuncts { all: None, one: None, next: 0 },
            Formula::And(operands) => Conjuncts { all: Some(operands.clone()), one: None, next: 0 },
            _ => Conjuncts { all: None, one: Some(id), next: 0 },
        }
    }
}

/// Operands that all hold, in their order.
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

/// The neutral and the deciding operand of a conjunction (`all`) or an alternative.
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
        /// Simplification never changes what a formula says.
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

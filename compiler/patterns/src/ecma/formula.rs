//! Formulas over the states of a program, which the rest of a string must satisfy.
//!
//! A formula is a disjunction of conjunctions. A conjunction waits for at most one state of its own to come to its end,
//! and beside that for formulas of assertions it has passed, each met or not met. An assertion's formula talks about
//! the assertion's body and what is nested in that, so there are finitely many formulas, and equal ones are one number.
//!
//! The subset construction is the case without assertions: every conjunction is a single state.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::program::Program;

/// Number of a formula.
pub(super) type FormulaId = u32;

/// Number of a conjunction.
pub(super) type ConjunctionId = u32;

/// A condition on the rest of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Literal {
    /// There is no rest.
    End,
    /// A prefix of the rest, of at least one byte, leads from this state to the end of its body.
    Await(u32),
    /// The formula holds.
    Holds(FormulaId),
    /// The formula does not hold.
    Fails(FormulaId),
}

/// The bytes at which the behaviour of a formula may change: bit `b` is set where `b` may differ from `b - 1`.
pub(super) type Cuts = [u64; 4];

/// All formulas of one construction.
#[derive(Debug, Default)]
pub(super) struct Formulas {
    conjunctions: IndexSet<Box<[Literal]>, FxBuildHasher>,
    formulas: IndexSet<Box<[ConjunctionId]>, FxBuildHasher>,
    cuts: Vec<Cuts>,
    /// Whether the empty rest satisfies the formula.
    nullable: Vec<bool>,
    /// Cuts by state of the program.
    state_cuts: Vec<Cuts>,
    /// Numbers held in all formulas: the measure of memory.
    size: usize,
}

/// Conjunctions up to which a formula is freed of those that another one implies.
const ABSORBED: usize = 64;

impl Formulas {
    /// The formula that nothing satisfies.
    pub(super) const FALSE: FormulaId = 0;
    /// The formula that every rest satisfies.
    pub(super) const TRUE: FormulaId = 1;
    /// The conjunction of nothing.
    pub(super) const NOTHING: ConjunctionId = 0;

    /// The formulas over the states of a program.
    pub(super) fn new(program: &Program) -> Self {
        let states = 0..program.nfa.len() as u32;
        let state_cuts = states.map(|state| {
            let mut cuts = [0; 4];
            for edge in program.nfa.edges(state).filter(|edge| edge.hi < 256) {
                cut(&mut cuts, edge.lo);
                cut(&mut cuts, edge.hi + 1);
            }
            cuts
        });
        let mut this = Self { state_cuts: state_cuts.collect(), ..Self::default() };
        this.conjunctions.insert(Box::default());
        this.any(&mut Vec::new());
        this.any(&mut vec![Self::NOTHING]);
        this
    }

    /// Numbers held in all formulas.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Whether the formula is satisfied at the end of the string.
    pub(super) fn is_nullable(&self, formula: FormulaId) -> bool {
        self.nullable[formula as usize]
    }

    /// The bytes at which the formula's behaviour may change.
    pub(super) fn cuts(&self, formula: FormulaId) -> Cuts {
        self.cuts[formula as usize]
    }

    /// The bytes at which a state's behaviour may change.
    pub(super) fn cuts_of_state(&self, state: u32) -> Cuts {
        self.state_cuts[state as usize]
    }

    /// The conjunctions of a formula.
    pub(super) fn conjunctions(&self, formula: FormulaId) -> &[ConjunctionId] {
        &self.formulas[formula as usize]
    }

    /// The literals of a conjunction, in ascending order.
    pub(super) fn literals(&self, conjunction: ConjunctionId) -> &[Literal] {
        &self.conjunctions[conjunction as usize]
    }

    /// The conjunction of literals, unless they contradict each other.
    pub(super) fn all(&mut self, mut literals: Vec<Literal>) -> Option<ConjunctionId> {
        literals.retain(|literal| {
            !matches!(literal, Literal::Holds(Self::TRUE) | Literal::Fails(Self::FALSE))
        });
        literals.sort_unstable();
        literals.dedup();
        if literals.first() == Some(&Literal::End) {
            // Nothing follows, so the rest is decided here and now.
            if !literals.iter().all(|&literal| self.holds_at_end(literal)) {
                return None;
            }
            literals.truncate(1);
        }
        let contradicts = |&literal: &Literal| match literal {
            Literal::Holds(formula) => {
                formula == Self::FALSE || literals.binary_search(&Literal::Fails(formula)).is_ok()
            }
            Literal::Fails(formula) => formula == Self::TRUE,
            Literal::End | Literal::Await(_) => false,
        };
        if literals.iter().any(contradicts) {
            return None;
        }
        if let Some(known) = self.conjunctions.get_index_of(&literals[..]) {
            return Some(known as ConjunctionId);
        }
        self.size += literals.len() + 4;
        Some(self.conjunctions.insert_full(literals.into()).0 as ConjunctionId)
    }

    fn holds_at_end(&self, literal: Literal) -> bool {
        match literal {
            Literal::End => true,
            Literal::Await(_) => false,
            Literal::Holds(formula) => self.is_nullable(formula),
            Literal::Fails(formula) => !self.is_nullable(formula),
        }
    }

    /// The disjunction of conjunctions, which are put in order.
    pub(super) fn any(&mut self, conjunctions: &mut Vec<ConjunctionId>) -> FormulaId {
        conjunctions.sort_unstable();
        conjunctions.dedup();
        if conjunctions.first() == Some(&Self::NOTHING) {
            conjunctions.truncate(1);
        }
        if conjunctions.len() <= ABSORBED {
            self.absorb(conjunctions);
        }
        if let Some(known) = self.formulas.get_index_of(&conjunctions[..]) {
            return known as FormulaId;
        }
        let mut cuts = [0; 4];
        let mut nullable = false;
        for &conjunction in &*conjunctions {
            let literals = self.literals(conjunction);
            for &literal in literals {
                let inner = match literal {
                    Literal::End => continue,
                    Literal::Await(state) => self.state_cuts[state as usize],
                    Literal::Holds(inner) | Literal::Fails(inner) => self.cuts(inner),
                };
                merge(&mut cuts, inner);
            }
            nullable |= literals.iter().all(|&literal| self.holds_at_end(literal));
        }
        self.size += conjunctions.len() + 16;
        self.cuts.push(cuts);
        self.nullable.push(nullable);
        self.formulas.insert_full(conjunctions[..].into()).0 as FormulaId
    }

    /// Removes every conjunction that demands all that another one does, and more.
    fn absorb(&self, conjunctions: &mut Vec<ConjunctionId>) {
        let long = |id: ConjunctionId| self.literals(id).len() > 1;
        if !conjunctions.iter().any(|&id| long(id)) {
            return;
        }
        let all = conjunctions.clone();
        conjunctions.retain(|&id| {
            let demands = self.literals(id);
            !long(id)
                || !all.iter().any(|&other| {
                    let fewer = self.literals(other);
                    fewer.len() < demands.len()
                        && fewer.iter().all(|literal| demands.binary_search(literal).is_ok())
                })
        });
    }
}

/// Adds a cut below a byte; 256 is above all bytes.
pub(super) fn cut(cuts: &mut Cuts, byte: u32) {
    if byte < 256 {
        cuts[(byte / 64) as usize] |= 1 << (byte % 64);
    }
}

/// Adds all cuts of `more`.
pub(super) fn merge(cuts: &mut Cuts, more: Cuts) {
    for (word, more) in cuts.iter_mut().zip(more) {
        *word |= more;
    }
}

//! Formulas: interned conditions on the rest of a string, over the states of a program.
//!
//! A formula is a disjunction of conjunctions of literals. A conjunction has at most one literal that awaits a state:
//! the state still has to reach the end of its body. It also has the formulas of the assertions passed, each of which
//! must hold or fail. An assertion's formula refers only to its own body and to assertions nested in it, so there are
//! finitely many formulas. Equal formulas have one number.
//!
//! The subset construction is the case without assertions: every conjunction is a single awaited state. A conjunction
//! is dropped if another one has the same assertions and awaits a state that
//! [simulates](grammarc_grammar::automata::Simulation) its own.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::program::Program;
use grammarc_grammar::automata::{ChainsByState, Entry};

/// Index of an interned formula, which is a disjunction of conjunctions of literals.
pub(super) type FormulaId = u32;

/// Index of an interned conjunction of literals. A literal is a condition on the rest of the string.
pub(super) type ConjunctionId = u32;

/// A literal: an elementary condition on the rest of the string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Literal {
    /// The rest of the string is empty.
    End,
    /// Some prefix of the rest, of at least one byte, leads from this state of the program to the end of its body.
    Await(u32),
    /// The rest satisfies the formula of this index.
    Holds(FormulaId),
    /// The rest does not satisfy the formula of this index.
    Fails(FormulaId),
}

/// A set of borders between ranges of bytes, as a bit set. Bit `b` is set if the transitions on bytes `b - 1` and `b`
/// may differ.
pub(super) type Cuts = [u64; 4];

/// The interner of all formulas and conjunctions of literals of one construction.
#[derive(Debug, Default)]
pub(super) struct Formulas {
    conjunctions: IndexSet<Box<[Literal]>, FxBuildHasher>,
    formulas: IndexSet<Box<[ConjunctionId]>, FxBuildHasher>,
    cuts: Vec<Cuts>,
    /// For each formula (a condition on the rest of the string), whether the empty rest satisfies it.
    nullable: Vec<bool>,
    /// For each state of the program, the borders between ranges of bytes at which its transitions may change.
    state_cuts: Vec<Cuts>,
    /// The known simulations between states of the program, as chains: lists of states in which each simulates (accepts
    /// at least as much as) all later ones. `None` if no simulations are known.
    chains: Option<ChainsByState>,
    /// For each conjunction of literals, one entry for each chain of the state that it awaits: the family and the
    /// position of the state in the chain.
    ranks: Vec<Box<[Rank]>>,
    /// The interned families of conjunctions. A family is a chain (a list of states in which each simulates all later
    /// ones), together with a conjunction. That conjunction has all literals of the members but the awaited state.
    families: IndexSet<(u32, ConjunctionId), FxBuildHasher>,
    /// The size of all formulas, counted in literals and conjunctions, as a measure of memory.
    size: usize,
}

/// The position of a conjunction of literals in a family. The conjunctions of a family differ only in the awaited
/// state, and these states form one chain, in which each simulates all later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// The index of the family: a chain of states, and the literals that are no awaited state.
    family: u32,
    /// The position of the awaited state in the chain, from 0. The state simulates the states at higher positions.
    rank: u32,
}

/// Most conjunctions (of literals) of a formula in which each is compared with all others to find redundant ones. The
/// comparison is quadratic, so larger formulas keep them.
const ABSORBED: usize = 64;

impl Formulas {
    /// The formula that no rest of a string satisfies. It is the empty disjunction.
    pub(super) const FALSE: FormulaId = 0;
    /// The formula that every rest of a string satisfies.
    pub(super) const TRUE: FormulaId = 1;
    /// The conjunction without any literal, which every rest of a string satisfies.
    pub(super) const NOTHING: ConjunctionId = 0;

    /// Returns the interner for the states of a program, with the formulas (conditions on the rest of the string)
    /// `FALSE` and `TRUE`.
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
        let simulation = &program.nfa.simulation;
        let chains = (!simulation.is_empty()).then(|| simulation.by_state(program.nfa.len()));
        let mut this = Self { state_cuts: state_cuts.collect(), chains, ..Self::default() };
        this.ranks.push(Box::default());
        this.conjunctions.insert(Box::default());
        this.any(&mut Vec::new());
        this.any(&mut vec![Self::NOTHING]);
        this
    }

    /// Returns the size of all formulas, counted in literals and conjunctions, as a measure of memory.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Whether the empty rest of a string satisfies a formula.
    pub(super) fn is_nullable(&self, formula: FormulaId) -> bool {
        self.nullable[formula as usize]
    }

    /// Returns the borders between ranges of bytes at which the derivative of a formula (a condition on the rest of the
    /// string) may change.
    pub(super) fn cuts(&self, formula: FormulaId) -> Cuts {
        self.cuts[formula as usize]
    }

    /// Returns the borders between ranges of bytes at which the transitions of a state may change.
    pub(super) fn cuts_of_state(&self, state: u32) -> Cuts {
        self.state_cuts[state as usize]
    }

    /// Returns the conjunctions (of literals) that a formula is the disjunction of, sorted by index.
    pub(super) fn conjunctions(&self, formula: FormulaId) -> &[ConjunctionId] {
        &self.formulas[formula as usize]
    }

    /// Returns the literals of a conjunction, sorted and without duplicates.
    pub(super) fn literals(&self, conjunction: ConjunctionId) -> &[Literal] {
        &self.conjunctions[conjunction as usize]
    }

    /// Interns a conjunction of literals, and returns its index. `None` if no rest of the string satisfies all of the
    /// literals.
    pub(super) fn all(&mut self, mut literals: Vec<Literal>) -> Option<ConjunctionId> {
        literals.retain(|literal| {
            !matches!(literal, Literal::Holds(Self::TRUE) | Literal::Fails(Self::FALSE))
        });
        literals.sort_unstable();
        literals.dedup();
        if literals.first() == Some(&Literal::End) {
            // Nothing follows the end of the string, so the other literals are evaluated now.
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
        let ranks = self.ranks_of(&literals);
        self.ranks.push(ranks);
        Some(self.conjunctions.insert_full(literals.into()).0 as ConjunctionId)
    }

    /// Returns the positions of a new conjunction in its families: one for each chain of states that contains the state
    /// it awaits. Interns first the conjunction of its other literals.
    fn ranks_of(&mut self, literals: &[Literal]) -> Box<[Rank]> {
        let awaited = literals.iter().find_map(|literal| match literal {
            Literal::Await(state) => Some(*state),
            _ => None,
        });
        let Some((chains, state)) = self.chains.as_ref().zip(awaited) else {
            return Box::default();
        };
        let entries: Vec<Entry> = chains.of(state).copied().collect();
        if entries.is_empty() {
            return Box::default();
        }
        let others = literals.iter().filter(|literal| !matches!(literal, Literal::Await(_)));
        let Some(others) = self.all(others.copied().collect()) else { return Box::default() };
        let ranked = entries.iter().map(|entry| {
            let family = self.families.insert_full((entry.chain, others)).0 as u32;
            Rank { family, rank: entry.rank }
        });
        ranked.collect()
    }

    /// Removes redundant states from the state set of a tracker (the automaton of a lookbehind). A state is redundant
    /// if another state of the set simulates it under the same condition.
    pub(super) fn remove_simulated_states(&self, set: &mut Vec<(u32, FormulaId)>) {
        let Some(chains) = &self.chains else { return };
        remove_higher(set, |&(state, demand)| {
            chains.of(state).map(move |entry| ((entry.chain, demand), entry.rank))
        });
    }

    /// Removes each conjunction of literals that another one makes redundant. The other has the same literals, but
    /// awaits a state that simulates the state awaited here.
    fn remove_simulated(&self, conjunctions: &mut Vec<ConjunctionId>) {
        remove_higher(conjunctions, |&id| {
            self.ranks[id as usize].iter().map(|rank| (rank.family, rank.rank))
        });
    }

    fn holds_at_end(&self, literal: Literal) -> bool {
        match literal {
            Literal::End => true,
            Literal::Await(_) => false,
            Literal::Holds(formula) => self.is_nullable(formula),
            Literal::Fails(formula) => !self.is_nullable(formula),
        }
    }

    /// Interns the disjunction of some conjunctions of literals, and returns the index of the formula. Sorts the list,
    /// and removes redundant conjunctions from it.
    pub(super) fn any(&mut self, conjunctions: &mut Vec<ConjunctionId>) -> FormulaId {
        conjunctions.sort_unstable();
        conjunctions.dedup();
        if conjunctions.first() == Some(&Self::NOTHING) {
            conjunctions.truncate(1);
        }
        if conjunctions.len() > 1 && self.chains.is_some() {
            self.remove_simulated(conjunctions);
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

    /// Removes each conjunction that another one makes redundant, because the other has a proper subset of its
    /// literals.
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

/// Removes each member that has not the lowest rank of all members in one of its families. `ranks` returns the families
/// of a member, each with the member's rank there. O(n log n) for n ranks.
fn remove_higher<T, F: Copy + Ord, I: Iterator<Item = (F, u32)>>(
    members: &mut Vec<T>,
    ranks: impl Fn(&T) -> I,
) {
    let mut lowest: Vec<(F, u32)> = members.iter().flat_map(&ranks).collect();
    lowest.sort_unstable();
    lowest.dedup_by_key(|&mut (family, _)| family);
    members.retain(|member| ranks(member).all(|rank| lowest.binary_search(&rank).is_ok()));
}

/// Adds the border between the bytes `byte - 1` and `byte` to a set. Values of 256 and more are ignored.
pub(super) fn cut(cuts: &mut Cuts, byte: u32) {
    if byte < 256 {
        cuts[(byte / 64) as usize] |= 1 << (byte % 64);
    }
}

/// Adds all borders of `more` to a set of borders between ranges of bytes.
pub(super) fn merge(cuts: &mut Cuts, more: Cuts) {
    for (word, more) in cuts.iter_mut().zip(more) {
        *word |= more;
    }
}

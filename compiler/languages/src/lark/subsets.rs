//! The subset construction of a unit's automaton over lexemes. States are constructed when they are
//! reached.

use rustc_hash::FxHashMap;

use super::follow::Facts;
use super::lexicon::{Lexicon, TerminalId};
use super::units::{Letter, Unit};
use grammarc_grammar::ir::ByteSet;

/// Index of a state of the subset construction.
pub(super) type SubsetId = u32;

/// A state of the subset construction: a set of states of one unit's automaton.
#[derive(Debug)]
pub(super) struct Subset {
    /// States of the set with outgoing edges, in ascending order.
    members: Vec<u32>,
    /// Whether the unit (a rule with its callees inlined) may end in this state.
    pub(super) is_final: bool,
    /// Terminals that may come next, in ascending order. Ignored terminals are left out if nothing
    /// else follows.
    pub(super) terminals: Vec<TerminalId>,
    /// The other letters that may come next (opaque expressions (tokens, schemas, nested grammars)
    /// and called units), in ascending order, with their target states.
    pub(super) others: Vec<(Letter, Vec<u32>)>,
    /// All bytes that may come next: the union of the first bytes of all letters (terminals, called
    /// units and other expressions).
    pub(super) first: ByteSet,
}

/// The subset construction of one unit (a rule with its callees inlined), with the states reached
/// so far.
pub(super) struct Subsets<'r> {
    unit: &'r Unit,
    facts: &'r Facts,
    lexicon: &'r Lexicon,
    ignored: &'r [TerminalId],
    /// Whether ignored text may precede the end of the unit (a rule with its callees inlined). It
    /// may not at the end of the whole text.
    keeps_ends: bool,
    states: Vec<Subset>,
    known: FxHashMap<(Vec<u32>, bool), SubsetId>,
    steps: FxHashMap<(SubsetId, Vec<TerminalId>), SubsetId>,
}

impl<'r> Subsets<'r> {
    /// Starts the construction. The start state is the only one at first.
    pub(super) fn new(
        unit: &'r Unit,
        facts: &'r Facts,
        lexicon: &'r Lexicon,
        ignored: &'r [TerminalId],
        keeps_ends: bool,
    ) -> Self {
        let (known, steps) = (FxHashMap::default(), FxHashMap::default());
        let states = Vec::new();
        let mut subsets = Self { unit, facts, lexicon, ignored, keeps_ends, states, known, steps };
        subsets.of([Unit::START]);
        subsets
    }

    fn is_ignored(&self, letter: Letter) -> bool {
        matches!(letter, Letter::Terminal(id) if self.ignored.contains(&id))
    }

    pub(super) fn get(&self, id: SubsetId) -> &Subset {
        &self.states[id as usize]
    }

    /// Returns the state for the epsilon closure of the given states of the unit (a rule with its
    /// callees inlined), and adds it if it is new.
    pub(super) fn of(&mut self, states: impl IntoIterator<Item = u32>) -> SubsetId {
        let mut members = self.unit.closure(states);
        let is_final = members.binary_search(&Unit::END).is_ok();
        let edges = |state: u32| &self.unit.edges[state as usize];
        members.retain(|state| !edges(*state).is_empty());
        let key = (members, is_final);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let members = key.0.clone();
        let mut terminals = Vec::new();
        let mut others: Vec<(Letter, Vec<u32>)> = Vec::new();
        let mut all: Vec<(Letter, u32)> =
            members.iter().flat_map(|state| edges(*state)).copied().collect();
        all.sort_unstable();
        // If no lexeme follows, nothing is ignored.
        if !self.keeps_ends && all.iter().all(|(letter, _)| self.is_ignored(*letter)) {
            all.clear();
        }
        let mut first = ByteSet::EMPTY;
        for (letter, to) in all {
            match letter {
                Letter::Terminal(id) if terminals.last() == Some(&id) => continue,
                Letter::Terminal(id) => terminals.push(id),
                other => match others.last_mut() {
                    Some((last, targets)) if *last == other => targets.push(to),
                    _ => others.push((other, vec![to])),
                },
            }
            first = first.union(self.facts.first_of_letter(letter, self.lexicon));
        }
        let next = self.states.len() as SubsetId;
        self.states.push(Subset { members, is_final, terminals, others, first });
        self.known.insert(key, next);
        next
    }

    /// Returns the target state after several terminals that match the same text. If some of them
    /// are ignored terminals, the others do not count.
    pub(super) fn go(&mut self, from: SubsetId, terminals: &[TerminalId]) -> SubsetId {
        let ignored = terminals.iter().copied().filter(|id| self.ignored.contains(id));
        let ignored: Vec<TerminalId> = ignored.collect();
        let terminals = if ignored.is_empty() { terminals } else { &*ignored };
        let key = (from, terminals.to_vec());
        if let Some(&known) = self.steps.get(&key) {
            return known;
        }
        let members = self.states[from as usize].members.iter();
        let edges = members.flat_map(|state| &self.unit.edges[*state as usize]);
        let is_one = |letter: &Letter| match letter {
            Letter::Terminal(id) => terminals.contains(id),
            _ => false,
        };
        let targets: Vec<u32> = edges.filter(|edge| is_one(&edge.0)).map(|edge| edge.1).collect();
        let to = self.of(targets);
        self.steps.insert(key, to);
        to
    }
}

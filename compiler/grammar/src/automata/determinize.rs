//! Determinization by subset construction. The result has only states on a path to acceptance.
//!
//! Source: M. O. Rabin and D. Scott, "Finite automata and their decision problems", IBM J. Res.
//! Dev. 3(2), 1959.
//!
//! Subsets contain only *important* states: those with edges on symbols, and the final state. So
//! subsets that differ only in states with empty transitions are equal. A member that another
//! member [simulates](super::simulation) is dropped. The cost is the size of the result times the
//! number of members of its subsets. The result may be exponential in the input, so the caller
//! limits its number of states.

use super::simulation::Simulated;
use super::table::Table;
use super::{Dfa, Edge, Nfa, StateBudget, StateLimit};
use crate::interner::Interner;

/// The value of a subset number that is not known yet.
const UNKNOWN: u32 = u32::MAX;

/// Initial capacity of the buffers for one subset, in edges or states. Most subsets have fewer. The
/// buffers grow beyond that.
const MANY: usize = 32;

/// The number of states that determinization builds between two estimates of its memory use.
const STATES_A_LOOK: usize = 256;

/// The lowest value in `Subsets::all` that denotes a subset with more than one member. Lower values
/// are the number of the only member.
const SEVERAL: u32 = 1 << 31;

/// Determinizes an automaton by subset construction, and trims the result: every state is reachable
/// and live. Only the initial state stays if the language is empty.
///
/// # Errors
///
/// [`StateLimit`] if the result has more states than allowed, or if the budget is spent.
pub fn determinize(nfa: &Nfa, allowed: StateBudget<'_>) -> Result<Dfa, StateLimit> {
    Ok(table(nfa, allowed)?.to_dfa().trimmed())
}

/// Determinizes an automaton by subset construction into a table, the form that minimization reads.
/// Dead states are kept.
pub(super) fn table(nfa: &Nfa, allowed: StateBudget<'_>) -> Result<Table, StateLimit> {
    let mut held = allowed.held();
    let mut subsets = Subsets::new(nfa, allowed);
    let mut table = Table::with_capacity(nfa.len(), 2 * nfa.edge_count());
    if subsets.number(&[nfa.start]).is_none() {
        table.end(false);
        return Ok(table);
    }
    let mut moves: Vec<Edge> = Vec::with_capacity(MANY);
    let mut pieces = Pieces::with_capacity(MANY);
    let are_disjoint = |moves: &[Edge]| moves.is_sorted_by(|one, next| one.hi < next.lo);
    while table.len() < subsets.count() {
        if table.len().is_multiple_of(STATES_A_LOOK) {
            allowed.hold(&mut held, table.bytes() + subsets.bytes())?;
        }
        let members = subsets.members(table.len());
        allowed.spend(members.len())?;
        let accepting = members.contains(&nfa.end);
        // Most subsets have one member. Most of the others have two members: a position within one
        // key of an object, and a position within all other keys.
        let in_order = match *members {
            [one] => nfa.only_run(one).map(|run| [run, &[]]),
            [one, other] => nfa.only_run(one).zip(nfa.only_run(other)).map(<[_; 2]>::from),
            _ => None,
        };
        let in_order = in_order.filter(|runs| runs.iter().all(|run| are_disjoint(run)));
        if in_order.is_none() {
            moves.clear();
            let runs = members.iter().flat_map(|&member| nfa.runs(member));
            // The runs are short, so pushing single edges is faster than extending.
            runs.for_each(|run| run.iter().for_each(|edge| moves.push(*edge)));
            moves.sort_unstable_by_key(|edge| edge.lo);
        }
        let piece = |lo, hi, targets: &[u32]| {
            if let Some(target) = subsets.number(targets) {
                table.add(Edge { lo, hi, target });
            }
            allowed.spend(targets.len())
        };
        match in_order {
            Some([one, []]) => one.iter().for_each(|edge| {
                if let Some(target) = subsets.number_of_one(edge.target) {
                    table.add(Edge { target, ..*edge });
                }
            }),
            Some([one, other]) => cut_two(one, other, piece)?,
            None => pieces.cut(&moves, piece)?,
        }
        if subsets.count() > allowed.states {
            return Err(allowed.error());
        }
        table.end(accepting);
    }
    Ok(table)
}

/// An interner of subsets of an automaton's states. Subsets are numbered from 0 in the order of
/// discovery. Their numbers are the states of the deterministic automaton.
pub(super) struct Subsets<'a> {
    /// The nondeterministic automaton whose states form the subsets.
    nfa: &'a Nfa,
    /// The limits on states, time and memory.
    allowed: StateBudget<'a>,
    /// For each subset, by its number, its members. A subset with one member is that state's
    /// number. A larger subset is [`SEVERAL`] plus its index in `several`.
    all: Vec<u32>,
    /// The subsets with more than one member, each as the sorted numbers of its states. This
    /// interner numbers them separately; `numbers` maps to the common numbers.
    several: Interner,
    /// Maps the index in `several` of a subset with more than one member to the number of the
    /// subset among all subsets.
    numbers: Vec<u32>,
    /// For each state of the nondeterministic automaton, the numbers of the subset of this state
    /// alone and of its epsilon closure.
    known: Vec<Known>,
    /// The number of the current search for an epsilon closure. Each search gets a new number, so
    /// that marks of earlier searches need not be cleared.
    mark: u32,
    /// The states that the current search for an epsilon closure still has to visit.
    stack: Vec<u32>,
    /// A buffer for the members of the subset that is being computed.
    members: Vec<u32>,
    /// Removes from each subset the states that another member simulates (accepts every string they
    /// accept). `None` if the automaton has no known simulations.
    simulated: Option<Simulated>,
}

/// The numbers of the subsets that belong to one state of the nondeterministic automaton, and the
/// mark of the last search that reached it.
#[derive(Clone, Copy)]
struct Known {
    /// The number of the subset whose only member is the state, or [`UNKNOWN`] if it was not needed
    /// yet. Most states within an object's key occur in such subsets.
    single: u32,
    /// The number of the subset that is the state's epsilon closure: the states that it reaches by
    /// empty transitions. [`UNKNOWN`] if the number was not needed yet.
    alone: u32,
    /// The number of the last search for an epsilon closure that reached the state.
    mark: u32,
}

impl<'a> Subsets<'a> {
    /// Creates an interner for the subsets of an automaton's states, without subsets.
    pub(super) fn new(nfa: &'a Nfa, allowed: StateBudget<'a>) -> Self {
        let count = nfa.len();
        let simulation = &nfa.simulation;
        let simulated =
            (!simulation.is_empty()).then(|| Simulated::new(simulation.by_state(count)));
        Self {
            nfa,
            allowed,
            all: Vec::with_capacity(count),
            several: Interner::default(),
            numbers: Vec::new(),
            known: vec![Known { single: UNKNOWN, alone: UNKNOWN, mark: 0 }; count],
            mark: 0,
            stack: Vec::with_capacity(MANY),
            members: Vec::with_capacity(MANY),
            simulated,
        }
    }

    /// Returns the number of subsets found so far.
    fn count(&self) -> usize {
        self.all.len()
    }

    /// Returns the approximate memory of all subsets found so far, in bytes.
    fn bytes(&self) -> usize {
        size_of_val(&*self.known) + size_of_val(&*self.all) + self.several.bytes()
    }

    /// Returns the states in the subset with a given number, in ascending order.
    pub(super) fn members(&self, number: usize) -> &[u32] {
        match self.all[number].checked_sub(SEVERAL) {
            None => &self.all[number..=number],
            Some(several) => self.several.get(several),
        }
    }

    /// Returns the number of the subset that is a state's epsilon closure, without simulated
    /// states. Returns `None` if the closure has no important state, so that nothing is accepted
    /// from it.
    #[inline]
    fn number_of_one(&mut self, state: u32) -> Option<u32> {
        if self.known[state as usize].alone == UNKNOWN {
            self.known[state as usize].alone = match self.nfa.has_empties(state) {
                false => is_important(self.nfa, state).then(|| self.number_of_member(state))?,
                true => {
                    self.close(&[state]);
                    self.number_of_members()?
                }
            };
        }
        Some(self.known[state as usize].alone)
    }

    /// Returns the number of the subset that is the epsilon closure of the states `from`, without
    /// simulated states. `from` may repeat states. Returns `None` if the closure has no important
    /// state (a state with edges on symbols, or the final state).
    #[inline]
    pub(super) fn number(&mut self, from: &[u32]) -> Option<u32> {
        match *from {
            [state] => self.number_of_one(state),
            _ => {
                self.close(from);
                self.number_of_members()
            }
        }
    }

    /// Returns the number of the subset whose only member is the state `member`, and adds the
    /// subset if it is new. The state has to be important: it has edges on symbols, or is the final
    /// state.
    pub(super) fn number_of_member(&mut self, member: u32) -> u32 {
        let number = &mut self.known[member as usize].single;
        if *number == UNKNOWN {
            *number = self.all.len() as u32;
            self.all.push(member);
        }
        *number
    }

    /// Returns the number of the subset whose states are in the buffer `members`, and adds the
    /// subset if it is new. Returns `None` if the buffer is empty.
    fn number_of_members(&mut self) -> Option<u32> {
        match self.members[..] {
            [] => None,
            [member] => Some(self.number_of_member(member)),
            _ => {
                if self.numbers.is_empty() {
                    // Many automata have no subset with several members.
                    let count = self.known.len();
                    self.several = Interner::with_capacity(count / 2, count);
                    self.numbers.reserve(count / 2);
                }
                let several = self.several.number(&self.members);
                if several as usize == self.numbers.len() {
                    self.numbers.push(self.all.len() as u32);
                    self.all.push(SEVERAL + several);
                }
                Some(self.numbers[several as usize])
            }
        }
    }

    /// Fills the buffer `members` with the important states in the epsilon closure of `from`,
    /// sorted. Drops each state that another state of the closure simulates.
    fn close(&mut self, from: &[u32]) {
        self.reach(from);
        if let Some(simulated) = &mut self.simulated {
            simulated.remove_from(&mut self.members);
        }
    }

    /// Fills the buffer `members` with the important states in the epsilon closure of `from`,
    /// sorted. A state is important if it has edges on symbols or is the final state.
    fn reach(&mut self, from: &[u32]) {
        let nfa = self.nfa;
        self.members.clear();
        if from.iter().all(|&state| !nfa.has_empties(state)) {
            self.members.extend(from.iter().copied().filter(|&state| is_important(nfa, state)));
            self.members.sort_unstable();
            self.members.dedup();
            return;
        }
        self.mark += 1;
        self.stack.extend_from_slice(from);
        while let Some(state) = self.stack.pop() {
            if std::mem::replace(&mut self.known[state as usize].mark, self.mark) == self.mark {
                continue;
            }
            if is_important(nfa, state) {
                self.members.push(state);
            }
            self.stack.extend(nfa.empties(state));
            // If the budget is spent, the result is discarded.
            if self.allowed.spend(1).is_err() {
                self.stack.clear();
            }
        }
        self.members.sort_unstable();
    }
}

/// Whether a state is important: it has edges on symbols, or is the automaton's final state. Other
/// states have only empty transitions and are left out of subsets.
fn is_important(nfa: &Nfa, state: u32) -> bool {
    nfa.has_edges(state) || state == nfa.end
}

/// Cuts two lists of edges, which may overlap each other, into disjoint ranges of symbols. Calls
/// `piece` for each range in ascending order, with its lowest symbol, its highest symbol, and its
/// one or two targets. The edges of each list have to be sorted and disjoint.
fn cut_two<E>(
    one: &[Edge],
    other: &[Edge],
    mut piece: impl FnMut(u32, u32, &[u32]) -> Result<(), E>,
) -> Result<(), E> {
    let [mut one, mut other] = [one, other].map(|edges| edges.iter().copied());
    let (mut a, mut b) = (one.next(), other.next());
    while let (Some(x), Some(y)) = (&mut a, &mut b) {
        let (low, high) = if x.lo <= y.lo { (&mut *x, &mut *y) } else { (&mut *y, &mut *x) };
        if low.lo < high.lo {
            let hi = low.hi.min(high.lo - 1);
            piece(low.lo, hi, &[low.target])?;
            low.lo = hi + 1;
        } else {
            let hi = low.hi.min(high.hi);
            piece(low.lo, hi, &[low.target, high.target])?;
            (low.lo, high.lo) = (hi + 1, hi + 1);
        }
        let [is_past, other_is_past] = [x.lo > x.hi, y.lo > y.hi];
        if is_past {
            a = one.next();
        }
        if other_is_past {
            b = other.next();
        }
    }
    let mut rest = a.into_iter().chain(one).chain(b).chain(other);
    rest.try_for_each(|edge| piece(edge.lo, edge.hi, &[edge.target]))
}

/// Buffers for cutting overlapping edges into disjoint ranges of symbols.
pub(super) struct Pieces {
    /// The edges whose range of symbols contains the current symbol.
    open: Vec<Edge>,
    /// The target states of the edges in `open`.
    targets: Vec<u32>,
}

impl Pieces {
    /// Creates empty buffers with a capacity of `count` overlapping edges.
    pub(super) fn with_capacity(count: usize) -> Self {
        Self { open: Vec::with_capacity(count), targets: Vec::with_capacity(count) }
    }

    /// Cuts overlapping edges into disjoint ranges of symbols. The edges have to be sorted by their
    /// lowest symbols. Calls `piece` for each range in ascending order, with its lowest symbol, its
    /// highest symbol (inclusive), and its target states. The targets are unsorted and may be
    /// repeated.
    pub(super) fn cut<E>(
        &mut self,
        moves: &[Edge],
        mut piece: impl FnMut(u32, u32, &[u32]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { open, targets } = self;
        let mut next = 0;
        let mut from = 0;
        while next < moves.len() || !open.is_empty() {
            if open.is_empty() {
                let edge = moves[next];
                if moves.get(next + 1).is_none_or(|other| edge.hi < other.lo) {
                    piece(edge.lo, edge.hi, &[edge.target])?;
                    next += 1;
                    continue;
                }
                from = edge.lo;
            }
            while next < moves.len() && moves[next].lo == from {
                open.push(moves[next]);
                next += 1;
            }
            let mut to = open.iter().map(|edge| edge.hi).min().unwrap_or(from);
            if let Some(edge) = moves.get(next) {
                to = to.min(edge.lo - 1);
            }
            targets.clear();
            targets.extend(open.iter().map(|edge| edge.target));
            piece(from, to, targets)?;
            open.retain(|edge| edge.hi > to);
            from = to + 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn splits_overlaps_into_disjoint_ranges() {
        let edge = |lo, hi, target| Edge { lo, hi, target };
        let moves = [edge(0, 10, 1), edge(5, 20, 2), edge(5, 5, 3), edge(30, 30, 1)];
        let mut pieces = Vec::new();
        let piece = |lo, hi, targets: &[u32]| {
            pieces.push((lo, hi, targets.to_vec()));
            Ok::<(), Infallible>(())
        };
        assert_eq!(Pieces::with_capacity(0).cut(&moves, piece), Ok(()));
        assert_eq!(
            pieces,
            [
                (0, 4, vec![1]),
                (5, 5, vec![1, 2, 3]),
                (6, 10, vec![1, 2]),
                (11, 20, vec![2]),
                (30, 30, vec![1]),
            ]
        );
    }

    #[test]
    fn two_lists_are_cut_as_one_is() {
        let edge = |lo, hi, target| Edge { lo, hi, target };
        let one = [edge(0, 10, 1), edge(12, 12, 2), edge(20, 40, 3)];
        let other = [edge(5, 6, 4), edge(10, 25, 5), edge(40, 41, 6), edge(50, 60, 6)];
        let mut pieces = Vec::new();
        let mut piece = |lo, hi, targets: &[u32]| {
            let mut targets = targets.to_vec();
            targets.sort_unstable();
            pieces.push((lo, hi, targets));
            Ok::<(), Infallible>(())
        };
        let mut moves = [&one[..], &other].concat();
        moves.sort_unstable_by_key(|edge| edge.lo);
        assert_eq!(Pieces::with_capacity(0).cut(&moves, &mut piece), Ok(()));
        assert_eq!(cut_two(&one, &other, &mut piece), Ok(()));
        assert_eq!(cut_two(&other, &one, &mut piece), Ok(()));
        let (first, rest) = pieces.split_at(pieces.len() / 3);
        assert_eq!([first, first].concat(), rest);
    }

    #[test]
    fn the_limit_is_an_error() {
        // (a|b)*a(a|b){6}: 2^7 subsets.
        let mut nfa = Nfa::new();
        nfa.edge(0, 97, 98, 0);
        let mut at = nfa.state();
        nfa.edge(0, 97, 97, at);
        for _ in 0..6 {
            let next = nfa.state();
            nfa.edge(at, 97, 98, next);
            at = next;
        }
        nfa.empty(at, nfa.end);
        assert_eq!(determinize(&nfa, StateBudget::of(100)), Err(StateLimit { limit: 100 }));
        assert_eq!(determinize(&nfa, StateBudget::of(128)).map(|dfa| dfa.states.len()), Ok(128));
    }
}

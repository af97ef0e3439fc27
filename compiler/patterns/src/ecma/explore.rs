//! Determinizes a program: one state of the result for each condition on the rest of the string.
//!
//! A program is the nondeterministic automaton of a pattern, with guards for assertions. A state of the result is the
//! condition that the rest of the string has to satisfy (a [formula](super::formula)). If the condition may depend on
//! the text before, the state also has the state sets of the trackers. For word boundaries, it has whether the last
//! character was a word character. There is no backtracking. A lookahead becomes part of the condition on the rest. A
//! lookbehind is answered by a tracker, an automaton that runs from the start of the string. Both may occur anywhere,
//! in loops and in each other.
//!
//! The automaton of UTF-8 runs in parallel, so the result accepts only valid UTF-8.
//!
//! Cost: O(states of the result · classes of bytes · literals in a formula). Without assertions this is the subset
//! construction. The states and the total size of all formulas are bounded.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use crate::class::all_texts;
use grammarc_grammar::automata::{Dfa, DfaState, Edge, StateBudget, Symbol};
use grammarc_grammar::insertion_set::InsertionSet;
use grammarc_grammar::ir::ByteSet;

use super::formula::{ConjunctionId, Cuts, FormulaId, Formulas, Literal, cut, merge};
use super::program::{Guard, Program, TooLarge};

/// Size of formulas, counted in literals and conjunctions, that is allowed for each allowed state. Beyond that the
/// automaton counts as too large, which bounds the memory.
const SIZE_OF_STATE: usize = 64;

/// Steps of the budget that one state costs besides its edges: an estimate of its share of the work.
const STEPS_A_STATE: usize = 1 << 6;

/// Builds the trimmed automaton of all texts that a program matches. Fails with `TooLarge` beyond the limit on states,
/// if the formulas (conditions on the rest of the string) take too much memory, or if the budget is spent.
pub(super) fn explore(program: &Program, limit: StateBudget<'_>) -> Result<Dfa, TooLarge> {
    let texts = all_texts();
    let mut explorer = Explorer {
        program,
        formulas: Formulas::new(program),
        tracks: IndexSet::default(),
        place: Place { at_start: true, after_word: false, tracks: Vec::new() },
        closures: vec![None; program.nfa.len()],
        closed: Vec::new(),
        derivatives: FxHashMap::default(),
        ways: Vec::new(),
        ways_on: ByteSet::EMPTY,
        choices: Choices::default(),
        walked: InsertionSet::default(),
    };
    let first = explorer.first();
    let mut order: IndexSet<Key, FxBuildHasher> = IndexSet::default();
    order.insert(first);
    let mut states = Vec::new();
    while let Some(key) = order.get_index(states.len()).cloned() {
        let cuts = explorer.cuts(&key, &texts.states[key.utf8 as usize]);
        let has_ways = explorer.find_ways(key.formula);
        let mut state = DfaState::default();
        for (lo, hi) in ranges(cuts) {
            if has_ways && !explorer.ways_on.contains(lo as u8) {
                continue;
            }
            let Some(utf8) = texts.next(key.utf8, lo) else { continue };
            let Some(next) = explorer.step(&key, has_ways, lo as u8, utf8) else { continue };
            let target = order.insert_full(next).0 as u32;
            state.add(Edge { lo, hi, target });
        }
        let most = limit.states;
        if limit.spend(state.edges.len() + STEPS_A_STATE).is_err()
            || order.len() > most
            || explorer.formulas.size() > most.saturating_mul(SIZE_OF_STATE).saturating_add(1 << 16)
        {
            return Err(TooLarge);
        }
        state.accepting = key.utf8 == 0 && explorer.formulas.is_nullable(key.formula);
        states.push(state);
    }
    Ok(Dfa { states }.trimmed())
}

/// A state of the resulting automaton, before it is numbered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    /// The state of the UTF-8 automaton. 0 lies between two characters.
    utf8: u32,
    /// The condition that the rest of the string has to satisfy.
    formula: FormulaId,
    /// Whether the last character was a word character. False if the formula (a condition on the rest of the string)
    /// does not depend on it.
    after_word: bool,
    /// The state set of each tracker, which is the automaton of a lookbehind. Empty if the formula (a condition on the
    /// rest of the string) does not depend on them, which is the common case.
    ///
    /// Not a boxed slice: comparing two empty boxes is slow, because their dangling pointers cause a late fault in the
    /// processor.
    tracks: SmallVec<[u32; 2]>,
}

/// The current position in the string, as far as guards depend on the text before it.
#[derive(Debug, Default)]
struct Place {
    at_start: bool,
    after_word: bool,
    /// The state sets of the trackers (the automata of lookbehinds) computed so far. A tracker's set is computed before
    /// other trackers need it.
    tracks: Vec<u32>,
}

struct Explorer<'a> {
    program: &'a Program,
    formulas: Formulas,
    /// The interned state sets of trackers (the automata of lookbehinds). A set maps each state of a tracker to the
    /// condition on the rest under which the tracker is in it.
    tracks: IndexSet<Box<[(u32, FormulaId)]>, FxBuildHasher>,
    place: Place,
    /// For each state of the program, its formula (a condition on the rest of the string) at the current position.
    /// `None` if not yet computed.
    closures: Vec<Option<FormulaId>>,
    /// The states whose formulas (conditions on the rest of the string) at the current position are computed.
    closed: Vec<u32>,
    /// Maps the formula (a condition on the rest of the string) of an assertion to its derivative by the byte before
    /// the current position.
    derivatives: FxHashMap<FormulaId, FormulaId>,
    /// The transitions of the current formula (a condition on the rest of the string). Complete only if the formula is
    /// a set of states without any assertion.
    ways: Vec<Edge>,
    /// The set of bytes on which the transitions in `ways` are, usually few. No successor is computed for other bytes.
    ways_on: ByteSet,
    /// The formula (a condition on the rest of the string) under construction, kept to reuse its memory.
    choices: Choices,
    /// The pairs of a state and a condition that a walk over empty transitions has visited. Kept to reuse its memory.
    walked: InsertionSet<(u32, ConjunctionId)>,
}

/// A disjunction under construction: the conjunctions of literals of a future formula.
#[derive(Default)]
struct Choices {
    all: Vec<ConjunctionId>,
    /// The formula that all conjunctions of literals come from, if they come from one. It is then the result without
    /// any search; most bytes lead to one state.
    only: Option<FormulaId>,
}

impl Choices {
    fn push(&mut self, conjunction: ConjunctionId) {
        self.only = None;
        self.all.push(conjunction);
    }

    fn add(&mut self, formula: FormulaId, formulas: &Formulas) {
        if self.only != Some(formula) {
            self.only = self.all.is_empty().then_some(formula);
            self.all.extend_from_slice(formulas.conjunctions(formula));
        }
    }

    /// Interns the disjunction of all collected conjunctions of literals, and clears the collection. Without any, the
    /// result is `FALSE`.
    fn formula(&mut self, formulas: &mut Formulas) -> FormulaId {
        let formula = match self.only {
            Some(only) => only,
            None if self.all.is_empty() => Formulas::FALSE,
            None => formulas.any(&mut self.all),
        };
        self.all.clear();
        self.only = None;
        formula
    }
}

impl Explorer<'_> {
    fn first(&mut self) -> Key {
        for tracker in 0..self.program.trackers.len() {
            let start = self.program.trackers[tracker].start;
            let entered = self.walk(start, Formulas::NOTHING);
            self.track(entered);
        }
        let formula = self.closure(Program::START);
        self.leave();
        self.key(0, formula)
    }

    /// Forgets the formulas (conditions on the rest of the string) of states at the current position.
    fn leave(&mut self) {
        self.closed.drain(..).for_each(|state| self.closures[state as usize] = None);
    }

    /// Returns the successor of a state of the result on a byte. [`find_ways`](Self::find_ways) must have run for the
    /// state. `utf8` is the next state of the UTF-8 automaton. `None` if no rest of the string can be accepted.
    fn step(&mut self, key: &Key, has_ways: bool, byte: u8, utf8: u32) -> Option<Key> {
        if self.program.has_boundaries || !self.program.trackers.is_empty() {
            self.leave();
        }
        self.derivatives.clear();
        self.place.at_start = false;
        self.place.after_word = byte.is_ascii_alphanumeric() || byte == b'_';
        self.place.tracks.clear();
        for &set in &key.tracks {
            let mut entered = Vec::new();
            for (state, demand) in self.tracks[set as usize].clone() {
                let demand = self.derived(demand, byte);
                for next in self.targets(state, byte) {
                    for conjunction in self.formulas.conjunctions(demand).to_vec() {
                        entered.append(&mut self.walk(next, conjunction));
                    }
                }
            }
            self.track(entered);
        }
        let formula = match has_ways {
            true => self.behind(byte),
            false => self.derived(key.formula, byte),
        };
        (formula != Formulas::FALSE).then(|| self.key(utf8, formula))
    }

    /// Returns the state of the result for a formula (a condition on the rest of the string) at the current position.
    /// Facts about the text before are left out if the formula is `TRUE`, which does not depend on them.
    fn key(&self, utf8: u32, formula: FormulaId) -> Key {
        let holds = formula == Formulas::TRUE;
        Key {
            utf8,
            formula,
            after_word: !holds && self.program.has_boundaries && self.place.after_word,
            tracks: if holds { SmallVec::new() } else { SmallVec::from_slice(&self.place.tracks) },
        }
    }

    /// Interns the state set of the next tracker (the automaton of a lookbehind), and adds it to the current position.
    /// `entered` has the tracker's states, each with the condition under which it is reached.
    fn track(&mut self, mut entered: Vec<(u32, ConjunctionId)>) {
        entered.sort_unstable();
        let mut set = Vec::new();
        for run in entered.chunk_by(|a, b| a.0 == b.0) {
            let demand = self.formulas.any(&mut run.iter().map(|&(_, demand)| demand).collect());
            set.push((run[0].0, demand));
        }
        self.formulas.remove_simulated_states(&mut set);
        let number = self.tracks.insert_full(set.into()).0 as u32;
        self.place.tracks.push(number);
    }

    fn targets(&self, state: u32, byte: u8) -> Vec<u32> {
        let symbol = Symbol::from(byte);
        let edges = self.program.nfa.edges(state);
        let on = edges.filter(|edge| (edge.lo..=edge.hi).contains(&symbol));
        on.map(|edge| edge.target).collect()
    }

    /// Returns the condition on the rest of the string under which a state of the program reaches the end of its body.
    /// The body is the pattern, or the body of an assertion.
    fn closure(&mut self, state: u32) -> FormulaId {
        if let Some(known) = self.closures[state as usize] {
            return known;
        }
        let mut choices = Vec::new();
        for (state, demand) in self.walk(state, Formulas::NOTHING) {
            if state == Program::MATCH {
                choices.push(demand);
            } else {
                let literals = [self.formulas.literals(demand), &[Literal::Await(state)]].concat();
                choices.extend(self.formulas.all(literals));
            }
        }
        let formula = self.formulas.any(&mut choices);
        self.closures[state as usize] = Some(formula);
        self.closed.push(state);
        formula
    }

    /// Returns the states of the program that are reached from `from` without a byte and have byte transitions or are
    /// final. Each comes with the condition on the rest under which the guards on the path are open. `demand` is the
    /// condition at the start.
    fn walk(&mut self, from: u32, demand: ConjunctionId) -> Vec<(u32, ConjunctionId)> {
        let program = self.program;
        let mut stops = Vec::new();
        let mut seen = std::mem::take(&mut self.walked);
        seen.clear();
        let mut stack = vec![(from, demand)];
        while let Some((state, demand)) = stack.pop() {
            if !seen.insert((state, demand)) {
                continue;
            }
            let nfa = &program.nfa;
            let mut stop = !nfa.has_edges(state) && nfa.empties(state).next().is_none();
            stack.extend(nfa.empties(state).map(|next| (next, demand)));
            for edge in nfa.edges(state) {
                match program.guard(edge.lo) {
                    None => stop = true,
                    Some(guard) => {
                        stack.extend(self.through(guard, demand).map(|with| (edge.target, with)));
                    }
                }
            }
            if stop {
                stops.push((state, demand));
            }
        }
        self.walked = seen;
        stops
    }

    /// Adds the condition of a guard to a conjunction of literals. `None` if the guard is closed at the current
    /// position.
    fn through(&mut self, guard: Guard, demand: ConjunctionId) -> Option<ConjunctionId> {
        let literal = |formula, fails| {
            if fails { Literal::Fails(formula) } else { Literal::Holds(formula) }
        };
        let new = match guard {
            Guard::Start => return self.place.at_start.then_some(demand),
            Guard::End => Literal::End,
            Guard::WordBoundary { negative } => {
                let word = self.closure(self.program.word);
                literal(word, self.place.after_word != negative)
            }
            Guard::Ahead { from, negative } => literal(self.closure(from), negative),
            Guard::Behind { tracker, negative } => literal(self.arrived(tracker), negative),
        };
        let literals = [self.formulas.literals(demand), &[new]].concat();
        self.formulas.all(literals)
    }

    /// Returns the condition on the rest under which a tracker has reached its end at the current position, so that its
    /// lookbehind matches.
    fn arrived(&self, tracker: usize) -> FormulaId {
        let end = self.program.trackers[tracker].end;
        let set = &self.tracks[self.place.tracks[tracker] as usize];
        match set.binary_search_by_key(&end, |&(state, _)| state) {
            Ok(at) => set[at].1,
            Err(_) => Formulas::FALSE,
        }
    }

    /// Returns the derivative of an assertion's formula (a condition on the rest of the string) by a byte, as
    /// [`Self::derived`]. Cached, because many formulas may contain the assertion.
    fn derivative(&mut self, formula: FormulaId, byte: u8) -> FormulaId {
        if let Some(&known) = self.derivatives.get(&formula) {
            return known;
        }
        let result = self.derived(formula, byte);
        self.derivatives.insert(formula, result);
        result
    }

    /// Returns the derivative of a formula by a byte: the condition that the text after the byte has to satisfy.
    fn derived(&mut self, formula: FormulaId, byte: u8) -> FormulaId {
        if formula == Formulas::TRUE {
            return formula;
        }
        let program = self.program;
        let symbol = Symbol::from(byte);
        let mut choices = std::mem::take(&mut self.choices);
        // By index, because the loop may intern new conjunctions.
        for index in 0..self.formulas.conjunctions(formula).len() {
            let conjunction = self.formulas.conjunctions(formula)[index];
            let mut demands = Vec::new();
            let mut awaited = None;
            let mut alive = true;
            for index in 0..self.formulas.literals(conjunction).len() {
                match self.formulas.literals(conjunction)[index] {
                    Literal::End => alive = false,
                    Literal::Await(state) => awaited = Some(state),
                    Literal::Holds(inner) => {
                        demands.push(Literal::Holds(self.derivative(inner, byte)));
                    }
                    Literal::Fails(inner) => {
                        demands.push(Literal::Fails(self.derivative(inner, byte)));
                    }
                }
            }
            if !alive {
                continue;
            }
            let Some(state) = awaited else {
                self.formulas.all(demands).into_iter().for_each(|one| choices.push(one));
                continue;
            };
            let edges = program.nfa.edges(state);
            for edge in edges.filter(|edge| (edge.lo..=edge.hi).contains(&symbol)) {
                let next = self.closure(edge.target);
                if demands.is_empty() {
                    choices.add(next, &self.formulas);
                    continue;
                }
                for conjunction in self.formulas.conjunctions(next).to_vec() {
                    let literals = [self.formulas.literals(conjunction), &demands].concat();
                    self.formulas.all(literals).into_iter().for_each(|one| choices.push(one));
                }
            }
        }
        let result = choices.formula(&mut self.formulas);
        self.choices = choices;
        result
    }

    /// Collects the byte transitions of a formula, which is a condition on the rest of the string. Requires that the
    /// formula is a set of states without any assertion; it may also allow the end of the string. Returns whether that
    /// holds.
    fn find_ways(&mut self, formula: FormulaId) -> bool {
        self.ways.clear();
        self.ways_on = ByteSet::EMPTY;
        self.formulas.conjunctions(formula).iter().all(|&conjunction| {
            match *self.formulas.literals(conjunction) {
                [Literal::Await(state)] => {
                    let edges = self.program.nfa.edges(state);
                    for edge in edges.filter(|edge| edge.hi < Program::GUARDS) {
                        let bytes = ByteSet::range(edge.lo as u8, edge.hi as u8);
                        self.ways_on = self.ways_on.union(bytes);
                        self.ways.push(edge);
                    }
                    true
                }
                [Literal::End] => true,
                _ => false,
            }
        })
    }

    /// Returns the derivative of the current formula (a condition on the rest of the string) by a byte. It is computed
    /// from the transitions that `find_ways` collected.
    fn behind(&mut self, byte: u8) -> FormulaId {
        let symbol = Symbol::from(byte);
        let mut choices = std::mem::take(&mut self.choices);
        for at in 0..self.ways.len() {
            let Edge { lo, hi, target } = self.ways[at];
            if lo <= symbol && symbol <= hi {
                choices.add(self.closure(target), &self.formulas);
            }
        }
        let result = choices.formula(&mut self.formulas);
        self.choices = choices;
        result
    }

    /// Returns the bytes at which the transitions of a state of the result may change, as borders between ranges of
    /// bytes.
    fn cuts(&self, key: &Key, utf8: &DfaState) -> Cuts {
        let mut cuts = self.formulas.cuts(key.formula);
        for edge in &utf8.edges {
            cut(&mut cuts, edge.lo);
            cut(&mut cuts, edge.hi + 1);
        }
        if self.program.has_boundaries && key.formula != Formulas::TRUE {
            merge(&mut cuts, self.formulas.cuts_of_state(self.program.word));
        }
        for &set in &key.tracks {
            for &(state, demand) in &self.tracks[set as usize] {
                merge(&mut cuts, self.formulas.cuts_of_state(state));
                merge(&mut cuts, self.formulas.cuts(demand));
            }
        }
        cuts
    }
}

/// Returns the ranges of bytes between the borders in `cuts`, both ends inclusive, in ascending order.
fn ranges(mut cuts: Cuts) -> impl Iterator<Item = (u32, u32)> {
    cuts[0] &= !1;
    let mut next = 0;
    std::iter::from_fn(move || {
        let lo = next;
        let word = cuts.iter().position(|&word| word != 0);
        next = word.map_or(256, |at| 64 * at as u32 + cuts[at].trailing_zeros());
        word.into_iter().for_each(|at| cuts[at] &= cuts[at] - 1);
        (lo < 256).then(|| (lo, next - 1))
    })
}

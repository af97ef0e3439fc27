//! Minimization of nearly acyclic automata, from the end.
//!
//! Source: D. Revuz, "Minimisation of acyclic deterministic automata in linear time", TCS 92(1), 1992.
//! Once all targets have classes, equal states are those that agree on acceptance and on the classes
//! of their targets. The states of a cycle are classified together, after everything outside of the
//! cycle that the cycle reaches:
//!
//! - A state gets a class of its own if it looks different from all others and is on every path
//!   around the cycle. An example is the state after a member of an object. The other states are
//!   then classified from the end as well.
//! - In other cycles, states are distinguished by [partition refinement](Refinement).
//! - If one state of the cycle equals a classified state, all states of the cycle equal classified
//!   ones. This is tried for classified states that agree on strings of a few symbols, by following
//!   both states in step.
//!
//! Rules are nearly trees with short cycles, so there are few rounds. If the work exceeds a
//! multiple of the automaton's size, the caller uses the general method of
//! [`minimize`](super::minimize).
//!
//! Ranges of symbols are compared unchanged. They are never split at the bounds of all ranges of
//! the automaton. In an object with other keys, every byte continues, except the next byte of a
//! key. There, splitting would square the number of edges.
//!
//! Invariant: the result does not depend on hash values. States whose hashes collide only cost
//! time, because classes are compared by content.
//!
//! Cost: O(states and edges) times the rounds, at most [`EFFORT`] times the size of the automaton.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

use super::refine::{ALONE, Refinement};
use super::table::Table;
use super::{Edge, StateBudget, StateLimit, Symbol};
use crate::graph::{Lists, for_each_component};
use crate::interner::Interner;

/// Limit on the edges and states that are examined, as a multiple of the automaton's number of
/// edges and states. Beyond the limit, the method gives up with [`Unresolved::Effort`].
const EFFORT: usize = 24;

/// Initial capacity of the buffer for the description of a state, in words of 32 bits. Enough for
/// most states.
const WORDS: usize = 64;

/// Approximate memory for a state besides its description, in bytes. Used for the memory budget.
const BYTES_A_STATE: usize = 40;

/// The length in symbols of the strings on which two states have to agree before they are compared
/// in full. The hash of a state's behaviour covers strings up to this length.
const LOOK_AHEAD: u32 = 2;

/// The value that denotes a missing class or index of a state.
const UNRESOLVED: u32 = u32::MAX;

/// The reason why minimization from the end found no classes of equivalent states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unresolved {
    /// The automaton has dead states and has to be trimmed first.
    Dead,
    /// More than [`EFFORT`] times the size of the automaton would be examined. The caller uses
    /// another method.
    Effort,
    /// The budget of the compilation is spent, on time or on memory.
    Limit(StateLimit),
}

impl From<StateLimit> for Unresolved {
    fn from(limit: StateLimit) -> Self {
        Self::Limit(limit)
    }
}

/// Computes the classes of equivalent states of a deterministic automaton. Returns for each state
/// the number of its class, and the number of classes.
///
/// Dead states are found while edges are read. Few automata have dead states, so the caller trims
/// an automaton only after the error for them. An automaton of a single state is allowed to be
/// dead, because it is the automaton of the empty language.
///
/// # Errors
///
/// [`Unresolved`]: the automaton has dead states, or a limit is exceeded.
pub(super) fn classes(
    table: &Table,
    allowed: StateBudget<'_>,
) -> Result<(Vec<u32>, usize), Unresolved> {
    let count = table.len();
    let mut held = allowed.held();
    allowed.hold(&mut held, BYTES_A_STATE * count + 2 * table.bytes())?;
    let mut minimizer = AcyclicMinimizer {
        table,
        allowed,
        classes: vec![UNRESOLVED; count],
        first: Vec::with_capacity(count),
        seen: Interner::with_capacity(count, count + 2 * table.edge_count()),
        class_of: Vec::with_capacity(count),
        by_byte: vec![ByByte { last: UNRESOLVED, byte: 0, before: UNRESOLVED }; count],
        cyclic: Vec::new(),
        places: Vec::new(),
        effort: EFFORT * (table.edge_count() + count),
        words: Vec::with_capacity(WORDS),
        pairs: Vec::new(),
    };
    let mut classified = Ok(());
    let targets = |state: usize| table.edges(state as u32).iter().map(|edge| edge.target as usize);
    for_each_component(count, targets, |group| {
        let loops = |state: u32| table.edges(state).iter().any(|edge| edge.target == state);
        match group {
            _ if classified.is_err() => {}
            &[state] if !loops(state) => classified = minimizer.classify(state),
            cycle => classified = minimizer.classify_cycle(cycle),
        }
    });
    classified.map(|()| (minimizer.classes, minimizer.first.len()))
}

/// Computes the classes of equivalent states of an automaton, one strongly connected component
/// after the other, from the end.
struct AcyclicMinimizer<'a> {
    /// The automaton whose states are classified.
    table: &'a Table,
    /// The budget of the compilation.
    allowed: StateBudget<'a>,
    /// For each state, the number of its class, or [`UNRESOLVED`] if the state is not classified
    /// yet.
    classes: Vec<u32>,
    /// For each class of equivalent states, the state that was classified first. It represents the
    /// class.
    first: Vec<u32>,
    /// An interner of the descriptions of classified states. A description is the result of
    /// [`describe`]: acceptance, and the edges with the classes of their targets.
    seen: Interner,
    /// Maps the number of a description in `seen` to the class of the states with that description.
    class_of: Vec<u32>,
    /// For each class, the head of a linked list: the non-accepting classes whose only transition
    /// leads to this class on a single byte. Most states belong to such a class, which needs no
    /// description.
    by_byte: Vec<ByByte>,
    /// The first state of each class that was found in a cycle. Later cycles are compared with
    /// these states.
    cyclic: Vec<Cyclic>,
    /// For each state, its index in the list of states of the cycle that is being classified, or
    /// [`UNRESOLVED`]. The vector is empty before its first use.
    places: Vec<u32>,
    /// The number of edges and states that may still be examined. If it is used up, the method
    /// gives up with [`Unresolved::Effort`].
    effort: usize,
    /// A buffer for the description of a state, the result of [`describe`].
    words: Vec<u32>,
    /// Pairs of a state and the class that it is assumed to have, while a new cycle is compared
    /// with a classified cycle. If the comparison fails, these classes are removed again.
    pairs: Vec<(u32, u32)>,
}

/// The links of one class in the lists of `by_byte`. Each class has a linked list of the non-accepting classes whose
/// only transition leads to it on a single byte.
#[derive(Clone, Copy)]
struct ByByte {
    /// The last member of this class's own list, or [`UNRESOLVED`] if the list is empty.
    last: u32,
    /// The byte of this class's only transition, if the class is a member of the list of its target class.
    byte: u32,
    /// The previous member of the list that contains this class, or [`UNRESOLVED`] if there is none.
    before: u32,
}

/// A classified state of a cycle, with which the states of later cycles are compared.
struct Cyclic {
    /// The number of the state.
    state: u32,
    /// Whether the state accepts, and its lowest and highest symbol. Equivalent states agree on
    /// these.
    outline: Outline,
    /// A hash of the state's behaviour on strings of at most [`LOOK_AHEAD`] symbols. `None` before
    /// it is first needed.
    colour: Option<u32>,
}

/// Whether a state accepts, and its lowest and highest symbol (`None` without edges). Equivalent
/// states agree on these, so they serve as a quick check.
type Outline = (bool, Option<(Symbol, Symbol)>);

impl AcyclicMinimizer<'_> {
    /// Determines the class of equivalent states for a state that is on no cycle. The targets of
    /// all its transitions are classified already.
    ///
    /// # Errors
    ///
    /// [`Unresolved::Dead`] if the state is dead, or [`Unresolved::Limit`] if the budget is spent.
    fn classify(&mut self, state: u32) -> Result<(), Unresolved> {
        self.allowed.spend(1 + self.table.edges(state).len())?;
        let is_end = self.table.edges(state).is_empty();
        if is_end && !self.table.accepts(state) && self.table.len() > 1 {
            return Err(Unresolved::Dead);
        }
        self.is_new(state);
        Ok(())
    }

    /// Determines the class of a live state, and records it. Returns whether the state begins a new
    /// class.
    fn is_new(&mut self, state: u32) -> bool {
        let new = self.first.len() as u32;
        let class = self.class_like(state, new);
        if class == new {
            self.first.push(state);
        }
        self.classes[state as usize] = class;
        class == new
    }

    /// Returns the class of a classified state that is equivalent to `state`. If there is none,
    /// records the description of `state` under the class `new`, and returns `new`.
    fn class_like(&mut self, state: u32, new: u32) -> u32 {
        if let &[Edge { lo: byte, hi, target }] = self.table.edges(state)
            && byte == hi
            && byte <= u32::from(u8::MAX)
            && !self.table.accepts(state)
        {
            let target = self.classes[target as usize] as usize;
            let last = self.by_byte[target].last;
            let mut at = last;
            while at != UNRESOLVED {
                let ByByte { byte: other, before, .. } = self.by_byte[at as usize];
                if other == byte {
                    return at;
                }
                at = before;
            }
            self.by_byte[target].last = new;
            let known = &mut self.by_byte[new as usize];
            (known.byte, known.before) = (byte, last);
            return new;
        }
        self.words.clear();
        describe(self.table, state, |to| self.classes[to as usize], &mut self.words);
        let number = self.seen.number(&self.words) as usize;
        if number == self.class_of.len() {
            self.class_of.push(new);
        }
        self.class_of[number]
    }

    /// Determines the classes of the states of a cycle (a strongly connected component). All
    /// targets outside of the cycle are classified already. Fails with [`Unresolved::Dead`] if no
    /// path leaves the cycle and no state of it accepts.
    fn classify_cycle(&mut self, cycle: &[u32]) -> Result<(), Unresolved> {
        let is_within = |edge: &Edge| self.classes[edge.target as usize] == UNRESOLVED;
        let stays = |state: u32| self.table.edges(state).iter().all(is_within);
        if cycle.iter().all(|&state| !self.table.accepts(state) && stays(state)) {
            return Err(Unresolved::Dead);
        }
        if self.is_known_cycle(cycle[0])? || self.classify_round(cycle)? {
            return Ok(());
        }
        self.number_blocks(cycle)?;
        self.cyclic.reserve(cycle.len());
        for &state in cycle {
            let class = self.classes[state as usize];
            if class as usize == self.first.len() {
                self.first.push(state);
                // The state leads to a class of its own cycle, so no earlier class equals it.
                self.class_like(state, class);
                self.note_cyclic(state);
            }
        }
        Ok(())
    }

    /// Looks for a classified state that is equivalent to `state`, a state of a cycle. If there is
    /// one, classifies the whole cycle and returns true. Otherwise returns false and classifies
    /// nothing.
    fn is_known_cycle(&mut self, state: u32) -> Result<bool, Unresolved> {
        let outline = self.outline(state);
        let mut colour = None;
        for at in 0..self.cyclic.len() {
            self.allowed.spend(1)?;
            let Cyclic { state: other, outline: known, colour: seen } = self.cyclic[at];
            if known != outline {
                continue;
            }
            let seen = seen.unwrap_or_else(|| self.look_ahead(other, LOOK_AHEAD));
            self.cyclic[at].colour = Some(seen);
            let colour = *colour.get_or_insert_with(|| self.look_ahead(state, LOOK_AHEAD));
            if seen == colour && self.equals(state, other)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Determines the classes of a cycle's states from the end. This requires that the first state
    /// is equivalent to no other state and is on every path around the cycle. Otherwise returns
    /// false and classifies nothing.
    ///
    /// Two equivalent states lead to equivalent states, and the first state is equivalent only to
    /// itself. All paths around the cycle end at the first state, so equivalent states are found
    /// from the end.
    fn classify_round(&mut self, cycle: &[u32]) -> Result<bool, Unresolved> {
        let (&head, rest) = cycle.split_first().expect("a cycle has a state");
        for &other in rest {
            if self.looks_like(head, other)? {
                return Ok(false);
            }
        }
        if !self.are_ends_first(head, rest)? {
            return Ok(false);
        }
        self.cyclic.reserve(cycle.len());
        let class = self.first.len() as u32;
        self.first.push(head);
        self.classes[head as usize] = class;
        for &state in rest {
            if self.is_new(state) {
                self.note_cyclic(state);
            }
        }
        self.class_like(head, class);
        self.note_cyclic(head);
        Ok(true)
    }

    /// Adds a state to the classified states of cycles, with which later cycles are compared.
    fn note_cyclic(&mut self, state: u32) {
        let outline = self.outline(state);
        self.cyclic.push(Cyclic { state, outline, colour: None });
    }

    /// Returns whether a state accepts, and its lowest and highest symbol. Equivalent states agree
    /// on these.
    fn outline(&self, state: u32) -> Outline {
        let edges = self.table.edges(state);
        (self.table.accepts(state), edges.first().zip(edges.last()).map(|(a, b)| (a.lo, b.hi)))
    }

    /// Whether two states of a cycle agree on acceptance, and on the targets for each symbol.
    /// Targets agree if they have the same class, or if both are in the cycle.
    fn looks_like(&mut self, one: u32, other: u32) -> Result<bool, Unresolved> {
        if self.outline(one) != self.outline(other) {
            return Ok(false);
        }
        self.spend([one, other].into_iter())?;
        let class = |state: u32| self.classes[state as usize];
        Ok(in_step(self.table, one, other, |one, other| class(one) == class(other)))
    }

    /// Determines the classes of a cycle's states by partition refinement. New classes are numbered
    /// after the known classes, in the order in which they are found.
    fn number_blocks(&mut self, cycle: &[u32]) -> Result<(), Unresolved> {
        self.places.resize(self.classes.len(), UNRESOLVED);
        for (place, &state) in (0..).zip(cycle) {
            self.places[state as usize] = place;
        }
        let mut new = self.first.len() as u32;
        let (table, allowed) = (self.table, self.allowed);
        let Self { classes, places, effort, .. } = self;
        let place_of = &*places;
        let pairs = (0..).zip(cycle).flat_map(|(place, &state)| {
            let targets = table.edges(state).iter().map(|edge| place_of[edge.target as usize]);
            targets.filter(|&to| to != UNRESOLVED).map(move |to| (to, place))
        });
        let dependents = Lists::of_pairs(cycle.len(), pairs);
        let mut blocks = Refinement::new(vec![0; cycle.len()], dependents);
        while !blocks.is_stable() {
            blocks.round(|place, blocks, words| {
                let state = cycle[place as usize];
                let class = |target: u32| match places[target as usize] {
                    UNRESOLVED => classes[target as usize],
                    // Classes of the refinement are numbered after the known classes.
                    place => match blocks.before(place) {
                        block if block & ALONE != 0 => block,
                        block => new + block,
                    },
                };
                describe(table, state, class, words);
                spend(effort, allowed, 1 + table.edges(state).len())
            })?;
        }
        let mut numbers = FxHashMap::default();
        for (place, &state) in (0..).zip(cycle) {
            places[state as usize] = UNRESOLVED;
            classes[state as usize] = *numbers.entry(blocks.class(place)).or_insert_with(|| {
                new += 1;
                new - 1
            });
        }
        Ok(())
    }

    /// Whether the states of a cycle are in the order of classification from the end: each state in
    /// `rest` comes after all states that its edges lead to. Edges to `head`, the first state of
    /// the cycle, are exempt. If such an order exists, the search for components already put the
    /// states in it.
    fn are_ends_first(&mut self, head: u32, rest: &[u32]) -> Result<bool, Unresolved> {
        self.spend(rest.iter().copied())?;
        self.places.resize(self.classes.len(), UNRESOLVED);
        let Self { table, classes, places, .. } = self;
        let is_past = |places: &[u32], target: u32| {
            target == head
                || classes[target as usize] != UNRESOLVED
                || places[target as usize] != UNRESOLVED
        };
        let past = (0..).zip(rest).take_while(|&(place, &state)| {
            let is_next = table.edges(state).iter().all(|edge| is_past(places, edge.target));
            places[state as usize] = place;
            is_next
        });
        let are_in_order = past.count() == rest.len();
        rest.iter().for_each(|&state| self.places[state as usize] = UNRESOLVED);
        Ok(are_in_order)
    }

    /// Whether `state`, a state of a cycle, is equivalent to `other`, a classified state. If so,
    /// classifies all states of the cycle. Otherwise classifies nothing.
    fn equals(&mut self, state: u32, other: u32) -> Result<bool, Unresolved> {
        self.pairs.clear();
        self.pair(state, self.classes[other as usize]);
        let mut at = 0;
        while let Some(&(state, class)) = self.pairs.get(at) {
            at += 1;
            self.spend([state].into_iter())?;
            if !self.goes_on_like(state, self.first[class as usize]) {
                for &(state, _) in &self.pairs {
                    self.classes[state as usize] = UNRESOLVED;
                }
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Records the assumption that a state belongs to a class. The assumption is checked later, in
    /// [`equals`](Self::equals).
    fn pair(&mut self, state: u32, class: u32) {
        self.classes[state as usize] = class;
        self.pairs.push((state, class));
    }

    /// Whether a state agrees with a classified state on acceptance, on its symbols and on the
    /// classes of the targets. A target without a class is assumed to belong to the class of the
    /// other target, which is checked later.
    fn goes_on_like(&mut self, state: u32, classified: u32) -> bool {
        let table = self.table;
        table.accepts(state) == table.accepts(classified)
            && in_step(table, state, classified, |target, classified| {
                let class = self.classes[classified as usize];
                match self.classes[target as usize] {
                    UNRESOLVED => self.pair(target, class),
                    known => return known == class,
                }
                true
            })
    }

    /// Subtracts the number of the given states and of their edges from the remaining effort and
    /// from the budget. Fails if either is used up.
    fn spend(&mut self, states: impl Iterator<Item = u32>) -> Result<(), Unresolved> {
        let edges = states.map(|state| 1 + self.table.edges(state).len()).sum();
        spend(&mut self.effort, self.allowed, edges)
    }

    /// Returns a hash of a state's behaviour on strings of at most `symbols` symbols: which of them
    /// it accepts, and which it cannot read. Equivalent states have equal hashes. O(edges^symbols).
    fn look_ahead(&self, state: u32, symbols: u32) -> u32 {
        let accepting = self.table.accepts(state).into();
        let Some(symbols) = symbols.checked_sub(1) else { return accepting };
        let mut hasher = FxHasher::default();
        hasher.write_u32(accepting);
        // Adjacent edges whose targets have the same hash count as one edge.
        let mut last: Option<(Symbol, u32)> = None;
        for edge in self.table.edges(state) {
            let colour = self.look_ahead(edge.target, symbols);
            if last != Some((edge.lo, colour)) {
                last.into_iter().for_each(|(end, _)| hasher.write_u32(end));
                hasher.write_u32(edge.lo);
                hasher.write_u32(colour);
            }
            last = Some((edge.hi + 1, colour));
        }
        last.into_iter().for_each(|(end, _)| hasher.write_u32(end));
        (hasher.finish() >> 32) as u32
    }
}

/// Subtracts a number of edges and states from the remaining effort and from the budget.
///
/// # Errors
///
/// [`Unresolved::Effort`] if the effort is used up, [`Unresolved::Limit`] if the budget is.
fn spend(effort: &mut usize, allowed: StateBudget<'_>, edges: usize) -> Result<(), Unresolved> {
    *effort = effort.checked_sub(edges).ok_or(Unresolved::Effort)?;
    Ok(allowed.spend(edges)?)
}

/// Appends words of 32 bits that describe a state: whether it accepts, and its edges with the
/// classes of their targets. `class` returns the class of a target. Adjacent edges to one class are
/// joined. An edge with only bytes takes two words, any other edge three. The first word of the
/// latter is larger than that of every edge with only bytes.
fn describe(table: &Table, state: u32, class: impl Fn(u32) -> u32, words: &mut Vec<u32>) {
    const BYTES: Symbol = 256;
    let edges = table.edges(state);
    words.reserve(1 + 3 * edges.len());
    words.push(table.accepts(state).into());
    let mut add = |Edge { lo, hi, target: class }| match hi < BYTES {
        true => words.extend([lo << 8 | hi, class]),
        false => words.extend([BYTES * BYTES + lo, hi, class]),
    };
    let mut edges = edges.iter().map(|edge| Edge { target: class(edge.target), ..*edge });
    let Some(mut last) = edges.next() else { return };
    for edge in edges {
        if edge.target == last.target && last.hi + 1 == edge.lo {
            last.hi = edge.hi;
        } else {
            add(std::mem::replace(&mut last, edge));
        }
    }
    add(last);
}

/// Whether two states have transitions on the same symbols, and `agree` holds for their two targets
/// on each symbol. `agree` gets the target of `a` and the target of `b`.
fn in_step(table: &Table, a: u32, b: u32, mut agree: impl FnMut(u32, u32) -> bool) -> bool {
    let [mut a, mut b] = [a, b].map(|at| table.edges(at).iter().copied().peekable());
    loop {
        let (x, y) = match (a.peek_mut(), b.peek_mut()) {
            (None, None) => return true,
            (Some(x), Some(y)) if x.lo == y.lo && agree(x.target, y.target) => (x, y),
            _ => return false,
        };
        let end = x.hi.min(y.hi);
        (x.lo, y.lo) = (end + 1, end + 1);
        let (x, y) = (x.hi == end, y.hi == end);
        if x {
            a.next();
        }
        if y {
            b.next();
        }
    }
}

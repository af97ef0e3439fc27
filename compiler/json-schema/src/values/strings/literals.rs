//! Builds the minimal automaton of finitely many texts (the incremental algorithm of Daciuk et al. for sorted texts).
//!
//! Texts arrive in order, so only the states on the [path](OpenPath) of the last text may still get edges. Each other
//! state is closed: it is interned, so equal states are one. Cost: linear in the bytes of the texts. A closed state
//! takes two words of 32 bits for each edge, and some bytes in the hash table.

use grammarc_artifacts::packed_strings::OpenPath;
use grammarc_grammar::automata::{Dfa, DfaState, Edge, StateBudget, StateLimit};
use grammarc_grammar::budget::MemoryUse;
use grammarc_grammar::interner;
use grammarc_grammar::interner::Interner;

/// Bit position of an edge's highest byte in the first 32-bit word that encodes the edge.
const HI: u32 = 8;
/// Bit that marks an accepting state, in the first 32-bit word of the state's first edge. A state without edges is
/// encoded as one word.
const ACCEPTS: u32 = 1 << 16;

/// Number of hash tables among which the closed states (states that get no more edges) are divided.
const PARTS: usize = 64;

/// Number of new closed states (states that get no more edges) after which memory use is estimated again.
const STATES_A_LOOK: usize = 1 << 10;

/// Builds the minimal automaton, in canonical numbering, that accepts exactly the given texts. The texts must be sorted
/// and without repetition. The number of its states is not limited, only the budget.
pub(super) fn automaton<'a>(
    texts: impl IntoIterator<Item = &'a str>,
    limit: StateBudget<'_>,
) -> Result<Dfa, StateLimit> {
    let mut closed = Closed::new(limit);
    let mut open: OpenPath<State> = OpenPath::default();
    for text in texts {
        let close = |parent: &mut _, byte, state: &mut _| closed.close(parent, byte, state);
        open.enter(text.as_bytes(), close)?.accepts = true;
    }
    let root = open.finish(|parent, byte, state| closed.close(parent, byte, state))?;
    let root = closed.number(root);
    closed.numbered(root)
}

/// Estimated budget steps for a byte of a text in the construction of the automaton.
const STEPS_A_BYTE: usize = 1 << 3;

/// An automaton state on the path of the last text, which may still get edges.
#[derive(Clone, Debug, Default)]
struct State {
    /// Whether a text ends in this state.
    accepts: bool,
    /// The edges of the state so far, by ascending byte.
    edges: Vec<Edge>,
}

/// The closed states (states that get no more edges), interned by their edges. A state is encoded as the 32-bit words
/// of its edges, in order. The states are divided among several tables, because a growing table moves all its entries
/// at once, which takes long for millions.
struct Closed<'b> {
    /// The hash tables; closed state `n` is entry `n / PARTS` of table `n % PARTS`.
    parts: Vec<Interner>,
    /// A reused buffer for the 32-bit words that encode one state.
    words: Vec<u32>,
    /// Number of closed states (states that get no more edges) so far.
    count: usize,
    /// The budget; its limit on states does not apply here.
    limit: StateBudget<'b>,
    /// The memory of the closed states, as reported to the budget.
    held: MemoryUse<'b>,
    /// Number of closed states at which memory use is estimated next.
    looked_at: usize,
}

impl<'b> Closed<'b> {
    fn new(limit: StateBudget<'b>) -> Self {
        let parts = (0..PARTS).map(|_| Interner::default()).collect();
        Self { parts, words: Vec::new(), count: 0, limit, held: limit.held(), looked_at: 0 }
    }

    /// Returns the 32-bit words that encode the closed state with this number.
    fn words(&self, number: u32) -> &[u32] {
        self.parts[number as usize % PARTS].get(number / PARTS as u32)
    }

    /// Closes `state`, which then gets no more edges: interns it and adds the edge on `byte` from its parent to it.
    /// Clears `state` for reuse.
    fn close(&mut self, parent: &mut State, byte: u8, state: &mut State) -> Result<(), StateLimit> {
        self.limit.spend(STEPS_A_BYTE)?;
        let (target, byte) = (self.number(state), u32::from(byte));
        state.accepts = false;
        state.edges.clear();
        match parent.edges.last_mut() {
            Some(edge) if edge.target == target && edge.hi + 1 == byte => edge.hi = byte,
            _ => parent.edges.push(Edge { lo: byte, hi: byte, target }),
        }
        if self.count < self.looked_at {
            return Ok(());
        }
        self.looked_at = self.count + STATES_A_LOOK;
        let whole = self.count * size_of::<(DfaState, [u32; 2])>();
        let parts = self.parts.iter().map(Interner::bytes).sum::<usize>();
        self.limit.hold(&mut self.held, parts + whole)
    }

    /// Returns the number of the closed state with the acceptance and edges of the given state. A new state is
    /// interned.
    fn number(&mut self, State { accepts, edges }: &State) -> u32 {
        self.words.clear();
        let words = edges.iter().flat_map(|edge| [edge.lo | edge.hi << HI, edge.target]);
        self.words.extend(words);
        if edges.is_empty() {
            self.words.push(0);
        }
        self.words[0] |= if *accepts { ACCEPTS } else { 0 };
        let part = interner::hash(&self.words) as usize / 7 % PARTS;
        let states = &mut self.parts[part];
        let before = states.len();
        let number = states.number(&self.words);
        self.count += states.len() - before;
        number * PARTS as u32 + part as u32
    }

    /// Returns the automaton of the closed states that are reachable from `root`, numbered breadth first along sorted
    /// edges. [`grammarc_grammar::automata::minimize`] numbers states alike.
    fn numbered(&self, root: u32) -> Result<Dfa, StateLimit> {
        let count = self.count;
        let longest = self.parts.iter().map(Interner::len).max().unwrap_or(0);
        let mut numbers = vec![u32::MAX; PARTS * longest];
        let mut order: Vec<u32> = Vec::with_capacity(count);
        numbers[root as usize] = 0;
        order.push(root);
        let mut states: Vec<DfaState> = Vec::with_capacity(count);
        while let Some(&old) = order.get(states.len()) {
            let words = self.words(old);
            self.limit.spend(STEPS_A_BYTE * words.len())?;
            let mut state = DfaState { accepting: words[0] & ACCEPTS != 0, ..DfaState::default() };
            for &[bytes, target] in words.as_chunks().0 {
                let number = &mut numbers[target as usize];
                if *number == u32::MAX {
                    *number = order.len() as u32;
                    order.push(target);
                }
                let (lo, hi) = (bytes & 0xff, bytes >> HI & 0xff);
                state.edges.push(Edge { lo, hi, target: *number });
            }
            states.push(state);
        }
        Ok(Dfa { states })
    }
}

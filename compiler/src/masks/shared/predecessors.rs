//! Predecessors. A predecessor of a state of the vocabulary's rules on a byte is such a state with no other target on
//! the byte.
//!
//! A walk asks for a predecessor at each child of the root. The bytes on which a state is reached from one predecessor
//! are few ranges, like the edges. So the ranges of a state are stored one after the other and searched. A table by
//! state and byte would take some twelve times the memory, a third of all that a compiler keeps.
//!
//! Cost: O(edges) time and memory, besides sorting; a look-up is O(log ranges of the state), and most states have one
//! range.

use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::tables::Tables;

use super::transitions::{MANY, bytes_of, first_of_calls};
use crate::ir::ByteSet;

/// A range of bytes on which a state of the vocabulary's rules has the same predecessors. A predecessor has the state
/// as its only target on these bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SourceRange {
    /// The first byte of the range.
    lo: u8,
    /// The last byte of the range, inclusive.
    hi: u8,
    /// The lowest predecessor: a state of the vocabulary's rules that has no other target on these bytes.
    first: u32,
    /// The lowest other predecessor with transitions on fewer than [`MANY`] bytes, such as the state after a backslash.
    /// [`NONE`] if there is none.
    narrow: u32,
}

/// The predecessors of all states of the vocabulary's rules, by byte: states of the vocabulary's rules whose only
/// target on the byte is the given state. Bisimilar states (equivalent on all strings) count as the lowest of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Predecessors {
    /// For each state of the vocabulary's rules, the index of its first range in `runs`. The last entry is the length
    /// of `runs`.
    starts: Vec<u32>,
    /// The byte ranges with equal predecessors of all states of the vocabulary's rules, in the order of the states and
    /// bytes.
    runs: Vec<SourceRange>,
}

impl Predecessors {
    /// Finds the predecessors of all states of the vocabulary's rules among the states marked in `speaks`, whose base
    /// masks depend on bytes alone. `like` has for each state the lowest bisimilar one (equivalent on all strings).
    pub(crate) fn new(shared: Tables<'_>, speaks: &[bool], like: &[u32]) -> Self {
        let mut edges = Vec::new();
        for state in (0..shared.state_count()).filter(|&state| speaks[state as usize]) {
            let calls = first_of_calls(shared, state);
            for edge in shared.byte_edges_of(state as usize) {
                let flags = shared.states[edge.target as usize].flags;
                if flags & (state_flags::POP_ONLY | state_flags::RESTS) != state_flags::RESTS {
                    continue;
                }
                let bytes = ByteSet::range(edge.lo(), edge.hi()).minus(calls);
                edges.extend(
                    bytes.ranges().map(|(lo, hi)| (like[edge.target as usize], state, lo, hi)),
                );
            }
        }
        edges.sort_unstable();
        let mut this = Self { starts: Vec::with_capacity(like.len() + 1), runs: Vec::new() };
        for edges in edges.chunk_by(|a, b| a.0 == b.0) {
            this.starts.resize(edges[0].0 as usize + 1, this.runs.len() as u32);
            let mut of = [(NONE, NONE); 256];
            for &(_, state, lo, hi) in edges {
                let is_narrow = bytes_of(shared.byte_edges_of(state as usize)) < MANY;
                for (first, narrow) in &mut of[usize::from(lo)..=usize::from(hi)] {
                    if *first == NONE {
                        *first = state;
                    } else if is_narrow && *first != state && *narrow == NONE {
                        *narrow = state;
                    }
                }
            }
            let mut lo = 0;
            for equal in of.chunk_by(|a, b| a == b) {
                let (hi, (first, narrow)) = (lo + equal.len() - 1, equal[0]);
                if first != NONE {
                    this.runs.push(SourceRange { lo: lo as u8, hi: hi as u8, first, narrow });
                }
                lo = hi + 1;
            }
        }
        this.starts.resize(like.len() + 1, this.runs.len() as u32);
        this.runs.shrink_to_fit();
        this
    }

    /// Returns the lowest state of the vocabulary's rules whose only target on a byte is `state`. `None` if there is
    /// none.
    pub(crate) fn first(&self, state: u32, byte: u8) -> Option<u32> {
        self.run(state, byte).map(|run| run.first)
    }

    /// Returns up to two states of the vocabulary's rules whose only target on a byte is `state`. The first is the
    /// lowest, and the other one has few outgoing bytes.
    pub(crate) fn both(&self, state: u32, byte: u8) -> impl Iterator<Item = u32> + use<> {
        let run = self.run(state, byte);
        let narrow = run.map(|run| run.narrow).filter(|&narrow| narrow != NONE);
        run.map(|run| run.first).into_iter().chain(narrow)
    }

    /// Returns the range of bytes with equal predecessors that contains `byte`, for a state of the vocabulary's rules.
    /// `None` if the state is the only target of no state on the byte.
    fn run(&self, state: u32, byte: u8) -> Option<SourceRange> {
        let state = state as usize;
        let runs = &self.runs[self.starts[state] as usize..self.starts[state + 1] as usize];
        let run = runs.get(runs.partition_point(|run| run.hi < byte))?;
        (run.lo <= byte).then_some(*run)
    }
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashMap;

    use super::super::bisimulation::bisimilar;
    use super::super::facts::vocabulary;
    use super::super::transitions::speaks_of_bytes;
    use super::*;

    #[test]
    fn sources_lead_to_their_states_and_nowhere_else() {
        let vocabulary = vocabulary(3);
        let shared = vocabulary.tables();
        let like = bisimilar(shared);
        let speaks: Vec<bool> =
            (0..shared.state_count()).map(|state| speaks_of_bytes(shared, state)).collect();
        let sources = Predecessors::new(shared, &speaks, &like);
        let mut expected: FxHashMap<(u32, u8), Vec<u32>> = FxHashMap::default();
        for state in (0..shared.state_count()).filter(|&state| speaks[state as usize]) {
            for byte in 0..=255 {
                let edges = shared.byte_edges_of(state as usize);
                let Some(edge) = edges.iter().find(|edge| (edge.lo()..=edge.hi()).contains(&byte))
                else {
                    continue;
                };
                let flags = shared.states[edge.target as usize].flags;
                let rests = flags & (state_flags::POP_ONLY | state_flags::RESTS);
                if rests == state_flags::RESTS && !first_of_calls(shared, state).contains(byte) {
                    expected.entry((like[edge.target as usize], byte)).or_default().push(state);
                }
            }
        }
        let mut narrow = 0;
        for state in 0..shared.state_count() {
            for byte in 0..=255 {
                let all = expected.remove(&(state, byte)).unwrap_or_default();
                assert_eq!(sources.first(state, byte), all.first().copied());
                let is_narrow = |state: u32| bytes_of(shared.byte_edges_of(state as usize)) < MANY;
                let other = all.iter().copied().skip(1).find(|&state| is_narrow(state));
                let both: Vec<u32> = sources.both(state, byte).collect();
                assert_eq!(both, all.first().copied().into_iter().chain(other).collect::<Vec<_>>());
                narrow += usize::from(other.is_some());
            }
        }
        assert!(narrow > 0);
    }
}

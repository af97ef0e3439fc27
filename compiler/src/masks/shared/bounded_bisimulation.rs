//! For how many bytes two shared states do the same.
//!
//! The places of a string with a longest length are states of their own, and so are those within a character before
//! each of them; two such states come apart only where the one string has ended and the other goes on. A walk over
//! strings no longer than that need not tell them apart, and need not ask where they lead.
//!
//! Two states do the same for one byte more than the states they lead to, where both or neither may leave their rule, and
//! they go on, may end and leave it with the same bytes. States with calls, references to tokens or counts are not looked into. What is found depends on
//! the vocabulary alone and is kept for as long as the compiler lives.
//!
//! Cost: O(runs of bytes of the pairs that are met), each pair at most once for each length that is asked for.

use std::sync::{PoisonError, RwLock};

use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::tables::Tables;
use rustc_hash::FxHashMap;

use super::transitions::{SharedTransitions, Transitions};

/// Most pairs that are kept: some 16 MB.
const MOST_KEPT: usize = 1 << 20;

/// By pair of states, how many bytes were looked ahead, and for how many of them the two do the same.
type KnownPairs = FxHashMap<(u32, u32), (u8, u8)>;

/// The pairs met so far.
#[derive(Debug, Default)]
pub(crate) struct BoundedBisimulation(RwLock<KnownPairs>);

impl BoundedBisimulation {
    /// For how many bytes two shared states do the same, at most `most`: texts up to so long lead on and may end from the
    /// one where they do from the other, and all that are shorter, the empty one too, leave the rule alike.
    pub(crate) fn bytes(
        &self,
        transitions: &Transitions,
        shared: Tables<'_>,
        (one, other): (u32, u32),
        most: u8,
    ) -> u8 {
        let pair = (transitions.representative(one), transitions.representative(other));
        if let Some(found) =
            look_up(&self.0.read().unwrap_or_else(PoisonError::into_inner), pair, most)
        {
            return found;
        }
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if kept.len() > MOST_KEPT {
            kept.clear();
        }
        find(&mut kept, transitions, shared, pair, most)
    }
}

/// The length that is known of a pair, each the lowest of those that do the same.
fn look_up(kept: &KnownPairs, (one, other): (u32, u32), most: u8) -> Option<u8> {
    if one == other || most == 0 {
        return Some(most);
    }
    let &(asked, found) = kept.get(&(one.min(other), one.max(other)))?;
    (found < asked || most <= asked).then(|| found.min(most))
}

/// Finds out, by recursion over at most `most` bytes.
fn find(
    kept: &mut KnownPairs,
    transitions: &Transitions,
    shared: Tables<'_>,
    pair @ (one, other): (u32, u32),
    most: u8,
) -> u8 {
    if let Some(found) = look_up(kept, pair, most) {
        return found;
    }
    let mut found = 0;
    let is_left_alike = is_final(shared, one) == is_final(shared, other);
    if is_left_alike && is_plain(shared, one) && is_plain(shared, other) {
        let (ours, theirs) = (transitions.of(shared, one), transitions.of(shared, other));
        if agree(ours, theirs) {
            let mut rest = most - 1;
            for pair in targets(ours, theirs) {
                rest = find(kept, transitions, shared, pair, rest);
            }
            found = rest + 1;
        }
    }
    kept.insert((one.min(other), one.max(other)), (most, found));
    found
}

fn is_final(shared: Tables<'_>, state: u32) -> bool {
    shared.states[state as usize].flags & state_flags::FINAL != 0
}

/// Whether a state neither counts nor matches tokens by id.
fn is_plain(shared: Tables<'_>, state: u32) -> bool {
    shared.states[state as usize].count_exit == NONE
        && shared.token_edges_of(state as usize).is_empty()
}

/// Whether two go on, may end, and leave their rule on the same bytes.
fn agree(one: &SharedTransitions, other: &SharedTransitions) -> bool {
    one.calls.is_empty()
        && other.calls.is_empty()
        && one.on == other.on
        && one.ends == other.ends
        && one.leave == other.leave
}

/// Targets of two states on each byte that both go on with.
fn targets<'a>(
    one: &'a SharedTransitions,
    other: &'a SharedTransitions,
) -> impl Iterator<Item = (u32, u32)> + 'a {
    one.runs.iter().flat_map(|&(lo, hi, to)| {
        let meets = move |run: &&(u8, u8, u32)| run.0 <= hi && run.1 >= lo;
        other.runs.iter().filter(meets).map(move |&(_, _, at)| (to, at))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use grammarc_artifacts::TablesData;
    use grammarc_artifacts::tables::Joined;

    use super::super::facts::{VocabularyFacts, vocabulary, walked};
    use crate::ir::ByteSet;
    use crate::network::lazy_dfa::LazyDfa;

    #[test]
    fn texts_of_so_many_bytes_do_not_tell_two_apart() {
        let vocabulary = vocabulary(5);
        let (shared, trie) = (vocabulary.tables(), vocabulary.trie());
        let none = TablesData::empty(shared.totals(), shared.row_words);
        let network = Joined { shared, own: none.as_tables() };
        let known = VocabularyFacts::new(&vocabulary);
        let mut sets = LazyDfa::new(network);
        let mut alike: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        for state in (0..shared.state_count()).filter(|&state| known.like(state) == state) {
            let moves = known.moves(shared, state);
            alike.entry((moves.on.to_words(), moves.ends.to_words())).or_default().push(state);
        }
        // Asked for one byte more each time.
        let rising = VocabularyFacts::new(&vocabulary);
        let pairs: Vec<&[u32]> = alike.values().flat_map(|states| states.windows(2)).collect();
        let (mut told, mut apart) = (0, 0);
        for pair in pairs.iter().step_by(1 + pairs.len() / 200) {
            let most = 6;
            let bytes = known.same_for(shared, (pair[0], pair[1]), most);
            for fewer in 0..=most {
                let found = rising.same_for(shared, (pair[1], pair[0]), fewer);
                assert_eq!(found, bytes.min(fewer), "{pair:?}");
            }
            let height = |node: &u32| known.nodes().height(*node);
            let bytes = usize::from(bytes);
            let nodes = (1..trie.len() as u32).filter(|node| height(node).abs_diff(bytes) <= 1);
            for node in nodes.step_by(7) {
                let mut outcome = |state| walked(&mut sets, trie, ByteSet::FULL, state, node);
                let is_same = outcome(pair[0]) == outcome(pair[1]);
                assert!(is_same || height(&node) > bytes, "{pair:?}, node {node}");
                told += usize::from(is_same);
                apart += usize::from(!is_same);
            }
        }
        assert!(told > 1_000 && apart > 20, "{told} and {apart}");
    }
}

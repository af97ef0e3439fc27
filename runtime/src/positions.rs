//! Positions by number, for searches over many texts of one grammar.
//!
//! A search reads many different byte strings from one position, and asks whether two of them reach the same position.
//! All stacks are in one arena, and equal positions have one number. So a position is copied, compared and hashed as a
//! number. Nothing is collected: the arena lives as long as the search.
//!
//! Items that must differ are not compared. So under a grammar with `uniqueItems`, texts with equal items are accepted
//! too. A caller for whom this matters checks whole texts with [`ByteMatcher`](crate::ByteMatcher).
//!
//! Cost: that of [`ByteMatcher`](crate::ByteMatcher) for the bytes, and one look-up for the position after them.
//! Memory: 12 bytes for each configuration of a position, 16 for each frame.

use std::ops::Range;

use crate::error::LimitError;
use crate::grammar::Grammar;
use crate::position::stack::Frames;
use crate::position::{Configuration, mix};
use crate::step::buffers::StepBuffers;
use crate::step::first_bytes::FirstBytes;
use crate::step::machine::Limits;

/// Number of slots of the hash index of an empty arena. The index grows with the positions.
const FIRST_SLOTS: usize = 64;

/// Number of a position. Only the [`Positions`] that returned the number can use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PositionId(u32);

/// The positions that texts of one grammar have reached, each with a number.
#[derive(Debug)]
pub struct Positions {
    grammar: Grammar,
    limits: Limits,
    frames: Frames,
    /// Configurations of all positions, one position after the other.
    entries: Vec<Configuration>,
    /// For each position, the exclusive end of its configurations in `entries`. Each begins where the position before
    /// it ends.
    ends: Vec<u32>,
    /// Slots of the hash index. A slot holds 0 if it is free, otherwise one more than the number of a position. The
    /// number of slots is a power of two.
    slots: Vec<u32>,
    steps: StepBuffers,
    /// Buffer for the sorted configurations of the position that [`after`](Self::after) reached.
    found: Vec<Configuration>,
}

impl Positions {
    /// The number of the position before any text.
    pub const START: PositionId = PositionId(0);

    /// Returns an arena with one position: the start, before any text. `max_configurations` bounds the configurations
    /// of each position. `max_frames` bounds the stack frames of all positions together. Both have the meaning of
    /// [`MatcherOptions`](crate::MatcherOptions), and values out of range are clamped.
    pub fn new(grammar: &Grammar, max_configurations: usize, max_frames: usize) -> Self {
        let most = u32::MAX as usize / 8;
        let limits = Limits {
            configurations: max_configurations.clamp(1, most),
            frames: max_frames.min(most),
        };
        let mut positions = Self {
            grammar: grammar.clone(),
            limits,
            frames: Frames::new(),
            entries: Vec::new(),
            ends: Vec::new(),
            slots: vec![0; FIRST_SLOTS],
            steps: StepBuffers::default(),
            found: Vec::new(),
        };
        positions.number(&[grammar.initial()]);
        positions
    }

    /// Returns the position that `bytes` reach from the position `from`. `None` if the grammar does not allow the bytes
    /// there.
    ///
    /// # Errors
    ///
    /// The limit on configurations or on frames was met.
    pub fn after(
        &mut self,
        from: PositionId,
        bytes: &[u8],
    ) -> Result<Option<PositionId>, LimitError> {
        let Self { grammar, limits, frames, entries, ends, steps, .. } = self;
        let machine = grammar.lenient_machine(*limits);
        steps.next.clear();
        for &at in &entries[span(ends, from)] {
            machine.add(&mut steps.next, at)?;
        }
        steps.read_bytes(&machine, &grammar.runner(), frames, bytes)?;
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        found.extend_from_slice(self.steps.next.as_slice());
        found.sort_unstable();
        let id = (!found.is_empty()).then(|| self.number(&found));
        self.found = found;
        Ok(id)
    }

    /// Whether a text may end at a position.
    pub fn is_accepting(&self, position: PositionId) -> bool {
        let chains = self.grammar.chains();
        self.configurations(position).iter().any(|&at| chains.is_accepting(&self.frames, at))
    }

    /// Returns the bytes that may come next at a position, in ascending order.
    ///
    /// # Errors
    ///
    /// The closure of the position exceeds the limit on configurations, or a call exceeds the limit on frames.
    pub fn next_bytes(
        &mut self,
        position: PositionId,
    ) -> Result<impl Iterator<Item = u8> + use<>, LimitError> {
        let Self { grammar, limits, frames, entries, ends, steps, .. } = self;
        let closure = &mut steps.closure;
        let machine = grammar.lenient_machine(*limits);
        Ok(FirstBytes::of(&machine, frames, &entries[span(ends, position)], closure)?.bytes.iter())
    }

    /// Returns the number of distinct positions reached so far, including the start.
    #[expect(clippy::len_without_is_empty, reason = "the start is always there")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the configurations of a position, sorted.
    fn configurations(&self, position: PositionId) -> &[Configuration] {
        &self.entries[span(&self.ends, position)]
    }

    /// Returns the number of the position with these sorted configurations. Adds the position if it is new.
    fn number(&mut self, sorted: &[Configuration]) -> PositionId {
        let mut slot = self.first_slot(sorted);
        while let Some(id) = self.slots[slot].checked_sub(1) {
            if self.configurations(PositionId(id)) == sorted {
                return PositionId(id);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        let id = PositionId(self.ends.len() as u32);
        self.entries.extend_from_slice(sorted);
        self.ends.push(self.entries.len() as u32);
        self.slots[slot] = id.0 + 1;
        if self.ends.len() * 2 > self.slots.len() {
            self.index();
        }
        id
    }

    /// Rebuilds the hash index with at least four slots for each position.
    fn index(&mut self) {
        self.slots.clear();
        self.slots.resize((self.ends.len() * 4).next_power_of_two(), 0);
        for id in 0..self.ends.len() as u32 {
            let mut slot = self.first_slot(self.configurations(PositionId(id)));
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            self.slots[slot] = id + 1;
        }
    }

    fn first_slot(&self, configurations: &[Configuration]) -> usize {
        let hash = configurations
            .iter()
            .fold(0, |hash: u64, at| hash.rotate_left(5) ^ mix([at.state, at.count, at.frame]));
        hash as usize & (self.slots.len() - 1)
    }
}

/// Returns the range of a position's configurations in `entries`.
fn span(ends: &[u32], position: PositionId) -> Range<usize> {
    let start = position.0.checked_sub(1).map_or(0, |before| ends[before as usize]);
    start as usize..ends[position.0 as usize] as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ByteMatcher;
    use crate::testing::network::{Network, Shape};
    use crate::testing::{Rng, grammar, vocabulary};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Checks that a text which is read in pieces, each from a random position, is read as a matcher reads the
        /// whole text. The next bytes and the accepting positions must agree too.
        #[test]
        fn agree_with_a_matcher_of_each_text(seed: u64) {
            let mut random = Rng::new(seed);
            let tokens = vocabulary(&mut random);
            let network = Network::random(&mut random, Shape { counts: true, tokens: &[] });
            let grammar = grammar(&network, &tokens, &[3]);
            let mut positions = Positions::new(&grammar, 1 << 10, 1 << 16);
            let mut known = vec![(Positions::START, ByteMatcher::new(&grammar))];
            for _ in 0..40 {
                let (from, matcher) = &known[random.below(known.len())];
                let bytes: Vec<u8> =
                    (0..random.below(4)).map(|_| b'a' + random.below(4) as u8).collect();
                let mut matcher = matcher.fork();
                let accepted = matcher.accept(&bytes).is_ok();
                // Random networks may be ambiguous without bound.
                let Ok(after) = positions.after(*from, &bytes) else { continue };
                prop_assert_eq!(after.is_some(), accepted, "{:?}", bytes);
                if let Some(after) = after {
                    prop_assert_eq!(positions.is_accepting(after), matcher.is_accepting());
                    // The position after the bytes has more configurations than the place itself, and may meet the
                    // limit alone.
                    if let (Ok(next), Ok(allowed)) = (positions.next_bytes(after), matcher.allowed_bytes()) {
                        prop_assert_eq!(next.collect::<Vec<u8>>(), allowed);
                    }
                    prop_assert_eq!(positions.after(*from, &bytes), Ok(Some(after)));
                    known.push((after, matcher));
                }
            }
        }
    }
}

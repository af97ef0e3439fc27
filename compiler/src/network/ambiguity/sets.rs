//! The sets of configurations that the exploration has found: an interner and a worklist.

use super::position::{Configuration, Unfolded, normalize};
use super::stacks::Stacks;
use super::view::View;
use crate::interner::Interner;

/// The most distinct sets of configurations (parses). Beyond that, the exploration gives up and
/// reports no bound.
const MOST_SETS: usize = 4_000;
/// The most configurations (parses) of one set. Beyond that, the exploration gives up and reports
/// no bound.
const MOST_CONFIGURATIONS: usize = 64;

/// An interner of sets of configurations (parses) in normal form, with the worklist of the
/// exploration.
pub(super) struct Sets {
    /// Maps each set to its number.
    seen: Interner<Configuration>,
    /// The numbers of the sets that are still to be explored.
    work: Vec<u32>,
    /// A buffer for the normal form.
    unfolded: Unfolded,
    /// The largest number of configurations (parses) of a position found so far, at least 1.
    most: usize,
}

impl Sets {
    pub(super) fn new() -> Self {
        let (seen, work) = (Interner::default(), Vec::new());
        Self { seen, work, unfolded: Unfolded::default(), most: 1 }
    }

    /// Brings a set into normal form, and adds it to the worklist if it is new. Ignores the empty
    /// set, and a single deterministic configuration (one parse).
    ///
    /// # Errors
    ///
    /// A state of the set, if the set has too many configurations or there are too many sets.
    pub(super) fn meet(
        &mut self,
        view: &View<'_>,
        stacks: &mut Stacks,
        set: &mut [Configuration],
    ) -> Result<(), u32> {
        match set {
            [] => return Ok(()),
            // A deterministic state alone has one successor, and the exploration begins with all states.
            [at] if view.is_alone(*at) => return Ok(()),
            _ => {}
        }
        normalize(set, stacks, &mut self.unfolded);
        self.note_size(set.len());
        if set.len() > MOST_CONFIGURATIONS || self.seen.len() > MOST_SETS {
            return Err(set[0].state);
        }
        let known = self.seen.len();
        let number = self.seen.number(set);
        if self.seen.len() > known {
            self.work.push(number);
        }
        Ok(())
    }

    /// Takes a set from the worklist and copies it into `to`. Returns `false` if the worklist is
    /// empty.
    pub(super) fn take(&mut self, to: &mut Vec<Configuration>) -> bool {
        to.clear();
        let Some(number) = self.work.pop() else { return false };
        to.extend_from_slice(self.seen.get(number));
        true
    }

    /// Records that some position may have this many configurations (parses).
    pub(super) fn note_size(&mut self, size: usize) {
        self.most = self.most.max(size);
    }

    /// Returns the largest number of configurations (parses) recorded so far.
    pub(super) fn most(&self) -> usize {
        self.most
    }
}

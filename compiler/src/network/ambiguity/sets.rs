//! The sets of configurations that were met: an interner and a worklist.

use super::position::{Configuration, Unfolded, normalize};
use super::stacks::Stacks;
use super::view::View;
use crate::interner::Interner;

/// Sets explored before the exploration gives up.
const MOST_SETS: usize = 4_000;
/// Configurations of a set before the exploration gives up.
const MOST_CONFIGURATIONS: usize = 64;

/// Sets by number, in normal form.
pub(super) struct Sets {
    seen: Interner<Configuration>,
    /// Numbers of sets to explore.
    work: Vec<u32>,
    unfolded: Unfolded,
    /// The most configurations of a set.
    most: usize,
}

impl Sets {
    pub(super) fn new() -> Self {
        let (seen, work) = (Interner::default(), Vec::new());
        Self { seen, work, unfolded: Unfolded::default(), most: 1 }
    }

    /// Adds a set, without what its members share. `Err` has a state of a set that is too large.
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

    /// Takes a set from the worklist into `to`. Returns whether there was one.
    pub(super) fn take(&mut self, to: &mut Vec<Configuration>) -> bool {
        to.clear();
        let Some(number) = self.work.pop() else { return false };
        to.extend_from_slice(self.seen.get(number));
        true
    }

    /// Notes that a position may have so many configurations.
    pub(super) fn note_size(&mut self, size: usize) {
        self.most = self.most.max(size);
    }

    /// Returns the most configurations of a set.
    pub(super) fn most(&self) -> usize {
        self.most
    }
}

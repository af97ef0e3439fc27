//! The positions of a sequence, oldest first. A rollback returns to an earlier one.
//!
//! The configurations of all positions lie in one vector, and a second vector holds the start of each position. A
//! rollback truncates both vectors, in constant time. Positions before the rollback window are removed once they
//! outnumber the window, at a constant amortized cost per token.
//!
//! Invariant: only the position of a finished sequence has no configurations.

use crate::position::Configuration;

/// Number of positions up to which nothing is removed, whatever the window. Otherwise a small window would move memory
/// at every token.
const SLACK: usize = 64;

/// The newest position and earlier ones, as far back as the rollback window reaches.
#[derive(Clone, Debug)]
pub(crate) struct History {
    configurations: Vec<Configuration>,
    /// For each position, the start of its configurations in `configurations`. There is at least one position.
    starts: Vec<usize>,
    window: usize,
    /// Largest number of positions that are kept. Beyond it, the positions before the window are removed.
    most: usize,
}

impl History {
    /// Returns the history of a sequence whose only position is `first`. `window` is the number of positions that can
    /// be taken back.
    pub(crate) fn new(first: &[Configuration], window: usize) -> Self {
        let most = window.saturating_mul(2).max(SLACK).saturating_add(1);
        let room = most.min(SLACK);
        let mut configurations = Vec::with_capacity(room.max(first.len()));
        configurations.extend_from_slice(first);
        let mut starts = Vec::with_capacity(room);
        starts.push(0);
        Self { configurations, starts, window, most }
    }

    /// Returns the configurations of the newest position. Empty in a finished sequence.
    #[inline]
    pub(crate) fn current(&self) -> &[Configuration] {
        let start = self.starts.last().copied().unwrap_or(0);
        &self.configurations[start..]
    }

    /// Adds a position after the newest.
    pub(crate) fn push(&mut self, position: &[Configuration]) {
        self.starts.push(self.configurations.len());
        self.configurations.extend_from_slice(position);
        if self.starts.len() > self.most {
            self.trim();
        }
    }

    /// Adds a position of one configuration after the newest.
    #[inline]
    pub(crate) fn push_one(&mut self, at: Configuration) {
        self.starts.push(self.configurations.len());
        self.configurations.push(at);
        if self.starts.len() > self.most {
            self.trim();
        }
    }

    /// Removes the positions before the rollback window.
    #[cold]
    fn trim(&mut self) {
        let removed = self.starts.len() - 1 - self.window;
        let first = self.starts[removed];
        self.configurations.drain(..first);
        self.starts.drain(..removed);
        self.starts.iter_mut().for_each(|start| *start -= first);
    }

    /// Returns the number of tokens that can be taken back: at most the rollback window.
    pub(crate) fn depth(&self) -> usize {
        (self.starts.len() - 1).min(self.window)
    }

    /// Takes back the newest `tokens` positions.
    ///
    /// # Errors
    ///
    /// `tokens` exceeds [`depth`](Self::depth). The error is the depth, and no position is removed.
    pub(crate) fn rollback(&mut self, tokens: usize) -> Result<(), usize> {
        if tokens > self.depth() {
            return Err(self.depth());
        }
        if tokens > 0 {
            let kept = self.starts.len() - tokens;
            self.configurations.truncate(self.starts[kept]);
            self.starts.truncate(kept);
        }
        Ok(())
    }

    /// Returns the configurations of all positions, so that a collection of frames can renumber the frames in them.
    pub(crate) fn configurations_mut(&mut self) -> &mut [Configuration] {
        &mut self.configurations
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn position(token: u32) -> Vec<Configuration> {
        (0..token % 3 + 1).map(|at| Configuration { state: token, count: at, frame: 0 }).collect()
    }

    proptest! {
        /// Compares a history with a list of all positions. Each kept position is right, and at least the window is
        /// kept.
        #[test]
        fn agrees_with_all_positions(
            window in 0usize..100,
            moves in prop::collection::vec(prop_oneof![4 => 1usize..40, 1 => (0usize..60).prop_map(|n| n + 1000)], 1..40),
        ) {
            let mut history = History::new(&position(0), window);
            let mut all = vec![0u32];
            let mut next = 1;
            for step in moves {
                if step < 1000 {
                    for _ in 0..step {
                        history.push(&position(next));
                        all.push(next);
                        next += 1;
                    }
                    prop_assert!(history.depth() >= step.min(window));
                    prop_assert!(history.starts.len() <= (2 * window).max(SLACK) + 1);
                } else {
                    match history.rollback(step - 1000) {
                        Ok(()) => all.truncate(all.len() - (step - 1000)),
                        Err(kept) => prop_assert!(kept < step - 1000),
                    }
                }
                prop_assert_eq!(history.current(), &position(all[all.len() - 1])[..]);
            }
        }
    }
}

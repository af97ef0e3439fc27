//! The positions of a sequence, newest last: what rollback returns to.
//!
//! Positions lie one after the other in one vector of configurations, with the start of each in a second vector. To
//! roll back is to truncate both, whatever the number of tokens. Positions that have left the window are removed from
//! the front once they outnumber it, which costs a constant per token.
//!
//! A position without configurations is that of a finished sequence: no other position is ever empty.

use crate::position::Configuration;

/// Positions removed at once from the front, at least, so that a small window does not make every token move memory.
const SLACK: usize = 64;

/// The newest position and those before it, as far back as the window reaches.
#[derive(Clone, Debug)]
pub(crate) struct Trail {
    configurations: Vec<Configuration>,
    /// Start of each position in `configurations`; at least one entry.
    starts: Vec<usize>,
    window: usize,
    /// Positions that are kept before those that have left the window are removed.
    most: usize,
}

impl Trail {
    /// A trail that begins at a position.
    pub(crate) fn new(first: &[Configuration], window: usize) -> Self {
        let most = window.saturating_mul(2).max(SLACK).saturating_add(1);
        let room = most.min(SLACK);
        let mut configurations = Vec::with_capacity(room.max(first.len()));
        configurations.extend_from_slice(first);
        let mut starts = Vec::with_capacity(room);
        starts.push(0);
        Self { configurations, starts, window, most }
    }

    /// The newest position.
    #[inline]
    pub(crate) fn current(&self) -> &[Configuration] {
        let start = self.starts.last().copied().unwrap_or(0);
        &self.configurations[start..]
    }

    /// Adds a position.
    pub(crate) fn push(&mut self, position: &[Configuration]) {
        self.starts.push(self.configurations.len());
        self.configurations.extend_from_slice(position);
        if self.starts.len() > self.most {
            self.trim();
        }
    }

    /// Adds a position of one configuration.
    #[inline]
    pub(crate) fn push_one(&mut self, at: Configuration) {
        self.starts.push(self.configurations.len());
        self.configurations.push(at);
        if self.starts.len() > self.most {
            self.trim();
        }
    }

    /// Removes what has left the window.
    #[cold]
    fn trim(&mut self) {
        let removed = self.starts.len() - 1 - self.window;
        let first = self.starts[removed];
        self.configurations.drain(..first);
        self.starts.drain(..removed);
        self.starts.iter_mut().for_each(|start| *start -= first);
    }

    /// How many tokens can be taken back.
    pub(crate) fn depth(&self) -> usize {
        (self.starts.len() - 1).min(self.window)
    }

    /// Takes back `tokens` positions, or says how many it can.
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

    /// All configurations, for a collection of frames to rewrite.
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
        /// Against a full history: what is there is right, and at least the window is there.
        #[test]
        fn agrees_with_a_full_history(
            window in 0usize..100,
            moves in prop::collection::vec(prop_oneof![4 => 1usize..40, 1 => (0usize..60).prop_map(|n| n + 1000)], 1..40),
        ) {
            let mut trail = Trail::new(&position(0), window);
            let mut history = vec![0u32];
            let mut next = 1;
            for step in moves {
                if step < 1000 {
                    for _ in 0..step {
                        trail.push(&position(next));
                        history.push(next);
                        next += 1;
                    }
                    prop_assert!(trail.depth() >= step.min(window));
                    prop_assert!(trail.starts.len() <= (2 * window).max(SLACK) + 1);
                } else {
                    match trail.rollback(step - 1000) {
                        Ok(()) => history.truncate(history.len() - (step - 1000)),
                        Err(kept) => prop_assert!(kept < step - 1000),
                    }
                }
                prop_assert_eq!(trail.current(), &position(history[history.len() - 1])[..]);
            }
        }
    }
}

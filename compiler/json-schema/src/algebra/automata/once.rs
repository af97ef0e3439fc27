//! The budget of automata whose keys come once.

/// Most states and edges of an automaton whose keys come once. Beyond, keys may come again, and the report says so.
pub(crate) const MOST_ONCE: usize = 2_048;

/// What is left for automata whose keys come once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Once {
    /// States and edges that are left for such automata.
    pub(crate) room: usize,
    /// Whether an automaton of the current value lets its keys come again.
    pub(crate) again: bool,
}

impl Default for Once {
    fn default() -> Self {
        Self { room: 16 * MOST_ONCE, again: false }
    }
}

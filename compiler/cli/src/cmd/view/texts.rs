//! Finds for each state a shortest text that reaches it. The texts form a tree: each continues that
//! of an earlier activation.
//!
//! A text is kept only if the grammar accepts it.
//!
//! Cost: that of the search, and one step of a matcher for each byte of the texts.
//!
//! Tests: `tests/cli/view.rs` compares with `debug mask`.

use std::collections::BTreeMap;

use grammarc_artifacts::MaskPool;
use grammarc_runtime::ending::Unit;
use grammarc_runtime::{ByteMatcher, Grammar};

use super::activations::Activations;
use super::search::Search;
use super::tokens::head;

/// Largest number of units of a text. Longer texts are left out, since nobody would read them.
const LONGEST: u32 = 4_000;

/// The shortest texts of states, as a tree.
#[derive(Debug)]
pub(super) struct Texts {
    entries: Vec<TextEntry>,
    of_state: BTreeMap<u32, usize>,
}

/// A text: the units that continue the text of the parent. The first entry is the empty text, its
/// own parent.
#[derive(Debug)]
pub(super) struct TextEntry {
    pub(super) parent: u32,
    pub(super) units: Vec<Unit>,
}

impl Texts {
    /// Finds the shortest texts of some states.
    pub(super) fn new(grammar: &Grammar, states: impl Iterator<Item = u32>) -> Self {
        let artifact = grammar.artifact();
        let activations = Activations::of(&artifact.joined(), artifact.start_rule());
        let search = Search::new(&activations);
        let mut nearest: BTreeMap<u32, usize> = BTreeMap::new();
        for index in 0..activations.len() {
            let at = nearest.entry(activations.state(index)).or_insert(index);
            if search.cost(index) < search.cost(*at) {
                *at = index;
            }
        }
        let mut tree = Tree::new(&search);
        let mut of_state = BTreeMap::new();
        for state in states {
            let Some(&index) = nearest.get(&state) else { continue };
            if search.cost(index) <= LONGEST && is_accepted(grammar, &search.text(index)) {
                of_state.insert(state, tree.entry(index));
            }
        }
        Self { entries: tree.entries, of_state }
    }

    /// Returns the tree of the texts.
    pub(super) fn entries(&self) -> &[TextEntry] {
        &self.entries
    }

    /// Returns the index of the text of a state. `None` if no text was found.
    pub(super) fn of(&self, state: u32) -> Option<usize> {
        self.of_state.get(&state).copied()
    }
}

/// Whether a grammar accepts the units of a text.
fn is_accepted(grammar: &Grammar, units: &[Unit]) -> bool {
    let mut matcher = ByteMatcher::new(grammar);
    let pool = grammar.artifact().pool();
    units.iter().all(|unit| match *unit {
        Unit::Byte(byte) => matcher.accept(&[byte]).is_ok(),
        Unit::Token(set) => {
            least(pool, set).is_some_and(|token| matcher.accept_token(token) == Ok(true))
        }
    })
}

/// Returns the least token of a mask.
fn least(pool: MaskPool<'_>, mask: u32) -> Option<u32> {
    head(&pool.mask(mask), 1).first().copied()
}

/// The tree of the accepted texts.
struct Tree<'a> {
    search: &'a Search<'a>,
    entries: Vec<TextEntry>,
    /// For each activation with an entry, the entry's index.
    of_activation: BTreeMap<usize, usize>,
}

impl<'a> Tree<'a> {
    fn new(search: &'a Search<'a>) -> Self {
        let empty = TextEntry { parent: 0, units: Vec::new() };
        Self { search, entries: vec![empty], of_activation: BTreeMap::from([(0, 0)]) }
    }

    /// Returns the index of an activation's entry. Adds missing entries for it and for the
    /// activations before it.
    fn entry(&mut self, activation: usize) -> usize {
        let (mut way, mut at) = (Vec::new(), activation);
        while !self.of_activation.contains_key(&at)
            && let Some(before) = self.search.before(at)
        {
            way.push(at);
            at = before;
        }
        let mut parent = self.of_activation.get(&at).copied().unwrap_or(0);
        for at in way.into_iter().rev() {
            let units = self.search.last_units(at);
            if !units.is_empty() {
                self.entries.push(TextEntry { parent: parent as u32, units });
                parent = self.entries.len() - 1;
            }
            self.of_activation.insert(at, parent);
        }
        parent
    }
}

//! Tokens that span items: that end an item and go on into the next.
//!
//! Where the walk of [`excluded`](super::excluded) goes, an item that is new is left at once, and what a token would make
//! of the items behind it is not seen. These tokens are tried one by one instead. Which they are depends on the state
//! alone: here they are found, for each state when it is first asked for, by reading the token trie from the state. A
//! token that is read within an item comes to the state at any of its bytes, so every node of the trie is a beginning;
//! few are of a byte that the state takes, which in an array are a comma and a bracket.
//!
//! Cost, once a state: O(nodes of the trie), and a step for each node that the state leads to.

use grammarc_artifacts::sections::vocabulary::Trie;

use super::items::EMPTY;
use super::{DistinctRules, callers};
use crate::error::LimitError;
use crate::grammar::Grammar;
use crate::position::{Configuration, Configurations};
use crate::sequence::FirstBytes;
use crate::stack::{BOTTOM, Frames};
use crate::step::{Limits, Machine};

/// Limits on what is tried: a token does not need more.
const LIMITS: Limits = Limits { configurations: 1 << 12, frames: 1 << 20 };

impl DistinctRules {
    /// The tokens that may span items at a state: that end an item which returns there, or begin where the state stands,
    /// and go on into another item. Ascending.
    pub(super) fn spanning(&self, grammar: &Grammar, state: u32, within: bool) -> &[u32] {
        let Some(spans) = self.spans(state) else { return &[] };
        let cell = if within { &spans.within } else { &spans.between };
        cell.get_or_init(|| Finder::new(grammar, state, within).find().unwrap_or_default())
    }
}

/// The search for the tokens of a state.
struct Finder<'g> {
    machine: Machine<'g>,
    trie: Trie<'g>,
    start: Configuration,
    within: bool,
    /// Whether items may run out at the state.
    scarce: bool,
    frames: Frames,
    closure: Configurations,
    next: Configurations,
    /// Positions along a path of the trie.
    positions: Vec<Vec<Configuration>>,
    found: Vec<u32>,
}

impl<'g> Finder<'g> {
    fn new(grammar: &'g Grammar, state: u32, within: bool) -> Self {
        let machine = grammar.machine(LIMITS);
        let start = Configuration { state, count: EMPTY, frame: BOTTOM };
        Self {
            scarce: machine.distinct.is_scarce(state),
            machine,
            trie: grammar.vocabulary().artifact().trie(),
            start,
            within,
            frames: Frames::new(),
            closure: Configurations::default(),
            next: Configurations::default(),
            positions: vec![vec![start]],
            found: Vec::new(),
        }
    }

    fn find(mut self) -> Result<Box<[u32]>, LimitError> {
        self.frames.items.lenient = true;
        let Self { machine, frames, closure, start, trie, .. } = &mut self;
        let (first, trie) = (FirstBytes::of(machine, frames, &[*start], closure)?, *trie);
        let nodes = 1..trie.len() as u32;
        let begins = |&node: &u32| first.contains(trie.byte[node as usize]);
        if self.within {
            nodes.filter(begins).try_for_each(|node| self.begin(node))?;
        } else {
            trie.children(0).filter(begins).try_for_each(|node| self.begin(node))?;
        }
        self.found.sort_unstable();
        self.found.dedup();
        Ok(self.found.into())
    }

    /// Reads the byte of a node at the start, and what is below it.
    fn begin(&mut self, node: u32) -> Result<(), LimitError> {
        self.read(node, 0)?;
        self.frames.items.forget(1);
        if self.frames.collection_is_due() {
            self.frames.collect(&mut []);
        }
        Ok(())
    }

    /// Reads the byte of a node at the position of a depth, and goes on below where nothing spans items yet.
    fn read(&mut self, node: u32, depth: usize) -> Result<(), LimitError> {
        if self.positions.len() == depth + 1 {
            self.positions.push(Vec::new());
        }
        let byte = self.trie.byte[node as usize];
        let len = self.frames.items.text().len();
        let Self { machine, frames, closure, next, positions, .. } = self;
        super::read(machine, frames, &positions[depth], byte, closure, next)?;
        let after = &mut positions[depth + 1];
        after.clear();
        after.extend_from_slice(next.as_slice());
        if after.iter().any(|&at| spans(machine, frames, at, self.within, self.scarce)) {
            let below = self.trie.tokens_below(node);
            let tokens = &self.trie.token_of_rank[below.start as usize..below.end as usize];
            self.found.extend_from_slice(tokens);
        } else if !after.is_empty() {
            for child in self.trie.children(node) {
                self.read(child, depth + 1)?;
            }
        }
        self.frames.items.truncate(len);
        Ok(())
    }
}

/// Whether a token that was read from a state up to a configuration spans items: it began one behind another, or, where
/// items are scarce, went on behind one.
fn spans(
    machine: &Machine<'_>,
    frames: &Frames,
    at: Configuration,
    within: bool,
    scarce: bool,
) -> bool {
    let spans = |register: u32| {
        let list = frames.items.list(register);
        match (within, scarce) {
            (true, true) => true,
            (true, false) => register != EMPTY,
            (false, true) => register != EMPTY && (!list.is_open() || list.has_more()),
            (false, false) => list.has_more(),
        }
    };
    let own = (at.state, at.count);
    let own = machine.distinct.contains(at.state).then_some(own);
    own.into_iter().chain(callers(machine, frames, at)).any(|(_, register)| spans(register))
}

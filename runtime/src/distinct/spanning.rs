//! Tokens that span items: that end an item and go on into the next.
//!
//! The walk of [`excluded`](super::excluded) leaves an item that is new at once, and does not see how a token continues
//! in the items behind it. These tokens are tried one by one instead. The set of them depends on the state alone: here
//! they are found, for each state when it is first asked for, by reading the token trie from the state. A token that is
//! read within an item comes to the state at any of its bytes, so every node of the trie is a beginning; few are of a
//! byte that the state takes, which in an array are a comma and a bracket. Tokens that begin a rule and two items of it
//! are tried in any position; no vocabulary that we know has one for arrays of JSON.
//!
//! Trying a token costs a step for each of its bytes, and a look at what may follow. Most need not be tried: where the
//! item that is being read is new, and the next can go on with more bytes than there are items, something is new.
//!
//! Cost, once a state: a step for each node that the state leads to, from all places in tokens of a byte that it takes.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use grammarc_artifacts::sections::network::rule_flags;
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

/// A token that spans items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spanning {
    pub(super) token: u32,
    /// Bytes with which the item that the token begins can go on behind it, each to items of its own: with fewer items
    /// before it, one of these bytes makes it new. 0 where a token may do more than to end an item and to begin one.
    pub(super) ways: u32,
}

/// The kind of place in which tokens are read that may span items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In an item that returns to the state.
    Within,
    /// In the state.
    Between,
    /// Before the rule that begins with the state.
    Outside,
}

impl DistinctRules {
    /// The tokens that may span items at a state: that end an item which returns there, or begin where the state stands,
    /// and go on into another item. Ascending by their bytes.
    pub(super) fn spanning(&self, grammar: &Grammar, state: u32, within: bool) -> &[Spanning] {
        let Some(spans) = self.spans(state) else { return &[] };
        let (cell, place) = match within {
            true => (&spans.within, Place::Within),
            false => (&spans.between, Place::Between),
        };
        cell.get_or_init(|| Finder::new(grammar, state, place).find().unwrap_or_default())
    }

    /// The tokens that may begin a distinct rule and two items of it. Few vocabularies have any.
    pub(super) fn entering(&self, grammar: &Grammar) -> &[u32] {
        self.entering.get_or_init(|| {
            let starts = self.states.iter().map(|rule| rule.start);
            let found = starts.flat_map(|start| {
                Finder::new(grammar, start, Place::Outside).find().unwrap_or_default()
            });
            let tokens: BTreeSet<u32> = found.map(|spanning| spanning.token).collect();
            tokens.into_iter().collect()
        })
    }
}

/// The search for the tokens of a state.
struct Finder<'g> {
    grammar: &'g Grammar,
    machine: Machine<'g>,
    trie: Trie<'g>,
    start: Configuration,
    place: Place,
    /// Whether items may run out at the state.
    scarce: bool,
    frames: Frames,
    closure: Configurations,
    next: Configurations,
    /// Positions along a path of the trie.
    positions: Vec<Vec<Configuration>>,
    /// The ways on of configurations that are in the first item of a list.
    ways: HashMap<Configuration, u32>,
    found: Vec<Spanning>,
}

impl<'g> Finder<'g> {
    fn new(grammar: &'g Grammar, state: u32, place: Place) -> Self {
        let machine = grammar.machine(LIMITS);
        let start = Configuration { state, count: EMPTY, frame: BOTTOM };
        Self {
            grammar,
            scarce: machine.distinct.is_scarce(state),
            machine,
            trie: grammar.vocabulary().artifact().trie(),
            start,
            place,
            frames: Frames::new(),
            closure: Configurations::default(),
            next: Configurations::default(),
            positions: vec![vec![start]],
            ways: HashMap::new(),
            found: Vec::new(),
        }
    }

    fn find(mut self) -> Result<Box<[Spanning]>, LimitError> {
        self.frames.items.lenient = true;
        let Self { machine, frames, closure, start, trie, .. } = &mut self;
        let (first, trie) = (FirstBytes::of(machine, frames, &[*start], closure)?, *trie);
        let begins = |&node: &u32| first.contains(trie.byte[node as usize]);
        match self.place {
            Place::Between => {
                trie.children(0).filter(begins).try_for_each(|node| self.begin(node))?;
            }
            Place::Within if self.scarce || self.begins_item() => {
                (1..trie.len() as u32).filter(begins).try_for_each(|node| self.begin(node))?;
            }
            // One byte is not enough to span items: it is read before the next one begins.
            Place::Within | Place::Outside => {
                let nodes = self.grammar.vocabulary().inner_nodes();
                let mut nodes = first.iter().flat_map(|byte| nodes.of(byte));
                nodes.try_for_each(|&node| self.begin(node))?;
            }
        }
        // Of the ways in which a token is read, the one with the fewest ways on speaks for it.
        self.found.sort_unstable();
        self.found.dedup_by_key(|spanning| spanning.token);
        let vocabulary = self.grammar.vocabulary();
        self.found.sort_by_key(|spanning| vocabulary.token_bytes(spanning.token));
        Ok(self.found.into())
    }

    /// Whether an item may begin at the start itself.
    fn begins_item(&self) -> bool {
        let (tables, index) = self.machine.tables.locate(self.start.state);
        let mut callees = tables.call_edges_of(index).iter().map(|edge| edge.callee);
        callees.any(|callee| self.machine.tables.rule(callee).flags & rule_flags::ITEM != 0)
    }

    /// Reads the byte of a node at the start, and what is below it.
    fn begin(&mut self, node: u32) -> Result<(), LimitError> {
        self.read(node, 0, false)?;
        self.frames.items.forget(1);
        if self.frames.collection_is_due() {
            self.frames.collect(&mut []);
            self.ways.clear();
        }
        Ok(())
    }

    /// Reads the byte of a node at the position of a depth, and goes on below it. `spanning` says whether items were
    /// spanned before.
    fn read(&mut self, node: u32, depth: usize, spanning: bool) -> Result<(), LimitError> {
        if self.positions.len() == depth + 1 {
            self.positions.push(Vec::new());
        }
        let byte = self.trie.byte[node as usize];
        let len = self.frames.items.text().len();
        let Self { machine, frames, closure, next, positions, .. } = self;
        super::read(machine, frames, &positions[depth], byte, closure, next)?;
        let mut after = std::mem::take(&mut self.positions[depth + 1]);
        after.clear();
        after.extend_from_slice(self.next.as_slice());
        let noted = self.note(node, &after, spanning);
        self.positions[depth + 1] = after;
        if let Some(spanning) = noted? {
            for child in self.trie.children(node) {
                self.read(child, depth + 1, spanning)?;
            }
        }
        self.frames.items.truncate(len);
        Ok(())
    }

    /// Notes the tokens of a node, or all below it, where what comes after it spans items. Says whether it does, and
    /// nothing where no more is to be learnt below.
    fn note(
        &mut self,
        node: u32,
        after: &[Configuration],
        spanning: bool,
    ) -> Result<Option<bool>, LimitError> {
        let Self { machine, frames, place, scarce, .. } = &*self;
        let spans = |&&at: &&Configuration| spans(machine, frames, at, *place, *scarce);
        let spans: Vec<Configuration> = after.iter().filter(spans).copied().collect();
        if !spanning && spans.is_empty() {
            return Ok((!after.is_empty()).then_some(false));
        }
        // A token that leaves the rule is not followed, and may do anything there.
        let chains = self.grammar.chains();
        let leaves = after.iter().any(|&at| chains.is_accepting(&self.frames, at));
        if leaves || self.place != Place::Within || self.scarce {
            self.add(self.trie.tokens_below(node), 0);
            return Ok(None);
        }
        let ways = spans
            .iter()
            .map(|&at| self.ways(at))
            .try_fold(u32::MAX, |fewest, ways| ways.map(|ways| fewest.min(ways)))?;
        if !spans.is_empty() {
            self.add(self.trie.tokens_at(node), ways);
        }
        Ok((!after.is_empty()).then_some(true))
    }

    fn add(&mut self, ranks: Range<u32>, ways: u32) {
        let tokens = &self.trie.token_of_rank[ranks.start as usize..ranks.end as usize];
        self.found.extend(tokens.iter().map(|&token| Spanning { token, ways }));
    }

    /// The bytes with which a configuration goes on in the first item of a list, and in nothing else; 0 where it is not in
    /// one.
    fn ways(&mut self, at: Configuration) -> Result<u32, LimitError> {
        let Self { machine, frames, closure, next, .. } = self;
        let Some(register) = only_caller(machine, frames, at) else { return Ok(0) };
        let list = frames.items.list(register);
        if !list.is_open() || list.has_more() {
            return Ok(0);
        }
        if let Some(&known) = self.ways.get(&at) {
            return Ok(known);
        }
        let len = frames.items.text().len();
        let mut ways = 0;
        for byte in FirstBytes::of(machine, frames, &[at], closure)?.iter() {
            super::read(machine, frames, &[at], byte, closure, next)?;
            let mut goes_on = next.as_slice().iter().map(|&at| callers(machine, frames, at).last());
            ways +=
                u32::from(goes_on.any(|caller| caller.is_some_and(|(_, list)| list == register)));
            frames.items.truncate(len);
        }
        self.ways.insert(at, ways);
        Ok(ways)
    }
}

/// The register of the distinct rule that called what a configuration is in, where there is one and no other.
pub(super) fn only_caller(
    machine: &Machine<'_>,
    frames: &Frames,
    at: Configuration,
) -> Option<u32> {
    let mut callers = callers(machine, frames, at);
    let (_, register) = callers.next()?;
    (callers.next().is_none() && !machine.distinct.contains(at.state)).then_some(register)
}

/// Whether a token that was read from a place up to a configuration spans items: it began one behind another, or, where
/// items are scarce, went on behind one.
fn spans(
    machine: &Machine<'_>,
    frames: &Frames,
    at: Configuration,
    place: Place,
    scarce: bool,
) -> bool {
    let spans = |register: u32| {
        let list = frames.items.list(register);
        match (place, scarce) {
            (Place::Within, true) => true,
            (Place::Within, false) => register != EMPTY,
            (_, true) => register != EMPTY && (!list.is_open() || list.has_more()),
            (_, false) => list.has_more(),
        }
    };
    let own = machine.distinct.contains(at.state).then_some((at.state, at.count));
    own.into_iter().chain(callers(machine, frames, at)).any(|(_, register)| spans(register))
}

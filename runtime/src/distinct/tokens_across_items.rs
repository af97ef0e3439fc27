//! Tokens that span items of a distinct rule, whose items must differ: they end an item and continue into the next.
//!
//! The walk of [`excluded`](super::excluded) stops as soon as an item is new, and does not see the items after it in
//! the same token. So spanning tokens are tried one by one. Their set depends on the state alone. It is computed when a
//! state is first asked for, by reading the token trie from the state.
//!
//! A token that begins within an item may reach the state at any of its bytes. So the search starts at each trie node
//! whose byte the state reads. In an array these bytes are a comma and a bracket. Tokens that begin a rule and two
//! items of it are tried in any position. No vocabulary that we know has such a token for JSON arrays.
//!
//! A trial costs a step for each byte of the token, and a test of what may follow. Most trials are skipped. A new item
//! remains if the open item is new, and the next one can continue with more bytes than there are earlier items.
//!
//! Cost, once for each state: a step for each trie node that is reached from these starts.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use grammarc_artifacts::sections::network::rule_flags;
use grammarc_artifacts::sections::vocabulary::Trie;

use super::items::EMPTY;
use super::reading::{Activation, callers, only_caller, read};
use super::rules::SpanningToken;
use crate::error::LimitError;
use crate::grammar::Grammar;
use crate::position::stack::{BOTTOM, Frames};
use crate::position::{Configuration, Configurations};
use crate::step::first_bytes::FirstBytes;
use crate::step::machine::{Limits, Machine};

/// Limits on the trial of one token, which needs far less. If the trial exceeds one, no token counts as spanning.
const LIMITS: Limits = Limits { configurations: 1 << 12, frames: 1 << 20 };

/// A state at which tokens may span items, and the place where such tokens begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    /// Id of a state that calls an item or to which an item returns.
    pub(super) state: u32,
    /// Whether the tokens begin within an item that returns to the state. If `false`, they begin in the state itself.
    pub(super) within: bool,
}

/// The place at which a spanning token begins, in relation to a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Within an item that returns to the state.
    Within,
    /// In the state, between two items.
    Between,
    /// Before the distinct rule whose first state this is.
    Outside,
}

/// Returns the tokens that may span items at a state, ascending by their bytes.
pub(super) fn at(grammar: &Grammar, span: Span) -> &[SpanningToken] {
    let Some(spans) = grammar.distinct().spans(span.state) else { return &[] };
    let (cell, place) = match span.within {
        true => (&spans.within, Place::Within),
        false => (&spans.between, Place::Between),
    };
    cell.get_or_init(|| Finder::new(grammar, span.state, place).find().unwrap_or_default())
}

/// Returns the tokens that may begin a distinct rule and continue into its second item. Few vocabularies have any.
pub(super) fn entering(grammar: &Grammar) -> &[u32] {
    let rules = grammar.distinct();
    rules.entering.get_or_init(|| {
        let found = rules.starts().flat_map(|start| {
            Finder::new(grammar, start, Place::Outside).find().unwrap_or_default()
        });
        let tokens: BTreeSet<u32> = found.map(|spanning| spanning.token).collect();
        tokens.into_iter().collect()
    })
}

/// A trie node in the worklist. Its byte is read from the position of depth `depth`.
#[derive(Clone, Copy)]
struct Open {
    node: u32,
    depth: usize,
    /// Whether the path before the node has ended an item and continued into the next.
    spanning: bool,
}

/// The search for the tokens that span items at a state.
struct Finder<'g> {
    grammar: &'g Grammar,
    machine: Machine<'g>,
    trie: Trie<'g>,
    start: Configuration,
    place: Place,
    /// Whether the state's rule may run out of new items, since one of its items has finitely many texts.
    scarce: bool,
    frames: Frames,
    closure: Configurations,
    next: Configurations,
    /// For each depth on the path of the walk, the position after its bytes.
    positions: Vec<Vec<Configuration>>,
    /// Maps a configuration in the first item of a list to the number of different bytes that can continue it.
    ways: HashMap<Configuration, u32>,
    found: Vec<SpanningToken>,
}

impl<'g> Finder<'g> {
    /// Prepares the search for the tokens that begin at `place` in relation to `state`.
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

    /// Runs the search. Returns the spanning tokens, sorted by their bytes.
    fn find(mut self) -> Result<Box<[SpanningToken]>, LimitError> {
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
            // A leaf's byte cannot span items: no byte of the token follows for the next item.
            Place::Within | Place::Outside => {
                let nodes = self.grammar.vocabulary().inner_nodes();
                let mut nodes = first.iter().flat_map(|byte| nodes.of(byte));
                nodes.try_for_each(|&node| self.begin(node))?;
            }
        }
        // A token may be read in several ways: the fewest continuations count.
        self.found.sort_unstable();
        self.found.dedup_by_key(|spanning| spanning.token);
        let vocabulary = self.grammar.vocabulary();
        self.found.sort_by_key(|spanning| vocabulary.token_bytes(spanning.token));
        Ok(self.found.into())
    }

    /// Whether the start state calls an item.
    fn begins_item(&self) -> bool {
        let (tables, index) = self.machine.tables.locate(self.start.state);
        let mut callees = tables.call_edges_of(index).iter().map(|edge| edge.callee);
        callees.any(|callee| self.machine.tables.rule(callee).flags & rule_flags::ITEM != 0)
    }

    /// Reads the subtree of a trie node from the start state, then removes what the reading left.
    fn begin(&mut self, node: u32) -> Result<(), LimitError> {
        self.read(node)?;
        self.frames.items.forget(1);
        if self.frames.collection_is_due() {
            self.frames.collect(&mut []);
            self.ways.clear();
        }
        Ok(())
    }

    /// Reads the subtree of a trie node, depth first. Notes the tokens that span items.
    fn read(&mut self, node: u32) -> Result<(), LimitError> {
        let len = self.frames.items.text().len();
        let mut open = vec![Open { node, depth: 0, spanning: false }];
        while let Some(Open { node, depth, spanning }) = open.pop() {
            self.frames.items.truncate(len + depth);
            if self.positions.len() == depth + 1 {
                self.positions.push(Vec::new());
            }
            let byte = self.trie.byte[node as usize];
            let Self { machine, frames, closure, next, positions, .. } = self;
            read(machine, frames, &positions[depth], byte, closure, next)?;
            let mut after = std::mem::take(&mut self.positions[depth + 1]);
            after.clear();
            after.extend_from_slice(self.next.as_slice());
            let noted = self.note(node, &after, spanning);
            self.positions[depth + 1] = after;
            if let Some(spanning) = noted? {
                let children = self.trie.children(node);
                open.extend(children.map(|node| Open { node, depth: depth + 1, spanning }));
            }
        }
        self.frames.items.truncate(len);
        Ok(())
    }

    /// Adds the tokens of a node to those found if they span items: `after` or an earlier byte of the path does. If
    /// nothing is known about longer tokens, adds the whole subtree. Returns whether the path spans items, or `None` if
    /// the subtree need not be read.
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
        // A token that leaves the rule is not followed further, so nothing is known of its end.
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

    /// Adds the tokens of these ranks (indices in byte order), which span items. `ways` is the field of
    /// [`SpanningToken`].
    fn add(&mut self, ranks: Range<u32>, ways: u32) {
        let tokens = &self.trie.token_of_rank[ranks.start as usize..ranks.end as usize];
        self.found.extend(tokens.iter().map(|&token| SpanningToken { token, ways }));
    }

    /// Returns the number of different bytes that continue a configuration within the first item of a list. 0 if the
    /// configuration is in no such item, or in several lists.
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
            read(machine, frames, &[at], byte, closure, next)?;
            let mut goes_on = next.as_slice().iter().map(|&at| callers(machine, frames, at).last());
            ways += u32::from(
                goes_on.any(|caller| caller.is_some_and(|caller| caller.list == register)),
            );
            frames.items.truncate(len);
        }
        self.ways.insert(at, ways);
        Ok(ways)
    }
}

/// Whether a token that was read from `place` to a configuration spans items: the token began an item after another
/// one. In a scarce rule, which may run out of new items, it suffices that the token continued after the end of an
/// item.
fn spans(
    machine: &Machine<'_>,
    frames: &Frames,
    at: Configuration,
    place: Place,
    scarce: bool,
) -> bool {
    let spans = |number: u32| {
        let list = frames.items.list(number);
        match (place, scarce) {
            (Place::Within, true) => true,
            (Place::Within, false) => number != EMPTY,
            (_, true) => number != EMPTY && (!list.is_open() || list.has_more()),
            (_, false) => list.has_more(),
        }
    };
    let own = Activation { state: at.state, list: at.count };
    let own = machine.distinct.contains(at.state).then_some(own);
    own.into_iter().chain(callers(machine, frames, at)).any(|activation| spans(activation.list))
}

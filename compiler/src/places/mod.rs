//! Finds the places of states: the parts of the source that say what may come next.
//!
//! ```text
//! network ─ texts ─► a short text to each state ─ open JSON ─► a path ─ place graph ─► schemas that apply
//! ```
//!
//! The states are visited from the start. Each visit has a text that leads there, as far as JSON is open in it. A state
//! that texts with other places, containers or beginnings of keys lead to is visited again for each, up to [`MOST_VISITS`]
//! times. Without a place graph, the place of a state is that of its rule.
//!
//! Cost: O(states and edges), times the length of a shortest text for each call.
//!
//! Tests: unit tests here; `tests/tests/suite/places.rs`.

mod texts;

use std::collections::VecDeque;

use grammarc_artifacts::Places;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::Joined;
use grammarc_grammar::ir::{Origin, PlaceGraph};
use grammarc_grammar::open_json::OpenJson;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};
use smallvec::SmallVec;

use texts::Texts;

/// Most places of a state.
const MOST_PLACES: usize = 16;

/// Most visits of a state.
const MOST_VISITS: usize = 64;

/// Returns the places of a grammar's own states. `start` is the state in which its texts begin, and `rules` has the
/// origin of each own rule.
pub(crate) fn places(
    tables: Joined<'_>,
    start: u32,
    rules: &[(String, Origin)],
    graph: Option<&PlaceGraph>,
) -> Places {
    match graph {
        Some(graph) => {
            let nodes = Walk::new(tables, graph).run(start);
            let pointers = nodes.into_iter().map(|nodes| {
                let nodes = nodes.into_iter().map(|node| &graph.nodes[node as usize].pointers);
                nodes.flatten().map(String::as_str).take(MOST_PLACES).collect()
            });
            sets(pointers)
        }
        None => {
            let states = tables.own.rules.iter().zip(rules).flat_map(|(record, (_, origin))| {
                let pointer = origin.pointer.as_deref();
                (0..record.state_count).map(move |_| pointer.into_iter().collect())
            });
            sets(states)
        }
    }
}

/// Returns the places of states, for the pointers of each. Beyond 65,535 sets, states get no places.
fn sets<'p>(states: impl Iterator<Item = Vec<&'p str>>) -> Places {
    let mut pointers: IndexSet<&str, FxBuildHasher> = IndexSet::default();
    let mut sets: IndexSet<Vec<u32>, FxBuildHasher> = IndexSet::default();
    let of_states = states.map(|all| {
        if all.is_empty() {
            return 0;
        }
        let set: Vec<u32> =
            all.into_iter().map(|pointer| pointers.insert_full(pointer).0 as u32).collect();
        u16::try_from(sets.insert_full(set).0 + 1).unwrap_or(0)
    });
    let of_states: Vec<u16> = of_states.collect();
    sets.truncate(usize::from(u16::MAX));
    // In ascending order, pointers share most of their text with the one before.
    let mut sorted: Vec<u32> = (0..pointers.len() as u32).collect();
    sorted.sort_unstable_by_key(|&index| pointers[index as usize]);
    let mut numbers = vec![0; sorted.len()];
    (0..).zip(&sorted).for_each(|(number, &index)| numbers[index as usize] = number);
    let renumbered = sets
        .into_iter()
        .map(|set| set.into_iter().map(|index: u32| numbers[index as usize]).collect());
    Places {
        sets: renumbered.collect(),
        pointers: sorted.iter().map(|&index| pointers[index as usize].to_owned()).collect(),
        of_states,
    }
}

/// The visit of all states that some text leads to.
struct Walk<'a> {
    tables: Joined<'a>,
    graph: &'a PlaceGraph,
    texts: Texts<'a>,
    /// For each own state, the nodes of the place graph at which it was visited.
    nodes: Vec<SmallVec<[u32; 2]>>,
    /// For each own state, the number of its visits.
    visits: Vec<u8>,
    /// The own states with what they were visited at: the nodes of the value and of its container, and the beginning of
    /// a key.
    seen: FxHashSet<(usize, [Option<u32>; 2], Vec<u8>)>,
    /// States to visit, each with a text that leads there.
    open: VecDeque<(u32, OpenJson)>,
}

impl<'a> Walk<'a> {
    fn new(tables: Joined<'a>, graph: &'a PlaceGraph) -> Self {
        let count = tables.own.state_count() as usize;
        Self {
            tables,
            graph,
            texts: Texts::new(tables),
            nodes: vec![SmallVec::new(); count],
            visits: vec![0; count],
            seen: FxHashSet::default(),
            open: VecDeque::new(),
        }
    }

    fn run(mut self, start: u32) -> Vec<SmallVec<[u32; 2]>> {
        self.visit(start, OpenJson::default());
        while let Some((state, text)) = self.open.pop_front() {
            let own = self.tables.own;
            let index = (state - own.bases.states) as usize;
            self.texts.instead(state).for_each(|state| self.visit(state, text.clone()));
            for edge in own.byte_edges_of(index) {
                let mut text = text.clone();
                text.push(edge.lo());
                self.visit(edge.target, text);
            }
            for edge in own.token_edges_of(index) {
                self.visit(edge.target, text.clone());
            }
            for edge in own.call_edges_of(index) {
                self.visit(self.tables.rule(edge.callee).first_state, text.clone());
                if edge.ret != NONE {
                    let mut text = text.clone();
                    self.texts.of_call(edge).into_iter().for_each(|byte| text.push(byte));
                    self.visit(edge.ret, text.clone());
                    // The text of the call may be a number that goes on behind it, or a whole value.
                    if text.end_word() {
                        self.visit(edge.ret, text);
                    }
                }
            }
        }
        self.nodes
    }

    /// Visits a state, unless it is one of the vocabulary or was visited at the same place.
    fn visit(&mut self, state: u32, text: OpenJson) {
        let Some(index) = state.checked_sub(self.tables.own.bases.states) else { return };
        // Where no schema applies there is no place, but there may be one behind.
        let path = text.place().path;
        let node = self.graph.at(&path);
        // Equal values in other containers have other places behind them.
        let around = path.split_last().and_then(|(_, around)| self.graph.at(around));
        let index = index as usize;
        let (known, visits) = (&mut self.nodes[index], &mut self.visits[index]);
        // Keys that end alike share states, and only the whole key says which member it is.
        let key = text.key_so_far().to_vec();
        if usize::from(*visits) < MOST_VISITS && self.seen.insert((index, [node, around], key)) {
            *visits += 1;
            if let Some(node) =
                node.filter(|node| known.len() < MOST_PLACES && !known.contains(node))
            {
                known.push(node);
            }
            self.open.push_back((state, text));
        }
    }
}

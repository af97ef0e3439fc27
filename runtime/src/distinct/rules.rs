//! The distinct rules of a grammar (rules whose items must differ), and the tokens that may span two of their items.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use grammarc_artifacts::sections::network::{NONE, rule_flags};
use grammarc_artifacts::tables::Joined;

use crate::position::state_ranges::StateRanges;

/// A token that spans items: the token ends one item and continues into the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SpanningToken {
    /// Id of the token that spans items.
    pub(super) token: u32,
    /// Number of different bytes that can continue the item that the token begins. If there are fewer earlier items,
    /// some of these bytes makes the item new. 0 if the token does more than end one item and begin another.
    pub(super) ways: u32,
}

/// The distinct rules of a grammar: rules whose items must differ, such as `uniqueItems`.
#[derive(Debug, Default)]
pub(crate) struct DistinctRules {
    /// States of all distinct rules.
    states: StateRanges,
    /// States of the distinct rules that have an item with finitely many texts. Such a rule may run out of new items.
    scarce: StateRanges,
    /// For each state that calls an item or to which an item returns, the tokens that span items there. Ascending by
    /// state.
    spans: Vec<(u32, Spans)>,
    /// Ids of the tokens that begin a distinct rule and span two of its items. Computed on first use.
    pub(super) entering: OnceLock<Box<[u32]>>,
}

/// The tokens that span items at a state, grouped by the place where they begin. Computed on first use.
#[derive(Debug, Default)]
pub(super) struct Spans {
    /// Tokens that begin within an item that returns to the state.
    pub(super) within: OnceLock<Box<[SpanningToken]>>,
    /// Tokens that begin in the state, between two items.
    pub(super) between: OnceLock<Box<[SpanningToken]>>,
}

impl DistinctRules {
    /// Returns a set without rules, so that items are not compared.
    pub(crate) const fn none() -> Self {
        Self {
            states: StateRanges::none(),
            scarce: StateRanges::none(),
            spans: Vec::new(),
            entering: OnceLock::new(),
        }
    }

    /// Finds the distinct rules of a grammar. O(states and edges of these rules).
    pub(crate) fn new(joined: &Joined<'_>) -> Self {
        let own = &joined.own;
        let states = StateRanges::of_rules(own.rules, rule_flags::DISTINCT);
        let (mut between, mut scarce) = (BTreeSet::new(), Vec::new());
        for range in states.iter() {
            let mut items = BTreeSet::new();
            for state in range.clone() {
                for edge in own.call_edges_of((state - own.bases.states) as usize) {
                    if joined.rule(edge.callee).flags & rule_flags::ITEM != 0 && edge.ret != NONE {
                        between.extend([state, edge.ret]);
                        items.insert(edge.callee);
                    }
                }
            }
            scarce.extend(items.iter().any(|&item| is_finite(joined, item)).then_some(range));
        }
        let spans = between.into_iter().map(|state| (state, Spans::default())).collect();
        Self { states, scarce: StateRanges::new(scarce), spans, entering: OnceLock::new() }
    }

    /// Whether the grammar has no distinct rules.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Whether a state belongs to a distinct rule.
    #[inline]
    pub(crate) fn contains(&self, state: u32) -> bool {
        !self.is_empty() && self.states.contains(state)
    }

    /// Whether a state belongs to a distinct rule that may run out of new items.
    pub(super) fn is_scarce(&self, state: u32) -> bool {
        self.scarce.contains(state)
    }

    /// Returns the initial state of each distinct rule.
    pub(super) fn starts(&self) -> impl Iterator<Item = u32> {
        self.states.iter().map(|rule| rule.start)
    }

    /// Returns the tokens that span items at a state. `None` if the state neither calls an item nor is returned to by
    /// one.
    pub(super) fn spans(&self, state: u32) -> Option<&Spans> {
        let at = self.spans.binary_search_by_key(&state, |(state, _)| *state).ok()?;
        Some(&self.spans[at].1)
    }
}

/// Whether the states that a rule reaches form no cycle, so that the rule has finitely many texts. A loop with a
/// counter is a cycle too, and counts as infinite.
fn is_finite(joined: &Joined<'_>, rule: u32) -> bool {
    // For each state found, whether it is done: `false` on the path of the search, `true` if it reaches no cycle.
    let mut known: HashMap<u32, bool> = HashMap::new();
    let mut path = vec![(joined.rule(rule).first_state, 0)];
    known.insert(path[0].0, false);
    while let Some((state, next)) = path.last_mut() {
        let (tables, index) = joined.locate(*state);
        let bytes = tables.byte_edges_of(index).iter().map(|edge| edge.target);
        let calls = tables.call_edges_of(index).iter().flat_map(|edge| {
            let back = Some(edge.ret).filter(|&ret| ret != NONE);
            [joined.rule(edge.callee).first_state].into_iter().chain(back)
        });
        let tokens = tables.token_edges_of(index).iter().map(|edge| edge.target);
        let Some(target) = bytes.chain(calls).chain(tokens).nth(*next) else {
            known.insert(*state, true);
            path.pop();
            continue;
        };
        *next += 1;
        match known.get(&target) {
            Some(true) => {}
            Some(false) => return false,
            None => {
                known.insert(target, false);
                path.push((target, 0));
            }
        }
    }
    true
}

//! Distinct rules: their items differ from each other, as in arrays with `uniqueItems` and objects whose keys `minProperties`
//! counts.
//!
//! States and stacks do not hold whether a text occurred before. So the stored masks of a distinct rule allow equal items, and
//! this module removes the few tokens that lead only to equal ones. Positions outside distinct rules pay one test.
//!
//! | file | what it answers |
//! | --- | --- |
//! | [`items`] | which texts an activation has had |
//! | [`alive`] | whether a configuration can still reach a new item |
//! | [`excluded`] | which tokens of a stored mask lead to no new item |
//! | [`spanning`] | which tokens end one item and continue into the next |
//! | [`nodes`] | the inner nodes of the token trie, by byte |
//! | [`exported`] | the lists of a position as bytes |
//!
//! # What is taken out
//!
//! A token is removed if and only if every continuation of it ends an item that is equal to an earlier one. `{"id":7` has one
//! ending: if that object is an earlier item, the token `7` is removed at the latest. The search follows the texts of the
//! earlier items only, since an item that diverges from all of them is new.
//!
//! # Cost
//!
//! A position outside distinct rules costs nothing. Elsewhere a mask walks the token trie along the earlier items that begin
//! with the text of the open one: O(items x longest token), or nothing if there are none. Some dozens of tokens end an item
//! and begin the next. Those that may make an equal item are tried one by one; they are found once for each state (see
//! [`DistinctRules::spanning`]). An accept that ends an item compares it with the earlier ones.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use grammarc_artifacts::sections::network::{NONE, rule_flags};
use grammarc_artifacts::tables::Joined;

use crate::error::LimitError;
use crate::position::{Configuration, Configurations};
use crate::stack::{BOTTOM, Frames};
use crate::state_ranges::StateRanges;
use crate::step::Machine;

use self::spanning::Spanning;

pub(crate) mod alive;
pub(crate) mod excluded;
pub(crate) mod exported;
pub(crate) mod items;
pub(crate) mod nodes;
mod spanning;

/// The distinct rules of a grammar.
#[derive(Debug, Default)]
pub(crate) struct DistinctRules {
    states: StateRanges,
    /// The states of the rules that have an item with finitely many texts.
    scarce: StateRanges,
    /// The states that call items and the states that items return to, ascending, with the tokens that span items there.
    spans: Vec<(u32, Spans)>,
    /// The tokens that begin a distinct rule and span items of it. Computed on first use.
    entering: OnceLock<Box<[u32]>>,
}

/// Tokens that span items, by where they are read. Computed on first use.
#[derive(Debug, Default)]
struct Spans {
    /// In an item that returns to the state.
    within: OnceLock<Box<[Spanning]>>,
    /// In the state.
    between: OnceLock<Box<[Spanning]>>,
}

impl DistinctRules {
    /// No rules: items are not compared.
    pub(crate) const fn none() -> Self {
        Self {
            states: StateRanges::none(),
            scarce: StateRanges::none(),
            spans: Vec::new(),
            entering: OnceLock::new(),
        }
    }

    /// The distinct rules of a grammar's tables.
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

    /// Whether there are none.
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
    fn is_scarce(&self, state: u32) -> bool {
        self.scarce.contains(state)
    }

    fn spans(&self, state: u32) -> Option<&Spans> {
        let at = self.spans.binary_search_by_key(&state, |(state, _)| *state).ok()?;
        Some(&self.spans[at].1)
    }
}

/// Appends one byte to the text and reads it: `next` becomes the position after it.
fn read(
    machine: &Machine<'_>,
    frames: &mut Frames,
    from: &[Configuration],
    byte: u8,
    closure: &mut Configurations,
    next: &mut Configurations,
) -> Result<(), LimitError> {
    frames.items.push(&[byte]);
    // A list is settled while the byte after its item is read, and the item ends before that byte.
    frames.items.leave(1);
    machine.step(frames, from, byte, closure, next)?;
    frames.items.leave(0);
    Ok(())
}

/// The activations of distinct rules on a configuration's stack, innermost first: the return state of each and its register.
fn callers(
    machine: &Machine<'_>,
    frames: &Frames,
    at: Configuration,
) -> impl Iterator<Item = (u32, u32)> {
    let mut frame = at.frame;
    let stack = std::iter::from_fn(move || {
        let below = (frame != BOTTOM).then(|| frames.get(frame))?;
        frame = below.parent;
        Some((below.ret, below.count))
    });
    stack.filter(|&(state, _)| machine.distinct.contains(state))
}

/// Whether the states that a rule reaches form no cycle, so that it has finitely many texts. A loop with a counter is a cycle
/// too and counts as infinite.
fn is_finite(joined: &Joined<'_>, rule: u32) -> bool {
    // `false` for the states on the path of the search, `true` for those that reach no cycle.
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

//! Rules whose items differ from each other, such as arrays with `uniqueItems` and objects whose keys `minProperties` counts.
//!
//! This is the one thing that a position cannot know from states and stacks: whether a text was there before. So the
//! stored masks of such a rule allow items to be equal, and this room takes the few tokens out that would make them so.
//! Grammars without such rules pay a test for it, and no others do either outside such rules.
//!
//! | file | what it answers |
//! | --- | --- |
//! | [`items`] | which texts an activation has had |
//! | [`alive`] | whether a configuration can still become an item that is new |
//! | [`excluded`] | which tokens of a stored mask can not |
//! | [`spanning`] | which tokens go from one item into the next |
//! | [`nodes`] | where in the token trie tokens go on behind a byte |
//! | [`exported`] | the lists of a position as bytes |
//!
//! # What is taken out
//!
//! A token is taken out if and only if no continuation of it is left: where an item of its would end equal to one before
//! it, or where all that could follow leads there. `{"id":7` can end in one way alone, so where that object was an
//! item before, the token `7` is refused at the latest. That is decided by going on along the items that were, for what
//! leaves their paths is new; no other path is tried.
//!
//! # Cost
//!
//! Of a position that is in no item and between no items: nothing. Else a mask walks the token trie along the rests of
//! the items that begin with what is read of the newest: O(items x longest token), and none where no item does. It tries
//! besides those of the tokens that end an item and begin the next, some dozens, of which it is not plain that all they
//! make is new; these are found once for each state (see [`DistinctRules::spanning`]). An accept compares the item that
//! it ends with those before it.

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
    /// The states of those with an item of a finite number of texts.
    scarce: StateRanges,
    /// The states that call items or that these return to, ascending, with the tokens that span items there.
    spans: Vec<(u32, Spans)>,
    /// The tokens that begin such a rule and span items of it; found when they are first asked for.
    entering: OnceLock<Box<[u32]>>,
}

/// Tokens that span items, by where they are read; found when they are first asked for.
#[derive(Debug, Default)]
struct Spans {
    /// In an item that returns to the state.
    within: OnceLock<Box<[Spanning]>>,
    /// In the state.
    between: OnceLock<Box<[Spanning]>>,
}

impl DistinctRules {
    /// None: items are not compared.
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

    /// Whether a state is one of theirs.
    #[inline]
    pub(crate) fn contains(&self, state: u32) -> bool {
        !self.is_empty() && self.states.contains(state)
    }

    /// Whether a state is of one that may run out of items.
    fn is_scarce(&self, state: u32) -> bool {
        self.scarce.contains(state)
    }

    fn spans(&self, state: u32) -> Option<&Spans> {
        let at = self.spans.binary_search_by_key(&state, |(state, _)| *state).ok()?;
        Some(&self.spans[at].1)
    }
}

/// Reads one byte behind the text, which has it then: `next` becomes the position after it.
fn read(
    machine: &Machine<'_>,
    frames: &mut Frames,
    from: &[Configuration],
    byte: u8,
    closure: &mut Configurations,
    next: &mut Configurations,
) -> Result<(), LimitError> {
    frames.items.push(&[byte]);
    // A list is settled as the byte behind its item is read, which the item ends before.
    frames.items.leave(1);
    machine.step(frames, from, byte, closure, next)?;
    frames.items.leave(0);
    Ok(())
}

/// The activations of distinct rules that have called what a configuration is in, innermost first: the state that each
/// goes on from, and its register.
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

/// Whether a rule has a finite number of texts, as far as its states tell, which go round where they count.
fn is_finite(joined: &Joined<'_>, rule: u32) -> bool {
    // States that are being looked at, and those below which nothing goes round.
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

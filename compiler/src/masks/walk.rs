//! Running a state over a subtree of the token trie.
//!
//! The outcome of state `q` at node `v` is what happens to the byte strings below `v` when `q` consumes them: the tokens
//! consumed without leaving `q`'s rule, and the nodes at which the rule is left with bytes still to go. A base mask is
//! the outcome at the root; a follow mask is the union of a return state's outcomes at the nodes of an exit class.
//!
//! Outcomes compose as the runtime composes masks: where the walk reaches a single configuration `(q', frames)`, the
//! outcome of `q'` alone is enough, continued from the frames at its exits. So the wide subtrees, those inside a JSON
//! string for instance, are walked once for the string's own states and then reused by every state that leads there.
//!
//! A node at which a rule is left matters only if some byte below it may come after the rule, so the others are left
//! out: the exit classes of an identifier that may end anywhere shrink to the few nodes where it does.
//!
//! Cost of a walk: O(nodes reached), about 4 ns each once the moves of the sets met are known.

use std::ops::Range;
use std::sync::Arc;

use grammarc_artifacts::sections::vocabulary::Trie;
use rustc_hash::FxHashMap;

use super::shared::SharedOutcomes;
use crate::ir::ByteSet;
use crate::network::follow::Follow;
use crate::network::local::{BOTTOM, DEAD, LocalSets, SetId};

/// Subtrees of at least this many nodes have their outcomes remembered.
const WORTH_REMEMBERING: u32 = 64;

/// What becomes of the byte strings below a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Ranks of the tokens consumed within the rule: sorted, disjoint, not adjacent.
    pub spans: Vec<Range<u32>>,
    /// Inner nodes at which the rule is left, sorted.
    pub exits: Vec<u32>,
}

impl Outcome {
    /// Number of tokens.
    pub fn count(&self) -> u32 {
        self.spans.iter().map(|span| span.end - span.start).sum()
    }

    fn normalize(&mut self) {
        if !self.spans.is_sorted_by(|a, b| a.end < b.start) {
            self.spans.sort_unstable_by_key(|span| (span.start, span.end));
            let mut merged: Vec<Range<u32>> = Vec::with_capacity(self.spans.len());
            for span in self.spans.drain(..) {
                match merged.last_mut() {
                    Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
                    _ => merged.push(span),
                }
            }
            self.spans = merged;
        }
        if !self.exits.is_sorted_by(|a, b| a < b) {
            self.exits.sort_unstable();
            self.exits.dedup();
        }
    }

    fn add_span(&mut self, span: Range<u32>) {
        match self.spans.last_mut() {
            _ if span.is_empty() => {}
            Some(last) if last.end == span.start => last.end = span.end,
            _ => self.spans.push(span),
        }
    }
}

/// An outcome under construction.
struct Building {
    outcome: Outcome,
    /// Bytes that may come after the rule the walk began in.
    after: ByteSet,
}

/// Walks over one trie and network, with what they have learnt.
pub struct Walker<'a> {
    trie: Trie<'a>,
    follow: &'a Follow<'a>,
    shared: &'a SharedOutcomes,
    sets: LocalSets<'a>,
    remembered: FxHashMap<(u32, u32), Arc<Outcome>>,
    path: Vec<(u32, SetId)>,
}

impl<'a> Walker<'a> {
    /// A walker that has learnt nothing yet.
    pub fn new(follow: &'a Follow<'a>, shared: &'a SharedOutcomes, trie: Trie<'a>) -> Self {
        let sets = LocalSets::new(follow.network());
        Self { trie, follow, shared, sets, remembered: FxHashMap::default(), path: Vec::new() }
    }

    /// The sets met.
    pub fn sets(&mut self) -> &mut LocalSets<'a> {
        &mut self.sets
    }

    /// The outcome of `state` at the root.
    pub fn base(&mut self, state: u32) -> Outcome {
        self.follow(state, &[0])
    }

    /// The union of the outcomes of the return state `ret` at the nodes of an exit class.
    pub fn follow(&mut self, ret: u32, class: &[u32]) -> Outcome {
        let mut building = self.begin(ret);
        for &node in class {
            self.run(ret, BOTTOM, node, &mut building);
        }
        building.outcome.normalize();
        building.outcome
    }

    fn begin(&self, state: u32) -> Building {
        let after = self.follow.bytes(self.follow.rule_of(state));
        Building { outcome: Outcome::default(), after }
    }

    /// Adds the outcome at `node` of `state` over the local frame `frame`.
    fn run(&mut self, state: u32, frame: u32, node: u32, building: &mut Building) {
        let set = self.sets.single(state, frame);
        if self.sets.get(set).exits {
            self.leave(node, building);
        }
        self.below(set, node, building);
    }

    /// Notes that the rule can be left at `node`, where anything may come of it. Tokens matched by id are looked for at
    /// the root, so the root is always noted.
    fn leave(&self, node: u32, building: &mut Building) {
        let trie = self.trie;
        let goes_on = |child: u32| building.after.contains(trie.byte[child as usize]);
        if node == 0 || trie.children(node).any(goes_on) {
            building.outcome.exits.push(node);
        }
    }

    /// Adds what becomes of the strings below `node` from `set`.
    fn below(&mut self, set: SetId, node: u32, building: &mut Building) {
        let trie = self.trie;
        let floor = self.path.len();
        self.path.push((trie.end[node as usize], set));
        let mut at = node + 1;
        while self.path.len() > floor {
            let (end, set) = self.path[self.path.len() - 1];
            if at >= end {
                self.path.pop();
                continue;
            }
            let child = at;
            let child_end = trie.end[child as usize];
            let next = self.sets.next(set, trie.byte[child as usize]);
            if next == DEAD {
                at = child_end;
                continue;
            }
            let reached = self.sets.get(next);
            if reached.ends {
                building.outcome.add_span(trie.tokens_at(child));
            }
            if child_end == child + 1 {
                at = child_end;
                continue;
            }
            let remember = child_end - child >= WORTH_REMEMBERING;
            if reached.exits {
                self.leave(child, building);
            }
            match self.sets.get(next).configurations[..] {
                [] => at = child_end,
                [(state, frame)] if remember && self.sets.frame_rests(frame) => {
                    self.compose(state, frame, child, building);
                    at = child_end;
                }
                _ => {
                    self.path.push((child_end, next));
                    at = child + 1;
                }
            }
        }
    }

    /// Adds the outcome of `state` at `node`, continued from `frame` at its exits.
    fn compose(&mut self, state: u32, frame: u32, node: u32, building: &mut Building) {
        let alone = match self.remembered.get(&(state, node)) {
            Some(alone) => Arc::clone(alone),
            None => {
                let alone = Arc::new(self.alone(state, node));
                self.remembered.insert((state, node), Arc::clone(&alone));
                alone
            }
        };
        alone.spans.iter().for_each(|span| building.outcome.add_span(span.clone()));
        if frame == BOTTOM {
            // The walk may have come here from another rule by tail calls, after which less may come.
            alone.exits.iter().for_each(|&exit| self.leave(exit, building));
            return;
        }
        let (ret, parent) = self.sets.frame(frame);
        for &exit in &alone.exits {
            self.run(ret, parent, exit, building);
        }
    }

    /// The outcome of `state` at `node` whatever its rule is called from.
    fn alone(&mut self, state: u32, node: u32) -> Outcome {
        let tables = self.sets.network().shared;
        if let Some(stored) = self.shared.outcome(tables, self.trie, state, node) {
            return stored;
        }
        let mut building = self.begin(state);
        self.run(state, BOTTOM, node, &mut building);
        building.outcome.normalize();
        building.outcome
    }
}

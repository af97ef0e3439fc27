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
//! Cost of a walk: O(nodes reached), about 4 ns each once the moves of the sets met are known.

use std::ops::Range;
use std::sync::Arc;

use grammarc_artifacts::sections::vocabulary::Trie;
use rustc_hash::FxHashMap;

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

/// Walks over one trie and network, with what they have learnt.
pub struct Walker<'a> {
    trie: Trie<'a>,
    sets: LocalSets<'a>,
    remembered: FxHashMap<(u32, u32), Arc<Outcome>>,
    path: Vec<(u32, SetId)>,
}

impl<'a> Walker<'a> {
    /// A walker that has learnt nothing yet.
    pub fn new(sets: LocalSets<'a>, trie: Trie<'a>) -> Self {
        Self { trie, sets, remembered: FxHashMap::default(), path: Vec::new() }
    }

    /// The sets met.
    pub fn sets(&mut self) -> &mut LocalSets<'a> {
        &mut self.sets
    }

    /// The outcome of `state` at the root.
    pub fn base(&mut self, state: u32) -> Outcome {
        let mut outcome = Outcome::default();
        self.run(state, BOTTOM, 0, &mut outcome);
        outcome.normalize();
        outcome
    }

    /// The union of the outcomes of the return state `ret` at the nodes of an exit class.
    pub fn follow(&mut self, ret: u32, class: &[u32]) -> Outcome {
        let mut outcome = Outcome::default();
        for &node in class {
            self.run(ret, BOTTOM, node, &mut outcome);
        }
        outcome.normalize();
        outcome
    }

    /// Adds the outcome at `node` of `state` over the local frame `frame`.
    fn run(&mut self, state: u32, frame: u32, node: u32, outcome: &mut Outcome) {
        let set = self.sets.single(state, frame);
        self.arrive(set, node, outcome);
        self.below(set, node, outcome);
    }

    /// Notes that the rule can be left at `node`, where the set says so.
    fn arrive(&self, set: SetId, node: u32, outcome: &mut Outcome) {
        if self.sets.get(set).exits && !self.trie.is_leaf(node) {
            outcome.exits.push(node);
        }
    }

    /// Adds what becomes of the strings below `node` from `set`.
    fn below(&mut self, set: SetId, node: u32, outcome: &mut Outcome) {
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
                outcome.add_span(trie.tokens_at(child));
            }
            if child_end == child + 1 {
                at = child_end;
                continue;
            }
            if reached.exits {
                outcome.exits.push(child);
            }
            let remember = child_end - child >= WORTH_REMEMBERING;
            match reached.configurations[..] {
                [] => at = child_end,
                [(state, frame)] if remember && self.sets.frame_rests(frame) => {
                    self.compose(state, frame, child, outcome);
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
    fn compose(&mut self, state: u32, frame: u32, node: u32, outcome: &mut Outcome) {
        let alone = match self.remembered.get(&(state, node)) {
            Some(alone) => Arc::clone(alone),
            None => {
                let mut alone = Outcome::default();
                let set = self.sets.single(state, BOTTOM);
                self.arrive(set, node, &mut alone);
                self.below(set, node, &mut alone);
                alone.normalize();
                let alone = Arc::new(alone);
                self.remembered.insert((state, node), Arc::clone(&alone));
                alone
            }
        };
        alone.spans.iter().for_each(|span| outcome.add_span(span.clone()));
        if frame == BOTTOM {
            outcome.exits.extend_from_slice(&alone.exits);
            return;
        }
        let (ret, parent) = self.sets.frame(frame);
        for &exit in &alone.exits {
            self.run(ret, parent, exit, outcome);
        }
    }
}

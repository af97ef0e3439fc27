//! The base mask of a state of the grammar, derived from that of another.
//!
//! The state and its model run over the trie side by side. Below a node that they come to in states which do the same
//! for as many bytes as any string below it has, what the model does holds. Elsewhere both go on, so that the only nodes
//! visited are those from which some token is long enough, or goes the way, to tell the two apart: for a place in a
//! chain of 255 characters none, or the few runs of one character; near its end the tokens that are longer than the rest.
//!
//! Cost: O(children of the nodes visited), a few ns each.

use grammarc_artifacts::sections::network::CallEdge;

use super::nodes::bits;
use super::outcome::{Outcome, Taken};
use super::take::Excepted;
use super::walk::{Building, Walker};
use crate::network::local::{At, BOTTOM};

impl Walker<'_> {
    /// The outcome of `state` at the root, where that of `model` is `known`; both have rows.
    pub(super) fn base_like(&mut self, state: u32, model: u32, known: &Outcome) -> Outcome {
        let (mut excepted, mut building) = (Excepted::default(), self.begin(state));
        if let (Some(row), Some(like)) =
            (self.agreement.row_of(state), self.agreement.row_of(model))
        {
            self.depart(row, like, &mut excepted, &mut building);
        }
        let mut outcome = building.outcome;
        let at_root = usize::from(known.exits.first() == Some(&0));
        outcome.exits.extend(excepted.split(&known.exits[at_root..]).0);
        if self.follow.is_final(state) {
            outcome.exits.push(0);
        }
        outcome.taken = Some(Taken { state: model, except: excepted.ranks(self.trie) });
        outcome.normalize();
        outcome
    }

    /// Finds the nodes whose tokens and exits are not those of the row `like`, and what becomes of them instead.
    fn depart(&mut self, row: u32, like: u32, excepted: &mut Excepted, building: &mut Building) {
        let (trie, nodes) = (self.trie, self.known.nodes());
        let (rows, after) = (self.agreement.rows(), bits(building.after));
        let mut pairs = vec![(row, like); nodes.height(0) + 1];
        let mut next = 1;
        while next < trie.len() as u32 {
            let child = next;
            let depth = nodes.depth(child);
            let (row, like) = pairs[depth - 1];
            let byte = trie.byte[child as usize];
            let (to, stored) = (rows.on(row, byte), rows.on(like, byte));
            next = trie.end[child as usize];
            if to == stored && !to.is_call() {
                continue;
            }
            let is_leaf = next == child + 1;
            if let (Some(to_row), Some(stored_row)) = (to.row(), stored.row()) {
                let (below, height) = (nodes.below(child), nodes.height(child));
                let same_here = to.ends() == stored.ends();
                if same_here && is_leaf || rows.agree(to_row, stored_row, height) {
                    continue;
                }
                if !same_here || to.exits() != stored.exits() {
                    excepted.add(child..child + 1);
                    if to.ends() {
                        building.outcome.add_span(trie.tokens_at(child));
                    }
                    if to.exits() && !is_leaf {
                        self.leave(child, building);
                    }
                }
                let all = |row| rows.loops(row, below, height, after);
                if !is_leaf && !(all(to_row) && all(stored_row)) {
                    pairs[depth] = (to_row, stored_row);
                    next = child + 1;
                }
                continue;
            }
            let [state, model] = [row, like].map(|row| rows.state(row));
            if to.is_call() && stored.is_call() && self.calls(state) == self.calls(model) {
                continue;
            }
            if !stored.is_dead() {
                excepted.add(child..next);
            }
            if !to.is_dead() {
                self.visit(At::One(state, BOTTOM), child, building);
            }
        }
    }

    fn calls(&self, state: u32) -> &[CallEdge] {
        self.agreement.moves(self.follow.network(), state).calls
    }
}

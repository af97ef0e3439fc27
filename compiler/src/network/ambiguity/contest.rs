//! Bytes with which a set of configurations goes on in more than one way. Any other leads to a state alone, and all states
//! are begun with, so these bytes alone are tried.
//!
//! Of a set they are found at once, in O(configurations and their calls); over what it may return to, byte by byte.

use super::exploration::Exploration;
use super::packed::labels;
use super::position::Configuration;
use crate::ir::ByteSet;
use crate::network::bytes_on;

/// With what a set of configurations may go on.
#[derive(Clone, Copy)]
enum Way {
    /// A configuration within its rule.
    Within(Configuration),
    /// The bytes that come after the rule at the bottom.
    After(ByteSet),
}

impl Exploration<'_> {
    /// Bytes with which there are two ways on from a set.
    pub(super) fn contested(&mut self, set: &[Configuration]) -> ByteSet {
        let network = self.follow.network();
        let (mut one, mut two) = (ByteSet::EMPTY, ByteSet::EMPTY);
        let mut add = |more: ByteSet| {
            two = two.union(one.intersect(more));
            one = one.union(more);
        };
        self.ways_of(set, |this, way| {
            match way {
                Way::After(bytes) => add(bytes),
                Way::Within(at) => match (this.node(at), this.follow.first(at.state)) {
                    (Some(node), _) => add(labels(node)),
                    (None, (first, false)) => add(first),
                    (None, (_, true)) => {
                        let state = at.state;
                        let (tables, index) = network.locate(state);
                        add(bytes_on(tables.byte_edges_of(index)));
                        for call in tables.call_edges_of(index) {
                            add(ByteSet::from_words(network.rule(call.callee).first_bytes));
                        }
                    }
                },
            }
            false
        });
        two
    }

    /// Whether there are two ways on with a byte from a set, what returns to one place counted once. One way alone leads
    /// to what the state that it is of leads to alone, and all states are begun with.
    pub(super) fn is_contested(&mut self, set: &[Configuration], byte: u8) -> bool {
        let mut ways = 0;
        self.ways_of(set, |this, way| {
            ways += match way {
                Way::Within(at) => this.ways(at, byte),
                Way::After(bytes) => {
                    this.depends(byte, bytes);
                    usize::from(bytes.contains(byte))
                }
            };
            ways > 1
        });
        ways > 1
    }

    /// Looks at all that a set may go on with, each place that it returns to once; at what it returns to no more where
    /// that `is_enough`.
    fn ways_of(
        &mut self,
        set: &[Configuration],
        mut is_enough: impl FnMut(&mut Self, Way) -> bool,
    ) {
        let mut below = std::mem::take(&mut self.below);
        below.clear();
        for &(mut at) in set {
            while !is_enough(self, Way::Within(at)) && self.may_return(at) {
                let popped = self.stacks.pop(at.stack);
                let next = popped.map(|(stack, (state, register))| Configuration {
                    state,
                    stack,
                    register,
                });
                if below.contains(&next) {
                    break;
                }
                below.push(next);
                let Some(next) = next else {
                    let after = self.follow.bytes(self.follow.rule_of(at.state));
                    is_enough(self, Way::After(after));
                    break;
                };
                at = next;
            }
        }
        self.below = below;
    }

    /// In how many ways a configuration goes on with a byte within its rule.
    fn ways(&mut self, at: Configuration, byte: u8) -> usize {
        let state = at.state;
        if let Some(node) = self.node(at) {
            self.depends(byte, labels(node));
            return usize::from(labels(node).contains(byte));
        }
        let (first, is_shared) = self.follow.first(state);
        self.depends(byte, first);
        if !is_shared || !first.contains(byte) {
            return usize::from(first.contains(byte));
        }
        let network = self.follow.network();
        let (tables, index) = network.locate(state);
        let mut called = 0;
        for call in tables.call_edges_of(index) {
            let first = ByteSet::from_words(network.rule(call.callee).first_bytes);
            self.depends(byte, first);
            called += usize::from(first.contains(byte));
        }
        called + usize::from(self.read(tables.byte_edges_of(index), byte).is_some())
    }
}

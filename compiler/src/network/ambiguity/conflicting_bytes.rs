//! The *conflicting bytes* of a set of configurations (one parse each): bytes on which more than
//! one transition leaves the set. Any other byte leads to the successor of one configuration alone.
//! The exploration begins with every state alone, so only conflicting bytes are tried.
//!
//! Cost: O(configurations and their calls), both for all bytes of a set and for a single byte.

use super::byte_range::ByteRange;
use super::packed::labels;
use super::position::Configuration;
use super::stacks::{Frame, Stacks};
use super::view::View;
use crate::ir::ByteSet;
use crate::network::calls::bytes_on;

/// A point from which a set of configurations (parses) may continue.
#[derive(Clone, Copy)]
enum Continuation {
    /// A configuration (one parse): a member of the set, or a configuration that a member returns
    /// to.
    Within(Configuration),
    /// The FOLLOW bytes of the rule at the bottom of a stack, after the return from that rule.
    After(ByteSet),
}

/// A buffer for the configurations (parses) that a set returns to. `None` denotes a return from the
/// bottom of the stack, to an unknown caller.
pub(super) type Below = Vec<Option<Configuration>>;

/// Computes the continuations of a set of configurations (parses).
pub(super) struct SetContinuations<'e> {
    /// The network and its FOLLOW sets.
    pub(super) view: &'e View<'e>,
    /// The stacks of the configurations (parses).
    pub(super) stacks: &'e Stacks,
    /// The set of configurations (parses).
    pub(super) set: &'e [Configuration],
    /// A buffer for the configurations (parses) that the set returns to. Its contents are replaced.
    pub(super) below: &'e mut Below,
}

impl SetContinuations<'_> {
    /// Returns the bytes on which at least two transitions leave the set.
    pub(super) fn conflicting(&mut self) -> ByteSet {
        let view = self.view;
        let network = view.follow.network();
        let (mut one, mut two) = (ByteSet::EMPTY, ByteSet::EMPTY);
        let mut add = |more: ByteSet| {
            two = two.union(one.intersect(more));
            one = one.union(more);
        };
        self.visit(|next| {
            match next {
                Continuation::After(bytes) => add(bytes),
                Continuation::Within(at) => match (view.node(at), view.follow.first(at.state)) {
                    (Some(node), _) => add(labels(node)),
                    (None, (first, false)) => add(first),
                    (None, (_, true)) => {
                        let (tables, index) = network.locate(at.state);
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

    /// Whether at least two transitions leave the set on `byte`. A configuration (one parse) that
    /// several members return to counts once. Restricts `range` to the bytes, from `byte` on, with
    /// the same answer.
    pub(super) fn is_conflicting(&mut self, byte: u8, range: &mut ByteRange) -> bool {
        let view = self.view;
        let mut count = 0;
        self.visit(|next| {
            count += match next {
                Continuation::Within(at) => transitions(view, at, byte, range),
                Continuation::After(bytes) => {
                    range.depends_on(byte, bytes);
                    usize::from(bytes.contains(byte))
                }
            };
            count > 1
        });
        count > 1
    }

    /// Calls `is_enough` for each continuation. A configuration (one parse) that several members
    /// return to is visited once. If `is_enough` returns true for a configuration, the returns of
    /// that configuration are not followed.
    fn visit(&mut self, mut is_enough: impl FnMut(Continuation) -> bool) {
        let Self { view, stacks, set, below } = self;
        below.clear();
        for &(mut at) in *set {
            while !is_enough(Continuation::Within(at)) && view.may_return(at) {
                let popped = stacks.pop(at.stack);
                let next = popped.map(|(stack, Frame { state, register })| Configuration {
                    state,
                    stack,
                    register,
                });
                if below.contains(&next) {
                    break;
                }
                below.push(next);
                let Some(next) = next else {
                    let after = view.follow.bytes(view.follow.rule_of(at.state));
                    is_enough(Continuation::After(after));
                    break;
                };
                at = next;
            }
        }
    }
}

/// Returns the number of transitions on `byte` that a configuration (one parse) has within its
/// rule. Restricts `range` to the bytes, from `byte` on, with the same number.
fn transitions(view: &View<'_>, at: Configuration, byte: u8, range: &mut ByteRange) -> usize {
    if let Some(node) = view.node(at) {
        range.depends_on(byte, labels(node));
        return usize::from(labels(node).contains(byte));
    }
    let (first, is_shared) = view.follow.first(at.state);
    range.depends_on(byte, first);
    if !is_shared || !first.contains(byte) {
        return usize::from(first.contains(byte));
    }
    let network = view.follow.network();
    let (tables, index) = network.locate(at.state);
    let mut called = 0;
    for call in tables.call_edges_of(index) {
        let first = ByteSet::from_words(network.rule(call.callee).first_bytes);
        range.depends_on(byte, first);
        called += usize::from(first.contains(byte));
    }
    called + usize::from(range.read(tables.byte_edges_of(index), byte).is_some())
}

//! Bytes on which more than one transition leaves a set of configurations. Any other byte leads to the successor of one
//! state alone. The exploration begins with every state alone, so conflicting bytes alone are tried.
//!
//! Cost: O(configurations and their calls) for all bytes of a set, and the same for one byte.

use super::byte_range::ByteRange;
use super::packed::labels;
use super::position::Configuration;
use super::stacks::{Frame, Stacks};
use super::view::View;
use crate::ir::ByteSet;
use crate::network::calls::bytes_on;

/// A continuation of a set of configurations.
#[derive(Clone, Copy)]
enum Continuation {
    /// A configuration within its rule.
    Within(Configuration),
    /// The bytes that follow the rule at the bottom.
    After(ByteSet),
}

/// Configurations below a set to which it returns; `None` is the unknown. A buffer that steps take turns with.
pub(super) type Below = Vec<Option<Configuration>>;

/// The continuations of a set of configurations.
pub(super) struct SetContinuations<'e> {
    pub(super) view: &'e View<'e>,
    pub(super) stacks: &'e Stacks,
    pub(super) set: &'e [Configuration],
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

    /// Whether at least two transitions leave the set on a byte. A configuration to which several return counts once.
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

    /// Visits the continuations, each configuration that the set returns to once. Stops the returns of a configuration
    /// where that `is_enough`.
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

/// Returns how many transitions leave a configuration on a byte within its rule.
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

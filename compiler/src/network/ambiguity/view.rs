//! The network as configurations see it: packed nodes within packed string sets, and states
//! elsewhere.
//!
//! A configuration within a packed set has the initial state of the set's rule. Its register holds
//! the address of the node.

use grammarc_artifacts::packed_strings::Node;
use grammarc_artifacts::sections::network::{NONE, state_flags};

use super::deterministic::is_deterministic;
use super::packed::{Packed, labels};
use super::position::Configuration;
use super::register::Register;
use super::stacks::{Frame, Stack, Stacks};
use crate::ir::ByteSet;
use crate::network::follow::Follow;
use crate::network::packed_string_set::PackedStringSet;

/// A network with its FOLLOW sets and its packed string sets (texts as a packed automaton).
pub(super) struct View<'a> {
    /// The network and its FOLLOW sets.
    pub(super) follow: &'a Follow<'a>,
    /// The rules that are packed string sets (texts as a packed automaton).
    pub(super) packed: Packed<'a>,
    /// Whether no state of the network reads whole tokens.
    pub(super) no_tokens: bool,
}

impl<'a> View<'a> {
    /// Combines the FOLLOW sets of a network with its packed string sets (texts as a packed
    /// automaton).
    pub(super) fn new(follow: &'a Follow<'a>, packed: Packed<'a>) -> Self {
        Self { follow, packed, no_tokens: !follow.network().reads_tokens() }
    }

    /// Returns the packed node of a configuration. Returns `None` if the configuration is not
    /// within a packed set (texts as a packed automaton).
    #[inline]
    pub(super) fn node(&self, at: Configuration) -> Option<Node<'a>> {
        let Register::Node(address) = at.register else { return None };
        Some(self.packed.of(at.state)?.nodes().node(address))
    }

    /// Whether a configuration (one parse) has at most one successor on every symbol.
    pub(super) fn is_alone(&self, at: Configuration) -> bool {
        match self.node(at) {
            Some(node) => !self.is_open(node, self.follow.bytes(self.follow.rule_of(at.state))),
            None => self.no_tokens && is_deterministic(self.follow, at.state),
        }
    }

    /// Whether a text may both end at a node and continue with the same byte. `after` holds the
    /// bytes that may follow the rule. If whole tokens are read, a token after the rule may consist
    /// of any bytes, so `after` is ignored.
    fn is_open(&self, node: Node<'_>, after: ByteSet) -> bool {
        let both = || !self.no_tokens || !labels(node).intersect(after).is_empty();
        node.is_final() && !node.is_end() && both()
    }

    /// Returns the addresses of some nodes of a packed set (texts as a packed automaton). At such a
    /// node, a text may both end and continue with the same byte. Any other node alone has at most
    /// one successor.
    pub(super) fn open_nodes(
        &self,
        state: u32,
        set: &PackedStringSet,
    ) -> impl Iterator<Item = u32> {
        let after = self.follow.bytes(self.follow.rule_of(state));
        let has_none = self.no_tokens && set.behind_ends.intersect(after).is_empty();
        let nodes = set.nodes();
        let mut next = if has_none { nodes.len() as u32 } else { 1 };
        std::iter::from_fn(move || {
            while (next as usize) < nodes.len() {
                let address = next;
                let node = nodes.node(address);
                next = node.end();
                if self.is_open(node, after) {
                    return Some(address);
                }
            }
            None
        })
    }

    /// Whether the rule of a configuration (one parse) may return to its caller at this point.
    pub(super) fn may_return(&self, at: Configuration) -> bool {
        match self.node(at) {
            Some(node) => node.is_final(),
            None => self.follow.is_final(at.state),
        }
    }

    /// Follows immediate returns (states that can only return) and returns the configuration (one
    /// parse) after them.
    ///
    /// # Errors
    ///
    /// The last frame, if the return is from the bottom of the stack, to an unknown caller.
    pub(super) fn returned(
        &self,
        mut frame: Frame,
        mut stack: Stack,
        stacks: &Stacks,
    ) -> Result<Configuration, Frame> {
        while self.follow.network().state(frame.state).flags & state_flags::POP_ONLY != 0 {
            (stack, frame) = stacks.pop(stack).ok_or(frame)?;
        }
        Ok(Configuration { state: frame.state, stack, register: frame.register })
    }

    /// Returns the possible results of an arrival at a state: the state with the updated register,
    /// and the states that replace it for some values of the register.
    pub(super) fn arrivals(
        &self,
        state: u32,
        register: Register,
    ) -> impl Iterator<Item = Frame> + use<> {
        let network = self.follow.network();
        let record = network.state(state);
        let counted = record.count_exit != NONE;
        let cleared = 1 << (record.flags >> state_flags::CLEARED & 31);
        let decremented = match register {
            Register::Count { source, decremented } if counted => {
                Register::Count { source, decremented: decremented + 1 }
            }
            Register::RequiredKeys { source, written } if counted => {
                Register::RequiredKeys { source, written: written | cleared }
            }
            other => other,
        };
        // A field of the register that reaches zero leaves the other fields as they are.
        let after = if record.has_field() { decremented } else { Register::None };
        let others = match counted {
            true => network.arrivals(state).split_off(1),
            false => Vec::new(),
        };
        let others = others.into_iter().map(move |state| Frame { state, register: after });
        [Frame { state, register: decremented }].into_iter().chain(others)
    }

    /// Whether the rule of a state is monotone: a larger value of its register accepts every string
    /// that a smaller value accepts.
    pub(super) fn is_monotone(&self, state: u32) -> bool {
        use grammarc_artifacts::sections::network::rule_flags;
        self.follow.network().rule(self.follow.rule_of(state)).flags & rule_flags::MONOTONE != 0
    }

    /// Returns the grammar's rules and the vocabulary's rules that they call, directly or not, in
    /// ascending order.
    pub(super) fn reached(&self) -> Vec<u32> {
        let network = self.follow.network();
        let rules = network.own.rule_ids();
        let mut is_reached = vec![false; rules.start as usize];
        let mut found = Vec::new();
        let mut work: Vec<u32> = rules.clone().collect();
        while let Some(id) = work.pop() {
            let rule = network.rule(id);
            for state in rule.first_state..rule.first_state + rule.state_count {
                let (tables, index) = network.locate(state);
                for callee in tables.call_edges_of(index).iter().map(|call| call.callee) {
                    if let Some(is_reached) = is_reached.get_mut(callee as usize)
                        && !std::mem::replace(is_reached, true)
                    {
                        found.push(callee);
                        work.push(callee);
                    }
                }
            }
        }
        found.sort_unstable();
        found.extend(rules);
        found
    }
}
